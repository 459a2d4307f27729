package incidents

import (
	"net/url"
	"slices"
	"strconv"

	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/shell"
)

// pageSize is how many incidents a page of the list has.
const pageSize = 25

const area = "incidents"

// Screens are the screens of incidents.
type Screens struct {
	Administration *administration.Administration
}

// question contains the filters of the list, which are the query of its URL.
type question struct {
	State  domain.IncidentState
	All    bool
	Search string
	Tenant string
	Oldest bool
	Page   int
}

func states() []domain.IncidentState {
	return []domain.IncidentState{domain.IncidentOpen, domain.IncidentRetried, domain.IncidentDismissed}
}

// asked reads the query of a URL. What is not known counts as not given.
func asked(query url.Values) question {
	q := question{
		State: domain.IncidentState(query.Get("state")), All: query.Get("state") == "all", Search: query.Get("q"), Tenant: query.Get("tenant"),
		Oldest: query.Get("sort") == "oldest", Page: web.PageNumber(query),
	}
	if !slices.Contains(states(), q.State) {
		q.State = domain.IncidentOpen
	}
	return q
}

func (q question) path() string {
	query := url.Values{}
	if q.All {
		query.Set("state", "all")
	} else if q.State != domain.IncidentOpen {
		query.Set("state", string(q.State))
	}
	if q.Search != "" {
		query.Set("q", q.Search)
	}
	if q.Tenant != "" {
		query.Set("tenant", q.Tenant)
	}
	if q.Oldest {
		query.Set("sort", "oldest")
	}
	if q.Page > 1 {
		query.Set("page", strconv.Itoa(q.Page))
	}
	if len(query) == 0 {
		return web.Root + area
	}
	return web.Root + area + "?" + query.Encode()
}

func (q question) onPage(page int) question { q.Page = page; return q }

func (q question) in(state domain.IncidentState) question {
	q.State, q.All, q.Page = state, false, 1
	return q
}

func (q question) ofAll() question { q.All, q.Page = true, 1; return q }

func (q question) filter() administration.IncidentReportFilter {
	f := administration.IncidentReportFilter{Search: q.Search, TenantCodes: web.TenantCodes(q.Tenant)}
	if !q.All {
		f.States = []domain.IncidentState{q.State}
	}
	return f
}

func (q question) sort() []domain.SortKey {
	return []domain.SortKey{{Property: "createdAt", Descending: !q.Oldest}, {Property: "id", Descending: !q.Oldest}}
}

// command returns the command that lists the same.
func (q question) command() shell.Line {
	words := []string{"procession", "incidents", "list"}
	if q.All || q.State != domain.IncidentOpen {
		words = append(words, "--all")
	}
	if q.Tenant != "" {
		words = append(words, "--tenant", q.Tenant)
	}
	return shell.Command(words...)
}

// listed is the content of the list.
type listed struct {
	question
	domain.Page[domain.IncidentReport]

	// Tenants reports whether there may be incidents of several.
	Tenants bool
}

// List shows the incidents of the tenants that the user administers.
func (s *Screens) List(v *web.Visit) (*web.Answer, error) {
	q := asked(v.URL.Query())
	found, err := s.Administration.FindIncidentReports(v.Context(), v.Caller, q.filter(),
		domain.PageRequest{Number: q.Page - 1, Size: pageSize}, q.sort())
	if err != nil {
		return nil, err
	}
	if len(found.Items) == 0 && q.Page > 1 {
		return web.SeeOther(q.onPage(max(1, found.TotalPages())).path()), nil
	}
	l := listed{q, found, web.SeveralTenants(v.Caller)}
	return &web.Answer{Title: ui.T(v.Context(), "Incidents"), Area: area, Body: listPage(l)}, nil
}
