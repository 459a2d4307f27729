package administration

import (
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence"
)

// putResource writes a resource, and the rows that follow from it.
func (c *configuration) putResource(tx *persistence.Tx, key resource.Key, now time.Time) error {
	d, id := c.desired[key], c.ids[key]
	audit := domain.NewAudit(c.caller.PrincipalID, now)
	if before := c.stored[key]; before != nil {
		audit = before.Touched(c.caller.PrincipalID, now)
	}
	tenant := c.tenantID(key.Tenant)
	if write := kindHandlers()[key.Kind].put; write != nil {
		if err := write(c, tx, written{Document: d, id: id, tenant: tenant, audit: audit}); err != nil {
			return fmt.Errorf("writing %s: %w", displayKey(key), err)
		}
	}
	for _, a := range c.applied {
		if a.Key == key {
			return tx.PutResource(resource.Stored{
				Document: *d, ID: id, TenantID: tenant, Audit: audit, EventID: c.recorded[key], Origin: c.originOf(key),
			})
		}
	}
	return nil
}

func (c *configuration) tenantID(code string) uuid.UUID {
	return c.ids[resource.Key{Tenant: code, Kind: resource.KindTenant, Code: code}]
}

// identityKey returns the key of the user, the application or the group that is named.
func identityKey(tenant, user, application, group string) resource.Key {
	switch {
	case user != "":
		return resource.Key{Tenant: tenant, Kind: resource.KindUser, Code: user}
	case application != "":
		return resource.Key{Tenant: tenant, Kind: resource.KindApplication, Code: application}
	default:
		return resource.Key{Tenant: tenant, Kind: resource.KindGroup, Code: group}
	}
}

// removeResource deletes a resource, and the rows that follow from it.
func (c *configuration) removeResource(tx *persistence.Tx, a AppliedResource, now time.Time) {
	tenant := c.tenantID(a.Key.Tenant)
	if remove := kindHandlers()[a.Key.Kind].remove; remove != nil {
		remove(c, tx, a, tenant, now)
	}
	tx.DeleteResource(tenant, a.Key.Kind, a.Key.Code, c.recorded[a.Key], now)
}

// newEvents returns the outcomes, and keeps the ids of the events. Resources that only depend on an applied one have not
// changed themselves.
func (c *configuration) newEvents(now time.Time) domain.Events {
	var events domain.Events
	types := map[ApplyAction]domain.EventType{
		ApplyCreated: domain.EventResourceCreated, ApplyConfigured: domain.EventResourceChanged,
		ApplyDeleted: domain.EventResourceDeleted,
	}
	for _, a := range c.applied {
		if t, ok := types[a.Action]; ok {
			e := domain.ConfigurationEvent(t, domain.Configured{
				ID: a.ID, TenantID: c.tenantID(a.Key.Tenant), Kind: string(a.Key.Kind), Code: a.Key.Code,
			}, c.caller.PrincipalID, now).With("reason", c.reason)
			e.ID = domain.NewID()
			c.recorded[a.Key] = e.ID
			events = append(events, e)
		}
	}
	return events
}
