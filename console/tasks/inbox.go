package tasks

import (
	"context"
	"maps"
	"net/url"
	"slices"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/console/processes"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
)

const (
	// pageSize is the number of tasks on a page of the inbox.
	pageSize = 25

	area = "tasks"
)

// Screens are the screens of tasks.
type Screens struct {
	App *app.Service
	// Processes shows the process of a task next to its form.
	Processes *processes.Screens
}

// sortKeys returns the values of the parameter sort.
func sortKeys() map[string]domain.SortKey {
	return map[string]domain.SortKey{
		"":         {Property: "createdAt"},
		"newest":   {Property: "createdAt", Descending: true},
		"changed":  {Property: "lastModifiedAt", Descending: true},
		"due":      {Property: "dueAt"},
		"priority": {Property: "priority", Descending: true},
		"name":     {Property: "name"},
		"subject":  {Property: "subject"},
	}
}

func parseQuery(values url.Values) web.Query {
	q := web.ParseQuery(values, "view", "q", "sort", "definition", "due")
	web.Restrict(q, "view", domain.InboxViews()...)
	web.Restrict(q, "due", dueFilters()...)
	web.Restrict(q, "sort", slices.Collect(maps.Keys(sortKeys()))...)
	q.Default("view", string(domain.InboxToClaim))
	return q
}

// taskPath returns the URL of a task next to the list of a query.
func taskPath(q web.Query, task uuid.UUID) string { return q.Path("tasks/" + task.String()) }

// editPath returns the URL of a task with its form for a manager who is not the owner.
func editPath(q web.Query, task uuid.UUID) string {
	return q.And("edit", "anyway").Path("tasks/" + task.String())
}

// newsPath returns the URL of the number of tasks that arrived after a place in the event log.
func newsPath(q web.Query, after domain.EventCursor) string {
	return q.With("after", after.String()).Path("tasks/news")
}

func parseFilter(ctx context.Context, q web.Query) app.InboxFilter {
	filter := app.InboxFilter{View: domain.InboxView(q.Get("view")), Search: q.Get("q")}
	addDue(ctx, &filter, q.Get("due"))
	if id := q.ID("definition"); id != uuid.Nil {
		filter.ProcessDefinitionIDs = []uuid.UUID{id}
	}
	return filter
}

// SelectAll returns the selection of all tasks of the list with a query.
func SelectAll(ctx context.Context, query url.Values) domain.BulkFilter {
	q := parseQuery(query)
	filter := parseFilter(ctx, q)
	selected := domain.BulkFilter{
		View: filter.View, Search: filter.Search, Overdue: filter.Overdue, DueAfter: filter.DueAfter, DueBefore: filter.DueBefore,
	}
	if id := q.ID("definition"); id != uuid.Nil {
		selected.DefinitionID = &id
	}
	return selected
}

// listView contains a page of the inbox.
type listView struct {
	web.Query
	domain.Inbox

	View domain.InboxView
	// Open is the task next to the list, nil for none.
	Open *openTask
	// Completed is the task that was completed before, the zero id for none.
	Completed uuid.UUID
	// Outcome are the results of an action on several tasks, nil for none.
	Outcome *outcome
}

// parseCompleted returns the task that was completed before, the zero id for none.
func parseCompleted(query url.Values) uuid.UUID {
	id, _ := uuid.Parse(query.Get(completed))
	return id
}

// bulkDeeds returns the actions that the list offers for several tasks.
func (l *listView) bulkDeeds() []deed {
	switch l.View {
	case domain.InboxToClaim:
		return []deed{deedClaim, deedAssign}
	case domain.InboxMine:
		return []deed{deedAssign, deedRelease, deedComplete}
	case domain.InboxAll:
		return []deed{deedClaim, deedAssign, deedRelease}
	case domain.InboxSubstituted:
		return []deed{deedComplete}
	case domain.InboxDone:
	}
	return nil
}

// views returns the views that are offered: tasks of absent people only where there are any.
func (l *listView) views() []domain.InboxView {
	return slices.DeleteFunc(domain.InboxViews(), func(view domain.InboxView) bool {
		return view == domain.InboxSubstituted && view != l.View && l.Counts[view] == 0
	})
}

// isFiltered reports whether the list leaves out tasks of the view.
func (l *listView) isFiltered() bool { return l.Has("q", "definition", "due") }

// viewPath returns the URL of a view in the same order, without filters.
func (l *listView) viewPath(view domain.InboxView) string {
	return l.Only("sort", "size").With("view", string(view)).Path(area)
}

func (s *Screens) findTasks(v *web.Visit, q web.Query) (*listView, error) {
	filter := parseFilter(v.Context(), q)
	filter.Languages = ui.ReaderOf(v.Context()).Languages()
	found, err := s.App.ReadInbox(v.Context(), v.Call, filter, q.RequestedPage(pageSize), []domain.SortKey{sortKeys()[q.Get("sort")]})
	return &listView{Query: q, Inbox: found, View: domain.InboxView(q.Get("view"))}, err
}

// Inbox shows the tasks of a view.
func (s *Screens) Inbox(v *web.Visit) (*web.Answer, error) {
	l, err := s.findTasks(v, parseQuery(v.URL.Query()))
	if err != nil {
		return nil, err
	}
	if len(l.Items) == 0 && l.Number > 0 {
		return web.SeeOther(l.OnPage(l.TotalPages()).Path(area)), nil
	}
	l.Completed = parseCompleted(v.URL.Query())
	l.Outcome, err = s.findOutcome(v)
	return &web.Answer{Title: ui.BadgeOf(l.View).Name(v.Context()), Area: area, Body: inboxPage(l)}, err
}

// News shows how many tasks have come into a view since a page was made.
func (s *Screens) News(v *web.Visit) (*web.Answer, error) {
	query := v.URL.Query()
	q := parseQuery(query)
	after, err := domain.ParseEventCursor(query.Get("after"))
	if err != nil {
		return nil, domain.Invalid(domain.LocationQuery, "after", err.Error())
	}
	count, err := s.App.CountInboxNews(v.Context(), v.Call, parseFilter(v.Context(), q), after, parseIDs(query["known"]))
	if err != nil {
		return nil, err
	}
	return &web.Answer{Raw: true, Body: newsButton(q, count)}, nil
}

// parseIDs returns the ids among texts, at most as many as a page can have.
func parseIDs(texts []string) []uuid.UUID {
	ids := []uuid.UUID{}
	for _, text := range texts[:min(len(texts), ui.MaxPageSize)] {
		if id, err := uuid.Parse(text); err == nil {
			ids = append(ids, id)
		}
	}
	return ids
}
