package persistence

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

const (
	directoryTokenColumns = `d.id, d.name, false AS declared, d.created_at, d.expires_at, d.tenant_id, d.issued_by, d.last_used_at`

	lockDirectoryTenant = `
SELECT t.id, t.code, t.namespace
  FROM tenants t
 WHERE t.code = $1 AND ($2 OR t.id = ANY($3))
   FOR NO KEY UPDATE`

	listDirectoryTokens = `
SELECT ` + directoryTokenColumns + `
  FROM directory_tokens d
  JOIN tenants t ON t.id = d.tenant_id
 WHERE t.code = $1 AND ($2 OR t.id = ANY($3))
 ORDER BY d.created_at, d.id`

	insertDirectoryToken = `
INSERT INTO directory_tokens (id, tenant_id, name, secret_sha256, issued_by, created_at, expires_at)
VALUES ($1, $2, $3, $4, $5, $6, $7)`

	deleteDirectoryToken = `
DELETE FROM directory_tokens
 WHERE id = $1 AND tenant_id = $2`

	lookUpDirectoryToken = `
SELECT t.id, t.code, t.namespace, d.expires_at, d.last_used_at IS NULL OR d.last_used_at < $3 AS idle, d.expires_at <= $2 AS expired
  FROM directory_tokens d
  JOIN tenants t ON t.id = d.tenant_id
 WHERE d.secret_sha256 = $1`

	recordDirectoryTokenUse = `
UPDATE directory_tokens
   SET last_used_at = $2
 WHERE secret_sha256 = $1 AND (last_used_at IS NULL OR last_used_at < $3)`
)

func scanDirectoryToken(row pgx.CollectableRow) (domain.DirectoryToken, error) {
	var d domain.DirectoryToken
	err := row.Scan(&d.ID, &d.Name, &d.Declared, &d.CreatedAt, &d.ExpiresAt, &d.TenantID, &d.IssuedBy, &d.LastUsedAt)
	return d, err
}

// LockDirectoryTokens returns a tenant in the administered ones of the caller with the tokens of its directories, the oldest first,
// and blocks other changes of them. Without such a tenant it is NOT_FOUND.
func (tx *Tx) LockDirectoryTokens(ctx context.Context, caller domain.Caller, code string) (*domain.DirectoryTenant, []domain.DirectoryToken, error) {
	args := []any{code, caller.Operator, caller.AdministeredTenants()}
	var tenant domain.DirectoryTenant
	var tokens []domain.DirectoryToken
	err := tx.Read(ctx, pg.Q(lockDirectoryTenant, args, pg.OrNotFound("tenant", pg.One(&tenant.ID, &tenant.Code, &tenant.Namespace))),
		pg.Q(listDirectoryTokens, args, collectInto(&tokens, scanDirectoryToken)))
	if err != nil {
		return nil, nil, pg.Translate("reading the tokens of directories", err)
	}
	return &tenant, tokens, nil
}

// ListDirectoryTokens is LockDirectoryTokens without the lock and the tenant.
func (r *Reader) ListDirectoryTokens(ctx context.Context, caller domain.Caller, code string) ([]domain.DirectoryToken, error) {
	var tokens []domain.DirectoryToken
	err := r.Read(ctx, pg.Q(listDirectoryTokens, []any{code, caller.Operator, caller.AdministeredTenants()}, collectInto(&tokens, scanDirectoryToken)))
	return tokens, pg.Translate("listing the tokens of directories", err)
}

// InsertDirectoryToken stores a token.
func (tx *Tx) InsertDirectoryToken(d domain.DirectoryToken) {
	tx.queue(insertDirectoryToken, d.ID, d.TenantID, d.Name, d.SecretSHA256[:], d.IssuedBy, d.CreatedAt, d.ExpiresAt)
}

// DeleteDirectoryToken revokes a token of a tenant.
func (tx *Tx) DeleteDirectoryToken(tenant, id uuid.UUID) { tx.queue(deleteDirectoryToken, id, tenant) }

// FoundDirectory is the tenant of a directory's token. Idle reports whether its use was last recorded more than an hour ago.
type FoundDirectory struct {
	Tenant    domain.DirectoryTenant
	ExpiresAt *time.Time
	Idle      bool
}

// LookUpDirectory returns the tenant of the token with a hash. An unknown and an expired one are UNAUTHENTICATED, with the reason
// as the cause.
func (r *Reader) LookUpDirectory(ctx context.Context, sha256 [32]byte, now time.Time) (FoundDirectory, error) {
	var found []struct {
		ID        uuid.UUID
		Code      string
		Namespace string
		ExpiresAt *time.Time
		Idle      bool
		Expired   *bool
	}
	err := r.Read(ctx, pg.Q(lookUpDirectoryToken, []any{sha256[:], now, now.Add(-useRecorded)}, pg.Into(&found)))
	switch {
	case err != nil:
		return FoundDirectory{}, pg.Translate("looking up the token of a directory", err)
	case len(found) == 0:
		return FoundDirectory{}, domain.RefuseSignIn(domain.SignInError{Reason: domain.SignInUnknownCredential})
	case found[0].Expired != nil && *found[0].Expired:
		return FoundDirectory{}, domain.RefuseSignIn(domain.SignInError{
			Reason: domain.SignInExpired, PrincipalID: domain.DirectoryPrincipalID(), TenantID: found[0].ID,
		})
	}
	first := found[0]
	return FoundDirectory{
		Tenant:    domain.DirectoryTenant{ID: first.ID, Code: first.Code, Namespace: first.Namespace},
		ExpiresAt: first.ExpiresAt, Idle: first.Idle,
	}, nil
}

// RecordDirectoryUse records that a directory has used the token with a hash.
func (db *DB) RecordDirectoryUse(ctx context.Context, sha256 [32]byte, now time.Time) error {
	err := db.Send(ctx, []pg.Query{pg.Q(recordDirectoryTokenUse, []any{sha256[:], now, now.Add(-useRecorded)}, pg.None)})
	return pg.Translate("recording the use of a directory's token", err)
}
