package authn

import (
	"encoding/base64"
	stdjson "encoding/json"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-jose/go-jose/v4/json"

	"github.com/procession-dev/procession/domain"
)

// Tokens are parsed with the decoder of the JOSE library: it refuses duplicate
// members and does not match EXP to exp, as encoding/json would.

const (
	// maxNumericDate bounds times in seconds since 1970: beyond are milliseconds.
	maxNumericDate = 1e11
	// maxSubject is the length of the longest subject (OpenID Connect Core,
	// section 2).
	maxSubject = 255
	// maxEmail is the length of the longest address in bytes (RFC 5321).
	maxEmail = 254
	// maxClaimValues and maxClaimValue bound the values of the claim with groups, and each of them in bytes.
	maxClaimValues = 1000
	maxClaimValue  = 1024
)

// tokenHeader contains the relevant members of a token's header.
type tokenHeader struct {
	Algorithm string `json:"alg"`
	KeyID     string `json:"kid"`
	Type      string `json:"typ"`

	// The following members change how a token is parsed, or carry keys: a token
	// with any of them is refused.
	Critical    stdjson.RawMessage `json:"crit"`
	Base64      stdjson.RawMessage `json:"b64"`
	Encryption  stdjson.RawMessage `json:"enc"`
	Compression stdjson.RawMessage `json:"zip"`
	Key         stdjson.RawMessage `json:"jwk"`
	KeysURL     stdjson.RawMessage `json:"jku"`
	Chain       stdjson.RawMessage `json:"x5c"`
	ChainURL    stdjson.RawMessage `json:"x5u"`
}

// hasKnownAlgorithm reports whether a token with the header may authenticate a user.
// Issuers sign tokens of other types, such as logout tokens, with the same keys.
func (h tokenHeader) hasKnownAlgorithm() bool {
	types := []string{"", "jwt", "application/jwt", "at+jwt", "application/at+jwt"}
	return slices.Contains(types, strings.ToLower(h.Type)) &&
		h.Critical == nil && h.Base64 == nil && h.Encryption == nil && h.Compression == nil &&
		h.Key == nil && h.KeysURL == nil && h.Chain == nil && h.ChainURL == nil
}

// isAccessToken reports whether the token says that it is an access token (RFC 9068, section 2.1).
func (h tokenHeader) isAccessToken() bool {
	return strings.TrimPrefix(strings.ToLower(h.Type), "application/") == "at+jwt"
}

// tokenClaims are the relevant claims. Times are in seconds since 1970.
type tokenClaims struct {
	Issuer       string             `json:"iss"`
	Subject      string             `json:"sub"`
	Audience     audience           `json:"aud"`
	Party        *string            `json:"azp"`
	Expiry       *float64           `json:"exp"`
	NotBefore    *float64           `json:"nbf"`
	IssuedAt     *float64           `json:"iat"`
	Confirmation stdjson.RawMessage `json:"cnf"`
	Nonce        string             `json:"nonce"`
	AuthTime     *float64           `json:"auth_time"`

	Name string `json:"name"`

	// email is empty unless the issuer verified it.
	email string
	// groups are the values of the issuer's claim with the groups of the user.
	groups []string
	// hasEmail and hasGroups report whether the issuer named an address and whether it verified that, and groups.
	hasEmail, hasGroups bool
}

// audience is a string or several (RFC 7519, section 4.1.3).
type audience []string

// UnmarshalJSON implements json.Unmarshaler.
func (a *audience) UnmarshalJSON(data []byte) error {
	var one *string
	if err := json.Unmarshal(data, &one); err == nil {
		if one == nil {
			return errors.New("an audience is not null")
		}
		*a = audience{*one}
		return nil
	}
	var many []*string
	if err := json.Unmarshal(data, &many); err != nil {
		return err
	}
	for _, one := range many {
		if one == nil {
			return errors.New("an audience is not null")
		}
		*a = append(*a, *one)
	}
	return nil
}

// refusalReason returns the reason why the claims do not authenticate a user: they have
// no valid subject, audience or time. It is empty if they do. A token that is
// bound to a key (cnf) is refused, because the service cannot verify that its
// bearer has the key.
func (c *tokenClaims) refusalReason(audiences []string, now time.Time, skew time.Duration) domain.SignInReason {
	future := func(since *float64) bool { return since != nil && now.Add(skew).Before(numericDate(*since)) }
	dates := dateOK(c.Expiry) && (c.NotBefore == nil || dateOK(c.NotBefore)) && (c.IssuedAt == nil || dateOK(c.IssuedAt))
	switch {
	case !subjectOK(c.Subject), c.Confirmation != nil, !dates:
		return domain.SignInMalformed
	case !c.isForAudience(audiences):
		return domain.SignInWrongAudience
	case !now.Before(numericDate(*c.Expiry).Add(skew)):
		return domain.SignInExpired
	case future(c.NotBefore), future(c.IssuedAt):
		return domain.SignInNotYetValid
	}
	return ""
}

// isForAudience reports whether the token is for one of the configured audiences. A token
// for several audiences must also have been issued to one of them (OpenID Connect
// Core, section 3.1.3.7).
func (c *tokenClaims) isForAudience(ours []string) bool {
	if !slices.ContainsFunc(c.Audience, func(a string) bool { return slices.Contains(ours, a) }) {
		return false
	}
	return len(c.Audience) == 1 || c.Party != nil && slices.Contains(ours, *c.Party)
}

// subjectOK reports whether a subject is valid (OpenID Connect Core, section 2):
// non-empty ASCII of limited length.
func subjectOK(subject string) bool {
	return subject != "" && len(subject) <= maxSubject &&
		!strings.ContainsFunc(subject, func(r rune) bool { return r < ' ' || r > '~' })
}

func dateOK(seconds *float64) bool {
	return seconds != nil && *seconds > 0 && *seconds < maxNumericDate
}

func numericDate(seconds float64) time.Time {
	whole := int64(seconds)
	return time.Unix(whole, int64((seconds-float64(whole))*float64(time.Second))).UTC()
}

// peekToken returns the header of a token and the issuer that it names, both
// unverified. It returns false for a token that cannot be a user's.
func peekToken(raw string) (header tokenHeader, issuer string, ok bool) {
	parts := strings.Split(raw, ".")
	var claims tokenClaims
	if len(parts) != 3 || !decodePart(parts[0], &header) || !header.hasKnownAlgorithm() || !decodePart(parts[1], &claims) {
		return tokenHeader{}, "", false
	}
	_, err := strictBase64().DecodeString(parts[2])
	return header, claims.Issuer, err == nil
}

func decodePart(part string, into any) bool {
	data, err := strictBase64().DecodeString(part)
	return err == nil && json.Unmarshal(data, into) == nil
}

// strictBase64 accepts only one encoding of the same bytes.
func strictBase64() *base64.Encoding { return base64.RawURLEncoding.Strict() }

// readClaims parses the claims of a verified token.
func readClaims(token *oidc.IDToken, emailClaim, groupsClaim string) (tokenClaims, bool) {
	var payload stdjson.RawMessage
	var claims tokenClaims
	var all map[string]stdjson.RawMessage
	if token.Claims(&payload) != nil || json.Unmarshal(payload, &claims) != nil || json.Unmarshal(payload, &all) != nil {
		return tokenClaims{}, false
	}
	claims.readPerson(all, emailClaim, groupsClaim)
	return claims, true
}

// readPerson reads the address and the groups of a user, unless the claims have them already. The address and its verification
// are taken from the same source.
func (c *tokenClaims) readPerson(all map[string]stdjson.RawMessage, emailClaim, groupsClaim string) {
	address, isNamed := all[emailClaim]
	verified, isKnown := all["email_verified"]
	if isNamed && isKnown && !c.hasEmail {
		c.email, c.hasEmail = verifiedEmail(address, verified), true
	}
	if groups, isNamed := all[groupsClaim]; isNamed && groupsClaim != "" && !c.hasGroups {
		c.groups, c.hasGroups = readGroups(groups), true
	}
}

// readGroups returns the distinct values of a claim, a text or an array of texts. A claim that is missing, of another form, or with
// more or longer values than allowed, such as the reference to too many groups of Microsoft Entra ID, has none.
func readGroups(claim stdjson.RawMessage) []string {
	var values []string
	if json.Unmarshal(claim, &values) != nil {
		var one string
		if json.Unmarshal(claim, &one) != nil {
			return nil
		}
		values = []string{one}
	}
	slices.Sort(values)
	values = slices.Compact(values)
	if len(values) > maxClaimValues || slices.ContainsFunc(values, func(v string) bool { return len(v) > maxClaimValue }) {
		return nil
	}
	return slices.DeleteFunc(values, func(v string) bool { return v == "" || strings.ContainsFunc(v, unicode.IsControl) })
}

// verifiedEmail returns the e-mail address, or "" unless the issuer verified it:
// email_verified must be true, not the string "true".
func verifiedEmail(address, verified stdjson.RawMessage) string {
	var isVerified bool
	var email string
	if json.Unmarshal(verified, &isVerified) != nil || !isVerified ||
		json.Unmarshal(address, &email) != nil || len(email) > maxEmail ||
		strings.ContainsFunc(email, func(r rune) bool { return r <= ' ' || r == '\x7f' || r == '\uFFFD' }) {
		return ""
	}
	return email
}
