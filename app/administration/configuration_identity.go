package administration

import (
	"slices"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence"
)

// assignID finds the id of the document's resource, or chooses one for a new resource, and reports a violation.
func (c *configuration) assignID(d *resource.Document) *resource.Violation {
	key := d.Key()
	if check := kindHandlers()[d.Kind].check; check != nil {
		if violation := check(c, d); violation != nil {
			return violation
		}
	}
	chosen := d.Metadata.ID
	existing, exists := c.knownID(d)
	switch {
	case exists && chosen != nil && *chosen != existing && c.stored[key] == nil && c.isStranger(existing) && !c.isTaken(*chosen):
		// The error must not reveal whether the id is in use: a new person may
		// have it.
		c.ids[key] = existing
	case exists && chosen != nil && *chosen != existing:
		return &resource.Violation{Pointer: "/metadata/id", Message: "is not the id that the resource has"}
	case exists:
		c.ids[key] = existing
	case chosen == nil:
		c.ids[key] = domain.NewID()
	case c.isTaken(*chosen):
		return &resource.Violation{Pointer: "/metadata/id", Message: "is in use already"}
	default:
		c.ids[key] = *chosen
	}
	return nil
}

// isDescribed reports whether a resource of the tenants has the id.
func (c *configuration) isDescribed(id uuid.UUID) bool {
	for _, other := range c.ids {
		if other == id {
			return true
		}
	}
	return false
}

// isTaken reports whether another resource has the id.
func (c *configuration) isTaken(id uuid.UUID) bool {
	if slices.Contains(c.TakenIDs, id) || c.isDescribed(id) {
		return true
	}
	return slices.ContainsFunc(c.Principals, func(p persistence.PrincipalState) bool { return p.ID == id })
}

// knownID returns the id of a resource that is there, with or without a manifest.
func (c *configuration) knownID(d *resource.Document) (uuid.UUID, bool) {
	if id, ok := c.ids[d.Key()]; ok {
		return id, true
	}
	if identify := kindHandlers()[d.Kind].identify; identify != nil {
		return identify(c, d)
	}
	return uuid.Nil, false
}
