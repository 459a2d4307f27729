package oidctest

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"math/big"
	"slices"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// Key is a key pair with its declared use, which need not be true.
type Key struct {
	ID        string
	Algorithm string
	// Use is "sig" where it is empty.
	Use string

	private crypto.Signer
}

// NewKey returns a key for RS256, ES256, ES384 or EdDSA.
func NewKey(tb testing.TB, algorithm, id string) Key {
	tb.Helper()
	private, err := generateKey(algorithm)
	if err != nil {
		tb.Fatalf("making a key for %s: %v", algorithm, err)
	}
	return Key{ID: id, Algorithm: algorithm, private: private}
}

// newShortKey returns an RSA key that is too short.
func newShortKey(tb testing.TB, id string) Key {
	tb.Helper()
	private, err := rsa.GenerateKey(rand.Reader, 1024) //nolint:gosec // that it is short is the point
	if err != nil {
		tb.Fatalf("making a short key: %v", err)
	}
	return Key{ID: id, Algorithm: "RS256", private: private}
}

func generateKey(algorithm string) (crypto.Signer, error) {
	switch algorithm {
	case "ES256":
		return ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	case "ES384":
		return ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	case "EdDSA":
		_, private, err := ed25519.GenerateKey(rand.Reader)
		return private, err
	default:
		return rsa.GenerateKey(rand.Reader, 2048)
	}
}

// As returns the key under another id and for another algorithm.
func (k Key) As(algorithm, id string) Key {
	k.ID, k.Algorithm = id, algorithm
	return k
}

func (k Key) publicKey() jose.JSONWebKey {
	use := k.Use
	if use == "" {
		use = "sig"
	}
	return jose.JSONWebKey{Key: k.private.Public(), KeyID: k.ID, Algorithm: k.Algorithm, Use: use}
}

// encodePEM returns the public half as it is often kept in files.
func (k Key) encodePEM() []byte {
	der, err := x509.MarshalPKIXPublicKey(k.private.Public())
	if err != nil {
		return nil
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
}

// selfSigned certifies itself.
func (k Key) selfSigned(now time.Time) []byte {
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: now.Add(-time.Hour), NotAfter: now.Add(time.Hour),
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, k.private.Public(), k.private)
	if err != nil {
		return nil
	}
	return certificate
}

// signText signs with an algorithm that fits the kind of key, and returns nil for others.
func (k Key) signText(algorithm, text string) []byte {
	of256, of384, of512 := sha256.Sum256([]byte(text)), sha512.Sum384([]byte(text)), sha512.Sum512([]byte(text))
	var signature []byte
	var err error
	switch private := k.private.(type) {
	case *rsa.PrivateKey:
		switch algorithm {
		case "PS256":
			signature, err = rsa.SignPSS(rand.Reader, private, crypto.SHA256, of256[:],
				&rsa.PSSOptions{SaltLength: rsa.PSSSaltLengthEqualsHash})
		case "RS384":
			signature, err = rsa.SignPKCS1v15(rand.Reader, private, crypto.SHA384, of384[:])
		case "RS512":
			signature, err = rsa.SignPKCS1v15(rand.Reader, private, crypto.SHA512, of512[:])
		default:
			signature, err = rsa.SignPKCS1v15(rand.Reader, private, crypto.SHA256, of256[:])
		}
	case *ecdsa.PrivateKey:
		if algorithm == "ES384" {
			return signEC(private, of384[:])
		}
		return signEC(private, of256[:])
	case ed25519.PrivateKey:
		signature = ed25519.Sign(private, []byte(text))
	}
	if err != nil {
		return nil
	}
	return signature
}

// signEC returns both numbers one after the other (RFC 7518, section 3.4).
func signEC(private *ecdsa.PrivateKey, digest []byte) []byte {
	r, s, err := ecdsa.Sign(rand.Reader, private, digest)
	if err != nil {
		return nil
	}
	size := (private.Curve.Params().BitSize + 7) / 8
	return slices.Concat(r.FillBytes(make([]byte, size)), s.FillBytes(make([]byte, size)))
}

func hs256(secret []byte, text string) []byte {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(text))
	return mac.Sum(nil)
}

func encodeBase64(data []byte) string { return base64.RawURLEncoding.EncodeToString(data) }
