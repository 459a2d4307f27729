package oidctest

import "strings"

// replacePayload returns a token that something else than good claims was signed in.
func replacePayload(name string, text func(w World) string) Bad {
	return Bad{name, func(w World) string {
		key := w.Issuer.Key("ES256")
		return key.signCompact(encodeObject(key.Header()), text(w))
	}}
}

// badObjects returns tokens with other JSON in place of objects.
func badObjects() []Bad {
	heading := func(name string, text func(header string) string) Bad {
		return Bad{name, func(w World) string {
			key := w.Issuer.Key("ES256")
			return key.signCompact(text(encodeObject(key.Header())), encodeObject(w.Claims()))
		}}
	}
	return []Bad{
		replacePayload("claims in a list", func(w World) string { return "[" + encodeObject(w.Claims()) + "]" }),
		replacePayload("claims null", func(World) string { return "null" }),
		replacePayload("claims a string", func(World) string { return `"claims"` }),
		replacePayload("claims empty", func(World) string { return "{}" }),
		replacePayload("claims of no bytes", func(World) string { return "" }),
		replacePayload("claims that are cut off", func(w World) string { return strings.TrimSuffix(encodeObject(w.Claims()), "}") }),
		replacePayload("claims with more behind", func(w World) string { return encodeObject(w.Claims()) + "{}" }),
		replacePayload("claims behind a byte order mark", func(w World) string { return "\ufeff" + encodeObject(w.Claims()) }),
		replacePayload("claims as a form", func(w World) string { return "iss=" + w.Issuer.URL() }),
		replacePayload("a token in a token", func(w World) string { return w.Issuer.Key("RS256").Token(w.Claims()) }),
		replacePayload("claims too deep", func(w World) string {
			claims := encodeObject(w.Claims())
			return claims[:len(claims)-1] + `,"deep":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + "}"
		}),
		heading("header in a list", func(header string) string { return "[" + header + "]" }),
		heading("header null", func(string) string { return "null" }),
		heading("header empty", func(string) string { return "{}" }),
		heading("header of no bytes", func(string) string { return "" }),
		heading("header with more behind", func(header string) string { return header + " x" }),
	}
}

// badTexts returns texts made from good tokens.
func badTexts() []Bad {
	made := func(name string, text func(parts []string) string) Bad {
		return Bad{name, func(w World) string {
			return text(strings.Split(w.Issuer.Key("ES256").Token(w.Claims()), "."))
		}}
	}
	// In the last letter of a part some bits may be left over.
	leftOver := func(name string, part int) Bad {
		return Bad{name, func(w World) string {
			key := w.Issuer.Key("ES256")
			for padding := ""; ; padding += "x" {
				p := strings.Split(key.Sign(key.Header().With(Members{"nonce": padding}),
					w.Claims().With(Members{"nonce": padding})), ".")
				if len(p[part])%4 == 2 {
					p[part] = p[part][:len(p[part])-1] + nextLetter(p[part][len(p[part])-1])
					return strings.Join(p, ".")
				}
			}
		}}
	}
	whole := func(parts []string) string { return strings.Join(parts, ".") }
	return []Bad{
		made("one part", func(p []string) string { return p[1] }),
		made("two parts", func(p []string) string { return p[0] + "." + p[1] }),
		made("four parts", func(p []string) string { return whole(p) + "." + p[2] }),
		made("five parts, as if encrypted", func(p []string) string { return whole(p) + "." + p[1] + "." + p[2] }),
		made("only dots", func([]string) string { return ".." }),
		made("an empty header", func(p []string) string { return "." + p[1] + "." + p[2] }),
		made("an empty payload", func(p []string) string { return p[0] + ".." + p[2] }),
		made("not base64", func(p []string) string { return "%%%." + p[1] + "." + p[2] }),
		{"base64 of another alphabet", func(w World) string {
			token := ""
			for !strings.ContainsAny(token, "-_") {
				token = w.Issuer.Key("ES256").Token(w.Claims())
			}
			return strings.NewReplacer("-", "+", "_", "/").Replace(token)
		}},
		leftOver("other bits left over in the header", 0),
		leftOver("other bits left over in the claims", 1),
		leftOver("other bits left over in the signature", 2),
		made("padding in a part", func(p []string) string { return p[0] + "=." + p[1] + "." + p[2] }),
		made("padding at the end", func(p []string) string { return whole(p) + "==" }),
		made("a space inside", func(p []string) string { return p[0] + ". " + p[1] + "." + p[2] }),
		made("a space at the end", func(p []string) string { return whole(p) + " " }),
		made("a tab inside", func(p []string) string { return p[0] + ".\t" + p[1] + "." + p[2] }),
		made("twice", func(p []string) string { return whole(p) + "," + whole(p) }),
		made("in quotes", func(p []string) string { return `"` + whole(p) + `"` }),
		made("as JSON", func(p []string) string {
			return `{"protected":"` + p[0] + `","payload":"` + p[1] + `","signature":"` + p[2] + `"}`
		}),
		made("parts in another order", func(p []string) string { return p[1] + "." + p[0] + "." + p[2] }),
		{"too long", func(w World) string {
			return w.Issuer.Key("ES256").Token(w.Claims().With(Members{"padding": strings.Repeat("x", 16<<10)}))
		}},
	}
}

// nextLetter returns the letter of base64url that stands for one more than letter.
func nextLetter(letter byte) string {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	return string(letters[(strings.IndexByte(letters, letter)+1)%len(letters)])
}
