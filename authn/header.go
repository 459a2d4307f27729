package authn

import (
	"encoding/base64"
	"strings"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// Challenges returns the values of WWW-Authenticate (RFC 9110) that a 401 answer
// carries.
func Challenges() []string {
	return []string{`Basic realm="procession", charset="UTF-8"`, `Bearer realm="procession"`}
}

const (
	// maxToken bounds a JSON Web Token in bytes. Tokens that list all groups of a
	// user are long.
	maxToken = 16 << 10
	// maxHeader bounds an Authorization header in bytes.
	maxHeader = maxToken + len("Bearer ")
)

// credential is the parsed header: a JSON Web Token, which is verified by its
// issuer's keys, or else a key to look up.
type credential struct {
	token string
	key   persistence.CredentialKey
}

// parseHeader parses the value of an Authorization header: Basic with id and
// secret, Bearer with base64 of the same, with a JSON Web Token (that is, three
// parts with dots between) or with a personal access token. It reports false for
// anything that cannot be a credential.
func parseHeader(header string) (credential, bool) {
	scheme, credentials, ok := splitHeader(header)
	if !ok {
		return credential{}, false
	}
	switch {
	case strings.EqualFold(scheme, "Basic"):
		key, ok := parsePair(credentials)
		return credential{key: key}, ok
	case strings.EqualFold(scheme, "Bearer"):
		if key, ok := parsePair(credentials); ok {
			return credential{key: key}, true
		}
		if strings.Count(credentials, ".") == 2 {
			return credential{token: credentials}, true
		}
		return credential{key: persistence.CredentialKey{
			Kind: domain.CredentialPersonalAccessToken, SecretSHA256: HashSecret(credentials),
		}}, true
	default:
		return credential{}, false
	}
}

// splitHeader splits an Authorization header into its scheme and its credentials (RFC 9110, token68). It reports false for a header
// of another form, or beyond maxHeader.
func splitHeader(header string) (scheme, credentials string, ok bool) {
	if len(header) > maxHeader {
		return "", "", false
	}
	scheme, credentials, found := strings.Cut(header, " ")
	credentials = strings.TrimLeft(credentials, " ")
	return scheme, credentials, found && isToken68(credentials)
}

// parsePair parses base64, padded or not, of "<uuid>:<secret>".
func parsePair(credentials string) (persistence.CredentialKey, bool) {
	encoding := base64.RawStdEncoding
	if strings.HasSuffix(credentials, "=") {
		encoding = base64.StdEncoding
	}
	pair, err := encoding.Strict().DecodeString(credentials)
	if err != nil {
		return persistence.CredentialKey{}, false
	}
	text, secret, found := strings.Cut(string(pair), ":")
	if !found || secret == "" || len(text) != len(uuid.UUID{}.String()) {
		return persistence.CredentialKey{}, false
	}
	id, err := uuid.Parse(text)
	if err != nil {
		return persistence.CredentialKey{}, false
	}
	return persistence.CredentialKey{
		Kind: domain.CredentialApplicationSecret, SecretSHA256: HashSecret(secret), PrincipalID: &id,
	}, true
}

// isToken68 reports whether s is a token68 of RFC 9110, section 11.2.
func isToken68(s string) bool {
	body := strings.TrimRight(s, "=")
	if body == "" {
		return false
	}
	for _, c := range []byte(body) {
		letterOrDigit := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		if !letterOrDigit && !strings.ContainsRune("-._~+/", rune(c)) {
			return false
		}
	}
	return true
}
