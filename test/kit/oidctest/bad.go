package oidctest

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Bad is a token that must be refused. Its name states its only
// fault.
type Bad struct {
	Name  string
	Token func(w World) string
}

// BadTokens returns all that this package knows.
func BadTokens() []Bad {
	return slices.Concat(badTimes(), badClaims(), badSubjects(), badPeople(), badAlgorithms(), badKeys(), badHeaders(),
		badSignatures(), badObjects(), badTexts())
}

// changeClaim returns a token with some other claims.
func changeClaim(name string, claims func(w World) Members) Bad {
	return Bad{name, func(w World) string { return w.Issuer.Key("ES256").Token(w.Claims().With(claims(w))) }}
}

// setClaim returns a token with one other claim.
func setClaim(name, member string, value any) Bad {
	return changeClaim(name, func(World) Members { return Members{member: value} })
}

// removeClaim returns a token without a claim.
func removeClaim(member string) Bad {
	return Bad{"no " + member, func(w World) string { return w.Issuer.Key("ES256").Token(w.Claims().Without(member)) }}
}

// numberClaim returns a number that Go has no type for.
func numberClaim(text string) json.RawMessage { return json.RawMessage(text) }

func badTimes() []Bad {
	at := func(name, member string, from time.Duration) Bad {
		return changeClaim(name, func(w World) Members { return Members{member: w.Now.Add(from).Unix()} })
	}
	return []Bad{
		removeClaim("exp"),
		at("expired", "exp", -time.Hour),
		at("expired by just the skew", "exp", -31*time.Second),
		changeClaim("exp in a string", func(w World) Members {
			return Members{"exp": strconv.FormatInt(w.Now.Add(time.Minute).Unix(), 10)}
		}),
		changeClaim("exp in a list", func(w World) Members { return Members{"exp": []int64{w.Now.Add(time.Minute).Unix()}} }),
		changeClaim("exp in milliseconds", func(w World) Members { return Members{"exp": w.Now.Add(time.Minute).UnixMilli()} }),
		setClaim("exp null", "exp", nil),
		setClaim("exp true", "exp", true),
		setClaim("exp zero", "exp", 0),
		setClaim("exp negative", "exp", -1),
		setClaim("exp that overflows", "exp", numberClaim("1e400")),
		setClaim("exp that underflows the year", "exp", numberClaim("-1e300")),
		setClaim("exp enormous", "exp", numberClaim("1e300")),
		at("nbf in the future", "nbf", time.Hour),
		at("nbf just beyond the skew", "nbf", 32*time.Second),
		setClaim("nbf a string", "nbf", "0"),
		setClaim("nbf that overflows", "nbf", numberClaim("1e400")),
		at("iat in the future", "iat", time.Hour),
		at("iat just beyond the skew", "iat", 32*time.Second),
		setClaim("iat a string", "iat", "0"),
		setClaim("iat negative", "iat", -1),
	}
}

func badClaims() []Bad {
	return []Bad{
		removeClaim("iss"),
		setClaim("issuer null", "iss", nil),
		setClaim("issuer that is not trusted", "iss", "https://issuer.example"),
		changeClaim("issuer with a slash more", func(w World) Members { return Members{"iss": w.Issuer.URL() + "/"} }),
		changeClaim("issuer in upper case", func(w World) Members { return Members{"iss": strings.ToUpper(w.Issuer.URL())} }),
		changeClaim("issuers", func(w World) Members { return Members{"iss": []string{w.Issuer.URL()}} }),
		changeClaim("another trusted issuer", func(w World) Members { return Members{"iss": w.Other.URL()} }),
		setClaim("the issuer of engine tokens", "iss", "procession"),
		removeClaim("aud"),
		setClaim("audience null", "aud", nil),
		setClaim("audience empty", "aud", ""),
		setClaim("another audience", "aud", "another"),
		changeClaim("audience with ours at its start", func(w World) Members { return Members{"aud": w.Audience + "-2"} }),
		changeClaim("audience in upper case", func(w World) Members { return Members{"aud": strings.ToUpper(w.Audience)} }),
		setClaim("no audiences", "aud", []string{}),
		setClaim("other audiences", "aud", []string{"other", "another"}),
		changeClaim("audiences in one string", func(w World) Members { return Members{"aud": w.Audience + " another"} }),
		changeClaim("audiences of which one is null", func(w World) Members {
			return Members{"aud": []any{w.Audience, nil}, "azp": w.Audience}
		}),
		changeClaim("audiences of which one is a number", func(w World) Members {
			return Members{"aud": []any{w.Audience, 1}, "azp": w.Audience}
		}),
		changeClaim("audiences in an object", func(w World) Members { return Members{"aud": Members{w.Audience: true}} }),
		changeClaim("several audiences and no azp", func(w World) Members { return Members{"aud": []string{w.Audience, "b"}} }),
		changeClaim("several audiences and another's azp", func(w World) Members {
			return Members{"aud": []string{w.Audience, "b"}, "azp": "b"}
		}),
		changeClaim("azp a number", func(World) Members { return Members{"azp": 1} }),
		setClaim("bound to a key", "cnf", Members{"jkt": "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"}),
		{"a claim twice", func(w World) string {
			key := w.Issuer.Key("ES256")
			claims := encodeObject(w.Claims().Without("aud"))
			return key.signCompact(encodeObject(key.Header()), claims[:len(claims)-1]+`,"aud":"another","aud":"`+w.Audience+`"}`)
		}},
		{"iss twice", func(w World) string {
			key := w.Issuer.Key("ES256")
			claims := encodeObject(w.Claims())
			return key.signCompact(encodeObject(key.Header()), `{"iss":"https://issuer.example",`+claims[1:])
		}},
		{"claims in another case", func(w World) string {
			claims := w.Claims()
			return w.Issuer.Key("ES256").Token(claims.Without("exp").With(Members{"EXP": claims["exp"]}))
		}},
	}
}

// badSubjects returns tokens with an address that a subject could be linked to.
func badSubjects() []Bad {
	subject := func(name string, value any) Bad {
		return changeClaim("subject "+name, func(w World) Members { return Members{"sub": value, "email": w.Unlinked} })
	}
	return []Bad{
		{"no sub", func(w World) string {
			return w.Issuer.Key("ES256").Token(w.Claims().With(Members{"email": w.Unlinked}).Without("sub"))
		}},
		subject("null", nil),
		subject("empty", ""),
		subject("a number", 1),
		subject("in a list", []string{"s"}),
		subject("too long", strings.Repeat("s", 256)),
		subject("with NUL", "s\x00"),
		subject("with a line break", "s\n"),
		subject("beyond ASCII", "sübject"),
	}
}

// badPeople returns good tokens about people who are not to be let in.
func badPeople() []Bad {
	unlinked := func(name string, claims Members) Bad {
		return changeClaim(name, func(w World) Members {
			return Members{"sub": "of " + name, "email": w.Unlinked}.With(claims)
		})
	}
	return []Bad{
		unlinked("a new subject whose address is not verified", Members{"email_verified": false}),
		unlinked("a new subject whose address is verified in a string", Members{"email_verified": "true"}),
		unlinked("a new subject whose address is verified in a number", Members{"email_verified": 1}),
		unlinked("a new subject whose address is verified by null", Members{"email_verified": nil}),
		unlinked("a new subject without an address", Members{"email": nil}),
		unlinked("a new subject with an empty address", Members{"email": ""}),
		unlinked("a new subject that is not known", Members{"email": "unknown@nowhere.example"}),
		unlinked("a new subject with a pattern for an address", Members{"email": "%"}),
		changeClaim("a new subject with addresses", func(w World) Members {
			return Members{"sub": "several", "email": []string{w.Unlinked}}
		}),
		changeClaim("a new subject with spaces in its address", func(w World) Members {
			return Members{"sub": "spaces", "email": " " + w.Unlinked}
		}),
		changeClaim("a new subject with a letter that is a k", func(w World) Members {
			return Members{"sub": "letters", "email": strings.Replace(w.Unlinked, "k", "\u212a", 1)}
		}),
		changeClaim("a new subject whose address is a link's already", func(w World) Members {
			return Members{"sub": "another", "email": w.Email}
		}),
		changeClaim("the subject in another case", func(w World) Members { return Members{"sub": strings.ToUpper(w.Subject)} }),
		changeClaim("a disabled user", func(w World) Members { return Members{"sub": "disabled", "email": w.Disabled} }),
		{"the subject of another issuer", func(w World) string {
			return w.Other.Key("RS256").Token(w.Claims().With(Members{"iss": w.Other.URL(), "email_verified": false}))
		}},
	}
}
