// Package access shows who may do what in a tenant.
package access

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/domain/shell"
)

const (
	// pageSize is the number of rights on a page of the list.
	pageSize = 25
	area     = "access"
	// inputTime is the format of the time input.
	inputTime = "2006-01-02T15:04"
)

// Screens are the screens of rights.
type Screens struct {
	Administration *administration.Service
}

// filterNames are the parameters of the list.
func filterNames() []string {
	return []string{"tenant", "person", "group", "kind", "resource", "right", "at"}
}

// listView contains a page of the list.
type listView struct {
	web.Query
	domain.Page[administration.RightEntry]

	// Report is nil if the rights are not known; Problem says why.
	Report  *administration.RightReport
	Problem string
	// Tenants are the tenants to choose from, none for a user who administers one.
	Tenants []string
}

// givingKinds are the kinds of resources that give rights.
func givingKinds() []resource.Kind {
	return []resource.Kind{
		resource.KindTenant, resource.KindProcessDefinition, resource.KindBusinessArtifactDefinition, resource.KindDataSource, resource.KindRobot,
	}
}

// parseFilter returns the filter of a query.
func parseFilter(ctx context.Context, q web.Query) (administration.RightFilter, error) {
	text := func(name string) string { return strings.TrimSpace(q.Get(name)) }
	f := administration.RightFilter{
		Tenant: text("tenant"), Person: text("person"), Group: text("group"), Kind: resource.Kind(text("kind")),
		Resource: text("resource"), May: text("right"),
	}
	if text("at") != "" {
		at, err := time.ParseInLocation(inputTime, text("at"), ui.ViewerOf(ctx).Zone)
		if err != nil {
			return f, domain.Invalid(domain.LocationQuery, "at", "is not a time such as 2027-01-31T08:00")
		}
		f.At = &at
	}
	return f, nil
}

// readQuery returns the parameters of a visit. A user of several tenants who names none gets the first one.
func (s *Screens) readQuery(v *web.Visit) (web.Query, []string, error) {
	q := v.Query(filterNames()...)
	web.Restrict(q, "kind", givingKinds()...)
	web.Restrict(q, "right", resource.Subjects()...)
	administered := append(v.Call.AdministeredTenants(), v.Call.DefinitionTenants()...)
	if !v.Call.Operator && len(administered) == 1 {
		return q, nil, nil
	}
	identity, err := s.Administration.RetrieveIdentity(v.Context(), v.Call)
	if err != nil {
		return q, nil, err
	}
	var tenants []string
	for _, m := range identity.Memberships {
		if v.Call.Operator || slices.Contains(administered, m.TenantID) {
			tenants = append(tenants, m.TenantCode)
		}
	}
	if len(tenants) > 0 {
		q.Default("tenant", tenants[0])
	}
	return q, tenants, nil
}

// List shows the rights that match the filters.
func (s *Screens) List(v *web.Visit) (*web.Answer, error) {
	q, tenants, err := s.readQuery(v)
	if err != nil {
		return nil, err
	}
	l, status := &listView{Query: q, Tenants: tenants}, http.StatusOK
	l.Report, err = s.findRights(v, q)
	refusal, isRefusal := errors.AsType[*domain.Error](err)
	switch {
	case isRefusal && refusal.Code == domain.CodeValidation && len(refusal.Details) > 0:
		l.Problem, status = refusal.Details[0].Message, http.StatusBadRequest
	case err != nil:
		return nil, err
	default:
		page := v.Page(pageSize)
		if l.Page = l.Report.Page(page); len(l.Items) == 0 && page.Number > 0 {
			return web.SeeOther(q.OnPage(l.TotalPages()).Path(area)), nil
		}
	}
	return &web.Answer{Title: ui.T(v.Context(), "Access"), Status: status, Area: area, Body: listPage(l)}, nil
}

// Export offers the rights that match the filters as comma-separated values.
func (s *Screens) Export(v *web.Visit) (*web.Answer, error) {
	q, _, err := s.readQuery(v)
	if err != nil {
		return nil, err
	}
	report, err := s.findRights(v, q)
	if err == nil {
		err = report.CheckSize()
	}
	if err != nil {
		return nil, err
	}
	return web.File("rights.csv", "text/csv; charset=utf-8", func(w io.Writer) error { return report.WriteCSV(w) }), nil
}

func (s *Screens) findRights(v *web.Visit, q web.Query) (*administration.RightReport, error) {
	filter, err := parseFilter(v.Context(), q)
	if err != nil {
		return nil, err
	}
	return s.Administration.FindRights(v.Context(), v.Call, filter)
}

// exportCommand returns the command that exports the same rights.
func (l *listView) exportCommand(ctx context.Context) shell.Line {
	words := []string{"procession", "rights", "export"}
	for _, name := range filterNames() {
		if value := strings.TrimSpace(l.Get(name)); value != "" && name != "at" {
			words = append(words, "--"+name, value)
		}
	}
	if f, err := parseFilter(ctx, l.Query); err == nil && f.At != nil {
		words = append(words, "--at", f.At.UTC().Format(time.RFC3339))
	}
	return shell.Command(words...)
}

// reasonText tells why a person has a right.
func reasonText(ctx context.Context, e *administration.RightEntry) string {
	var reasons []string
	switch {
	case e.Role == domain.RoleOwner:
		reasons = append(reasons, ui.T(ctx, "by the role of an owner"))
	case e.Role == domain.RoleAdministrator:
		reasons = append(reasons, ui.T(ctx, "by the role of an administrator"))
	case e.Role == resource.RoleEveryone:
		reasons = append(reasons, ui.T(ctx, "as everyone of the tenant"))
	case e.Holder == "":
		reasons = append(reasons, ui.T(ctx, "on the processes that the person started"))
	}
	if e.Because != "" {
		reasons = append(reasons, ui.T(ctx, "because of the right: %s", ui.RightName(ctx, resource.Right{May: e.Because})))
	}
	if e.Group != "" {
		reasons = append(reasons, ui.T(ctx, "through the group %s", e.Group))
	}
	if len(reasons) == 0 {
		return ui.T(ctx, "given directly")
	}
	return strings.Join(reasons, ", ")
}
