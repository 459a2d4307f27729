package administration

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence"
)

// PastRights are the rights on a process definition at a time. Owners and administrators of the tenant could change the
// definition too.
type PastRights struct {
	Key  resource.Key
	ID   uuid.UUID
	Name string
	At   time.Time
	// RecordedSince is the first time for which the rights are known.
	RecordedSince time.Time
	// Startable reports whether a version was published.
	Startable bool
	Rights    []PastRight
}

// PastRight is a right with the people who had it.
type PastRight struct {
	May string
	// Item is the code of the item, "" for the whole definition.
	Item string
	// Initiator reports whether the initiator of a process had the right on it.
	Initiator bool
	// Everyone reports whether all active users of the tenant had the right. Holders lists the others and the ones who are named.
	Everyone bool
	Holders  []PastHolder
}

// PastHolder is a user or an application with a right.
type PastHolder struct {
	Kind resource.Kind
	Code string
	ID   uuid.UUID
	Name string
	// Group is the code of the group through which it had the right, "" for a right of its own.
	Group string
}

// clockTolerance is the time by which the clock of a client or of another replica may be fast.
const clockTolerance = time.Minute

// FindPastRights returns the people who could use a process definition at a time, nil for now: without those who were disabled. With
// an item, it returns the rights on the item only. The tenant's code may be left out by a caller who administers one tenant. It
// requires the OWNER or the ADMINISTRATOR role. Errors: VALIDATION for a time that is not recorded, NOT_FOUND for a definition or an
// item that did not exist.
func (s *Service) FindPastRights(
	ctx context.Context, call domain.Call, key ResourceKey, item string, at *time.Time,
) (*PastRights, error) {
	moment, asOf, err := s.pastTime(at)
	if err != nil {
		return nil, err
	}
	scope := persistence.AdministrationOf(call.Caller)
	if err := requireTenant(scope, key.Tenant); err != nil {
		return nil, err
	}
	past, err := s.store.Reader.GetPastDefinition(ctx, scope, key, item, asOf)
	if err != nil {
		return nil, err
	}
	if err := checkRecorded(moment, past.Since); err != nil {
		return nil, err
	}
	if past.Spec == nil {
		return nil, domain.NotFound("resource")
	}
	found := &PastRights{
		Key: resource.Key{Tenant: past.Tenant, Kind: resource.KindProcessDefinition, Code: key.Code}, ID: past.ID,
		Name: past.Spec.Name, At: moment, RecordedSince: past.Since, Startable: past.Startable,
	}
	found.Rights = newRoster(past.People, past.Disabled).resolveAll(rightsOfItem(past, item), past.Startable)
	if item != "" && len(found.Rights) == 0 {
		return nil, domain.NotFound("item definition")
	}
	return found, nil
}

// pastTime returns the time of a question about the past, and the time of the rows that answer it. A time in the future is a VALIDATION error.
func (s *Service) pastTime(at *time.Time) (moment, asOf time.Time, err error) {
	now := s.now()
	asOf = now.Add(clockTolerance)
	switch {
	case at == nil || at.After(now) && !at.After(asOf):
		return now, asOf, nil
	case at.After(now):
		return now, asOf, domain.Invalid(domain.LocationQuery, "at", "is in the future")
	}
	return *at, *at, nil
}

// requireTenant refuses a question without a tenant of a caller who administers several.
func requireTenant(scope persistence.AdministrationScope, tenant string) error {
	if tenant == "" && (scope.Everywhere || len(scope.SomeTenants()) > 1) {
		return domain.Invalid(domain.LocationQuery, "tenant", "is required: you administer several tenants")
	}
	return nil
}

// checkRecorded refuses a time before the recorded history of a tenant.
func checkRecorded(at, since time.Time) error {
	if at.Before(since) {
		return domain.Invalid(domain.LocationQuery, "at",
			"is before the recorded history of the tenant, which begins at "+since.UTC().Format(time.RFC3339))
	}
	return nil
}

// rightsOfItem returns the rights on an item, on everything for "". The rights on an item that the definition no longer had stayed,
// for the processes with it.
func rightsOfItem(past *persistence.PastDefinition, item string) []resource.Right {
	spec := past.Spec
	if past.Former != nil {
		former := *past.Spec
		former.Items = past.Former.Items
		spec = &former
	}
	rights := spec.EffectiveRights()
	if item == "" {
		return rights
	}
	return slices.DeleteFunc(rights, func(r resource.Right) bool { return r.Item != item })
}

// roster resolves grantees to people.
type roster struct {
	people   map[identity]*persistence.PastPerson
	disabled map[uuid.UUID]bool
}

// identity identifies a user, an application or a group of a tenant.
type identity struct {
	kind resource.Kind
	code string
}

func newRoster(people []persistence.PastPerson, disabled []uuid.UUID) *roster {
	r := &roster{people: map[identity]*persistence.PastPerson{}, disabled: map[uuid.UUID]bool{}}
	for i := range people {
		p := &people[i]
		r.people[identity{p.Kind, p.Code}] = p
	}
	r.addClaims(people)
	for _, id := range disabled {
		r.disabled[id] = true
	}
	return r
}

// addClaims adds the members of groups by sign-ins to the members by manifests.
func (r *roster) addClaims(people []persistence.PastPerson) {
	for i := range people {
		for _, claim := range people[i].ClaimedGroups {
			group, member := r.people[identity{resource.KindGroup, claim.Group}], resource.Member{User: people[i].Code}
			if group != nil && !slices.Contains(group.Members, member) {
				group.Members = append(group.Members, member)
			}
		}
	}
}

// isActive reports whether a person was not disabled.
func (r *roster) isActive(p *persistence.PastPerson) bool { return !p.Disabled && !r.disabled[p.ID] }

func (r *roster) resolveAll(rights []resource.Right, startable bool) []PastRight {
	resolved := make([]PastRight, len(rights))
	for i, right := range rights {
		resolved[i] = PastRight{May: right.May, Item: right.Item}
		if right.May != resource.MayStartProcesses || startable {
			r.resolve(&resolved[i], right.Holders)
		}
	}
	return resolved
}

// resolve adds the people that hold a right: once each, with a right of its own before one of a group.
func (r *roster) resolve(right *PastRight, grantees []resource.Grantee) {
	seen := map[uuid.UUID]bool{}
	add := func(kind resource.Kind, code, group string) {
		p := r.people[identity{kind, code}]
		if p == nil || !r.isActive(p) || seen[p.ID] {
			return
		}
		seen[p.ID] = true
		right.Holders = append(right.Holders, PastHolder{Kind: kind, Code: code, ID: p.ID, Name: p.Name, Group: group})
	}
	for _, g := range grantees {
		switch {
		case g.User != "":
			add(resource.KindUser, g.User, "")
		case g.Application != "":
			add(resource.KindApplication, g.Application, "")
		case g.Role == resource.RoleProcessInitiator:
			right.Initiator = true
		case g.Role == resource.RoleEveryone:
			right.Everyone = true
		}
	}
	for _, g := range grantees {
		group := r.people[identity{resource.KindGroup, g.Group}]
		if group == nil {
			continue
		}
		for _, m := range group.Members {
			if m.User != "" {
				add(resource.KindUser, m.User, g.Group)
			} else {
				add(resource.KindApplication, m.Application, g.Group)
			}
		}
	}
}
