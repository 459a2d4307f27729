package artifacts

import (
	"errors"
	"net/url"
	"slices"
	"strconv"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/api/httpio"
	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/filter"
)

// pageSize is how many artifacts a page of the list has.
const pageSize = 25

// Screens are the screens of business artifacts.
type Screens struct {
	App *app.Service
}

// Prefixes of the parameters that filter by an indexed member: what it contains or is,
// and the least and the greatest value.
const (
	containsPrefix = "has."
	isPrefix       = "is."
	fromPrefix     = "from."
	toPrefix       = "to."
)

// question contains the filters of the list, which are the query of its URL.
type question struct {
	Definition uuid.UUID
	Search     string
	// Filters are the parameters that filter by indexed members, by their names.
	Filters map[string]string
	Sort    string
	Page    int
}

// orders returns the values of the parameter sort.
func orders() map[string]domain.SortKey {
	return map[string]domain.SortKey{
		"":        {Property: "createdAt", Descending: true},
		"oldest":  {Property: "createdAt"},
		"changed": {Property: "lastModifiedAt", Descending: true},
	}
}

// asked reads the query of a URL. What is not known counts as not given.
func asked(query url.Values) question {
	q := question{Search: query.Get("q"), Sort: query.Get("sort"), Filters: map[string]string{}, Page: web.PageNumber(query)}
	if _, known := orders()[q.Sort]; !known {
		q.Sort = ""
	}
	if id, err := uuid.Parse(query.Get("definition")); err == nil {
		q.Definition = id
		for name, values := range query {
			if _, _, is := filterOf(name); is && values[0] != "" {
				q.Filters[name] = values[0]
			}
		}
	}
	return q
}

// filterOf returns what a parameter filters by, and how.
func filterOf(name string) (field string, by filter.Operator, is bool) {
	for prefix, operator := range map[string]filter.Operator{
		containsPrefix: filter.Contains, isPrefix: filter.Eq, fromPrefix: filter.Ge, toPrefix: filter.Le,
	} {
		if len(name) > len(prefix) && name[:len(prefix)] == prefix {
			return name[len(prefix):], operator, true
		}
	}
	return "", "", false
}

// path returns the URL of the list, or of the table under another name, that asks the
// question.
func (q question) path(name string) string {
	query := url.Values{}
	for name, value := range q.Filters {
		query.Set(name, value)
	}
	for name, value := range map[string]string{"q": q.Search, "sort": q.Sort} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if q.Definition != uuid.Nil {
		query.Set("definition", q.Definition.String())
	}
	if q.Page > 1 {
		query.Set("page", strconv.Itoa(q.Page))
	}
	if len(query) == 0 {
		return web.Root + name
	}
	return web.Root + name + "?" + query.Encode()
}

func (q question) onPage(page int) question { q.Page = page; return q }

func (q question) of(definition uuid.UUID) question {
	return question{Definition: definition, Sort: q.Sort}
}

func (q question) narrowed() bool { return q.Search != "" || len(q.Filters) > 0 }

func (q question) sort() []domain.SortKey { return []domain.SortKey{orders()[q.Sort]} }

// filter returns what the operations call the question.
func (q question) filter() app.BusinessArtifactFilter {
	f := app.BusinessArtifactFilter{Search: q.Search}
	if q.Definition != uuid.Nil {
		f.DefinitionIDs = []uuid.UUID{q.Definition}
	}
	for name, value := range q.Filters {
		field, by, _ := filterOf(name)
		f.Values = append(f.Values, url.PathEscape(field)+" "+string(by)+" "+url.PathEscape(value))
	}
	slices.Sort(f.Values)
	return f
}

// listed is the content of the list.
type listed struct {
	question
	domain.ArtifactBoard

	// Chosen is the definition that the list is narrowed to, without a name for none.
	Chosen domain.ArtifactChoice
	// Problem is the reason why the filters cannot be used, "" if they can.
	Problem string
}

// List shows the business artifacts that the user may see.
func (s *Screens) List(v *web.Visit) (*web.Answer, error) {
	l := listed{question: asked(v.URL.Query())}
	page := domain.PageRequest{Number: l.question.Page - 1, Size: pageSize}
	status := 0
	board, err := s.App.FindArtifactBoard(v.Context(), v.Caller, l.filter(), page, l.sort())
	if refused, is := errors.AsType[*domain.Error](err); is && refused.Kind == domain.KindInvalid {
		l.Problem = ui.Problem(v.Context(), refused)
		status, _ = httpio.StatusOf(refused.Kind)
		// The page is shown without rows, but with the filters to be put right.
		board, err = s.App.FindArtifactBoard(v.Context(), v.Caller, l.of(l.Definition).filter(), domain.PageRequest{}, nil)
		board.Total = 0
	}
	if err != nil {
		return nil, err
	}
	if len(board.Items) == 0 && board.Total > 0 {
		return web.SeeOther(l.onPage(max(1, board.TotalPages())).path("artifacts")), nil
	}
	l.ArtifactBoard = board
	for _, c := range board.Definitions {
		if c.ID == l.Definition || len(board.Definitions) == 1 && l.Definition == uuid.Nil {
			l.Chosen, l.Definition = c, c.ID
		}
	}
	return &web.Answer{Title: ui.T(v.Context(), "Artifacts"), Area: "artifacts", Status: status, Body: listPage(l)}, nil
}
