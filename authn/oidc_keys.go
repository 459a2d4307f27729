package authn

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/procession-dev/procession/domain"
)

const (
	// keyTrust is how long keys are trusted while the issuer does not answer.
	keyTrust = 24 * time.Hour
	// fetchPause is the least time between two fetches, however many tokens name
	// keys that are not known.
	fetchPause = time.Minute
	// fetchTimeout bounds the fetch of an issuer's keys, for which requests wait.
	fetchTimeout = 3 * time.Second
	// minRSABits is the length of the shortest RSA key (RFC 7518, section 3.3).
	minRSABits = 2048
)

// issuerKeys are the public keys of an issuer.
type issuerKeys struct{ fetched[[]jose.JSONWebKey] }

func newIssuerKeys(source keySource, clock func() time.Time) *issuerKeys {
	return &issuerKeys{fetched[[]jose.JSONWebKey]{
		fetch: source.fetchKeys, clock: clock, trust: keyTrust, pause: fetchPause, timeout: fetchTimeout,
	}}
}

// findKeys returns the keys that may have signed a token with the header. If there is
// none, it fetches the keys again, unless that was done recently. It returns
// UNAUTHENTICATED for an unknown key, and UNAVAILABLE if no keys are known
// because the issuer does not answer.
func (k *issuerKeys) findKeys(ctx context.Context, header tokenHeader) ([]crypto.PublicKey, error) {
	if keys, ok := k.currentValue(); ok {
		if picked := selectKeys(keys, header); len(picked) > 0 {
			return picked, nil
		}
	}
	failure := k.refresh(ctx)
	keys, ok := k.currentValue()
	if !ok {
		return nil, &domain.Error{
			Kind: domain.KindUnavailable, Code: domain.CodeUnavailable,
			Message: "the issuer of the token does not answer", Cause: failure,
		}
	}
	if picked := selectKeys(keys, header); len(picked) > 0 {
		return picked, nil
	}
	return nil, domain.Unauthenticated()
}

// selectKeys returns the keys that may have signed a token with the header. The header
// may omit the key id only if the issuer has a single key (OpenID Connect Core,
// section 10.1).
func selectKeys(keys []jose.JSONWebKey, header tokenHeader) []crypto.PublicKey {
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
