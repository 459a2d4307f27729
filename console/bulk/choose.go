package bulk

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/app/bulk"
	"github.com/procession-dev/procession/console/incidents"
	"github.com/procession-dev/procession/console/processes"
	"github.com/procession-dev/procession/console/tasks"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
)

// Screens are the screens of bulk operations.
type Screens struct {
	App  *app.Service
	Bulk *bulk.Service
}

// tenantsShown bounds the tenants that are offered.
const tenantsShown = 200

// choice is the choice of an action for all entries of a list.
type choice struct {
	list

	// Tenants are offered if the list may have entries of several ones.
	Tenants  []domain.Tenant
	Versions []domain.PublishedVersion
	Problem  string
}

// list is a list of the console. Path is its URL without a page.
type list struct {
	Path    string
	Subject domain.BulkSubject
	Filter  domain.BulkFilter
	// Tenant is the code of the tenant that the list is restricted to, "" for none.
	Tenant string
}

// parseList returns the list with a URL of the console.
func parseList(v *web.Visit, path string) (list, error) {
	path = web.LocalPath(path)
	u, err := url.Parse(path)
	if err != nil {
		return list{}, domain.NotFound("page")
	}
	l := list{Path: path, Tenant: u.Query().Get("tenant")}
	switch strings.TrimPrefix(u.Path, web.Root) {
	case "processes":
		l.Subject, l.Filter = domain.BulkProcesses, processes.SelectAll(u.Query(), v.Call.Caller)
	case "tasks":
		l.Subject, l.Filter = domain.BulkTasks, tasks.SelectAll(v.Context(), u.Query())
	case "incidents":
		l.Subject, l.Filter = domain.BulkIncidents, incidents.SelectAll(u.Query(), v.Call.Caller)
	default:
		return list{}, domain.NotFound("page")
	}
	return l, nil
}

// areaOf returns the entry of the navigation of a subject.
func areaOf(s domain.BulkSubject) string { return strings.ToLower(string(s)) }

// Choose shows the actions for all entries of a list.
func (s *Screens) Choose(v *web.Visit) (*web.Answer, error) {
	l, err := parseList(v, v.URL.Query().Get("list"))
	if err != nil {
		return nil, err
	}
	return s.showChoice(v, l, nil)
}

// showChoice shows the actions. rejection explains why a preview was refused, nil for none.
func (s *Screens) showChoice(v *web.Visit, l list, rejection *domain.Error) (*web.Answer, error) {
	c := choice{list: l}
	if web.SeveralTenants(v.Call.Caller) || len(v.Call.Memberships) > 1 {
		found, err := s.App.FindTenants(v.Context(), v.Call, nil, domain.PageRequest{Size: tenantsShown}, nil)
		if err != nil {
			return nil, err
		}
		c.Tenants = found.Items
	}
	if l.Subject == domain.BulkProcesses && l.Filter.DefinitionID != nil {
		var err error
		if c.Versions, err = s.App.ListMoveVersions(v.Context(), *l.Filter.DefinitionID); err != nil {
			return nil, err
		}
	}
	if rejection != nil {
		c.Problem = ui.Problem(v.Context(), rejection)
	}
	answer := &web.Answer{Title: ui.T(v.Context(), "Choose an action"), Area: areaOf(l.Subject), Body: choosePage(&c)}
	return answer.Refused(rejection), nil
}

// Preview fixes the selection of a chosen action and shows the expected results.
func (s *Screens) Preview(v *web.Visit) (*web.Answer, error) {
	form, err := v.Form()
	if err != nil {
		return nil, err
	}
	l, err := parseList(v, form.Get("list"))
	if err != nil {
		return nil, err
	}
	in := bulk.Request{
		Kind: domain.BulkKind(form.Get("kind")), Filter: l.Filter, Tenant: l.Tenant,
		NewOwner: app.PrincipalKey{Email: strings.TrimSpace(form.Get("email"))},
	}
	in.ToVersion, _ = strconv.Atoi(form.Get("version"))
	if id, err := uuid.Parse(form.Get("tenant")); err == nil && l.Tenant == "" {
		in.TenantID = &id
	}
	previewed, err := s.Bulk.Preview(v.Context(), v.Call, in)
	if rejection := web.Refusal(err); rejection != nil && rejection.Kind == domain.KindInvalid {
		return s.showChoice(v, l, rejection)
	}
	if err != nil {
		return nil, err
	}
	return web.SeeOther(operationPath(previewed.ID, "", l.Path)), nil
}

// operationPath returns the URL of a screen of an operation that the user came to from a list, "" for none.
func operationPath(id uuid.UUID, screen, list string) string {
	path := web.Root + "bulk/" + id.String() + screen
	if list != "" {
		path += "?" + url.Values{"list": {list}}.Encode()
	}
	return path
}
