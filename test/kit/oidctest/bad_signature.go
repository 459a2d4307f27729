package oidctest

import (
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

// changeHeader returns a token with another header, signed with the issuer's key for the
// algorithm.
func changeHeader(name, algorithm string, changes Members) Bad {
	return Bad{name, func(w World) string {
		key := w.Issuer.Key(algorithm)
		return key.Sign(key.Header().With(changes), w.Claims())
	}}
}

func badAlgorithms() []Bad {
	unsigned := func(algorithm string) Bad {
		return Bad{"alg " + algorithm, func(w World) string {
			token := w.Issuer.Key("RS256").Sign(Members{"alg": algorithm, "typ": "JWT"}, w.Claims())
			return token[:strings.LastIndex(token, ".")+1]
		}}
	}
	return []Bad{
		unsigned("none"), unsigned("None"), unsigned("NONE"), unsigned("nOnE"), unsigned(""),
		changeHeader("alg none with a signature", "RS256", Members{"alg": "none"}),
		{"alg HS256 with the public key for a secret", func(w World) string {
			key := w.Issuer.Key("RS256")
			return signSymmetric(key.Header().With(Members{"alg": "HS256"}), w.Claims(), key.encodePEM())
		}},
		{"alg HS256 with the public key for a secret, trimmed", func(w World) string {
			key := w.Issuer.Key("RS256")
			return signSymmetric(key.Header().With(Members{"alg": "HS256"}), w.Claims(), []byte(strings.TrimSpace(string(key.encodePEM()))))
		}},
		{"alg HS256 with an empty secret", func(w World) string {
			return signSymmetric(w.Issuer.Key("RS256").Header().With(Members{"alg": "HS256"}), w.Claims(), nil)
		}},
		{"alg HS256 with any secret", func(w World) string {
			return signSymmetric(w.Issuer.Key("RS256").Header().With(Members{"alg": "HS256"}), w.Claims(), []byte("secret"))
		}},
		{"alg RS256 over a symmetric signature", func(w World) string {
			key := w.Issuer.Key("RS256")
			return signSymmetric(key.Header(), w.Claims(), key.encodePEM())
		}},
		changeHeader("alg RS384", "RS256", Members{"alg": "RS384"}),
		changeHeader("alg RS512", "RS256", Members{"alg": "RS512"}),
		changeHeader("alg PS256", "RS256", Members{"alg": "PS256"}),
		changeHeader("alg ES384", "ES384", nil),
		changeHeader("alg in lower case", "RS256", Members{"alg": "rs256"}),
		changeHeader("alg in a list", "RS256", Members{"alg": []string{"RS256"}}),
		changeHeader("alg null", "RS256", Members{"alg": nil}),
		changeHeader("alg of another key", "RS256", Members{"alg": "ES256"}),
		changeHeader("alg EdDSA of an elliptic key", "ES256", Members{"alg": "EdDSA"}),
		{"no alg", func(w World) string {
			key := w.Issuer.Key("RS256")
			return key.Sign(key.Header().Without("alg"), w.Claims())
		}},
	}
}

func badKeys() []Bad {
	published := func(name, algorithm, id string) Bad {
		return Bad{name, func(w World) string {
			key := w.Issuer.publishedKey(func(key Key) bool { return key.ID == id })
			return key.As(algorithm, id).Token(w.Claims())
		}}
	}
	return []Bad{
		{"a key of another issuer", func(w World) string { return w.Other.Key("RS256").Token(w.Claims()) }},
		{"a key of another issuer under a known id", func(w World) string {
			return w.Other.Key("RS256").As("RS256", w.Issuer.Key("RS256").ID).Token(w.Claims())
		}},
		published("a key for encryption", "RS256", "encryption"),
		published("a key that is too short", "RS256", "short"),
		published("ES256 with a key on P-384", "ES256", "p384"),
		published("ES256 with a key on P-384 that claims to be for it", "ES256", "p384-as-p256"),
		changeHeader("kid unknown", "ES256", Members{"kid": "unknown"}),
		changeHeader("kid in another case", "ES256", Members{"kid": "ES"}),
		changeHeader("kid of another key", "ES256", Members{"kid": "rs"}),
		changeHeader("kid empty, with several keys", "ES256", Members{"kid": ""}),
		changeHeader("kid null, with several keys", "ES256", Members{"kid": nil}),
		changeHeader("kid a number", "ES256", Members{"kid": 1}),
		changeHeader("kid a path", "ES256", Members{"kid": "../../../../dev/null"}),
		changeHeader("kid a statement", "ES256", Members{"kid": "es' OR '1'='1"}),
		{"no kid, with several keys", func(w World) string {
			key := w.Issuer.Key("ES256")
			return key.Sign(key.Header().Without("kid"), w.Claims())
		}},
	}
}

func badHeaders() []Bad {
	return []Bad{
		changeHeader("crit of something unknown", "ES256", Members{"crit": []string{"procession"}, "procession": true}),
		changeHeader("crit of something known", "ES256", Members{"crit": []string{"exp"}}),
		changeHeader("crit of b64", "ES256", Members{"crit": []string{"b64"}, "b64": true}),
		changeHeader("crit empty", "ES256", Members{"crit": []string{}}),
		changeHeader("crit null", "ES256", Members{"crit": nil}),
		changeHeader("b64 false", "ES256", Members{"b64": false}),
		changeHeader("b64 false and critical", "ES256", Members{"b64": false, "crit": []string{"b64"}}),
		changeHeader("enc", "ES256", Members{"enc": "A256GCM"}),
		changeHeader("zip", "ES256", Members{"zip": "DEF"}),
		changeHeader("jku", "ES256", Members{"jku": "https://keys.example/jwks"}),
		changeHeader("x5u", "ES256", Members{"x5u": "https://keys.example/chain"}),
		{"x5c of the issuer's key", func(w World) string {
			key := w.Issuer.Key("ES256")
			return key.Sign(key.Header().With(Members{"x5c": [][]byte{key.selfSigned(w.Now)}}), w.Claims())
		}},
		changeHeader("x5c that is no certificate", "ES256", Members{"x5c": []string{"MIIB"}}),
		{"jwk of the issuer's key", func(w World) string {
			key := w.Issuer.Key("ES256")
			return key.Sign(key.Header().With(Members{"jwk": key.publicKey()}), w.Claims())
		}},
		{"jwk of the signer's key", func(w World) string {
			key := w.Other.Key("RS256")
			return key.Sign(Members{"alg": "RS256", "jwk": key.publicKey()}, w.Claims())
		}},
		{"jku of the signer", func(w World) string {
			key := w.Other.Key("RS256")
			return key.Sign(key.Header().With(Members{"jku": w.Other.URL() + KeysPath}), w.Claims())
		}},
		changeHeader("typ of a logout token", "ES256", Members{"typ": "logout+jwt"}),
		changeHeader("typ of a proof of possession", "ES256", Members{"typ": "dpop+jwt"}),
		changeHeader("typ a number", "ES256", Members{"typ": 1}),
		{"alg twice", func(w World) string {
			key := w.Issuer.Key("ES256")
			return key.signCompact(`{"alg":"none","kid":"`+key.ID+`","alg":"ES256"}`, encodeObject(w.Claims()))
		}},
	}
}

// signAgain returns a good token with another signature.
func signAgain(name string, change func(signature []byte) []byte) Bad {
	return Bad{name, func(w World) string {
		token := w.Issuer.Key("ES256").Token(w.Claims())
		end := strings.LastIndex(token, ".") + 1
		signature, err := base64.RawURLEncoding.DecodeString(token[end:])
		if err != nil {
			return err.Error()
		}
		return token[:end] + encodeBase64(change(signature))
	}}
}

func badSignatures() []Bad {
	parts := func(w World) []string { return strings.Split(w.Issuer.Key("ES256").Token(w.Claims()), ".") }
	return []Bad{
		signAgain("no signature", func([]byte) []byte { return nil }),
		signAgain("a signature that is cut off", func(s []byte) []byte { return s[:len(s)-1] }),
		signAgain("half a signature", func(s []byte) []byte { return s[:len(s)/2] }),
		signAgain("a signature with more behind", func(s []byte) []byte { return append(s, 0) }),
		signAgain("a signature with another bit", func(s []byte) []byte { s[20] ^= 4; return s }),
		signAgain("a signature of zeros", func(s []byte) []byte { return make([]byte, len(s)) }),
		signAgain("a signature with its halves swapped", func(s []byte) []byte { return append(s[32:64:64], s[:32]...) }),
		{"a signature in ASN.1", func(w World) string {
			p := parts(w)
			private, ok := w.Issuer.Key("ES256").private.(*ecdsa.PrivateKey)
			if !ok {
				return "not an elliptic key"
			}
			digest := sha256.Sum256([]byte(p[0] + "." + p[1]))
			signature, err := ecdsa.SignASN1(rand.Reader, private, digest[:])
			if err != nil {
				return err.Error()
			}
			return p[0] + "." + p[1] + "." + encodeBase64(signature)
		}},
		{"the signature of another token", func(w World) string {
			other := strings.Split(w.Issuer.Key("ES256").Token(w.Claims().With(Members{"jti": "another"})), ".")
			p := parts(w)
			return p[0] + "." + p[1] + "." + other[2]
		}},
		{"claims that were changed", func(w World) string {
			p := parts(w)
			return p[0] + "." + encodeBase64([]byte(encodeObject(w.Claims().With(Members{"jti": "changed"})))) + "." + p[2]
		}},
		{"a header that was changed", func(w World) string {
			p := parts(w)
			changed := w.Issuer.Key("ES256").Header().With(Members{"typ": "at+jwt"})
			return encodeBase64([]byte(encodeObject(changed))) + "." + p[1] + "." + p[2]
		}},
	}
}
