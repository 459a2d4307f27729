package signin

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"time"

	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/console/web"
)

const (
	attemptCookie = "procession-sign-in"
	// attemptLifetime bounds the time of a sign-in at an issuer.
	attemptLifetime = 10 * time.Minute
	// maxAttempt bounds the value of the cookie in bytes. Browsers drop cookies of more than 4096
	// bytes with name and attributes (RFC 6265bis, section 5.6).
	maxAttempt = 3800
)

// keepAttempt returns the cookie with the state of a sign-in at an issuer. A return path that does
// not fit in is replaced by the start page.
func keepAttempt(v *web.Visit, attempt authn.SignInAttempt) *http.Cookie {
	value := encodeAttempt(attempt)
	if len(value) > maxAttempt {
		attempt.Return = web.Root
		value = encodeAttempt(attempt)
	}
	return web.Cookie(v.Request, attemptCookie, value, attemptLifetime)
}

func encodeAttempt(attempt authn.SignInAttempt) string {
	// Encoding a struct of texts does not fail.
	text, _ := json.Marshal(attempt) //nolint:errchkjson // as above
	return base64.RawURLEncoding.EncodeToString(text)
}

// attemptOf returns the state of the browser's sign-in at an issuer.
func attemptOf(v *web.Visit) (attempt authn.SignInAttempt, ok bool) {
	text, err := base64.RawURLEncoding.DecodeString(web.CookieValue(v.Request, attemptCookie))
	ok = err == nil && json.Unmarshal(text, &attempt) == nil && attempt.State != ""
	return attempt, ok
}
