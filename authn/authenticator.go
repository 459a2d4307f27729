package authn

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/sync/singleflight"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

const (
	// callerLifetime is how long a caller is cached, and so how long a revoked credential may still work.
	callerLifetime = 10 * time.Second
	// maxCallers bounds the number of cached callers.
	maxCallers = 10_000
	// lookUpTimeout bounds a look-up, which several requests may be waiting for.
	lookUpTimeout = 5 * time.Second
)

// Authenticator identifies the caller of a request. It is safe for concurrent use.
type Authenticator struct {
	db      *persistence.DB
	oidc    *OIDC
	clock   func() time.Time
	callers *lru.Cache[[sha256.Size]byte, knownCaller]
	lookUps singleflight.Group
}

type knownCaller struct {
	caller domain.Caller
	until  time.Time
}

// AuthenticatorOption changes which credentials an Authenticator accepts.
type AuthenticatorOption func(*Authenticator)

// WithOIDC makes an Authenticator also accept the tokens that o accepts.
func WithOIDC(o *OIDC) AuthenticatorOption {
	return func(a *Authenticator) { a.oidc = o }
}

// NewAuthenticator returns an Authenticator for the credentials in the database.
func NewAuthenticator(
	db *persistence.DB, clock func() time.Time, options ...AuthenticatorOption,
) (*Authenticator, error) {
	callers, err := lru.New[[sha256.Size]byte, knownCaller](maxCallers)
	if err != nil {
		return nil, fmt.Errorf("making the cache of callers: %w", err)
	}
	a := &Authenticator{db: db, clock: clock, callers: callers}
	for _, option := range options {
		option(a)
	}
	return a, nil
}

// Authenticate returns the caller identified by the value of an Authorization header; the empty value stands for a
// missing header. Every invalid credential gives the same UNAUTHENTICATED error, with a *domain.SignInError as its
// cause. It returns UNAVAILABLE when the database cannot be used, or when the keys of a token's issuer are not known. A
// caller is cached for 10 seconds, which is how long a change of its credentials or memberships may take to be noticed,
// but never beyond the expiry of its credential. The memberships are shared and must not be changed.
func (a *Authenticator) Authenticate(ctx context.Context, header string) (domain.Caller, error) {
	shown, ok := parseHeader(header)
	switch {
	case header == "":
		return domain.Caller{}, signInError(domain.SignInMissing)
	case !ok:
		return domain.Caller{}, signInError(domain.SignInMalformed)
	}
	hash := sha256.Sum256([]byte(header))
	if cached, ok := a.callers.Get(hash); ok && a.clock().Before(cached.until) {
		return cached.caller, nil
	}
	found, err := share(ctx, &a.lookUps, string(hash[:]), func() (any, error) { return a.lookUp(ctx, hash, shown) })
	if err != nil {
		return domain.Caller{}, err
	}
	caller, ok := found.(domain.Caller)
	if !ok {
		return domain.Caller{}, fmt.Errorf("looking up a caller: unexpected %T", found)
	}
	return caller, nil
}

// share carries out work once for all concurrent callers with a key. Each of them waits no longer than its context lasts,
// and gets UNAVAILABLE then; the work goes on.
func share(ctx context.Context, group *singleflight.Group, key string, work func() (any, error)) (any, error) {
	select {
	case <-ctx.Done():
		return nil, &domain.Error{
			Kind: domain.KindUnavailable, Code: domain.CodeUnavailable,
			Message: "the credentials could not be checked in time", Cause: ctx.Err(),
		}
	case done := <-group.DoChan(key, work):
		return done.Val, done.Err
	}
}

// lookUp finds the caller, once for all requests that wait for it: the end of one request must not fail the others.
func (a *Authenticator) lookUp(
	ctx context.Context, hash [sha256.Size]byte, shown credential,
) (domain.Caller, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookUpTimeout)
	defer cancel()
	now := a.clock()
	caller, expiresAt, err := a.findCaller(ctx, shown, now)
	if errors.Is(err, context.DeadlineExceeded) && !domain.HasCode(err, domain.CodeUnavailable) {
		return domain.Caller{}, &domain.Error{
			Kind: domain.KindUnavailable, Code: domain.CodeUnavailable,
			Message: "the database does not answer", Cause: err,
		}
	}
	if err != nil {
		return domain.Caller{}, err
	}
	until := now.Add(callerLifetime)
	if expiresAt != nil && expiresAt.Before(until) {
		until = *expiresAt
	}
	a.callers.Add(hash, knownCaller{caller: caller, until: until})
	return caller, nil
}

// findCaller returns the caller of a credential and when it expires, nil if never. An invalid credential is UNAUTHENTICATED,
// with the reason.
func (a *Authenticator) findCaller(ctx context.Context, shown credential, now time.Time) (domain.Caller, *time.Time, error) {
	switch {
	case shown.token == "":
		return a.lookUpCredential(ctx, shown.key, now)
	case a.oidc == nil:
		return domain.Caller{}, nil, signInError(domain.SignInUnknownIssuer)
	default:
		return a.oidc.findCaller(ctx, shown.token, now)
	}
}

// lookUpCredential returns the caller of a credential of the database and when it expires, and records the use of a
// personal access token about once an hour.
func (a *Authenticator) lookUpCredential(
	ctx context.Context, key persistence.CredentialKey, now time.Time,
) (domain.Caller, *time.Time, error) {
	found, err := a.db.Reader().LookUpCredential(ctx, key, now)
	if err == nil && found.Idle && key.Kind == domain.CredentialPersonalAccessToken {
		// A caller is not refused because its use cannot be recorded; the next use tries again.
		_ = a.db.RecordCredentialUse(ctx, key, found.Caller.PrincipalID, now)
	}
	return found.Caller, found.ExpiresAt, err
}

// signInError returns the error for a sign-in with a reason only.
func signInError(reason domain.SignInReason) error {
	return domain.RefuseSignIn(domain.SignInError{Reason: reason})
}
