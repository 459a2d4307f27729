package config

import (
	"net/url"
	"strings"
)

// redacted replaces a secret in output.
const redacted = "REDACTED"

// Redacted returns the settings with secrets replaced.
func (c *Config) Redacted() *Config {
	shown := *c
	shown.DatabaseURL, shown.DatabaseDirectURL = redactURL(c.DatabaseURL), redactURL(c.DatabaseDirectURL)
	shown.AssistanceURL = redactURL(c.AssistanceURL)
	shown.SealKeyKeeper = redactKMS(c.SealKeyKeeper)
	return &shown
}

// redactURL replaces the password of a URL. A text that is not a URL is replaced entirely.
func redactURL(s string) string {
	if s == "" {
		return ""
	}
	u, err := url.Parse(s)
	if err != nil || u.Scheme == "" {
		return redacted
	}
	query := u.Query()
	if query.Has("password") {
		query.Set("password", redacted)
		u.RawQuery = query.Encode()
	}
	if _, ok := u.User.Password(); ok {
		u.User = url.UserPassword(u.User.Username(), redacted)
	}
	return u.String()
}

// redactKMS replaces a URL that may contain a key.
func redactKMS(url string) string {
	if url == "" || strings.HasPrefix(url, "awskms:") {
		return url
	}
	return redacted
}
