package audit

import (
	"context"
	"log/slog"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// Flush writes the collected refusals as events of the tenants that they concern.
// A refusal without a known tenant is recorded with the zero tenant, which only
// operators can read. Counts that could not be written are kept for the next
// call.
func (r *Recorder) Flush(ctx context.Context) error {
	r.mu.Lock()
	signIns, denials, unlogged := r.signIns.takeEntries(), r.denials.takeEntries(), r.unlogged
	clear(r.lines)
	r.logged, r.unlogged = 0, 0
	r.mu.Unlock()
	if unlogged > 0 {
		r.o.Logger.LogAttrs(ctx, slog.LevelWarn, "refused sign-ins were not logged individually", slog.Int("count", unlogged))
	}
	if len(signIns) == 0 && len(denials) == 0 {
		return nil
	}
	err := r.recordEvents(ctx, signIns, denials)
	if err != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		for key, e := range signIns {
			r.signIns.putEntry(key, signInKey{reason: key.reason}, e)
		}
		for key, e := range denials {
			r.denials.putEntry(key, denialKey{principal: key.principal}, e)
		}
	}
	return err
}

func (r *Recorder) recordEvents(ctx context.Context, signIns map[signInKey]*entry, denials map[denialKey]*entry) error {
	var about persistence.AuditSubjects
	for key, e := range signIns {
		if key.principal != uuid.Nil {
			about.Principals = append(about.Principals, key.principal)
		}
		about.TenantCodes = append(about.TenantCodes, e.tenantCodes...)
	}
	for key, e := range denials {
		if key.id != uuid.Nil && len(e.caller.Memberships) > 1 {
			about.Resources = append(about.Resources, key.id)
		}
	}
	found, err := r.o.DB.Reader().LocateAudited(ctx, about)
	if err != nil {
		return err
	}
	var events []domain.Event
	for key, e := range signIns {
		events = append(events, signInEvents(key, e, found)...)
	}
	for key, e := range denials {
		events = append(events, denialEvent(key, e, found))
	}
	slices.SortStableFunc(events, func(a, b domain.Event) int { return a.OccurredAt.Compare(b.OccurredAt) })
	return r.o.DB.Record(ctx, domain.Call{}, func(*persistence.Tx) (domain.Events, error) { return events, nil })
}

// signInEvents returns one event for each tenant that a refused sign-in concerns: the tenants of the principal, or else
// of the token's issuer.
func signInEvents(key signInKey, e *entry, found persistence.AuditedTenants) []domain.Event {
	var tenants []uuid.UUID
	switch ids := found.OfPrincipal[key.principal]; {
	case key.tenant != uuid.Nil:
		tenants = []uuid.UUID{key.tenant}
	case len(ids) > 0:
		tenants = ids
	default:
		for _, code := range e.tenantCodes {
			if id, ok := found.ByCode[code]; ok {
				tenants = append(tenants, id)
			}
		}
	}
	if len(tenants) == 0 {
		tenants = []uuid.UUID{uuid.Nil}
	}
	events := make([]domain.Event, len(tenants))
	for i, tenant := range tenants {
		event := domain.Event{
			TenantID: tenant, Type: domain.EventAuthenticationFailed, ResourceKind: domain.ResourceTenant, ResourceID: tenant,
			ActorID: domain.SystemPrincipalID(),
		}
		if len(found.OfPrincipal[key.principal]) > 0 {
			event.ResourceKind, event.ResourceID = domain.ResourcePrincipal, key.principal
		}
		events[i] = e.describeEvent(event.With("reason", string(key.reason)).With("issuer", key.issuer).With("subject", key.subject))
	}
	return events
}

// denialEvent returns an event of the tenant of the resource, or of the caller's
// tenant if there is exactly one.
func denialEvent(key denialKey, e *entry, found persistence.AuditedTenants) domain.Event {
	tenant := uuid.Nil
	members := e.caller.TenantIDs()
	if owner, ok := found.OfResource[key.id]; ok && slices.Contains(members, owner) {
		tenant = owner
	} else if len(members) == 1 {
		tenant = members[0]
	}
	event := domain.Event{
		TenantID: tenant, Type: domain.EventAccessDenied, ResourceKind: domain.ResourceTenant, ResourceID: tenant,
		ActorID: key.principal,
	}
	if key.id != uuid.Nil {
		event.ResourceKind, event.ResourceID = key.kind, key.id
	}
	if key.principal == uuid.Nil {
		event.ActorID = domain.SystemPrincipalID()
	}
	return e.describeEvent(event.With("operation", key.operation)).ByToken(e.caller.Token)
}

// describeEvent adds the count, the times, and the origin of the first occurrence.
func (e *entry) describeEvent(event domain.Event) domain.Event {
	event.OccurredAt, event.RequestID = e.last.UTC().Truncate(time.Microsecond), e.from.RequestID
	return event.With("count", strconv.Itoa(e.count)).With("since", e.first.UTC().Format(time.RFC3339)).
		With("address", e.from.Address)
}
