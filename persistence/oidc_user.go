package persistence

import (
	"context"
	"time"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

// OIDCSubject is a person as identified by an OpenID Connect issuer, with the limits on the users of that
// issuer.
type OIDCSubject struct {
	Issuer  string
	Subject string
	// Email is empty unless the issuer verified it.
	Email string
	// Tenants are the codes of the tenants that accept the issuer's users, nil for all. A user's other
	// tenants are left out.
	Tenants []string
	// EmailDomains are the domains allowed in a user's address, in lower case; nil for all.
	EmailDomains []string
	// Operators reports whether operators sign in through the issuer too, regardless of Tenants.
	Operators bool
}

// sameAddress is true of a principal p with an address. Outside ASCII, email_key folds different letters together, and so
// different addresses; the composition of some letters is ASCII, such as the Kelvin sign.
func sameAddress(address string) string {
	return `lower(normalize(p.email, NFC) COLLATE "C") = lower(normalize(` + address + `, NFC) COLLATE "C")
       AND (octet_length(p.email) = char_length(p.email)) = (octet_length(` + address + `) = char_length(` + address + `))`
}

// A subject without a link is only linked to a user that is accepted. A refused user is returned with the
// reason.
//
//nolint:gochecknoglobals // a constant text
var findOIDCUser = `
WITH known AS (
    SELECT principal_id
      FROM oidc_subjects
     WHERE issuer = $1
       AND subject = $2
), named AS (
    SELECT p.id AS principal_id,
           EXISTS (SELECT FROM oidc_subjects s WHERE s.principal_id = p.id AND s.issuer = $1) AS taken,
           p.disabled_at IS NULL
           AND ($7 OR NOT p.operator)
           AND ($6::text[] IS NULL OR email_key(split_part(p.email, '@', 2)) = ANY($6))
           AND (p.operator
                OR $5::text[] IS NULL AND NOT EXISTS (SELECT FROM tenant_users u WHERE u.principal_id = p.id)
                OR EXISTS (SELECT FROM tenant_users u JOIN tenants t ON t.id = u.tenant_id
                            WHERE u.principal_id = p.id AND u.disabled_at IS NULL
                              AND ($5 IS NULL OR t.code = ANY($5)))) AS admitted
      FROM principals p
     WHERE email_key(p.email) = email_key($3)
       AND ` + sameAddress("$3") + `
       AND p.type = 'USER'
       AND NOT EXISTS (SELECT FROM known)
), linked AS (
    INSERT INTO oidc_subjects (issuer, subject, principal_id, linked_at)
    SELECT $1, $2, n.principal_id, $4
      FROM named n
     WHERE n.admitted
       AND NOT n.taken
    -- Another request linked the subject meanwhile: return the row of that request.
        ON CONFLICT (issuer, subject) DO UPDATE SET subject = excluded.subject
 RETURNING principal_id
)
SELECT p.id AS principal_id, p.type, NULL::timestamptz AS expires_at, t.id AS tenant_id, t.namespace,
       coalesce(u.role, 'MEMBER') AS role, p.operator, ` + administersDefinitions + ` AS administers_definitions, false AS scoped,
       CASE WHEN s.taken THEN 'UNKNOWN_USER'
            WHEN p.disabled_at IS NOT NULL THEN 'DISABLED'
            WHEN p.operator AND NOT $7 THEN 'ISSUER_SCOPE'
            WHEN NOT email_key(split_part(p.email, '@', 2)) = ANY($6) THEN 'ISSUER_SCOPE'
            ELSE '' END AS refusal,
       CASE WHEN u.disabled_at IS NOT NULL THEN 'DISABLED'
            WHEN $5 IS NOT NULL AND t.code IS NULL OR NOT t.code = ANY($5) THEN 'ISSUER_SCOPE'
            ELSE '' END AS membership_refusal
  FROM (SELECT principal_id, false AS taken FROM known
         UNION ALL SELECT principal_id, false FROM linked
         UNION ALL SELECT principal_id, taken FROM named WHERE taken OR NOT admitted) s
  JOIN principals p ON p.id = s.principal_id
  LEFT JOIN tenant_users u ON u.principal_id = p.id
  LEFT JOIN tenants t ON t.id = u.tenant_id
 WHERE p.type = 'USER'
 ORDER BY t.id`

// FindOIDCUser returns the user that the subject is linked to. A subject without a link is linked permanently to
// the user with its e-mail address, unless that user is disabled, linked to another subject of the issuer or
// outside the limits of the issuer. Addresses are compared without regard to the case of ASCII letters. A
// subject without a user, and a refused user, are UNAUTHENTICATED with the reason as the cause. It takes one
// round trip to the database.
func (db *DB) FindOIDCUser(ctx context.Context, subject OIDCSubject, now time.Time) (domain.Caller, error) {
	for attempt := 1; ; attempt++ {
		caller, err := db.findOIDCUser(ctx, subject, now)
		// Two subjects raced for one user: the next attempt finds the winner.
		if err == nil || !pg.Retryable(err) || attempt == maxAttempts {
			return caller, pg.Translate("finding the user of a token", err)
		}
	}
}

func (db *DB) findOIDCUser(ctx context.Context, subject OIDCSubject, now time.Time) (domain.Caller, error) {
	var found []credentialRow
	err := db.Send(ctx, []pg.Query{pg.Q(
		findOIDCUser, []any{
			subject.Issuer, subject.Subject, subject.Email, now, subject.Tenants, subject.EmailDomains, subject.Operators,
		}, pg.Into(&found),
	)})
	switch {
	case err != nil:
		return domain.Caller{}, err
	case len(found) > 0:
		return admit(found)
	case subject.Email == "":
		return domain.Caller{}, domain.RefuseSignIn(domain.SignInError{Reason: domain.SignInUnverifiedEmail})
	default:
		return domain.Caller{}, domain.RefuseSignIn(domain.SignInError{Reason: domain.SignInUnknownUser})
	}
}
