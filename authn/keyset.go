package authn

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/procession-dev/procession/persistence"
)

const (
	// tokenKeyTrust is how long a retired token key is published: every token it
	// signed has expired by then.
	tokenKeyTrust = 2 * time.Hour
	// authorityTrust is how long a retired certificate authority is trusted:
	// every certificate it issued has expired by then.
	authorityTrust = MaxCertificateLifetime + 24*time.Hour
	// acceptanceTime is the time after which a new authority signs certificates although a namespace in Temporal Cloud does not accept
	// it yet. It is less than the margin in authorityTrust.
	acceptanceTime = 12 * time.Hour
	// authorityLink is how long certificates lead back to a retired authority: a
	// client that fetched it last may know no other authority for as long as its
	// certificate is valid.
	authorityLink = 2 * authorityTrust
)

// DefaultPublishDelay is how long a new key is published before it signs, so that
// verifiers have fetched it: replicas reload, caches keep the key set for a
// minute, and then verifiers fetch it every few seconds. MaxPublishDelay bounds
// the delay: a retired key continues to sign for as long, which is included in
// the time that it is trusted.
const (
	DefaultPublishDelay = 2 * time.Minute
	MaxPublishDelay     = 30 * time.Minute
)

// keySet is a snapshot of the signing keys, the newest first. It is immutable.
type keySet struct {
	tokens      []tokenKey
	authorities []authority
	jwks        []byte
}

// validity is the time in which a key signs.
type validity struct {
	from time.Time
	// until is the zero time for a key that is not retired.
	until time.Time
}

func (v validity) hasEnded(now time.Time) bool { return !v.until.IsZero() && !now.Before(v.until) }

func (v validity) period() validity { return v }

// tokenKey signs engine tokens.
type tokenKey struct {
	validity
	id      string
	private *ecdsa.PrivateKey
}

// authority issues certificates.
type authority struct {
	validity
	id          string
	certificate *x509.Certificate
	pem         string
	// chain contains the certificates (PEM) that lead from this authority back to
	// the oldest, each of them issued by the previous authority.
	chain   string
	private *ecdsa.PrivateKey
}

// newKeySet opens the stored keys that are active or still trusted now. They sign
// from publishDelay after their creation until publishDelay after their
// retirement.
func newKeySet(
	stored []persistence.SigningKey, sealer *Sealer, now time.Time, publishDelay time.Duration,
) (*keySet, error) {
	var set keySet
	next := map[persistence.SigningKeyPurpose]successor{}
	document := jose.JSONWebKeySet{Keys: []jose.JSONWebKey{}}
	for _, key := range stored {
		if !isTrusted(key, now) {
			continue
		}
		private, err := openPrivateKey(key, sealer)
		if err != nil {
			return nil, fmt.Errorf("opening signing key %s: %w", key.ID, err)
		}
		valid := validityOf(key, publishDelay, next[key.Purpose])
		next[key.Purpose] = successor{createdAt: key.CreatedAt, signsFrom: valid.from}
		switch key.Purpose {
		case persistence.SignsEngineTokens:
			set.tokens = append(set.tokens, tokenKey{validity: valid, id: key.ID, private: private})
			document.Keys = append(document.Keys, jose.JSONWebKey{
				Key: private.Public(), KeyID: key.ID, Algorithm: string(jose.ES256), Use: "sig",
			})
		case persistence.SignsCertificates:
			certificate, err := parseCertificate(key.Public)
			if err != nil {
				return nil, fmt.Errorf("reading the certificate of signing key %s: %w", key.ID, err)
			}
			set.authorities = append(set.authorities, authority{
				validity: valid, id: key.ID, certificate: certificate, pem: key.Public,
				chain: chainOf(key, stored, now), private: private,
			})
		}
	}
	var err error
	set.jwks, err = json.Marshal(document)
	if err != nil {
		return nil, fmt.Errorf("writing the key set: %w", err)
	}
	return &set, nil
}

// successor is the key that was created next for the same purpose.
type successor struct{ createdAt, signsFrom time.Time }

// validityOf returns the time in which a key signs. A retired key signs until the key that replaced it does.
func validityOf(key persistence.SigningKey, publishDelay time.Duration, next successor) validity {
	valid := validity{from: key.CreatedAt.Add(publishDelay)}
	if key.Purpose == persistence.SignsCertificates && !key.Accepted {
		valid.from = key.CreatedAt.Add(acceptanceTime)
	}
	if key.RetiredAt != nil {
		valid.until = key.RetiredAt.Add(publishDelay)
		if next.createdAt.Equal(*key.RetiredAt) && next.signsFrom.After(valid.until) {
			valid.until = next.signsFrom
		}
	}
	return valid
}

func isTrusted(key persistence.SigningKey, now time.Time) bool {
	return key.DistrustedAt == nil && (key.RetiredAt == nil || now.Before(trustedUntil(key)))
}

// trustedUntil returns until when a retired key is trusted.
func trustedUntil(key persistence.SigningKey) time.Time {
	if key.Purpose == persistence.SignsCertificates {
		return key.RetiredAt.Add(authorityTrust)
	}
	return key.RetiredAt.Add(tokenKeyTrust)
}

// chainOf returns the cross certificates from the key of an authority back to the
// oldest that a verifier may trust. Stored keys are sorted, the newest first.
func chainOf(key persistence.SigningKey, stored []persistence.SigningKey, now time.Time) string {
	chain, follows := "", false
	for _, older := range stored {
		switch {
		case older.Purpose != persistence.SignsCertificates:
		case older.ID == key.ID:
			follows = true
		case follows:
			linked := older.RetiredAt != nil && older.DistrustedAt == nil && now.Before(older.RetiredAt.Add(authorityLink))
			if key.Cross == "" || !linked {
				return chain
			}
			chain += key.Cross
			key = older
		}
	}
	return chain
}

// selectSigningKey returns the newest key that has been published long enough, or the
// oldest when none has. It returns false when no key may sign.
func selectSigningKey[K interface{ period() validity }](keys []K, now time.Time) (picked K, found bool) {
	for _, key := range keys {
		if key.period().hasEnded(now) {
			continue
		}
		picked, found = key, true
		if !now.Before(key.period().from) {
			break
		}
	}
	return picked, found
}

func openPrivateKey(key persistence.SigningKey, sealer *Sealer) (*ecdsa.PrivateKey, error) {
	der, err := sealer.Open(string(key.Purpose), key.ID, key.Private)
	if err != nil {
		return nil, err
	}
	parsed, err := x509.ParsePKCS8PrivateKey(der)
	if err != nil {
		return nil, fmt.Errorf("parsing a private key: %w", err)
	}
	private, ok := parsed.(*ecdsa.PrivateKey)
	if !ok {
		return nil, fmt.Errorf("parsing a private key: unexpected %T", parsed)
	}
	return private, nil
}

func parseCertificate(text string) (*x509.Certificate, error) {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return nil, errors.New("parsing a certificate: it must be PEM")
	}
	certificate, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("parsing a certificate: %w", err)
	}
	return certificate, nil
}

func encodePEM(kind string, der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

func encodePublicKey(public crypto.PublicKey) (der []byte, text string, err error) {
	der, err = x509.MarshalPKIXPublicKey(public)
	if err != nil {
		return nil, "", fmt.Errorf("encoding a public key: %w", err)
	}
	return der, encodePEM("PUBLIC KEY", der), nil
}
