package administration

import (
	"cmp"
	"context"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/domain/spreadsheet"
	"github.com/procession-dev/procession/persistence"
)

// maxRightRows bounds the rows of WriteCSV.
const maxRightRows = 1_000_000

// RightFilter narrows FindRights; empty fields match all. Tenant is the code of the tenant, which a caller who administers one may
// leave out.
type RightFilter struct {
	Tenant string
	// Person is the id, the code, the e-mail or a part of the name of a user or an application, ignoring case.
	Person string
	// Group is the code of the group through which a right is held.
	Group string
	// Kind and Resource are the kind and the code of the resource that gives a right.
	Kind     resource.Kind
	Resource string
	// May is one of resource.Subjects.
	May string
	// At is the time, nil for now.
	At *time.Time
}

// RightEntry is a right of a person on a resource, with one reason for it. The holder of a right of the initiator of a process has no
// kind.
type RightEntry struct {
	Kind     resource.Kind
	Resource string
	Name     string
	May      string
	Item     string

	Holder     resource.Kind
	HolderCode string
	HolderID   uuid.UUID
	HolderName string
	Email      string

	// Group is the code of the group through which the right is held, Because the right that implies it, Role the role in the tenant
	// that gives it, or resource.RoleEveryone; all are "" for a right that the resource gives to the holder itself.
	Group, GroupName string
	Because          string
	Role             domain.TenantRole
}

// RightReport contains the rights in a tenant at a time.
type RightReport struct {
	TenantID   uuid.UUID
	Tenant     string
	TenantName string
	At         time.Time
	// RecordedSince is the first time for which the rights are known.
	RecordedSince time.Time

	filter RightFilter
	past   *persistence.PastTenant
	roster *roster
	// whole reports whether the report has the roles in the tenant.
	whole bool
}

// FindRights returns the rights that the resources administered by the caller give, now or at a time: with the rights that follow from
// others, without people who were disabled. A right with several reasons is listed with each. Owners and administrators are listed with
// their roles only. Errors: VALIDATION for a time that is not recorded or an unknown subject of a right, NOT_FOUND for a tenant where
// the caller administers nothing.
func (s *Service) FindRights(ctx context.Context, call domain.Call, filter RightFilter) (*RightReport, error) {
	if filter.May != "" && !slices.Contains(resource.Subjects(), filter.May) {
		return nil, domain.Invalid(domain.LocationQuery, "right", "is not a right"+
			resource.DidYouMean(filter.May, resource.Subjects(), "; the rights are "+strings.Join(resource.Subjects(), ", ")))
	}
	at, asOf, err := s.pastTime(filter.At)
	if err != nil {
		return nil, err
	}
	scope := persistence.AdministrationOf(call.Caller)
	if err := requireTenant(scope, filter.Tenant); err != nil {
		return nil, err
	}
	past, err := s.store.Reader.ListPastRights(ctx, scope, filter.Tenant, asOf)
	if err != nil {
		return nil, err
	}
	if err := checkRecorded(at, past.Since); err != nil {
		return nil, err
	}
	return &RightReport{
		TenantID: past.ID, Tenant: past.Code, TenantName: past.Name, At: at, RecordedSince: past.Since, filter: filter, past: past,
		roster: newRoster(past.People, past.Disabled),
		whole:  scope.Everywhere || slices.Contains(scope.Tenants, past.ID),
	}, nil
}

// Page returns a page of the entries with their total.
func (r *RightReport) Page(page domain.PageRequest) domain.Page[RightEntry] {
	found := domain.Page[RightEntry]{PageRequest: page}
	first := int64(page.Number) * int64(page.Size)
	_ = r.Each(func(e *RightEntry) error {
		if found.Total >= first && len(found.Items) < page.Size {
			found.Items = append(found.Items, *e)
		}
		found.Total++
		return nil
	})
	return found
}

// Each calls visit with each entry, the roles in the tenant first, until it returns an error.
func (r *RightReport) Each(visit func(*RightEntry) error) error {
	if r.whole {
		if err := r.eachRole(visit); err != nil {
			return err
		}
	}
	for i := range r.past.Resources {
		of := &r.past.Resources[i]
		for _, right := range of.Rights {
			if right.May == resource.MayStartProcesses && !of.Startable {
				continue
			}
			e := RightEntry{Kind: of.Kind, Resource: of.Code, Name: of.Name, May: right.May, Item: right.Item, Because: right.Because}
			if !r.matchesRight(&e) {
				continue
			}
			if err := r.eachHolder(e, right.Holders, visit); err != nil {
				return err
			}
		}
	}
	return nil
}

// eachRole visits the owners and administrators of the tenant.
func (r *RightReport) eachRole(visit func(*RightEntry) error) error {
	subjects := map[domain.TenantRole]string{domain.RoleOwner: resource.MayOwnTenant, domain.RoleAdministrator: resource.MayAdministerTenant}
	for i := range r.past.People {
		p := &r.past.People[i]
		e := RightEntry{Kind: resource.KindTenant, Resource: r.Tenant, Name: r.TenantName, May: subjects[p.Role], Role: p.Role}
		if e.May == "" || !r.matchesRight(&e) {
			continue
		}
		if err := r.visitPerson(e, p, nil, visit); err != nil {
			return err
		}
	}
	return nil
}

func (r *RightReport) eachHolder(e RightEntry, grantees []resource.Grantee, visit func(*RightEntry) error) error {
	for _, g := range grantees {
		var err error
		switch {
		case g.User != "":
			err = r.visitPerson(e, r.roster.people[identity{resource.KindUser, g.User}], nil, visit)
		case g.Application != "":
			err = r.visitPerson(e, r.roster.people[identity{resource.KindApplication, g.Application}], nil, visit)
		case g.Role == resource.RoleEveryone:
			err = r.visitEveryone(e, visit)
		case g.Role == resource.RoleProcessInitiator:
			if r.filter.Person == "" && r.filter.Group == "" {
				err = visit(&e)
			}
		default:
			group := r.roster.people[identity{resource.KindGroup, g.Group}]
			if group == nil {
				continue
			}
			for _, m := range group.Members {
				member := identity{resource.KindUser, m.User}
				if m.User == "" {
					member = identity{resource.KindApplication, m.Application}
				}
				if err = r.visitPerson(e, r.roster.people[member], group, visit); err != nil {
					break
				}
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// visitEveryone visits the entries of all users.
func (r *RightReport) visitEveryone(e RightEntry, visit func(*RightEntry) error) error {
	e.Role = resource.RoleEveryone
	for i := range r.past.People {
		if p := &r.past.People[i]; p.Kind == resource.KindUser {
			if err := r.visitPerson(e, p, nil, visit); err != nil {
				return err
			}
		}
	}
	return nil
}

// visitPerson visits the entry of a person, itself or through a group, if the filter matches.
func (r *RightReport) visitPerson(e RightEntry, p, group *persistence.PastPerson, visit func(*RightEntry) error) error {
	if p == nil || !r.roster.isActive(p) || !r.matchesPerson(p) {
		return nil
	}
	e.Holder, e.HolderCode, e.HolderID, e.HolderName, e.Email = p.Kind, p.Code, p.ID, p.Name, p.Email
	if group != nil {
		e.Group, e.GroupName = group.Code, group.Name
	}
	if r.filter.Group != "" && r.filter.Group != e.Group {
		return nil
	}
	return visit(&e)
}

func (r *RightReport) matchesRight(e *RightEntry) bool {
	f := &r.filter
	return (f.May == "" || f.May == e.May) && (f.Kind == "" || f.Kind == e.Kind) && (f.Resource == "" || strings.EqualFold(f.Resource, e.Resource))
}

func (r *RightReport) matchesPerson(p *persistence.PastPerson) bool {
	text := r.filter.Person
	return text == "" || strings.EqualFold(text, p.Code) || domain.EqualEmails(text, p.Email) || strings.EqualFold(text, p.ID.String()) ||
		strings.Contains(strings.ToLower(p.Name), strings.ToLower(text))
}

// rightColumns are the columns of WriteCSV.
func rightColumns() []string {
	return []string{
		"tenant", "kind", "resource", "resourceName", "right", "item", "holderKind", "holder", "holderId", "holderName", "holderEmail",
		"group", "groupName", "because", "role", "at",
	}
}

// CheckSize refuses a report with too many entries for WriteCSV with VALIDATION.
func (r *RightReport) CheckSize() error {
	if r.Page(domain.PageRequest{}).Total > maxRightRows {
		return domain.Invalid(domain.LocationQuery, "resource", "is required: there are more than 1,000,000 rights; export them by resource or person")
	}
	return nil
}

// WriteCSV writes the entries as a table of comma-separated values (RFC 4180) with a head, in UTF-8.
func (r *RightReport) WriteCSV(w io.Writer) error {
	table := spreadsheet.NewWriter(w)
	if err := table.Write(rightColumns()...); err != nil {
		return err
	}
	at := r.At.UTC().Format(time.RFC3339)
	err := r.Each(func(e *RightEntry) error {
		id := ""
		if e.HolderID != uuid.Nil {
			id = e.HolderID.String()
		}
		return table.Write(r.Tenant, string(e.Kind), e.Resource, e.Name, e.May, e.Item,
			cmp.Or(string(e.Holder), "Role"), cmp.Or(e.HolderCode, resource.RoleProcessInitiator), id, e.HolderName, e.Email,
			e.Group, e.GroupName, e.Because, string(e.Role), at)
	})
	if err != nil {
		return err
	}
	return table.Flush()
}
