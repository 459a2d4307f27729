package authn

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
	"golang.org/x/sync/singleflight"

	"github.com/procession-dev/procession/domain"
)

const (
	// keyTrust is how long keys are trusted while the issuer does not answer.
	keyTrust = 24 * time.Hour
	// fetchPause is the least time between two fetches, however many tokens name
	// keys that are not known.
	fetchPause = time.Minute
	// retryPause is the least time between two fetches while no keys are known at
	// all.
	retryPause = 5 * time.Second
	// fetchTimeout bounds the fetch of an issuer's keys, for which requests wait.
	fetchTimeout = 3 * time.Second
	// minRSABits is the length of the shortest RSA key (RFC 7518, section 3.3).
	minRSABits = 2048
)

// issuerKeys are the public keys of an issuer. It is safe for concurrent use.
type issuerKeys struct {
	fetch  func(ctx context.Context) ([]jose.JSONWebKey, error)
	clock  func() time.Time
	flight singleflight.Group

	mu        sync.Mutex
	keys      []jose.JSONWebKey
	fetchedAt time.Time
	nextFetch time.Time
	failure   error
}

// find returns the keys that may have signed a token with the header. If there is
// none, it fetches the keys again, unless that was done recently. It returns
// UNAUTHENTICATED for an unknown key, and UNAVAILABLE if no keys are known
// because the issuer does not answer.
func (k *issuerKeys) find(ctx context.Context, header tokenHeader) ([]crypto.PublicKey, error) {
	if keys, ok := k.cached(); ok {
		if picked := pick(keys, header); len(picked) > 0 {
			return picked, nil
		}
	}
	failure := k.refresh(ctx)
	keys, ok := k.cached()
	if !ok {
		return nil, &domain.Error{
			Kind: domain.KindUnavailable, Code: domain.CodeUnavailable,
			Message: "the issuer of the token does not answer", Cause: failure,
		}
	}
	if picked := pick(keys, header); len(picked) > 0 {
		return picked, nil
	}
	return nil, domain.Unauthenticated()
}

// cached returns the trusted keys. It returns false if none were fetched or their
// trust has expired.
func (k *issuerKeys) cached() ([]jose.JSONWebKey, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.keys, k.fetched(k.clock())
}

// fetched reports whether the keys were fetched and may be trusted still. The
// caller holds the lock.
func (k *issuerKeys) fetched(now time.Time) bool {
	return !k.fetchedAt.IsZero() && now.Sub(k.fetchedAt) < keyTrust
}

// refresh fetches the keys, once for all concurrent callers. If that was done
// recently, it returns the result of that fetch.
func (k *issuerKeys) refresh(ctx context.Context) error {
	_, err, _ := k.flight.Do("", func() (any, error) {
		if due, failure := k.due(); !due {
			return nil, failure
		}
		// Other requests wait for this fetch too: it must not end with the first one.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), fetchTimeout)
		defer cancel()
		keys, err := k.fetch(ctx)
		k.keep(keys, err)
		return nil, err
	})
	return err
}

// due reports whether the keys may be fetched, or else returns the error of the
// last fetch.
func (k *issuerKeys) due() (due bool, failure error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return !k.clock().Before(k.nextFetch), k.failure
}

func (k *issuerKeys) keep(keys []jose.JSONWebKey, failure error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := k.clock()
	if failure == nil {
		k.keys, k.fetchedAt = keys, now
	}
	k.failure = failure
	k.nextFetch = now.Add(fetchPause)
	if !k.fetched(now) {
		k.nextFetch = now.Add(retryPause)
	}
}

// pick returns the keys that may have signed a token with the header. The header
// may omit the key id only if the issuer has a single key (OpenID Connect Core,
// section 10.1).
func pick(keys []jose.JSONWebKey, header tokenHeader) []crypto.PublicKey {
	if header.KeyID == "" && len(keys) > 1 {
		return nil
	}
	var picked []crypto.PublicKey
	for _, key := range keys {
		if algorithmOf(key) == header.Algorithm && (header.KeyID == "" || header.KeyID == key.KeyID) {
			picked = append(picked, key.Key)
		}
	}
	return picked
}

// algorithmOf returns the algorithm of a key, empty if it is not an accepted one.
func algorithmOf(key jose.JSONWebKey) string {
	var algorithm string
	switch public := key.Key.(type) {
	case *rsa.PublicKey:
		if public.N.BitLen() >= minRSABits {
			algorithm = string(jose.RS256)
		}
	case *ecdsa.PublicKey:
		if public.Curve == elliptic.P256() {
			algorithm = string(jose.ES256)
		}
	case ed25519.PublicKey:
		algorithm = string(jose.EdDSA)
	}
	if !key.Valid() || key.Use != "" && key.Use != "sig" || key.Algorithm != "" && key.Algorithm != algorithm {
		return ""
	}
	return algorithm
}
