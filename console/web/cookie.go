package web

import (
	"net/http"
	"net/url"
	"time"

	"github.com/procession-dev/procession/domain"
)

const (
	sessionCookie = "procession-session"
	// hostPrefix makes browsers take a cookie only from the host itself and only on TLS
	// (RFC 6265bis, section 4.1.3.2).
	hostPrefix = "__Host-"
)

// Secure reports whether the browser reached the console on TLS, here or at a proxy
// that says so. Only the browser itself could pretend it, to its own disadvantage.
func Secure(r *http.Request) bool {
	return r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https"
}

// Cookie returns a cookie that scripts cannot read and that other sites' forms do
// not send. An empty value removes it.
func Cookie(r *http.Request, name, value string, lifetime time.Duration) *http.Cookie {
	cookie := &http.Cookie{ //nolint:gosec // Secure where the browser came on TLS
		Name: name, Value: value, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: Secure(r),
		MaxAge: int(lifetime.Seconds()),
	}
	if cookie.Secure {
		cookie.Name = hostPrefix + name
	}
	if value == "" {
		cookie.MaxAge = -1
	}
	return cookie
}

// CookieValue returns the value of a cookie that Cookie made, "" where there is none.
func CookieValue(r *http.Request, name string) string {
	if Secure(r) {
		name = hostPrefix + name
	}
	cookie, err := r.Cookie(name)
	if err != nil {
		return ""
	}
	return cookie.Value
}

// SessionCookie returns the cookie of a session.
func SessionCookie(r *http.Request, secret domain.Secret, lifetime time.Duration) *http.Cookie {
	return Cookie(r, sessionCookie, secret.Reveal(), lifetime)
}

// EndSessionCookie returns a cookie that deletes the cookie of the session.
func EndSessionCookie(r *http.Request) *http.Cookie { return Cookie(r, sessionCookie, "", 0) }

func sessionSecret(r *http.Request) string { return CookieValue(r, sessionCookie) }

func queryEscape(text string) string { return url.QueryEscape(text) }
