package domain

import (
	"slices"

	"github.com/google/uuid"
)

// PrincipalType is the kind of actor that a principal is.
type PrincipalType string

// The principal types.
const (
	PrincipalUser        PrincipalType = "USER"
	PrincipalApplication PrincipalType = "APPLICATION"
	PrincipalSystem      PrincipalType = "SYSTEM"
)

// TenantRole is a role in a tenant. It gives rights on its identities, definitions, webhooks and operations, but
// none on processes.
type TenantRole string

// The tenant roles.
const (
	RoleOwner         TenantRole = "OWNER"
	RoleAdministrator TenantRole = "ADMINISTRATOR"
	RoleMember        TenantRole = "MEMBER"
)

// Membership is a principal's membership of one tenant.
type Membership struct {
	TenantID  uuid.UUID
	Namespace string
	Role      TenantRole
	// AdministersDefinitions reports whether the principal has the Administrator permission on process definitions of the
	// tenant, by a grant of its own or through a group.
	AdministersDefinitions bool
}

// Caller is the authenticated principal of an operation.
type Caller struct {
	PrincipalID uuid.UUID
	Type        PrincipalType
	Memberships []Membership
	// OAuth reports whether the caller presented a token of an OAuth 2.0 issuer rather than a credential of the
	// service. Some operations require more then (specification section 5, rule 3).
	OAuth bool
	// Token is the credential of the caller if another user issued it, otherwise nil.
	Token *IssuedToken
	// Operator may create tenants and administer all of them.
	Operator bool
}

// Call contains the caller of an operation and the requirements of the request. The zero Call is one of the service itself.
type Call struct {
	Caller
	// Precondition is checked against the resource that the operation writes to.
	Precondition Precondition
	// Names adds the names of principals and definitions to a returned process or item.
	Names bool
	// Bulk is the resource of a bulk operation that the call handles, nil for other calls.
	Bulk *BulkKey
}

// AtVersion returns the call with the precondition that the resource of the operation has the version.
func (c Call) AtVersion(version Version) Call {
	return c.WithPrecondition(Precondition{Match: &Versions{Listed: []Version{version}}})
}

// WithPrecondition returns the call with a precondition.
func (c Call) WithPrecondition(p Precondition) Call {
	c.Precondition = p
	return c
}

// TenantIDs lists the tenants of the caller. Resources of other tenants do not exist for the caller.
func (c Caller) TenantIDs() []uuid.UUID {
	ids := make([]uuid.UUID, len(c.Memberships))
	for i, m := range c.Memberships {
		ids[i] = m.TenantID
	}
	return ids
}

// Tenant returns the tenant of an operation. With one membership tenantID may be nil; with several it is
// required (specification section 5, rule 3). A tenant to which the caller does not belong is reported as an
// invalid value at the body pointer /tenantId.
func (c Caller) Tenant(tenantID *uuid.UUID) (Membership, error) {
	if tenantID == nil {
		if len(c.Memberships) == 1 {
			return c.Memberships[0], nil
		}
		return Membership{}, InvalidField(FieldTenant, "is required: you belong to several tenants")
	}
	i := slices.IndexFunc(c.Memberships, func(m Membership) bool { return m.TenantID == *tenantID })
	if i < 0 {
		return Membership{}, InvalidField(FieldTenant, "is not a tenant that you belong to")
	}
	return c.Memberships[i], nil
}
