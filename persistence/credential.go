package persistence

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
)

// A credential that the principal has already is left as it is.
const insertCredential = `
INSERT INTO credentials (id, principal_id, kind, secret_sha256, created_at, expires_at)
VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT (secret_sha256, principal_id) DO NOTHING`

// InsertCredential stores a credential. One with the same secret for the same
// principal may be there already and then stays unchanged.
func (tx *Tx) InsertCredential(c domain.Credential) {
	tx.queue(insertCredential, c.ID, c.PrincipalID, c.Kind, c.SecretSHA256[:], c.CreatedAt, c.ExpiresAt)
}

const deleteCredential = `
DELETE FROM credentials
 WHERE id = $1`

// DeleteCredential revokes a credential. One that is not there is not missed.
func (tx *Tx) DeleteCredential(id uuid.UUID) { tx.queue(deleteCredential, id) }

// CredentialKey is what a caller presented. PrincipalID is nil where the kind of
// credential is presented without it.
type CredentialKey struct {
	Kind         domain.CredentialKind
	SecretSHA256 [32]byte
	PrincipalID  *uuid.UUID
}

// A user belongs to the tenants it is a member of, an application to its own.
const lookUpCredential = `
SELECT p.id AS principal_id, p.type, c.expires_at, t.id AS tenant_id, t.namespace, coalesce(u.role, 'MEMBER') AS role
  FROM credentials c
  JOIN principals p ON p.id = c.principal_id
  LEFT JOIN tenant_users u ON u.principal_id = p.id AND p.type = 'USER'
  LEFT JOIN tenants t ON t.id = coalesce(p.tenant_id, u.tenant_id)
 WHERE c.secret_sha256 = $1
   AND c.kind = $2
   AND ($3::uuid IS NULL OR c.principal_id = $3)
   AND (c.expires_at IS NULL OR c.expires_at > $4)
   AND p.type <> 'SYSTEM'
   AND p.disabled_at IS NULL
 ORDER BY t.id`

type credentialRow struct {
	PrincipalID uuid.UUID
	Type        domain.PrincipalType
	ExpiresAt   *time.Time
	TenantID    *uuid.UUID
	Namespace   *string
	Role        domain.TenantRole
}

// LookUpCredential returns whom a credential belongs to and when it expires, nil
// if never. A credential that is unknown, has expired by now, belongs to a
// disabled principal or to more than one is NOT_FOUND.
func (r *Reader) LookUpCredential(
	ctx context.Context, key CredentialKey, now time.Time,
) (domain.Caller, *time.Time, error) {
	var found []credentialRow
	err := r.read(ctx, query{
		lookUpCredential, []any{key.SecretSHA256[:], key.Kind, key.PrincipalID, now}, into(&found),
	})
	if err == nil && len(found) == 0 {
		err = pgx.ErrNoRows
	}
	if err != nil {
		return domain.Caller{}, nil, translate("looking up a credential", notFound(err, "credential"))
	}
	caller := domain.Caller{PrincipalID: found[0].PrincipalID, Type: found[0].Type}
	for _, row := range found {
		if row.PrincipalID != caller.PrincipalID {
			return domain.Caller{}, nil, domain.NotFound("credential")
		}
		if row.TenantID != nil && row.Namespace != nil {
			caller.Memberships = append(caller.Memberships, domain.Membership{
				TenantID: *row.TenantID, Namespace: *row.Namespace, Role: row.Role,
			})
		}
	}
	return caller, found[0].ExpiresAt, nil
}
