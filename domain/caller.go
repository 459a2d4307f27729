package domain

import (
	"slices"

	"github.com/google/uuid"
)

// PrincipalType says what kind of actor a principal is.
type PrincipalType string

// The principal types.
const (
	PrincipalUser        PrincipalType = "USER"
	PrincipalApplication PrincipalType = "APPLICATION"
	PrincipalSystem      PrincipalType = "SYSTEM"
)

// TenantRole is what a principal may do to the tenant itself: to its
// identities, definitions, webhooks and operations. It gives no right on
// processes.
type TenantRole string

// The tenant roles.
const (
	RoleOwner         TenantRole = "OWNER"
	RoleAdministrator TenantRole = "ADMINISTRATOR"
	RoleMember        TenantRole = "MEMBER"
)

// Membership is a principal's place in one tenant.
type Membership struct {
	TenantID  uuid.UUID
	Namespace string
	Role      TenantRole
}

// Caller is the authenticated principal on whose behalf an operation runs.
type Caller struct {
	PrincipalID uuid.UUID
	Type        PrincipalType
	Memberships []Membership
	// OAuth says that the caller showed a token of an OAuth 2.0 issuer and not a
	// credential of the service's own. Some operations then ask for more
	// (specification section 5, rule 3).
	OAuth bool
	// Operator may make tenants and administer all of them.
	Operator bool
}

// TenantIDs lists the tenants the caller belongs to. Nothing outside them
// exists for the caller.
func (c Caller) TenantIDs() []uuid.UUID {
	ids := make([]uuid.UUID, len(c.Memberships))
	for i, m := range c.Memberships {
		ids[i] = m.TenantID
	}
	return ids
}

// Tenant picks the tenant an operation is about. With one membership tenantID
// may be nil; with several it is required (specification section 5, rule 3). A
// tenant the caller does not belong to is reported as a value that is not valid
// at the body pointer /tenantId.
func (c Caller) Tenant(tenantID *uuid.UUID) (Membership, error) {
	if tenantID == nil {
		if len(c.Memberships) == 1 {
			return c.Memberships[0], nil
		}
		return Membership{}, InvalidField(FieldTenant, "is required: you belong to several tenants")
	}
	i := slices.IndexFunc(c.Memberships, func(m Membership) bool { return m.TenantID == *tenantID })
	if i < 0 {
		return Membership{}, InvalidField(FieldTenant, "is not a tenant of yours")
	}
	return c.Memberships[i], nil
}
