package persistence

import (
	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
)

// AdministrationScope selects the tenants that exist for a caller: Tenants, or every one.
type AdministrationScope struct {
	Everywhere bool
	Tenants    []uuid.UUID
}

// AdministrationOf selects the tenants that the caller administers.
func AdministrationOf(caller domain.Caller) AdministrationScope {
	return AdministrationScope{
		Everywhere: caller.Operator || caller.Type == domain.PrincipalSystem, Tenants: caller.AdministeredTenants(),
	}
}

// memberScope selects the tenants of the caller.
func memberScope(caller domain.Caller) AdministrationScope {
	return AdministrationScope{Tenants: caller.TenantIDs()}
}
