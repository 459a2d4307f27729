package tasks

import (
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
)

// pageSize is how many tasks a page of the inbox has.
const pageSize = 25

// Screens are the screens of tasks.
type Screens struct {
	App *app.Service
}

// question contains the filters of the inbox, which are the query of its URL.
type question struct {
	View       domain.InboxView
	Search     string
	Definition uuid.UUID
	Sort       string
	PageNumber int
}

// orders returns the values of the parameter sort.
func orders() map[string]domain.SortKey {
	return map[string]domain.SortKey{
		"":        {Property: "createdAt"},
		"newest":  {Property: "createdAt", Descending: true},
		"changed": {Property: "lastModifiedAt", Descending: true},
		"name":    {Property: "name"},
		"subject": {Property: "subject"},
	}
}

// asked reads the query of a URL. A value that is not known counts as not given.
func asked(query url.Values) question {
	q := question{View: domain.InboxView(query.Get("view")), Search: query.Get("q"), Sort: query.Get("sort")}
	if !slices.Contains(domain.InboxViews(), q.View) {
		q.View = domain.InboxToClaim
	}
	if _, known := orders()[q.Sort]; !known {
		q.Sort = ""
	}
	q.Definition, _ = uuid.Parse(query.Get("definition"))
	q.PageNumber = web.PageNumber(query)
	return q
}

func (q question) query() string {
	query := url.Values{"view": {string(q.View)}}
	for name, value := range map[string]string{"q": q.Search, "sort": q.Sort} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if q.Definition != uuid.Nil {
		query.Set("definition", q.Definition.String())
	}
	if q.PageNumber > 1 {
		query.Set("page", strconv.Itoa(q.PageNumber))
	}
	return query.Encode()
}

// path returns the URL of the inbox that asks the question.
func (q question) path() string { return web.Root + "tasks?" + q.query() }

// pathOf returns the URL of a task beside the list.
func (q question) pathOf(task uuid.UUID) string {
	return web.Root + "tasks/" + task.String() + "?" + q.query()
}

// newsPath returns the URL of the news since a moment.
func (q question) newsPath(since time.Time) string {
	return web.Root + "tasks/news?" + q.query() + "&since=" + strconv.FormatInt(since.UnixMicro(), 10)
}

func (q question) onPage(page int) question { q.PageNumber = page; return q }

func (q question) in(view domain.InboxView) question {
	return question{View: view, Sort: q.Sort, PageNumber: 1}
}

// narrowed reports whether the question leaves out tasks of the view.
func (q question) narrowed() bool { return q.Search != "" || q.Definition != uuid.Nil }

func (q question) filter() app.InboxFilter {
	filter := app.InboxFilter{View: q.View, Search: q.Search}
	if q.Definition != uuid.Nil {
		filter.ProcessDefinitionIDs = []uuid.UUID{q.Definition}
	}
	return filter
}

// listed is the content of the inbox.
type listed struct {
	question
	domain.Inbox

	// Open is the task beside the list, nil for none.
	Open *opened
}

// list reads what the question asks for.
func (s *Screens) list(v *web.Visit, q question) (listed, error) {
	page := domain.PageRequest{Number: q.PageNumber - 1, Size: pageSize}
	found, err := s.App.ReadInbox(v.Context(), v.Caller, q.filter(), page, []domain.SortKey{orders()[q.Sort]})
	return listed{question: q, Inbox: found}, err
}

// Inbox shows the tasks of a view.
func (s *Screens) Inbox(v *web.Visit) (*web.Answer, error) {
	q := asked(v.URL.Query())
	l, err := s.list(v, q)
	if err != nil {
		return nil, err
	}
	if len(l.Items) == 0 && q.PageNumber > 1 {
		return web.SeeOther(q.onPage(max(1, l.TotalPages())).path()), nil
	}
	return &web.Answer{Title: viewName(v.Context(), q.View), Area: "tasks", Body: inboxPage(l)}, nil
}

// News shows how many tasks have come into a view since a page was made.
func (s *Screens) News(v *web.Visit) (*web.Answer, error) {
	query := v.URL.Query()
	q := asked(query)
	micros, err := strconv.ParseInt(query.Get("since"), 10, 64)
	if err != nil {
		return nil, domain.Invalid(domain.LocationQuery, "since", "must be a time in microseconds")
	}
	count, err := s.App.CountInboxNews(v.Context(), v.Caller, q.filter(), time.UnixMicro(micros), known(query["known"]))
	if err != nil {
		return nil, err
	}
	return &web.Answer{Raw: true, Body: newsButton(q, count)}, nil
}

// known returns the ids of tasks that a page shows.
func known(texts []string) []uuid.UUID {
	ids := []uuid.UUID{}
	for _, text := range texts[:min(len(texts), pageSize)] {
		if id, err := uuid.Parse(text); err == nil {
			ids = append(ids, id)
		}
	}
	return ids
}
