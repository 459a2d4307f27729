package administration

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence"
)

// checkAuthorized refuses changes of the resource of a document beyond the rights of the caller.
func (c *configuration) checkAuthorized(d *resource.Document, before *resource.Stored, action ApplyAction) error {
	rights := domain.AdministrationRights{Role: domain.RoleOwner}
	if tenant := c.tenants[d.TenantCode()]; tenant != nil {
		rights = c.caller.Administration(tenant.ID)
	}
	switch {
	case !rights.Administers() && d.Kind == resource.KindAbsence:
		return c.authorizeAbsence(d, before, action)
	case !rights.Administers():
		return c.authorizeDefinition(d, before, action)
	case action == ApplyUnchanged || rights.Owns():
		return nil
	case d.Kind == resource.KindTenant:
		return domain.Denied("the OWNER role is required to change the tenant")
	case isOwner(d) || before != nil && isOwner(&before.Document):
		return domain.Denied(fmt.Sprintf("the OWNER role is required to change who owns the tenant: %s", displayKey(d.Key())))
	}
	return nil
}

// authorizeDefinition is authorize for callers that administer at most process
// definitions: they may change those, and none of the rights in them.
func (c *configuration) authorizeDefinition(
	d *resource.Document, before *resource.Stored, action ApplyAction,
) error {
	spec, isDefinition := d.Spec.(*resource.ProcessDefinitionSpec)
	if !isDefinition || before == nil || action == ApplyDeleted || !slices.Contains(c.Administered, before.ID) {
		return domain.Denied("the OWNER or the ADMINISTRATOR role in the tenant is required")
	}
	if pointer, changed := resource.ChangedRight(before.Spec, spec); changed {
		return deniedRight(d.Key(), pointer)
	}
	if i := c.countRegained(before, spec); i >= 0 {
		return deniedRight(d.Key(), "/spec/items/"+strconv.Itoa(i))
	}
	return nil
}

// countRegained returns the index of the first item that an earlier version of the
// definition had, with rights that running processes still use, and that the
// change adds again; -1 without one. The rights of such an item replace the
// earlier ones.
func (c *configuration) countRegained(before *resource.Stored, spec *resource.ProcessDefinitionSpec) int {
	stored, ok := before.Spec.(*resource.ProcessDefinitionSpec)
	return slices.IndexFunc(spec.Items, func(item resource.ItemSpec) bool {
		had := ok && slices.ContainsFunc(stored.Items, func(s resource.ItemSpec) bool { return s.Code == item.Code })
		return !had && slices.ContainsFunc(c.Items, func(state persistence.ItemDefinitionState) bool {
			return state.ProcessDefinitionID == before.ID && state.Code == item.Code && state.Granted
		})
	})
}

// deniedRight refuses the change of a right at a JSON Pointer within a document.
func deniedRight(key resource.Key, pointer string) error {
	message := "the OWNER or the ADMINISTRATOR role in the tenant is required to change the rights of " + displayKey(key)
	denied := domain.Denied(message + ": " + pointer + " differs")
	denied.Details = []domain.Detail{{
		Code: domain.CodeAccessDenied, Message: "is a right", LocationType: domain.LocationBody, Location: pointer,
	}}
	return denied
}

// inDocument prefixes the locations of a refusal with the location of a document in the request.
func inDocument(err error, index int) error {
	if refusal, ok := errors.AsType[*domain.Error](err); ok {
		for i := range refusal.Details {
			refusal.Details[i].Location = documentPointer(index, refusal.Details[i].Location)
		}
	}
	return err
}
