package domain

import (
	"time"

	"github.com/google/uuid"
)

// Session is a signed-in browser. It was opened with a personal access token, identified by its hash
// CredentialSHA256, or by a subject of an OpenID Connect issuer, and ends with the token or subject.
type Session struct {
	ID          uuid.UUID
	PrincipalID uuid.UUID
	// Name is the display name of the user.
	Name             string
	CredentialSHA256 []byte
	Issuer           string
	Subject          string
	// Profile belongs to the user: all sessions have the same.
	Profile
	// UserAgent is the User-Agent header of the sign-in.
	UserAgent  string
	CreatedAt  time.Time
	LastUsedAt time.Time
	// ExpiresAt is the time at which the session ends however much it is used.
	ExpiresAt time.Time
	// AuthenticatedAt is the time at which the user last proved who they are, by a token or at the
	// issuer.
	AuthenticatedAt time.Time
}

// Profile contains the user's choices for the display of dates and numbers. Empty values follow the browser.
type Profile struct {
	// Locale is a BCP 47 language tag.
	Locale string
	// TimeZone is a name of the IANA time zone database.
	TimeZone string
}

// SessionEndReason is why a session ended before it expired.
type SessionEndReason string

// The reasons for the end of a session.
const (
	// SessionSignedOut is a sign-out in the browser of the session.
	SessionSignedOut SessionEndReason = "SIGNED_OUT"
	// SessionClosed is the end of a session by its user, from another browser.
	SessionClosed SessionEndReason = "CLOSED"
	// SessionReplaced is a new sign-in in the same browser.
	SessionReplaced SessionEndReason = "REPLACED"
	// SessionSurplus is a new session of a user with the maximum number of sessions.
	SessionSurplus SessionEndReason = "SURPLUS"
	// SessionRevoked is a token, an issuer, a user or a membership that is no longer valid.
	SessionRevoked SessionEndReason = "REVOKED"
	// SessionAdministrator is the end of a session by an administrator.
	SessionAdministrator SessionEndReason = "ADMINISTRATOR"
)

// SessionEnd selects sessions of a user to end.
type SessionEnd struct {
	PrincipalID uuid.UUID
	// ID is the id of the session; the zero id for all sessions of the user.
	ID uuid.UUID
	// Except is the id of a session to keep; the zero id for none.
	Except uuid.UUID
	// By is the principal that ends the sessions, for Reason, from the client at Address.
	By      uuid.UUID
	Reason  SessionEndReason
	Address string
}

// SessionEvents returns an event of a session for each tenant of its user, or for operators if the user has no tenant.
func SessionEvents(t EventType, session, user, by uuid.UUID, tenants []uuid.UUID, now time.Time) Events {
	if len(tenants) == 0 {
		tenants = []uuid.UUID{uuid.Nil}
	}
	events := make(Events, len(tenants))
	for i, tenant := range tenants {
		events[i] = Event{
			TenantID: tenant, Type: t, ResourceKind: ResourcePrincipal, ResourceID: user, ActorID: by, OccurredAt: now,
		}.With("sessionId", session.String())
	}
	return events
}

// With returns the events with a further detail.
func (e Events) With(name, value string) Events {
	for i := range e {
		e[i] = e[i].With(name, value)
	}
	return e
}
