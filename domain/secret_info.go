package domain

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

const (
	// MaxActiveSecrets is how many secrets of an application or of a webhook subscription may be active at a
	// time: the current one and its replacement.
	MaxActiveSecrets = 2
	// MaxAccessTokens is how many personal access tokens of a user may be active at a time.
	MaxAccessTokens = 20
)

// SecretInfo is the readable data of a secret, without the secret. A nil ExpiresAt means that it does not
// expire. A declared one comes from a manifest, the others were issued by the service.
type SecretInfo struct {
	ID        uuid.UUID
	Name      string
	Declared  bool
	CreatedAt time.Time
	ExpiresAt *time.Time
}

// Active reports whether the secret has not expired.
func (s SecretInfo) Active(now time.Time) bool { return s.ExpiresAt == nil || s.ExpiresAt.After(now) }

// Secrets are the secrets of one owner.
type Secrets []SecretInfo

// Admit refuses another secret with CONFLICT if one of them already has the name, or if limit of them are
// active; the error then names these.
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

// Revoke checks that the secret with the id can be revoked. It returns NOT_FOUND when there is none, and
// CONFLICT when it is declared and would come back with its manifest.
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

// WebhookSecret is a secret that signs a webhook subscription's deliveries. Sealed is the secret as stored.
type WebhookSecret struct {
	SecretInfo
	TenantID       uuid.UUID
	SubscriptionID uuid.UUID
	Sealed         []byte
}
