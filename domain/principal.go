package domain

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"
)

// SystemPrincipalID returns the author of the service's own changes, such as completing a process when its workflow
// returns. It exists in every database.
func SystemPrincipalID() uuid.UUID {
	return uuid.UUID{0x01, 0x97, 0, 0, 0, 0, 0x70, 0, 0x80, 0, 0, 0, 0, 0, 0, 1}
}

// Audit records who created and last changed a resource, and when (specification section 2.1). Times are UTC
// with microsecond precision.
type Audit struct {
	CreatedBy      uuid.UUID
	CreatedAt      time.Time
	LastModifiedBy uuid.UUID
	LastModifiedAt time.Time
}

// NewAudit returns the audit of a resource that by creates now.
func NewAudit(by uuid.UUID, now time.Time) Audit {
	return Audit{CreatedBy: by, CreatedAt: now, LastModifiedBy: by, LastModifiedAt: now}
}

// Touched returns the audit of the resource after a change.
func (a *Audit) Touched(by uuid.UUID, now time.Time) Audit {
	touched := *a
	touched.touch(by, now)
	return touched
}

// touch records a change. The time of the last change is the version of the resource: it grows even when the
// clock does not.
func (a *Audit) touch(by uuid.UUID, now time.Time) {
	if !now.After(a.LastModifiedAt) {
		now = a.LastModifiedAt.Add(time.Microsecond)
	}
	a.LastModifiedBy, a.LastModifiedAt = by, now
}

// Principal is an actor: a person, a program or the service itself. Email is
// set for users only. A principal's user or application id is the principal's
// own id.
type Principal struct {
	ID    uuid.UUID
	Type  PrincipalType
	Name  string
	Email string
}

// PricingPlan is the plan of a tenant.
type PricingPlan string

// The plans.
const (
	PlanFree      PricingPlan = "FREE"
	PlanPremium   PricingPlan = "PREMIUM"
	PlanUnlimited PricingPlan = "UNLIMITED"
)

// Tenant is a partition of all data. Code identifies it in manifests. Namespace is the Temporal namespace of its
// workflows, TimeZone the IANA zone passed to them. UserMetadataSchema is the JSON Schema of the metadata of its
// users; nil accepts any object.
type Tenant struct {
	ID   uuid.UUID
	Code string
	Name string
	Plan PricingPlan
	// Namespace is the Temporal namespace of the tenant's workflows. With SharedNamespace other tenants use it too.
	Namespace          string
	SharedNamespace    bool
	Cluster            string
	TimeZone           string
	UserMetadataSchema json.RawMessage
	Audit
}

// Application is a program of one tenant. A disabled one cannot authenticate.
type Application struct {
	Principal
	TenantID uuid.UUID
	Role     TenantRole
	Disabled bool
	Audit
}

// TenantUser is a user's membership of one tenant.
type TenantUser struct {
	ID        uuid.UUID
	TenantID  uuid.UUID
	Role      TenantRole
	Principal Principal
	Metadata  *JSONValue
	// Disabled blocks the user from the tenant.
	Disabled bool
	Audit
}

// Group is a set of principals of one tenant to which rights can be granted.
type Group struct {
	ID       uuid.UUID
	TenantID uuid.UUID
	Code     string
	Name     string
}
