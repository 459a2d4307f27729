package authn

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

const (
	// DefaultSessionIdle is how long a session lasts without being used unless the
	// configuration says otherwise.
	DefaultSessionIdle = 8 * time.Hour
	// DefaultSessionLifetime is how long a session lasts at most unless the
	// configuration says otherwise.
	DefaultSessionLifetime = 24 * time.Hour
	// DefaultSignInMaxAge is the maximum age of a sign-in before acts that need a recent one, unless the
	// configuration says otherwise.
	DefaultSignInMaxAge = 10 * time.Minute
	// maxSessions bounds the sessions of one principal.
	maxSessions = 20
	// maxProofAge is how long ago an issuer may have authenticated a user who signs in again.
	maxProofAge = 10 * time.Minute
	// maxUserAgent bounds the stored part of a User-Agent header, in bytes.
	maxUserAgent = 256
)

// SessionOptions configure Sessions.
type SessionOptions struct {
	DB            *persistence.DB
	Authenticator *Authenticator
	Clock         func() time.Time
	// Idle and Lifetime end sessions; 0 stands for the defaults.
	Idle, Lifetime time.Duration
}

// Sessions issues and checks the sessions of browsers. It is safe for concurrent use.
type Sessions struct {
	db       *persistence.DB
	auth     *Authenticator
	clock    func() time.Time
	lifetime time.Duration
	limits   persistence.SessionLimits
	cache    *lru.Cache[[sha256.Size]byte, cachedSession]
}

type cachedSession struct {
	session domain.Session
	caller  domain.Caller
	until   time.Time
}

// NewSessions returns the sessions in the database.
func NewSessions(o SessionOptions) (*Sessions, error) {
	cache, err := lru.New[[sha256.Size]byte, cachedSession](maxCallers)
	if err != nil {
		return nil, fmt.Errorf("making the cache of sessions: %w", err)
	}
	s := &Sessions{
		db: o.DB, auth: o.Authenticator, clock: o.Clock, lifetime: DefaultSessionLifetime, cache: cache,
		limits: persistence.SessionLimits{Idle: DefaultSessionIdle, Each: maxSessions},
	}
	if o.Lifetime > 0 {
		s.lifetime = o.Lifetime
	}
	if o.Idle > 0 {
		s.limits.Idle = o.Idle
	}
	return s, nil
}

// Lifetime returns how long a session lasts at most.
func (s *Sessions) Lifetime() time.Duration { return s.lifetime }

// Proof contains the credentials with which a user signs in.
type Proof struct {
	caller     domain.Caller
	credential []byte
	issuer     string
	subject    string
	expiresAt  *time.Time
	// authenticatedAt is when the issuer authenticated the user, nil if it does not say.
	authenticatedAt *time.Time
}

// Caller returns who signs in.
func (p Proof) Caller() domain.Caller { return p.caller }

// ProveByToken returns the proof of a personal access token of a user. Anything
// else is UNAUTHENTICATED, with a *domain.SignInError as its cause.
func (s *Sessions) ProveByToken(ctx context.Context, token string) (Proof, error) {
	shown, ok := parseHeader("Bearer " + token)
	if !ok || shown.token != "" || shown.key.Kind != domain.CredentialPersonalAccessToken {
		return Proof{}, signInError(domain.SignInMalformed)
	}
	caller, expiresAt, err := s.auth.lookUpCredential(ctx, shown.key, s.clock())
	if err != nil {
		return Proof{}, err
	}
	if caller.Type != domain.PrincipalUser {
		return Proof{}, domain.RefuseSignIn(domain.SignInError{
			Reason: domain.SignInUnknownUser, PrincipalID: caller.PrincipalID,
		})
	}
	return Proof{caller: caller, credential: shown.key.SecretSHA256[:], expiresAt: expiresAt}, nil
}

// Open opens a session for a user with a browser at an address, and returns it with the secret for the cookie. The
// session of a token that expires ends with the token.
func (s *Sessions) Open(ctx context.Context, proof Proof, userAgent, address string) (domain.Secret, domain.Session, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return domain.Secret{}, domain.Session{}, fmt.Errorf("making the id of a session: %w", err)
	}
	now := s.clock()
	session := domain.Session{
		ID: id, PrincipalID: proof.caller.PrincipalID, CredentialSHA256: proof.credential,
		Issuer: proof.issuer, Subject: proof.subject, UserAgent: shortenUserAgent(userAgent),
		CreatedAt: now, LastUsedAt: now, ExpiresAt: now.Add(s.lifetime), AuthenticatedAt: now,
	}
	if at := proof.authenticatedAt; at != nil && at.Before(now) {
		session.AuthenticatedAt = *at
	}
	if proof.expiresAt != nil && proof.expiresAt.Before(session.ExpiresAt) {
		session.ExpiresAt = *proof.expiresAt
	}
	secret := NewSecret()
	ended, err := s.db.OpenSession(ctx, session, HashSecret(secret.Reveal()), address, s.limits)
	s.dropCached(ended)
	return secret, session, err
}

// Renew notes that the user of a session has proven again who they are. A proof of another user, through
// another issuer, or by an issuer that does not say that it has authenticated the user lately, is
// UNAUTHENTICATED.
func (s *Sessions) Renew(ctx context.Context, session domain.Session, proof Proof) error {
	now := s.clock()
	if session.PrincipalID != proof.caller.PrincipalID || session.Issuer != proof.issuer {
		return signInError(domain.SignInForeignResponse)
	}
	if proof.issuer != "" && (proof.authenticatedAt == nil || now.Sub(*proof.authenticatedAt) > maxProofAge) {
		return domain.RefuseSignIn(domain.SignInError{
			Reason: domain.SignInExpired, Issuer: proof.issuer, Trusted: true, PrincipalID: session.PrincipalID,
		})
	}
	session.AuthenticatedAt = now
	if err := s.db.RenewSession(ctx, session); err != nil {
		return err
	}
	s.dropCached([]uuid.UUID{session.ID})
	return nil
}

// StoreProfile stores the profile of the user of a session. Other replicas have it within 10 seconds.
func (s *Sessions) StoreProfile(ctx context.Context, session domain.Session, profile domain.Profile) error {
	if err := s.db.StoreProfile(ctx, session.PrincipalID, profile); err != nil {
		return err
	}
	for _, hash := range s.cache.Keys() {
		if cached, ok := s.cache.Peek(hash); ok && cached.session.PrincipalID == session.PrincipalID {
			s.cache.Remove(hash)
		}
	}
	return nil
}

// FindAgain is Find without the memory of 10 seconds.
func (s *Sessions) FindAgain(ctx context.Context, secret string) (domain.Session, domain.Caller, error) {
	s.cache.Remove(HashSecret(secret))
	return s.Find(ctx, secret)
}

// Find returns the session that the secret of a cookie opens, and its user. It is
// UNAUTHENTICATED where there is none, and ends a session if the credentials that it
// was opened with are no longer valid. A session is remembered for 10 seconds, so
// that is how long one that was ended elsewhere may still work.
func (s *Sessions) Find(ctx context.Context, secret string) (domain.Session, domain.Caller, error) {
	hash := HashSecret(secret)
	now := s.clock()
	if cached, ok := s.cache.Get(hash); ok && now.Before(cached.until) {
		return cached.session, cached.caller, nil
	}
	session, err := s.db.UseSession(ctx, hash, now, s.limits)
	if err != nil {
		return domain.Session{}, domain.Caller{}, err
	}
	if session == nil {
		s.cache.Remove(hash)
		return domain.Session{}, domain.Caller{}, signInError(domain.SignInUnknownCredential)
	}
	caller, err := s.findCaller(ctx, session, now)
	if domain.HasCode(err, domain.CodeUnauthenticated) {
		err = errors.Join(err, s.End(ctx, domain.Call{}, domain.SessionEnd{
			PrincipalID: session.PrincipalID, ID: session.ID, By: domain.SystemPrincipalID(), Reason: domain.SessionRevoked,
		}))
	}
	if err != nil {
		s.cache.Remove(hash)
		return domain.Session{}, domain.Caller{}, err
	}
	until := now.Add(callerLifetime)
	if session.ExpiresAt.Before(until) {
		until = session.ExpiresAt
	}
	s.cache.Add(hash, cachedSession{session: *session, caller: caller, until: until})
	return *session, caller, nil
}

// findCaller returns the user of a session with the present rights of its credentials.
func (s *Sessions) findCaller(ctx context.Context, session *domain.Session, now time.Time) (domain.Caller, error) {
	if session.Issuer != "" {
		return s.auth.oidc.resumeSession(ctx, session, now)
	}
	caller, _, err := s.auth.lookUpCredential(ctx, persistence.CredentialKey{
		Kind: domain.CredentialPersonalAccessToken, SecretSHA256: [32]byte(session.CredentialSHA256),
	}, now)
	switch {
	case err != nil:
		return domain.Caller{}, err
	case caller.PrincipalID != session.PrincipalID:
		return domain.Caller{}, signInError(domain.SignInUnknownCredential)
	case len(caller.Memberships) == 0 && !caller.Operator:
		return domain.Caller{}, signInError(domain.SignInUnknownUser)
	}
	return caller, nil
}

// List returns the open sessions of a user, the one used last first.
func (s *Sessions) List(ctx context.Context, user uuid.UUID) ([]domain.Session, error) {
	return s.db.Reader().ListSessions(ctx, user, s.clock(), s.limits)
}

// End ends sessions of a user. It is not an error if there are none.
func (s *Sessions) End(ctx context.Context, call domain.Call, end domain.SessionEnd) error {
	ended, err := s.db.EndSessions(ctx, call, end, s.clock())
	s.dropCached(ended)
	return err
}

// dropCached removes sessions from the cache.
func (s *Sessions) dropCached(ids []uuid.UUID) {
	if len(ids) == 0 {
		return
	}
	for _, hash := range s.cache.Keys() {
		if cached, ok := s.cache.Peek(hash); ok && slices.Contains(ids, cached.session.ID) {
			s.cache.Remove(hash)
		}
	}
}

// shortenUserAgent returns the stored part of a User-Agent header.
func shortenUserAgent(userAgent string) string {
	if len(userAgent) <= maxUserAgent {
		return sanitizeText(userAgent)
	}
	cut := maxUserAgent
	for cut > 0 && !utf8.RuneStart(userAgent[cut]) {
		cut--
	}
	return sanitizeText(userAgent[:cut])
}

// sanitizeText removes characters that PostgreSQL or a terminal cannot handle.
func sanitizeText(text string) string {
	runes := []rune(text)
	return string(slices.DeleteFunc(runes, func(r rune) bool { return r < ' ' || r == 0x7f || r == utf8.RuneError }))
}
