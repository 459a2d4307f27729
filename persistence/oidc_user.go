package persistence

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
)

// OIDCSubject is somebody as an OpenID Connect issuer knows them. Email is
// empty unless the issuer verified it.
type OIDCSubject struct {
	Issuer  string
	Subject string
	Email   string
}

const findOIDCUser = `
WITH known AS (
    SELECT principal_id
      FROM oidc_subjects
     WHERE issuer = $1
       AND subject = $2
), linked AS (
    INSERT INTO oidc_subjects (issuer, subject, principal_id, linked_at)
    SELECT $1, $2, p.id, $4
      FROM principals p
     WHERE lower(p.email) = lower($3)
       -- Outside ASCII the index takes some letters for others, and so one address for another.
       AND lower(p.email COLLATE "C") = lower($3 COLLATE "C")
       AND p.type = 'USER'
       AND p.disabled_at IS NULL
       AND NOT EXISTS (SELECT FROM known)
       AND NOT EXISTS (SELECT FROM oidc_subjects s WHERE s.principal_id = p.id AND s.issuer = $1)
    -- Another request linked the subject meanwhile: the row is returned as that one made it.
        ON CONFLICT (issuer, subject) DO UPDATE SET subject = excluded.subject
 RETURNING principal_id
)
SELECT p.id AS principal_id, p.type, NULL::timestamptz AS expires_at, t.id AS tenant_id, t.namespace,
       coalesce(u.role, 'MEMBER') AS role, p.operator
  FROM (SELECT principal_id FROM known UNION ALL SELECT principal_id FROM linked) s
  JOIN principals p ON p.id = s.principal_id
  LEFT JOIN tenant_users u ON u.principal_id = p.id
  LEFT JOIN tenants t ON t.id = u.tenant_id
 WHERE p.type = 'USER'
   AND p.disabled_at IS NULL
 ORDER BY t.id`

// FindOIDCUser returns the user that the subject is linked to. A subject without
// a link is linked, for good, to the user with its e-mail address, unless that
// user is disabled or linked to another subject of the issuer. Upper and lower
// case of ASCII letters are the same in an address. Nobody found, or a disabled
// user, is NOT_FOUND. It takes one round trip to the database.
func (db *DB) FindOIDCUser(ctx context.Context, subject OIDCSubject, now time.Time) (domain.Caller, error) {
	for attempt := 1; ; attempt++ {
		caller, err := db.findOIDCUser(ctx, subject, now)
		// Two subjects raced for one user: the next attempt finds the winner.
		if err == nil || !retryable(err) || attempt == maxAttempts {
			return caller, translate("finding the user of a token", notFound(err, "user"))
		}
	}
}

func (db *DB) findOIDCUser(ctx context.Context, subject OIDCSubject, now time.Time) (domain.Caller, error) {
	var found []credentialRow
	err := send(ctx, db.pool, &pgx.Batch{}, []query{{
		findOIDCUser, []any{subject.Issuer, subject.Subject, subject.Email, now}, into(&found),
	}})
	if err != nil {
		return domain.Caller{}, err
	}
	if len(found) == 0 {
		return domain.Caller{}, pgx.ErrNoRows
	}
	return callerOf(found), nil
}
