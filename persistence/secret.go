package persistence

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

const (
	// Credentials of an application have no tenant: the application itself has one.
	deleteCredentialsOf = `
DELETE FROM credentials
 WHERE principal_id = $1 AND tenant_id IS NOT DISTINCT FROM $2`

	deleteOtherDeclaredCredentials = `
DELETE FROM credentials
 WHERE principal_id = $1 AND tenant_id IS NOT DISTINCT FROM $2 AND declared
   AND secret_sha256 <> ALL($3::bytea[])`

	putDeclaredCredential = `
INSERT INTO credentials (id, principal_id, kind, secret_sha256, created_at, expires_at, tenant_id, name, issued_by, declared)
VALUES ($1, $2, $3, $4, $5, coalesce($6::timestamptz, $10::timestamptz), $7, $8, $9, true)
    ON CONFLICT (secret_sha256, principal_id, tenant_id) DO UPDATE
   SET name = excluded.name, declared = true,
       expires_at = CASE WHEN $6::timestamptz IS NULL AND $10::timestamptz IS NOT NULL
                         THEN coalesce(credentials.expires_at, $10) ELSE $6 END`
)

// DeclareCredentials replaces the declared credentials of a principal, in the tenant if there is one.
// Credentials that the service issued stay. A new one without an expiry gets end, which later changes of the manifest do
// not extend; with a nil end it does not expire.
func (tx *Tx) DeclareCredentials(principal uuid.UUID, tenant *uuid.UUID, declared []domain.Credential, end *time.Time) {
	hashes := make([][]byte, len(declared))
	for i, c := range declared {
		hashes[i] = c.SecretSHA256[:]
	}
	tx.queue(deleteOtherDeclaredCredentials, principal, tenant, hashes)
	for _, c := range declared {
		tx.queue(putDeclaredCredential, c.ID, principal, c.Kind, c.SecretSHA256[:], c.CreatedAt, c.ExpiresAt, tenant, c.Name,
			c.IssuedBy, end)
	}
}

const (
	secretsOfApplication = `
SELECT c.id, c.name, c.declared, c.created_at, c.expires_at
  FROM ` + fromResources + `
  JOIN credentials c ON c.principal_id = r.id AND c.tenant_id IS NULL AND c.kind = 'APPLICATION_SECRET'
 WHERE %s
 ORDER BY c.created_at, c.id`

	tokensOfUser = `
SELECT c.id, c.name, c.declared, c.created_at, c.expires_at
  FROM ` + fromResources + `
  JOIN credentials c ON c.principal_id = r.id AND c.tenant_id = r.tenant_id AND c.kind = 'PERSONAL_ACCESS_TOKEN'
 WHERE %s
 ORDER BY c.created_at, c.id`

	// A tenant has no access to tokens that are valid in all tenants of the user.
	allTokensOfUser = `
SELECT c.id, c.name, c.declared, c.created_at, c.expires_at
  FROM ` + fromResources + `
  JOIN credentials c ON c.principal_id = r.id AND (c.tenant_id = r.tenant_id OR c.tenant_id IS NULL)
                    AND c.kind = 'PERSONAL_ACCESS_TOKEN'
 WHERE %s
 ORDER BY c.created_at, c.id`

	secretsOfWebhook = `
SELECT w.id, w.name, false AS declared, w.created_at, w.expires_at
  FROM ` + fromResources + `
  JOIN webhook_secrets w ON w.subscription_id = r.id AND w.tenant_id = r.tenant_id
 WHERE %s
 ORDER BY w.created_at, w.id`

	// A change of the resources of a tenant holds a lock on it. The same lock here prevents issuing secrets for
	// a resource that is being deleted.
	lockSecretOwner = `
SELECT ` + resourceColumns + `
  FROM ` + fromResources + `
 WHERE %s
 LIMIT 2
   FOR NO KEY UPDATE OF t, r`

	secretOwner = `
SELECT ` + resourceColumns + `
  FROM ` + fromResources + `
 WHERE %s
 LIMIT 2`

	ownerIsOperator = `
SELECT EXISTS (SELECT 1
                 FROM ` + fromResources + `
                 JOIN principals p ON p.id = r.id AND p.operator
                WHERE %s)`
)

// SecretOwner is a resource with its secrets, the oldest first.
type SecretOwner struct {
	resource.Stored
	// Operator reports whether the resource is an operator.
	Operator bool
	Secrets  domain.Secrets
}

// LockSecretOwner returns a User, an Application or a WebhookSubscription in scope, locked against concurrent
// changes of it and its secrets. The tokens of a user that are valid in all tenants are included for operators
// only. It returns the errors of GetResource.
func (tx *Tx) LockSecretOwner(ctx context.Context, scope AdministrationScope, key resource.Key) (*SecretOwner, error) {
	owner, err := readSecretOwner(lockSecretOwner, scope, key, func(queries ...pg.Query) error { return tx.Read(ctx, queries...) })
	if err == nil {
		tx.Found(owner.ID, owner.Version())
	}
	return owner, err
}

// GetSecretOwner is LockSecretOwner without the lock.
func (r *Reader) GetSecretOwner(ctx context.Context, scope AdministrationScope, key resource.Key) (*SecretOwner, error) {
	return readSecretOwner(secretOwner, scope, key, func(queries ...pg.Query) error { return r.Read(ctx, queries...) })
}

func readSecretOwner(
	statement string, scope AdministrationScope, key resource.Key, read func(...pg.Query) error,
) (*SecretOwner, error) {
	where, args := resourcesAt(scope, key).Conditions()
	var found []resource.Stored
	var owner SecretOwner
	err := read(
		pg.Q(fmt.Sprintf(statement, where), args, func(rows pgx.Rows) (err error) {
			found, err = pgx.CollectRows(rows, scanResource)
			return err
		}),
		pg.Q(fmt.Sprintf(secretsOf(key.Kind, scope), where), args, func(rows pgx.Rows) (err error) {
			owner.Secrets, err = pgx.CollectRows(rows, pgx.RowToStructByName[domain.SecretInfo])
			return err
		}),
		pg.Q(fmt.Sprintf(ownerIsOperator, where), args, pg.One(&owner.Operator)))
	if err != nil {
		return nil, pg.Translate("reading secrets", err)
	}
	only, err := onlyResource(found)
	if err != nil {
		return nil, err
	}
	owner.Stored = *only
	return &owner, nil
}

// secretsOf returns the query of the secrets of a resource of the kind.
func secretsOf(kind resource.Kind, scope AdministrationScope) string {
	switch {
	case kind == resource.KindWebhookSubscription:
		return secretsOfWebhook
	case kind == resource.KindApplication:
		return secretsOfApplication
	case scope.Everywhere:
		return allTokensOfUser
	default:
		return tokensOfUser
	}
}
