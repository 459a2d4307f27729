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

const sessionColumns = `s.id, s.principal_id, p.name, coalesce(p.locale, '') AS locale,
       coalesce(p.time_zone, '') AS time_zone, s.credential_sha256, coalesce(s.issuer, '') AS issuer,
       coalesce(s.subject, '') AS subject, s.user_agent, s.created_at, s.last_used_at, s.expires_at,
       coalesce(s.authenticated_at, s.created_at) AS authenticated_at`

const (
	insertSession = `
INSERT INTO console_sessions (id, secret_sha256, principal_id, credential_sha256, issuer, subject, user_agent,
                              created_at, last_used_at, expires_at, authenticated_at)
VALUES (@id, @secret, @principal, @credential, nullif(@issuer, ''), nullif(@subject, ''), @user_agent,
        @now, @now, @expires, @authenticated)`

	renewSession = `
UPDATE console_sessions
   SET authenticated_at = @authenticated
 WHERE id = @id
   AND principal_id = @principal`

	storeProfile = `
UPDATE principals
   SET locale = nullif(@locale, ''),
       time_zone = nullif(@time_zone, '')
 WHERE id = @principal`

	endOldSessions = `
DELETE FROM console_sessions
 WHERE id IN (SELECT id FROM console_sessions WHERE principal_id = @principal
               ORDER BY last_used_at DESC, id OFFSET @each)
RETURNING id`

	tenantsOfUser = `
SELECT tenant_id
  FROM tenant_users
 WHERE principal_id = @principal
 ORDER BY tenant_id`

	nameOfToken = `
SELECT c.name
  FROM credentials c
 WHERE c.secret_sha256 = @credential
   AND c.principal_id = @principal
 ORDER BY c.created_at, c.id
 LIMIT 1`

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

	endSessions = `
DELETE FROM console_sessions
 WHERE principal_id = @principal
   AND (@id::uuid IS NULL OR id = @id)
   AND id <> @except
RETURNING id`
)

// OpenSession stores a session for the secret with the hash, for a
// client at an address. It ends surplus sessions of the principal, and removes some sessions
// that have expired. It returns the ids of the sessions that it has ended.
func (db *DB) OpenSession(
	ctx context.Context, s domain.Session, secret [32]byte, address string, limits SessionLimits,
) (ended []uuid.UUID, err error) {
	args := []any{pgx.NamedArgs{
		"id": s.ID, "secret": secret[:], "principal": s.PrincipalID, "credential": s.CredentialSHA256,
		"issuer": s.Issuer, "subject": s.Subject, "user_agent": s.UserAgent, "now": s.CreatedAt, "expires": s.ExpiresAt,
		"authenticated": s.AuthenticatedAt, "each": limits.Each, "sweep": sessionSweep,
	}}
	err = db.Record(ctx, domain.Call{}, func(tx *Tx) (domain.Events, error) {
		var surplus []struct{ ID uuid.UUID }
		var tenants []struct{ TenantID uuid.UUID }
		var token *struct{ Name string }
		if err := tx.Change(ctx, pg.Q(insertSession, args, pg.None), pg.Q(endOldSessions, args, pg.Into(&surplus)),
			pg.Q(sweepSessions, args, pg.None), pg.Q(tenantsOfUser, args, pg.Into(&tenants)),
			pg.Q(nameOfToken, args, pg.AtMostOne(&token))); err != nil {
			return nil, err
		}
		events := sessionEvents(domain.EventSessionOpened, s.ID, s.PrincipalID, s.PrincipalID, tenants, s.CreatedAt).
			With("issuer", s.Issuer).With("address", address)
		if token != nil {
			events = events.With("token", token.Name)
		}
		ended = nil
		for _, session := range surplus {
			ended = append(ended, session.ID)
			events = append(events, sessionEvents(domain.EventSessionEnded, session.ID, s.PrincipalID, s.PrincipalID, tenants, s.CreatedAt).
				With("reason", string(domain.SessionSurplus)).With("address", address)...)
		}
		return events, nil
	})
	return ended, pg.Translate("opening a session", err)
}

func sessionEvents(
	t domain.EventType, session, user, by uuid.UUID, tenants []struct{ TenantID uuid.UUID }, now time.Time,
) domain.Events {
	ids := make([]uuid.UUID, len(tenants))
	for i, tenant := range tenants {
		ids[i] = tenant.TenantID
	}
	return domain.SessionEvents(t, session, user, by, ids, now)
}

// UseSession returns the session of the secret with the hash, nil
// if there is none or it has ended by now, and records its use. It takes
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

// RenewSession stores that the user of a session has proven again who they are.
func (db *DB) RenewSession(ctx context.Context, session domain.Session) error {
	err := db.Send(ctx, []pg.Query{pg.Q(renewSession, []any{pgx.NamedArgs{
		"id": session.ID, "principal": session.PrincipalID, "authenticated": session.AuthenticatedAt,
	}}, pg.None)})
	return pg.Translate("renewing a session", err)
}

// StoreProfile stores the profile of a user.
func (db *DB) StoreProfile(ctx context.Context, user uuid.UUID, profile domain.Profile) error {
	err := db.Send(ctx, []pg.Query{pg.Q(storeProfile, []any{pgx.NamedArgs{
		"principal": user, "locale": profile.Locale, "time_zone": profile.TimeZone,
	}}, pg.None)})
	return pg.Translate("storing a profile", err)
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

// EndSessions ends sessions of a user and returns their ids. It is not an error if
// there are none.
func (db *DB) EndSessions(
	ctx context.Context, call domain.Call, end domain.SessionEnd, now time.Time,
) (ended []uuid.UUID, err error) {
	err = db.Record(ctx, call, func(tx *Tx) (domain.Events, error) {
		var events domain.Events
		var err error
		ended, events, err = tx.EndSessions(ctx, end, now)
		return events, err
	})
	return ended, pg.Translate("ending sessions", err)
}

// EndSessions ends sessions of a user and returns their ids and the events to record.
func (tx *Tx) EndSessions(ctx context.Context, end domain.SessionEnd, now time.Time) ([]uuid.UUID, domain.Events, error) {
	args := []any{pgx.NamedArgs{"principal": end.PrincipalID, "id": pg.Optional(end.ID), "except": end.Except}}
	var sessions []struct{ ID uuid.UUID }
	var tenants []struct{ TenantID uuid.UUID }
	if err := tx.Change(ctx, pg.Q(endSessions, args, pg.Into(&sessions)), pg.Q(tenantsOfUser, args, pg.Into(&tenants))); err != nil {
		return nil, nil, err
	}
	var ended []uuid.UUID
	events := domain.NoEvents()
	for _, session := range sessions {
		ended = append(ended, session.ID)
		events = append(events, sessionEvents(domain.EventSessionEnded, session.ID, end.PrincipalID, end.By, tenants, now).
			With("reason", string(end.Reason)).With("address", end.Address)...)
	}
	return ended, events, nil
}
