package domain

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

const (
	// MaxActiveSecrets is how many secrets of an application or of a webhook
	// subscription work at the same time: the one in use and the one that takes
	// its place.
	MaxActiveSecrets = 2
	// MaxAccessTokens is how many personal access tokens of a user work at the same
	// time.
	MaxAccessTokens = 20
)

// SecretInfo is what can be read of a secret: everything but the secret. A nil
// ExpiresAt means that it does not expire. A declared one comes from a document,
// the others were issued by the service.
type SecretInfo struct {
	ID        uuid.UUID
	Name      string
	Declared  bool
	CreatedAt time.Time
	ExpiresAt *time.Time
}

// Active reports whether the secret works now.
func (s SecretInfo) Active(now time.Time) bool { return s.ExpiresAt == nil || s.ExpiresAt.After(now) }

// Secrets are those of one owner.
type Secrets []SecretInfo

// Admit refuses another secret with CONFLICT where one of them has the name
// already, or where limit of them are active now; it names those then.
func (s Secrets) Admit(name string, limit int, now time.Time) error {
	if slices.ContainsFunc(s, func(other SecretInfo) bool { return other.Name == name }) {
		return Conflict(CodeConflict, fmt.Sprintf("there is a secret with the name %q already", name))
	}
	var active []string
	for _, other := range s {
		if other.Active(now) {
			active = append(active, other.describe())
		}
	}
	if len(active) >= limit {
		return Conflict(CodeConflict, fmt.Sprintf(
			"at most %d secrets can be active: revoke one of %s", limit, strings.Join(active, ", ")))
	}
	return nil
}

// Revoke refuses to revoke the secret with the id: NOT_FOUND when there is none,
// CONFLICT when it is declared and would come back with its document.
func (s Secrets) Revoke(id uuid.UUID) error {
	for _, secret := range s {
		switch {
		case secret.ID != id:
		case secret.Declared:
			return Conflict(CodeConflict, fmt.Sprintf(
				"the document of the resource declares the secret %q: take it out there", secret.Name))
		default:
			return nil
		}
	}
	return NotFound("secret")
}

func (s SecretInfo) describe() string {
	if s.Declared {
		return fmt.Sprintf("%q (declared by the document)", s.Name)
	}
	return fmt.Sprintf("%q (%s)", s.Name, s.ID)
}

// WebhookSecret is a secret that a webhook subscription's deliveries are signed
// with. Sealed is the secret as it is kept at rest.
type WebhookSecret struct {
	SecretInfo
	TenantID       uuid.UUID
	SubscriptionID uuid.UUID
	Sealed         []byte
}
