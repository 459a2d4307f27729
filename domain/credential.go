package domain

import (
	"time"

	"github.com/google/uuid"
)

// CredentialKind says how a credential is presented.
type CredentialKind string

// The kinds of credential. An application secret is presented together with the
// id of its principal, a personal access token by itself.
const (
	CredentialApplicationSecret   CredentialKind = "APPLICATION_SECRET"
	CredentialPersonalAccessToken CredentialKind = "PERSONAL_ACCESS_TOKEN"
)

// Credential is a secret that a principal can prove itself with. Only the
// SHA-256 of the secret is known. A nil ExpiresAt means that it does not expire.
// With a TenantID it proves the principal in that tenant only. A declared one
// comes from a document, the others were issued by the service.
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
