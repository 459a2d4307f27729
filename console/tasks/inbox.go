package tasks

import (
	"net/url"
	"slices"
	"strconv"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
)

// pageSize is how many tasks a page of the inbox has.
const pageSize = 25

// Screens are those of tasks.
type Screens struct {
	App *app.Service
}

// question is what a visitor asks the inbox for. It is the query of its URL.
type question struct {
	View   domain.InboxView
	Search string
	Sort   string
	Page   int
}

// orders are the values of the parameter sort.
func orders() map[string]domain.SortKey {
	return map[string]domain.SortKey{
		"":        {Property: "createdAt"},
		"newest":  {Property: "createdAt", Descending: true},
		"changed": {Property: "lastModifiedAt", Descending: true},
		"name":    {Property: "name"},
		"subject": {Property: "subject"},
	}
}

// asked reads the query of a URL. What is not known counts as not given.
func asked(query url.Values) question {
	q := question{View: domain.InboxView(query.Get("view")), Search: query.Get("q"), Sort: query.Get("sort")}
	if !slices.Contains(domain.InboxViews(), q.View) {
		q.View = domain.InboxToClaim
	}
	if _, known := orders()[q.Sort]; !known {
		q.Sort = ""
	}
	q.Page, _ = strconv.Atoi(query.Get("page"))
	q.Page = max(q.Page, 1)
	return q
}

// path returns the URL of the inbox that asks the question.
func (q question) path() string {
	query := url.Values{"view": {string(q.View)}}
	for name, value := range map[string]string{"q": q.Search, "sort": q.Sort} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if q.Page > 1 {
		query.Set("page", strconv.Itoa(q.Page))
	}
	return web.Root + "tasks?" + query.Encode()
}

func (q question) onPage(page int) question { q.Page = page; return q }

func (q question) in(view domain.InboxView) question { q.View, q.Page = view, 1; return q }

// listed is what the inbox shows.
type listed struct {
	question
	Counts map[domain.InboxView]int64
	Found  domain.Page[domain.InboxTask]
}

// Inbox shows the tasks of a view.
func (s *Screens) Inbox(v *web.Visit) (*web.Answer, error) {
	q := asked(v.URL.Query())
	page := domain.PageRequest{Number: q.Page - 1, Size: pageSize}
	found, err := s.App.FindInbox(v.Context(), v.Caller, app.InboxFilter{View: q.View, Search: q.Search}, page,
		[]domain.SortKey{orders()[q.Sort]})
	if err != nil {
		return nil, err
	}
	if len(found.Items) == 0 && q.Page > 1 {
		return web.SeeOther(q.onPage(max(1, found.TotalPages())).path()), nil
	}
	counts, err := s.App.CountInbox(v.Context(), v.Caller)
	if err != nil {
		return nil, err
	}
	return &web.Answer{
		Title: ui.T(v.Context(), "Tasks"), Area: "tasks", Body: inboxPage(listed{question: q, Counts: counts, Found: found}),
	}, nil
}
