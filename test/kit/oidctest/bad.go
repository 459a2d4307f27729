package oidctest

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Bad is a token that lets no one in. But for what its name says it
// is as good as any.
type Bad struct {
	Name  string
	Token func(w World) string
}

// BadTokens returns all that this package knows.
func BadTokens() []Bad {
	return slices.Concat(badTimes(), badClaims(), badSubjects(), badPeople(), badAlgorithms(), badKeys(), badHeaders(),
		badSignatures(), badObjects(), badTexts())
}

// changed returns a token with some other claims.
func changed(name string, claims func(w World) Members) Bad {
	return Bad{name, func(w World) string { return w.Issuer.Key("ES256").Token(w.Claims().With(claims(w))) }}
}

// claim returns a token with one other claim.
func claim(name, member string, value any) Bad {
	return changed(name, func(World) Members { return Members{member: value} })
}

// lacking returns a token without a claim.
func lacking(member string) Bad {
	return Bad{"no " + member, func(w World) string { return w.Issuer.Key("ES256").Token(w.Claims().Without(member)) }}
}

// number returns a number that Go has no type for.
func number(text string) json.RawMessage { return json.RawMessage(text) }

func badTimes() []Bad {
	at := func(name, member string, from time.Duration) Bad {
		return changed(name, func(w World) Members { return Members{member: w.Now.Add(from).Unix()} })
	}
	return []Bad{
		lacking("exp"),
		at("expired", "exp", -time.Hour),
		at("expired by just the skew", "exp", -31*time.Second),
		changed("exp in a string", func(w World) Members {
			return Members{"exp": strconv.FormatInt(w.Now.Add(time.Minute).Unix(), 10)}
		}),
		changed("exp in a list", func(w World) Members { return Members{"exp": []int64{w.Now.Add(time.Minute).Unix()}} }),
		changed("exp in milliseconds", func(w World) Members { return Members{"exp": w.Now.Add(time.Minute).UnixMilli()} }),
		claim("exp null", "exp", nil),
		claim("exp true", "exp", true),
		claim("exp zero", "exp", 0),
		claim("exp negative", "exp", -1),
		claim("exp that overflows", "exp", number("1e400")),
		claim("exp that underflows the year", "exp", number("-1e300")),
		claim("exp enormous", "exp", number("1e300")),
		at("nbf in the future", "nbf", time.Hour),
		at("nbf just beyond the skew", "nbf", 32*time.Second),
		claim("nbf a string", "nbf", "0"),
		claim("nbf that overflows", "nbf", number("1e400")),
		at("iat in the future", "iat", time.Hour),
		at("iat just beyond the skew", "iat", 32*time.Second),
		claim("iat a string", "iat", "0"),
		claim("iat negative", "iat", -1),
	}
}

func badClaims() []Bad {
	return []Bad{
		lacking("iss"),
		claim("issuer null", "iss", nil),
		claim("issuer that is not trusted", "iss", "https://issuer.example"),
		changed("issuer with a slash more", func(w World) Members { return Members{"iss": w.Issuer.URL() + "/"} }),
		changed("issuer in upper case", func(w World) Members { return Members{"iss": strings.ToUpper(w.Issuer.URL())} }),
		changed("issuers", func(w World) Members { return Members{"iss": []string{w.Issuer.URL()}} }),
		changed("another trusted issuer", func(w World) Members { return Members{"iss": w.Other.URL()} }),
		claim("the issuer of engine tokens", "iss", "procession"),
		lacking("aud"),
		claim("audience null", "aud", nil),
		claim("audience empty", "aud", ""),
		claim("another audience", "aud", "another"),
		changed("audience with ours at its start", func(w World) Members { return Members{"aud": w.Audience + "-2"} }),
		changed("audience in upper case", func(w World) Members { return Members{"aud": strings.ToUpper(w.Audience)} }),
		claim("no audiences", "aud", []string{}),
		claim("other audiences", "aud", []string{"other", "another"}),
		changed("audiences in one string", func(w World) Members { return Members{"aud": w.Audience + " another"} }),
		changed("audiences of which one is null", func(w World) Members {
			return Members{"aud": []any{w.Audience, nil}, "azp": w.Audience}
		}),
		changed("audiences of which one is a number", func(w World) Members {
			return Members{"aud": []any{w.Audience, 1}, "azp": w.Audience}
		}),
		changed("audiences in an object", func(w World) Members { return Members{"aud": Members{w.Audience: true}} }),
		changed("several audiences and no azp", func(w World) Members { return Members{"aud": []string{w.Audience, "b"}} }),
		changed("several audiences and another's azp", func(w World) Members {
			return Members{"aud": []string{w.Audience, "b"}, "azp": "b"}
		}),
		changed("azp a number", func(World) Members { return Members{"azp": 1} }),
		claim("bound to a key", "cnf", Members{"jkt": "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"}),
		{"a claim twice", func(w World) string {
			key := w.Issuer.Key("ES256")
			claims := object(w.Claims().Without("aud"))
			return key.compact(object(key.Header()), claims[:len(claims)-1]+`,"aud":"another","aud":"`+w.Audience+`"}`)
		}},
		{"iss twice", func(w World) string {
			key := w.Issuer.Key("ES256")
			claims := object(w.Claims())
			return key.compact(object(key.Header()), `{"iss":"https://issuer.example",`+claims[1:])
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
		return changed("subject "+name, func(w World) Members { return Members{"sub": value, "email": w.Unlinked} })
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
		return changed(name, func(w World) Members {
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
		changed("a new subject with addresses", func(w World) Members {
			return Members{"sub": "several", "email": []string{w.Unlinked}}
		}),
		changed("a new subject with spaces in its address", func(w World) Members {
			return Members{"sub": "spaces", "email": " " + w.Unlinked}
		}),
		changed("a new subject with a letter that is a k", func(w World) Members {
			return Members{"sub": "letters", "email": strings.Replace(w.Unlinked, "k", "\u212a", 1)}
		}),
		changed("a new subject whose address is a link's already", func(w World) Members {
			return Members{"sub": "another", "email": w.Email}
		}),
		changed("the subject in another case", func(w World) Members { return Members{"sub": strings.ToUpper(w.Subject)} }),
		changed("a disabled user", func(w World) Members { return Members{"sub": "disabled", "email": w.Disabled} }),
		{"the subject of another issuer", func(w World) string {
			return w.Other.Key("RS256").Token(w.Claims().With(Members{"iss": w.Other.URL(), "email_verified": false}))
		}},
	}
}
