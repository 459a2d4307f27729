package artifacts

import (
	"errors"
	"maps"
	"net/url"
	"slices"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/api/httpio"
	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/filter"
)

const (
	// pageSize is the number of artifacts on a page of the list.
	pageSize = 25

	area = "artifacts"
)

// Screens are the screens of business artifacts.
type Screens struct {
	App *app.Service
}

// Prefixes of the parameters that filter by an indexed member.
const (
	containsPrefix = "has."
	isPrefix       = "is."
	fromPrefix     = "from."
	toPrefix       = "to."
)

// sortKeys returns the values of the parameter sort.
func sortKeys() map[string]domain.SortKey {
	return map[string]domain.SortKey{
		"":        {Property: "createdAt", Descending: true},
		"oldest":  {Property: "createdAt"},
		"changed": {Property: "lastModifiedAt", Descending: true},
	}
}

func parseQuery(v *web.Visit) *listView {
	names, filters := []string{"q", "sort", "definition"}, map[string]string{}
	if values := v.URL.Query(); uuid.Validate(values.Get("definition")) == nil {
		for name := range values {
			if _, _, isFilter := parseFilter(name); isFilter && values.Get(name) != "" {
				names, filters[name] = append(names, name), values.Get(name)
			}
		}
	}
	l := &listView{Query: v.Query(names...), Filters: filters}
	web.Restrict(l.Query, "sort", slices.Collect(maps.Keys(sortKeys()))...)
	l.Definition = l.ID("definition")
	return l
}

// parseFilter returns the indexed member and the operator of a parameter.
func parseFilter(name string) (field string, by filter.Operator, isFilter bool) {
	for prefix, operator := range map[string]filter.Operator{
		containsPrefix: filter.Contains, isPrefix: filter.Eq, fromPrefix: filter.Ge, toPrefix: filter.Le,
	} {
		if len(name) > len(prefix) && name[:len(prefix)] == prefix {
			return name[len(prefix):], operator, true
		}
	}
	return "", "", false
}

// listView contains a page of the list.
type listView struct {
	web.Query
	domain.ArtifactBoard

	// Definition is the id of the listed type, zero for all types.
	Definition uuid.UUID
	// Filters are the values of the parameters that filter by indexed members.
	Filters map[string]string
	// Chosen is the listed type, without a name for all types.
	Chosen domain.ArtifactChoice
	// Problem is the reason why the filters cannot be used, "" if they can.
	Problem string
}

func (l *listView) isFiltered() bool { return l.Has("q") || len(l.Filters) > 0 }

// typePath returns the URL of the list of a type without filters.
func (l *listView) typePath(definition uuid.UUID) string {
	q := l.Only("sort")
	if definition != uuid.Nil {
		q = q.With("definition", definition.String())
	}
	return q.Path(area)
}

func (l *listView) sortKey() []domain.SortKey { return []domain.SortKey{sortKeys()[l.Get("sort")]} }

// typeFilter returns the filter by type alone.
func (l *listView) typeFilter() app.BusinessArtifactFilter {
	if l.Definition == uuid.Nil {
		return app.BusinessArtifactFilter{}
	}
	return app.BusinessArtifactFilter{DefinitionIDs: []uuid.UUID{l.Definition}}
}

func (l *listView) boardFilter() app.BusinessArtifactFilter {
	f := l.typeFilter()
	f.Search = l.Get("q")
	for name, value := range l.Filters {
		field, by, _ := parseFilter(name)
		f.Values = append(f.Values, url.PathEscape(field)+" "+string(by)+" "+url.PathEscape(value))
	}
	slices.Sort(f.Values)
	return f
}

// List shows the business artifacts that the user may see.
func (s *Screens) List(v *web.Visit) (*web.Answer, error) {
	l, status := parseQuery(v), 0
	board, err := s.App.FindArtifactBoard(v.Context(), v.Call, l.boardFilter(), v.Page(pageSize), l.sortKey())
	if refused, is := errors.AsType[*domain.Error](err); is && refused.Kind == domain.KindInvalid {
		l.Problem = ui.Problem(v.Context(), refused)
		status, _ = httpio.StatusOf(refused.Kind)
		// The page is shown without rows, but with the filters to be put right.
		board, err = s.App.FindArtifactBoard(v.Context(), v.Call, l.typeFilter(), domain.PageRequest{}, nil)
		board.Total = 0
	}
	if err != nil {
		return nil, err
	}
	if len(board.Items) == 0 && board.Total > 0 {
		return web.SeeOther(l.OnPage(board.TotalPages()).Path(area)), nil
	}
	l.ArtifactBoard = board
	for _, c := range board.Definitions {
		if c.ID == l.Definition || len(board.Definitions) == 1 && l.Definition == uuid.Nil {
			l.Chosen, l.Definition = c, c.ID
		}
	}
	return &web.Answer{Title: ui.T(v.Context(), "Artifacts"), Area: area, Status: status, Body: listPage(l)}, nil
}
