package persistence

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

// A credential that the principal already has stays unchanged.
const insertCredential = `
INSERT INTO credentials (id, principal_id, kind, secret_sha256, created_at, expires_at, tenant_id, name, issued_by)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
    ON CONFLICT (secret_sha256, principal_id, tenant_id) DO NOTHING`

// InsertCredential stores a credential. If the principal already has one with the same secret, that one stays
// unchanged.
func (tx *Tx) InsertCredential(c domain.Credential) {
	tx.queue(insertCredential, c.ID, c.PrincipalID, c.Kind, c.SecretSHA256[:], c.CreatedAt, c.ExpiresAt,
		c.TenantID, c.Name, c.IssuedBy)
}

const deleteCredential = `
DELETE FROM credentials
 WHERE id = $1`

// DeleteCredential revokes a credential, if it exists.
func (tx *Tx) DeleteCredential(id uuid.UUID) { tx.queue(deleteCredential, id) }

// CredentialKey is the credential that a caller presented. PrincipalID is nil for kinds of credentials that are
// presented without it.
type CredentialKey struct {
	Kind         domain.CredentialKind
	SecretSHA256 [32]byte
	PrincipalID  *uuid.UUID
}

// administersDefinitions reports whether the principal p has the Administrator permission on a process definition of the tenant t.
const administersDefinitions = `EXISTS (SELECT 1
                 FROM process_definition_grants g
                 JOIN process_definitions d ON d.id = g.process_definition_id
                WHERE d.tenant_id = t.id AND g.permission = 'ADMINISTRATOR'
                  AND g.grantee_id = ANY(ARRAY(SELECT p.id
                                                UNION ALL
                                               SELECT m.group_id FROM group_members m WHERE m.principal_id = p.id)))`

// A user belongs to the tenants it is a member of, an application to its own. Several credentials of one
// principal may have the same secret, each for its own tenant. Unusable credentials are returned with the
// reason, after the usable ones.
const lookUpCredential = `
SELECT DISTINCT ON (t.id)
       p.id AS principal_id, p.type,
       min(c.expires_at) FILTER (WHERE j.refusal = '') OVER () AS expires_at, t.id AS tenant_id, t.namespace,
       coalesce(u.role, p.role, 'MEMBER') AS role,
       coalesce(bool_or(p.operator AND c.tenant_id IS NULL) FILTER (WHERE j.refusal = '') OVER (), false) AS operator,
       c.tenant_id IS NOT NULL AS scoped, j.refusal, c.id AS credential_id, c.issued_by,
       c.last_used_at, ` + administersDefinitions + ` AS administers_definitions,
       CASE WHEN u.disabled_at IS NOT NULL THEN 'DISABLED' ELSE '' END AS membership_refusal
  FROM credentials c
  JOIN principals p ON p.id = c.principal_id
  LEFT JOIN tenant_users u ON u.principal_id = p.id AND p.type = 'USER'
                           AND (c.tenant_id IS NULL OR u.tenant_id = c.tenant_id)
  LEFT JOIN tenants t ON t.id = coalesce(p.tenant_id, u.tenant_id)
 CROSS JOIN LATERAL (SELECT CASE WHEN c.expires_at <= $4 THEN 'EXPIRED'
                                 WHEN p.disabled_at IS NOT NULL THEN 'DISABLED'
                                 ELSE '' END AS refusal) j
 WHERE c.secret_sha256 = $1
   AND c.kind = $2
   AND ($3::uuid IS NULL OR c.principal_id = $3)
   -- Declaring the hash of another principal's token neither grants nor revokes that token.
   AND ($3 IS NOT NULL
        OR c.principal_id = (SELECT f.principal_id
                               FROM credentials f
                              WHERE f.secret_sha256 = $1 AND f.kind = $2
                              ORDER BY f.created_at, f.id
                              LIMIT 1))
   AND p.type <> 'SYSTEM'
 ORDER BY t.id, j.refusal <> ''`

// memberRow is a principal in one of its tenants.
type memberRow struct {
	PrincipalID uuid.UUID
	Type        domain.PrincipalType
	TenantID    *uuid.UUID
	Namespace   *string
	Role        domain.TenantRole
	Operator    bool

	AdministersDefinitions bool
}

// credentialRow is a matching credential. Refusal is the reason why the principal is refused, MembershipRefusal
// the reason why it is refused in this tenant; both are empty if it is accepted. Scoped reports whether the
// credential is limited to the tenant.
type credentialRow struct {
	memberRow

	ExpiresAt         *time.Time
	Scoped            bool
	Refusal           domain.SignInReason
	MembershipRefusal domain.SignInReason
}

// presentedRow is a matching credential of this service.
type presentedRow struct {
	credentialRow

	CredentialID uuid.UUID
	IssuedBy     *uuid.UUID
	LastUsedAt   *time.Time
}

// useRecorded is how exactly the last use of a personal access token is known.
const useRecorded = time.Hour

// FoundCredential is the principal that a credential belongs to, and when the credential expires, nil if never. Idle
// reports whether its use was last recorded more than an hour ago.
type FoundCredential struct {
	Caller    domain.Caller
	ExpiresAt *time.Time
	Idle      bool
}

// LookUpCredential returns the principal that a credential belongs to. A
// credential presented without a principal belongs to the principal that had it first. A credential that is
// unknown, expired or of a disabled principal is UNAUTHENTICATED, with the reason as the cause.
func (r *Reader) LookUpCredential(
	ctx context.Context, key CredentialKey, now time.Time,
) (FoundCredential, error) {
	var found []presentedRow
	err := r.Read(ctx, pg.Q(
		lookUpCredential, []any{key.SecretSHA256[:], key.Kind, key.PrincipalID, now}, pg.Into(&found),
	))
	if err != nil {
		return FoundCredential{}, pg.Translate("looking up a credential", err)
	}
	if len(found) == 0 {
		denial := domain.SignInError{Reason: domain.SignInUnknownCredential}
		if key.PrincipalID != nil {
			denial.PrincipalID = *key.PrincipalID
		}
		return FoundCredential{}, domain.RefuseSignIn(denial)
	}
	rows := make([]credentialRow, len(found))
	for i := range found {
		rows[i] = found[i].credentialRow
	}
	caller, err := admit(rows)
	first := found[0]
	if first.IssuedBy != nil && *first.IssuedBy != first.PrincipalID {
		caller.Token = &domain.IssuedToken{ID: first.CredentialID, IssuedBy: *first.IssuedBy}
	}
	idle := first.LastUsedAt == nil || first.LastUsedAt.Before(now.Add(-useRecorded))
	return FoundCredential{Caller: caller, ExpiresAt: first.ExpiresAt, Idle: idle}, err
}

const recordCredentialUse = `
UPDATE credentials
   SET last_used_at = $3
 WHERE secret_sha256 = $1
   AND kind = $2
   AND principal_id = $4
   AND (last_used_at IS NULL OR last_used_at < $5)`

// RecordCredentialUse records that a principal has used a credential.
func (db *DB) RecordCredentialUse(ctx context.Context, key CredentialKey, principal uuid.UUID, now time.Time) error {
	err := db.Send(ctx, []pg.Query{pg.Q(recordCredentialUse,
		[]any{key.SecretSHA256[:], key.Kind, now, principal, now.Add(-useRecorded)}, pg.None)})
	return pg.Translate("recording the use of a credential", err)
}

// admit converts the rows of one principal, one for each of its tenants, to a caller. An operator needs none of
// the tenants; others are UNAUTHENTICATED when all rows are refused.
func admit(rows []credentialRow) (domain.Caller, error) {
	var members []memberRow
	refusal, denied := domain.SignInReason(""), rows[0]
	for _, row := range rows {
		switch {
		case row.Refusal != "":
			refusal, denied = row.Refusal, row
		case row.MembershipRefusal != "" && !row.Operator:
			refusal, denied = row.MembershipRefusal, row
		case row.MembershipRefusal != "":
			row.TenantID = nil
			members = append(members, row.memberRow)
		default:
			members = append(members, row.memberRow)
		}
	}
	if len(members) > 0 {
		return newCaller(members), nil
	}
	sign := domain.SignInError{Reason: refusal, PrincipalID: denied.PrincipalID}
	if denied.Scoped && denied.TenantID != nil {
		sign.TenantID = *denied.TenantID
	}
	return domain.Caller{}, domain.RefuseSignIn(sign)
}

// newCaller converts the rows of one principal, one for each of its tenants, to a caller.
func newCaller(rows []memberRow) domain.Caller {
	caller := domain.Caller{PrincipalID: rows[0].PrincipalID, Type: rows[0].Type, Operator: rows[0].Operator}
	for _, row := range rows {
		if row.TenantID != nil && row.Namespace != nil {
			caller.Memberships = append(caller.Memberships, domain.Membership{
				TenantID: *row.TenantID, Namespace: *row.Namespace, Role: row.Role, AdministersDefinitions: row.AdministersDefinitions,
			})
		}
	}
	return caller
}

const countLastingTokens = `
SELECT count(*) FILTER (WHERE NOT c.declared), count(*) FILTER (WHERE c.declared)
  FROM credentials c
  JOIN principals p ON p.id = c.principal_id
 WHERE c.kind = 'PERSONAL_ACCESS_TOKEN' AND c.expires_at IS NULL AND p.disabled_at IS NULL`

// CountLastingTokens counts the personal access tokens without an expiry: those issued by the service, and those
// declared in manifests.
func (r *Reader) CountLastingTokens(ctx context.Context) (issued, declared int, err error) {
	err = r.Read(ctx, pg.Q(countLastingTokens, nil, pg.One(&issued, &declared)))
	return issued, declared, pg.Translate("counting tokens", err)
}
