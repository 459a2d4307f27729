package domain

import (
	"time"

	"github.com/google/uuid"
)

// EngineGrant is what is kept of an Authentication that was handed out: enough
// to list and to revoke it, nothing to use it with.
type EngineGrant struct {
	// ID is that of the Authentication.
	ID          uuid.UUID
	TenantID    uuid.UUID
	PrincipalID uuid.UUID
	Kind        AuthenticationType
	// Identifier is how the engine knows it: the jti of a token, the serial number
	// of a certificate in lower-case hexadecimal without leading zeros.
	Identifier string
	IssuedAt   time.Time
	// ExpiresAt is when it is no longer accepted, which for a token is later than
	// its bearer is told.
	ExpiresAt time.Time
	// RevokedAt and RevokedBy are nil unless somebody revoked it.
	RevokedAt *time.Time
	RevokedBy *uuid.UUID
}
