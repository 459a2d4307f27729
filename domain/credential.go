package domain

import (
	"time"

	"github.com/google/uuid"
)

// CredentialKind is the way in which a credential is presented.
type CredentialKind string

// The kinds of credential. An application secret is presented together with the id of its principal, a personal
// access token by itself.
const (
	CredentialApplicationSecret   CredentialKind = "APPLICATION_SECRET"
	CredentialPersonalAccessToken CredentialKind = "PERSONAL_ACCESS_TOKEN"
)

// Credential is a secret that authenticates a principal. Only the SHA-256 of the secret is stored. A nil
// ExpiresAt means that it does not expire. With a TenantID it is valid in that tenant only. A declared one comes
// from a manifest, the others were issued by the service.
type Credential struct {
	ID           uuid.UUID
	PrincipalID  uuid.UUID
	TenantID     *uuid.UUID
	Name         string
	Declared     bool
	Kind         CredentialKind
	SecretSHA256 [32]byte
	CreatedAt    time.Time
	ExpiresAt    *time.Time
	// IssuedBy is the user who issued or declared the credential, nil if that was the service itself.
	IssuedBy *uuid.UUID
}

// PersonalToken is a personal access token as its holder sees it.
type PersonalToken struct {
	SecretInfo
	// TenantID is nil for a token that is valid in all tenants of its holder. HolderCode is the code of the holder in
	// the tenant.
	TenantID   *uuid.UUID
	TenantName string
	HolderCode string
	// IssuedBy is nil if that is not known, IssuerName then empty.
	IssuedBy   *uuid.UUID
	IssuerName string
	// LastUsedAt is known to the hour, nil before the first use.
	LastUsedAt *time.Time
	// New reports whether another user issued the token, and the holder has not confirmed to know of it.
	New bool
}

// IssuedToken is a personal access token that another user issued for its holder. Events that its bearer causes contain its id.
type IssuedToken struct {
	ID       uuid.UUID
	IssuedBy uuid.UUID
}
