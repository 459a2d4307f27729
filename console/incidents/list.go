package incidents

import (
	"cmp"
	"net/url"
	"strconv"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/shell"
)

// pageSize is the number of incidents on a page of the list.
const pageSize = 25

const area = "incidents"

// Screens are the screens of incidents.
type Screens struct {
	Administration *administration.Service
}

// allStates is the value of the parameter "state" that selects incidents of all states.
const allStates = "all"

func listStates() []domain.IncidentState {
	return []domain.IncidentState{domain.IncidentOpen, domain.IncidentRetried, domain.IncidentDismissed, domain.IncidentResolved}
}

// listView contains a page of the list.
type listView struct {
	web.Query
	domain.Page[domain.IncidentReport]

	// Groups are the causes of several open incidents, on the first page.
	Groups []domain.IncidentGroup
	// State is the state of the incidents, or allStates.
	State string
	// SeveralTenants reports whether the user administers several tenants.
	SeveralTenants bool

	user uuid.UUID
}

func parseQuery(query url.Values, caller domain.Caller) *listView {
	l := &listView{
		Query:          web.ParseQuery(query, "state", "q", "tenant", "sort", "cause", "kind", "assignee", "ack", "worker"),
		SeveralTenants: web.SeveralTenants(caller),
	}
	web.Restrict(l.Query, "state", append(listStates(), allStates)...)
	web.Restrict(l.Query, "sort", "oldest")
	web.Restrict(l.Query, "kind", domain.IncidentKinds()...)
	web.Restrict(l.Query, "assignee", assignMe, assignNobody)
	web.Restrict(l.Query, "ack", "yes", "no")
	l.user = caller.PrincipalID
	l.State = cmp.Or(l.Get("state"), string(domain.IncidentOpen))
	return l
}

func (l *listView) reportFilter() administration.IncidentFilter {
	f := administration.IncidentFilter{Search: l.Get("q"), Fingerprint: l.Get("cause"), TenantCodes: web.TenantCodes(l.Get("tenant")), Worker: l.Get("worker")}
	if kind := l.Get("kind"); kind != "" {
		f.Kinds = []domain.IncidentKind{domain.IncidentKind(kind)}
	}
	switch l.Get("assignee") {
	case assignMe:
		f.AssigneeID = &l.user
	case assignNobody:
		f.Assigned = new(false)
	}
	if l.Has("ack") {
		f.Acknowledged = new(l.Get("ack") == "yes")
	}
	if l.State != allStates {
		f.States = []domain.IncidentState{domain.IncidentState(l.State)}
	}
	return f
}

// SelectAll returns the selection of all incidents of the list with a query.
func SelectAll(query url.Values, caller domain.Caller) domain.BulkFilter {
	f := parseQuery(query, caller).reportFilter()
	selected := domain.BulkFilter{
		Search: f.Search, Cause: f.Fingerprint, Worker: f.Worker, Kinds: f.Kinds, AssigneeID: f.AssigneeID, Assigned: f.Assigned,
		Acknowledged: f.Acknowledged,
	}
	for _, state := range f.States {
		selected.States = append(selected.States, string(state))
	}
	return selected
}

func (l *listView) sortKeys() []domain.SortKey {
	newest := !l.Has("sort")
	return []domain.SortKey{{Property: "createdAt", Descending: newest}, {Property: "id", Descending: newest}}
}

// listCommand returns the command that lists the same incidents.
func (l *listView) listCommand() shell.Line {
	words := []string{"procession", "incidents", "list"}
	if l.State != string(domain.IncidentOpen) {
		words = append(words, "--all")
	}
	if tenant := l.Get("tenant"); tenant != "" {
		words = append(words, "--tenant", tenant)
	}
	for _, filter := range [][2]string{{"q", "--search"}, {"kind", "--kind"}, {"assignee", "--assignee"}, {"worker", "--worker"}} {
		if value := l.Get(filter[0]); value != "" {
			words = append(words, filter[1], value)
		}
	}
	if l.Has("ack") {
		words = append(words, "--acknowledged="+strconv.FormatBool(l.Get("ack") == "yes"))
	}
	return shell.Command(words...)
}

// List shows the incidents of the tenants that the user administers.
func (s *Screens) List(v *web.Visit) (*web.Answer, error) {
	l, page := parseQuery(v.URL.Query(), v.Call.Caller), v.Page(pageSize)
	found, err := s.Administration.FindIncidentReports(v.Context(), v.Call, l.reportFilter(), page, l.sortKeys())
	if err != nil {
		return nil, err
	}
	if len(found.Items) == 0 && page.Number > 0 {
		return web.SeeOther(l.OnPage(found.TotalPages()).Path(area)), nil
	}
	l.Page = found
	if l.State == string(domain.IncidentOpen) && page.Number == 0 && !l.Has("cause") {
		if l.Groups, err = s.Administration.FindIncidentGroups(v.Context(), v.Call, l.reportFilter(), 2); err != nil {
			return nil, err
		}
	}
	return &web.Answer{Title: ui.T(v.Context(), "Incidents"), Area: area, Body: listPage(l)}, nil
}
