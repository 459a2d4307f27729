package oidctest

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"
)

// World contains the parties of tokens: who may sign them, for whom, and whom the
// service knows.
type World struct {
	// Issuer is trusted and publishes keys for RS256, ES256 and EdDSA, and those
	// of UnfitKeys.
	Issuer *Issuer
	// Other is trusted too and has a key for RS256.
	Other    *Issuer
	Audience string
	Now      time.Time

	// Subject is linked to the user with the address Email.
	Subject string
	Email   string
	// Unlinked and Disabled are addresses of users without a link; the second user is
	// disabled.
	Unlinked string
	Disabled string
}

// UnfitKeys returns keys that an issuer may publish but that must not verify a
// signature: for encryption, of another curve, mislabelled or not, and too short.
func UnfitKeys(tb testing.TB) []Key {
	tb.Helper()
	encryption, otherCurve := NewKey(tb, "RS256", "encryption"), NewKey(tb, "ES384", "p384")
	encryption.Use = "enc"
	return []Key{encryption, otherCurve, otherCurve.As("ES256", "p384-as-p256"), newShortKey(tb, "short")}
}

// Members are the members of a JSON object.
type Members map[string]any

// Claims returns the claims of a token that is valid for five minutes.
func (w World) Claims() Members {
	return Members{
		"iss": w.Issuer.URL(), "aud": w.Audience, "sub": w.Subject, "email": w.Email, "email_verified": true,
		"iat": w.Now.Unix(), "nbf": w.Now.Unix(), "exp": w.Now.Add(5 * time.Minute).Unix(),
	}
}

// With returns the members with some changed.
func (m Members) With(changes Members) Members {
	changed := Members{}
	for name, value := range m {
		changed[name] = value
	}
	for name, value := range changes {
		changed[name] = value
	}
	return changed
}

// Without returns the members but one.
func (m Members) Without(name string) Members {
	changed := m.With(nil)
	delete(changed, name)
	return changed
}

// Header returns the header of a token signed with the key.
func (k Key) Header() Members { return Members{"alg": k.Algorithm, "kid": k.ID, "typ": "JWT"} }

// Token returns a token with the claims, signed with the key.
func (k Key) Token(claims Members) string { return k.Sign(k.Header(), claims) }

// Sign returns a token with a header and claims. The algorithm that the header
// names is used if the key is of its kind.
func (k Key) Sign(header, claims Members) string {
	return k.signCompact(encodeObject(header), encodeObject(claims))
}

// signCompact signs a payload that need not be JSON.
func (k Key) signCompact(header, payload string) string {
	var named struct{ Alg any }
	_ = json.Unmarshal([]byte(header), &named)
	text := encodeBase64([]byte(header)) + "." + encodeBase64([]byte(payload))
	return text + "." + encodeBase64(k.signText(fmt.Sprint(named.Alg), text))
}

// signSymmetric signs with HS256 and a secret.
func signSymmetric(header, claims Members, secret []byte) string {
	text := encodeBase64([]byte(encodeObject(header))) + "." + encodeBase64([]byte(encodeObject(claims)))
	return text + "." + encodeBase64(hs256(secret, text))
}

// encodeObject encodes a value without errors of encoding/json.
func encodeObject(members Members) string {
	text, err := json.Marshal(members)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
