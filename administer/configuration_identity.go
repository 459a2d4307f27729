package administer

import (
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence"
)

// identify finds the id of the document's resource, or chooses one for a new
// resource, and reports what stands against it.
func (c *configuration) identify(d *resource.Document) *resource.Violation {
	key := d.Key()
	if violation := c.unalterable(d); violation != nil {
		return violation
	}
	chosen := d.Metadata.ID
	known, exists := c.knownID(d)
	switch {
	case exists && chosen != nil && *chosen != known && c.stored[key] == nil && c.isStranger(known) && !c.taken(*chosen):
		// A new person could have the id, and a refusal would tell that this is none.
		c.ids[key] = known
	case exists && chosen != nil && *chosen != known:
		return &resource.Violation{Pointer: "/metadata/id", Message: "is not the id that the resource has"}
	case exists:
		c.ids[key] = known
	case chosen == nil:
		c.ids[key] = domain.NewID()
	case c.taken(*chosen):
		return &resource.Violation{Pointer: "/metadata/id", Message: "is in use already"}
	default:
		c.ids[key] = *chosen
	}
	return nil
}

// knownID is the id of a resource that is there, whether or not a document ever
// described it.
func (c *configuration) knownID(d *resource.Document) (uuid.UUID, bool) {
	if id, ok := c.ids[d.Key()]; ok {
		return id, true
	}
	tenant := c.tenants[d.TenantCode()]
	switch spec := d.Spec.(type) {
	case *resource.UserSpec:
		return c.person(spec.Email)
	case *resource.TenantSpec:
		if tenant != nil {
			return tenant.ID, true
		}
	case *resource.ApplicationSpec:
		if d.Metadata.ID != nil && tenant != nil && c.isFormerApplication(*d.Metadata.ID, tenant.ID) {
			return *d.Metadata.ID, true
		}
	case *resource.GroupSpec:
		for _, g := range c.Groups {
			if tenant != nil && g.TenantID == tenant.ID && g.Code == d.Metadata.Code {
				return g.ID, true
			}
		}
	case *resource.ProcessDefinitionSpec:
		if tenant == nil {
			break
		}
		if found := c.definition(tenant.ID, d.Metadata.Code); found != nil {
			return found.ID, true
		}
	}
	return uuid.Nil, false
}

// person finds who has the e-mail: a user of any tenant, or one that the change
// brings along. A dry run, which leaves no trace, does not find users of other
// tenants than the caller's.
func (c *configuration) person(email string) (uuid.UUID, bool) {
	for _, p := range c.Principals {
		if p.Type == domain.PrincipalUser && strings.EqualFold(p.Email, email) && (!c.dryRun || !c.isStranger(p.ID)) {
			return p.ID, true
		}
	}
	for key, d := range c.wanted {
		if spec, ok := d.Spec.(*resource.UserSpec); ok && strings.EqualFold(spec.Email, email) {
			return c.ids[key], true
		}
	}
	return uuid.Nil, false
}

// isStranger reports whether a principal belongs to none of the caller's tenants.
func (c *configuration) isStranger(id uuid.UUID) bool {
	if c.caller.Operator {
		return false
	}
	own := c.caller.TenantIDs()
	return slices.ContainsFunc(c.Principals, func(p persistence.PrincipalState) bool {
		return p.ID == id && !slices.ContainsFunc(p.TenantIDs, func(tenant uuid.UUID) bool { return slices.Contains(own, tenant) })
	})
}

// isFormerApplication reports whether the id is that of an application of the
// tenant that no document describes, such as one that was deleted.
func (c *configuration) isFormerApplication(id, tenant uuid.UUID) bool {
	if c.described(id) {
		return false
	}
	return slices.ContainsFunc(c.Principals, func(p persistence.PrincipalState) bool {
		return p.ID == id && p.Type == domain.PrincipalApplication && slices.Contains(p.TenantIDs, tenant)
	})
}

// described reports whether a resource of the tenants has the id.
func (c *configuration) described(id uuid.UUID) bool {
	for _, other := range c.ids {
		if other == id {
			return true
		}
	}
	return false
}

// taken reports whether something else has the id.
func (c *configuration) taken(id uuid.UUID) bool {
	if slices.Contains(c.TakenIDs, id) || c.described(id) {
		return true
	}
	return slices.ContainsFunc(c.Principals, func(p persistence.PrincipalState) bool { return p.ID == id })
}

// unalterable reports a change of what stays as it is for good, and what only
// the database or the system knows to be wrong.
func (c *configuration) unalterable(d *resource.Document) *resource.Violation {
	switch spec := d.Spec.(type) {
	case *resource.TenantSpec:
		return c.unalterableTenant(d, spec)
	case *resource.UserSpec:
		if before := c.stored[d.Key()]; before != nil {
			stored, ok := before.Spec.(*resource.UserSpec)
			if ok && !strings.EqualFold(stored.Email, spec.Email) {
				return &resource.Violation{
					Pointer: "/spec/email", Message: "cannot be changed, it says who the user is: make another user",
				}
			}
		}
		for key, other := range c.wanted {
			if user, ok := other.Spec.(*resource.UserSpec); ok && key != d.Key() && key.Tenant == d.TenantCode() &&
				strings.EqualFold(user.Email, spec.Email) {
				return &resource.Violation{Pointer: "/spec/email", Message: "is that of " + display(key) + " already"}
			}
		}
	}
	return nil
}

func (c *configuration) unalterableTenant(d *resource.Document, spec *resource.TenantSpec) *resource.Violation {
	tenant := c.tenants[d.Metadata.Code]
	if tenant != nil && spec.Namespace != "" && spec.Namespace != tenant.Namespace {
		return &resource.Violation{Pointer: "/spec/namespace", Message: "cannot be changed: the tenant's workflows are there"}
	}
	if tenant == nil && slices.Contains(c.TakenNamespaces, spec.Namespace) {
		return &resource.Violation{Pointer: "/spec/namespace", Message: "is in use already"}
	}
	if _, err := time.LoadLocation(spec.TimeZone); err != nil {
		return &resource.Violation{Pointer: "/spec/timeZone", Message: "is not a time zone of the IANA database"}
	}
	return nil
}
