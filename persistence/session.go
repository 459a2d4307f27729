package persistence

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

// SessionLimits bound sessions.
type SessionLimits struct {
	// Idle is how long a session lasts without being used.
	Idle time.Duration
	// Each is how many sessions a principal may have; the one that was used longest ago
	// ends when there is another.
	Each int
}

// sessionTouch is how exactly the last use of a session is known.
const sessionTouch = time.Minute

// sessionSweep bounds how many expired sessions a new one removes.
const sessionSweep = 100

const sessionColumns = `s.id, s.principal_id, p.name, s.credential_sha256, coalesce(s.issuer, '') AS issuer,
       coalesce(s.subject, '') AS subject, s.user_agent, s.created_at, s.last_used_at, s.expires_at`

const (
	insertSession = `
INSERT INTO console_sessions (id, secret_sha256, principal_id, credential_sha256, issuer, subject, user_agent,
                              created_at, last_used_at, expires_at)
VALUES (@id, @secret, @principal, @credential, nullif(@issuer, ''), nullif(@subject, ''), @user_agent,
        @now, @now, @expires)`

	endOldSessions = `
DELETE FROM console_sessions
 WHERE id IN (SELECT id FROM console_sessions WHERE principal_id = @principal
               ORDER BY last_used_at DESC, id OFFSET @each)`

	sweepSessions = `
DELETE FROM console_sessions
 WHERE id IN (SELECT id FROM console_sessions WHERE expires_at <= @now LIMIT @sweep FOR UPDATE SKIP LOCKED)`

	useSession = `
WITH found AS (
    SELECT *
      FROM console_sessions
     WHERE secret_sha256 = @secret
       AND expires_at > @now
       AND last_used_at > @used_since
), touched AS (
    UPDATE console_sessions s
       SET last_used_at = @now
      FROM found f
     WHERE s.id = f.id
       AND f.last_used_at <= @touched_before
)
SELECT ` + sessionColumns + `
  FROM found s
  JOIN principals p ON p.id = s.principal_id`

	listSessions = `
SELECT ` + sessionColumns + `
  FROM console_sessions s
  JOIN principals p ON p.id = s.principal_id
 WHERE s.principal_id = @principal
   AND s.expires_at > @now
   AND s.last_used_at > @used_since
 ORDER BY s.last_used_at DESC, s.id`

	endSession = `
DELETE FROM console_sessions
 WHERE id = @id
   AND principal_id = @principal`
)

// OpenSession stores a session whose cookie holds the secret with the hash, ends
// those of the principal that are too many, and removes some that have expired. It
// takes one round trip to the database.
func (db *DB) OpenSession(ctx context.Context, s domain.Session, secret [32]byte, limits SessionLimits) error {
	args := pgx.NamedArgs{
		"id": s.ID, "secret": secret[:], "principal": s.PrincipalID, "credential": s.CredentialSHA256,
		"issuer": s.Issuer, "subject": s.Subject, "user_agent": s.UserAgent, "now": s.CreatedAt, "expires": s.ExpiresAt,
		"each": limits.Each, "sweep": sessionSweep,
	}
	var queries []pg.Query
	for _, sql := range []string{insertSession, endOldSessions, sweepSessions} {
		queries = append(queries, pg.Q(sql, []any{args}, pg.None))
	}
	return pg.Translate("opening a session", db.Send(ctx, queries))
}

// UseSession returns the session whose cookie holds the secret with the hash, nil
// where there is none or it has ended by now, and notes that it is used. It takes
// one round trip to the database.
func (db *DB) UseSession(
	ctx context.Context, secret [32]byte, now time.Time, limits SessionLimits,
) (*domain.Session, error) {
	var found *domain.Session
	err := db.Send(ctx, []pg.Query{pg.Q(useSession, []any{pgx.NamedArgs{
		"secret": secret[:], "now": now, "used_since": now.Add(-limits.Idle), "touched_before": now.Add(-sessionTouch),
	}}, pg.AtMostOne(&found))})
	return found, pg.Translate("using a session", err)
}

// ListSessions returns the open sessions of a principal, the one used last first.
func (r *Reader) ListSessions(
	ctx context.Context, principal uuid.UUID, now time.Time, limits SessionLimits,
) ([]domain.Session, error) {
	var found []domain.Session
	err := r.Read(ctx, pg.Q(listSessions, []any{pgx.NamedArgs{
		"principal": principal, "now": now, "used_since": now.Add(-limits.Idle),
	}}, pg.Into(&found)))
	return found, pg.Translate("listing sessions", err)
}

// EndSession ends a session of the principal. One that is not there is not an
// error.
func (db *DB) EndSession(ctx context.Context, principal, id uuid.UUID) error {
	err := db.Send(ctx, []pg.Query{pg.Q(
		endSession, []any{pgx.NamedArgs{"id": id, "principal": principal}}, pg.None,
	)})
	return pg.Translate("ending a session", err)
}
