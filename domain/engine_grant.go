package domain

import (
	"time"

	"github.com/google/uuid"
)

// EngineGrant is the record of an issued Authentication: enough to list and to revoke it, but not to use it.
type EngineGrant struct {
	// ID is the id of the Authentication.
	ID uuid.UUID
	// TenantID is zero for the namespace of the service's own workflows.
	TenantID    uuid.UUID
	PrincipalID uuid.UUID
	Kind        AuthenticationType
	// Identifier identifies it in the engine: the jti of a token, the serial number of a certificate in
	// lower-case hexadecimal without leading zeros.
	Identifier string
	// ReadOnly is true for a token with which an operator inspects the tenant's namespace.
	ReadOnly bool
	IssuedAt time.Time
	// ExpiresAt is the time at which it is no longer accepted, which for a token is later than the expiry shown to its
	// bearer.
	ExpiresAt time.Time
	// RevokedAt and RevokedBy are nil unless it was revoked.
	RevokedAt *time.Time
	RevokedBy *uuid.UUID
}
