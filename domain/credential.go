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
}
