package processes

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
)

const (
	// pageSize is the number of processes on a page of the list.
	pageSize = 25

	area = "processes"
)

// Screens are the screens of processes.
type Screens struct {
	App *app.Service
	// BaseURL is the public URL of the service, "" to use the URL of each request.
	BaseURL string
}

// fieldPrefix begins the parameters that filter by indexed members.
const fieldPrefix = "f."

func listStates() []domain.ProcessState {
	return []domain.ProcessState{domain.ProcessRunning, domain.ProcessCompleted, domain.ProcessCancelled}
}

// sortKeys returns the values of the parameter sort.
func sortKeys() map[string]domain.SortKey {
	return map[string]domain.SortKey{
		"":               {Property: "createdAt", Descending: true},
		"oldest":         {Property: "createdAt"},
		"changed":        {Property: "lastModifiedAt", Descending: true},
		"unchanged":      {Property: "lastModifiedAt"},
		"subject":        {Property: "subject"},
		"subject-down":   {Property: "subject", Descending: true},
		"definition":     {Property: "definition"},
		"initiator":      {Property: "initiator"},
		"initiator-down": {Property: "initiator", Descending: true},
		"condition":      {Property: "condition"},
	}
}

// sortColumn returns the orders of a column by which the table can be sorted.
func sortColumn(property string) ui.SortColumn {
	var column ui.SortColumn
	for value, key := range sortKeys() {
		switch {
		case key.Property != property:
		case key.Descending:
			column.Descending = value
		default:
			column.Ascending = value
		}
	}
	column.DescendingFirst = strings.HasSuffix(property, "At")
	return column
}

// sortKeys returns the order of the list. Processes of one condition are sorted by their start.
func (l *listView) sortKeys() []domain.SortKey {
	keys := []domain.SortKey{sortKeys()[l.Get("sort")]}
	if l.Get("sort") == "condition" {
		keys = append(keys, domain.SortKey{Property: "createdAt", Descending: true})
	}
	return keys
}

// standings returns the values of the parameter condition.
func standings() map[string]domain.Standing {
	return map[string]domain.Standing{"attention": domain.StandingAttention, "engine": domain.StandingEngine}
}

// AttentionPath is the URL of the processes that need attention.
const AttentionPath = web.Root + area + "?condition=attention"

// listView contains a page of the list.
type listView struct {
	web.Query
	domain.Board

	// Fields are the searched texts by the indexed member of the metadata.
	Fields map[string]string
}

func parseQuery(values url.Values) *listView {
	names, fields := []string{"state", "condition", "by", "q", "sort", "definition"}, map[string]string{}
	if uuid.Validate(values.Get("definition")) == nil {
		for name := range values {
			if field, isField := strings.CutPrefix(name, fieldPrefix); isField && values.Get(name) != "" {
				names, fields[field] = append(names, name), values.Get(name)
			}
		}
	}
	l := &listView{Query: web.ParseQuery(values, names...), Fields: fields}
	web.Restrict(l.Query, "state", listStates()...)
	web.Restrict(l.Query, "condition", slices.Collect(maps.Keys(standings()))...)
	web.Restrict(l.Query, "by", "me")
	web.Restrict(l.Query, "sort", slices.Collect(maps.Keys(sortKeys()))...)
	return l
}

// isFiltered reports whether the list leaves out processes.
func (l *listView) isFiltered() bool {
	return l.Has("state", "condition", "definition", "by", "q") || len(l.Fields) > 0
}

func (l *listView) boardFilter(caller domain.Caller) app.BoardFilter {
	f := app.BoardFilter{Search: l.Get("q"), Standing: standings()[l.Get("condition")]}
	if id := l.ID("definition"); id != uuid.Nil {
		f.DefinitionID = &id
	}
	if l.Has("state") {
		f.States = []domain.ProcessState{domain.ProcessState(l.Get("state"))}
	}
	if l.Has("by") {
		f.InitiatorID = &caller.PrincipalID
	}
	for _, field := range slices.Sorted(maps.Keys(l.Fields)) {
		f.Metadata = append(f.Metadata, url.PathEscape(field)+" contains "+url.PathEscape(l.Fields[field]))
	}
	return f
}

// SelectAll returns the selection of all processes of the list with a query.
func SelectAll(query url.Values, caller domain.Caller) domain.BulkFilter {
	f := parseQuery(query).boardFilter(caller)
	selected := domain.BulkFilter{
		Search: f.Search, DefinitionID: f.DefinitionID, Standing: f.Standing, InitiatorID: f.InitiatorID, Metadata: f.Metadata,
	}
	for _, state := range f.States {
		selected.States = append(selected.States, string(state))
	}
	return selected
}

// List shows the processes that the user may see.
func (s *Screens) List(v *web.Visit) (*web.Answer, error) {
	l, page := parseQuery(v.URL.Query()), v.Page(pageSize)
	filter := l.boardFilter(v.Call.Caller)
	filter.Languages = ui.ReaderOf(v.Context()).Languages()
	board, err := s.App.FindBoard(v.Context(), v.Call, filter, page, l.sortKeys())
	if err != nil {
		return nil, err
	}
	if len(board.Items) == 0 && page.Number > 0 {
		return web.SeeOther(l.OnPage(board.TotalPages()).Path(area)), nil
	}
	l.Board = board
	return &web.Answer{Title: ui.T(v.Context(), "Processes"), Area: area, Body: listPage(l)}, nil
}
