package processes

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
)

// pageSize is how many processes a page of the list has.
const pageSize = 25

// Screens are the screens of processes.
type Screens struct {
	App *app.Service
}

// question contains the filters of the list, which are the query of its URL.
type question struct {
	State      domain.ProcessState
	Definition *uuid.UUID
	Mine       bool
	Search     string
	// Fields are what indexed members of the metadata are to contain, by their names.
	Fields map[string]string
	Sort   string
	Page   int
}

// fieldPrefix begins the parameters that filter by indexed members.
const fieldPrefix = "f."

func states() []domain.ProcessState {
	return []domain.ProcessState{domain.ProcessRunning, domain.ProcessCompleted, domain.ProcessCancelled}
}

// orders returns the values of the parameter sort.
func orders() map[string]domain.SortKey {
	return map[string]domain.SortKey{
		"":           {Property: "createdAt", Descending: true},
		"oldest":     {Property: "createdAt"},
		"changed":    {Property: "lastModifiedAt", Descending: true},
		"subject":    {Property: "subject"},
		"definition": {Property: "definition"},
		"initiator":  {Property: "initiator"},
	}
}

// asked reads the query of a URL. What is not known counts as not given.
func asked(query url.Values) question {
	q := question{
		State: domain.ProcessState(query.Get("state")), Mine: query.Get("by") == "me", Search: query.Get("q"),
		Sort: query.Get("sort"), Fields: map[string]string{},
	}
	if !slices.Contains(states(), q.State) {
		q.State = ""
	}
	if id, err := uuid.Parse(query.Get("definition")); err == nil {
		q.Definition = &id
		for name, values := range query {
			if field, is := strings.CutPrefix(name, fieldPrefix); is && values[0] != "" {
				q.Fields[field] = values[0]
			}
		}
	}
	if _, known := orders()[q.Sort]; !known {
		q.Sort = ""
	}
	q.Page = web.PageNumber(query)
	return q
}

// path returns the URL of the list, or of the table under another name, that asks the
// question.
func (q question) path(name string) string {
	query := url.Values{}
	for name, value := range map[string]string{
		"state": string(q.State), "q": q.Search, "sort": q.Sort, "definition": q.definition(),
	} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if q.Mine {
		query.Set("by", "me")
	}
	for field, value := range q.Fields {
		query.Set(fieldPrefix+field, value)
	}
	if q.Page > 1 {
		query.Set("page", strconv.Itoa(q.Page))
	}
	path := web.Root + name
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return path
}

func (q question) definition() string {
	if q.Definition == nil {
		return ""
	}
	return q.Definition.String()
}

func (q question) onPage(page int) question { q.Page = page; return q }

func (q question) in(state domain.ProcessState) question { q.State, q.Page = state, 1; return q }

func (q question) by(mine bool) question { q.Mine, q.Page = mine, 1; return q }

// narrowed reports whether the list shows less than all.
func (q question) narrowed() bool {
	return q.State != "" || q.Definition != nil || q.Mine || q.Search != "" || len(q.Fields) > 0
}

// filter returns what the operations call the question.
func (q question) filter(caller domain.Caller) app.BoardFilter {
	f := app.BoardFilter{DefinitionID: q.Definition, Search: q.Search}
	if q.State != "" {
		f.States = []domain.ProcessState{q.State}
	}
	if q.Mine {
		f.InitiatorID = &caller.PrincipalID
	}
	for _, field := range slices.Sorted(maps.Keys(q.Fields)) {
		f.Metadata = append(f.Metadata, url.PathEscape(field)+" contains "+url.PathEscape(q.Fields[field]))
	}
	return f
}

// listed is the content of the list.
type listed struct {
	question
	domain.Board
}

// List shows the processes that the user may see.
func (s *Screens) List(v *web.Visit) (*web.Answer, error) {
	q := asked(v.URL.Query())
	board, err := s.App.FindBoard(v.Context(), v.Caller, q.filter(v.Caller),
		domain.PageRequest{Number: q.Page - 1, Size: pageSize}, []domain.SortKey{orders()[q.Sort]})
	if err != nil {
		return nil, err
	}
	if len(board.Items) == 0 && q.Page > 1 {
		return web.SeeOther(q.onPage(max(1, board.TotalPages())).path("processes")), nil
	}
	return &web.Answer{Title: ui.T(v.Context(), "Processes"), Area: "processes", Body: listPage(listed{q, board})}, nil
}
