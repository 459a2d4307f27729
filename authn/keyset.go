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
	// publishDelay is how long a new key is known before it signs, so that those
	// who verify have fetched it.
	publishDelay = time.Minute
)

// keySet is the signing keys as they were at one moment, the newest first. It is
// never changed.
type keySet struct {
	tokens      []tokenKey
	authorities []authority
	jwks        []byte
}

// tokenKey signs engine tokens.
type tokenKey struct {
	id        string
	private   *ecdsa.PrivateKey
	createdAt time.Time
}

func (k tokenKey) usableFrom() time.Time { return k.createdAt.Add(publishDelay) }

// authority issues certificates.
type authority struct {
	id          string
	certificate *x509.Certificate
	pem         string
	private     *ecdsa.PrivateKey
	createdAt   time.Time
}

func (a authority) usableFrom() time.Time { return a.createdAt.Add(publishDelay) }

// newKeySet opens those of the stored keys that are active or still trusted now.
func newKeySet(stored []persistence.SigningKey, sealer *Sealer, now time.Time) (*keySet, error) {
	var set keySet
	document := jose.JSONWebKeySet{Keys: []jose.JSONWebKey{}}
	for _, key := range stored {
		if !trusted(key, now) {
			continue
		}
		private, err := openPrivateKey(key, sealer)
		if err != nil {
			return nil, fmt.Errorf("opening signing key %s: %w", key.ID, err)
		}
		switch key.Purpose {
		case persistence.SignsEngineTokens:
			set.tokens = append(set.tokens, tokenKey{id: key.ID, private: private, createdAt: key.CreatedAt})
			document.Keys = append(document.Keys, jose.JSONWebKey{
				Key: private.Public(), KeyID: key.ID, Algorithm: string(jose.ES256), Use: "sig",
			})
		case persistence.SignsCertificates:
			certificate, err := parseCertificate(key.Public)
			if err != nil {
				return nil, fmt.Errorf("reading the certificate of signing key %s: %w", key.ID, err)
			}
			set.authorities = append(set.authorities, authority{
				id: key.ID, certificate: certificate, pem: key.Public, private: private, createdAt: key.CreatedAt,
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

func trusted(key persistence.SigningKey, now time.Time) bool {
	trust := tokenKeyTrust
	if key.Purpose == persistence.SignsCertificates {
		trust = authorityTrust
	}
	return key.RetiredAt == nil || now.Before(key.RetiredAt.Add(trust))
}

// signing picks the newest key that has been known long enough, or the oldest
// when none has. It reports false when there are no keys.
func signing[K interface{ usableFrom() time.Time }](keys []K, now time.Time) (K, bool) {
	for _, key := range keys {
		if !now.Before(key.usableFrom()) {
			return key, true
		}
	}
	if len(keys) == 0 {
		var none K
		return none, false
	}
	return keys[len(keys)-1], true
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
		return nil, errors.New("parsing a certificate: it is not PEM")
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
