package webhooks

import (
	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

const (
	insertSecret = `
INSERT INTO webhook_secrets (id, tenant_id, subscription_id, name, sealed, created_at, expires_at)
VALUES ($1, $2, $3, $4, $5, $6, $7)`

	deleteSecret = `
DELETE FROM webhook_secrets
 WHERE id = $1`

	deleteSecretsOf = `
DELETE FROM webhook_secrets
 WHERE subscription_id = $1`
)

// InsertSecret stores a secret of a subscription.
func InsertSecret(tx *persistence.Tx, s domain.WebhookSecret) {
	exec(tx, insertSecret, s.ID, s.TenantID, s.SubscriptionID, s.Name, s.Sealed, s.CreatedAt, s.ExpiresAt)
}

// DeleteSecret revokes a secret of a subscription, if it exists.
func DeleteSecret(tx *persistence.Tx, id uuid.UUID) { exec(tx, deleteSecret, id) }
