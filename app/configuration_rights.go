package app

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence"
)

// authorize refuses what the caller may not do to the resource of a document.
func (c *configuration) authorize(d *resource.Document, before *persistence.StoredResource, action ApplyAction) error {
	rights := domain.AdministrationRights{Role: domain.RoleOwner}
	if tenant := c.tenants[d.TenantCode()]; tenant != nil {
		rights = c.caller.Administration(tenant.ID)
	}
	switch {
	case !rights.Administers():
		return c.authorizeDefinition(d, before, action)
	case action == ApplyUnchanged || rights.Owns():
		return nil
	case d.Kind == resource.KindTenant:
		return domain.Denied("the OWNER role is required to change the tenant")
	case isOwner(d) || before != nil && isOwner(&before.Document):
		return domain.Denied(fmt.Sprintf("the OWNER role is required to change who owns the tenant: %s", display(d.Key())))
	}
	return nil
}

// authorizeDefinition is authorize for who administers at most process
// definitions: those may be changed, but not who has which right.
func (c *configuration) authorizeDefinition(
	d *resource.Document, before *persistence.StoredResource, action ApplyAction,
) error {
	wanted, isDefinition := d.Spec.(*resource.ProcessDefinitionSpec)
	if !isDefinition || before == nil || action == ApplyDeleted || !slices.Contains(c.Administered, before.ID) {
		return domain.Denied("the OWNER or the ADMINISTRATOR role in the tenant is required")
	}
	stored, ok := before.Spec.(*resource.ProcessDefinitionSpec)
	if !ok || !reflect.DeepEqual(stored.Permissions, wanted.Permissions) || !reflect.DeepEqual(stored.Engine, wanted.Engine) {
		return domain.Denied(
			"the OWNER or the ADMINISTRATOR role in the tenant is required to change permissions and engine of " + display(d.Key()))
	}
	if !keepsBindings(stored, wanted) {
		return domain.Denied(
			"the OWNER or the ADMINISTRATOR role in the tenant is required to name another queue or runner of user actions of " +
				display(d.Key()))
	}
	return nil
}

// keepsBindings reports whether user actions run on no other queues, and by no
// other applications, than those of a definition so far. Who names a queue gives
// its runner access to it.
func keepsBindings(stored, wanted *resource.ProcessDefinitionSpec) bool {
	for i := range wanted.UserActions {
		a := &wanted.UserActions[i]
		ofEngine := a.Runner == "" && wanted.Engine != nil && a.TaskQueue == wanted.Engine.TaskQueue
		if a.TaskQueue != "" && !ofEngine && !slices.ContainsFunc(stored.UserActions, func(s resource.UserActionSpec) bool {
			return s.Runner == a.Runner && s.TaskQueue == a.TaskQueue
		}) {
			return false
		}
	}
	return true
}
