// Package openid is the client of OpenID Connect issuers: discovery, keys and the checks of
// authorization responses, within bounds of time and size.
package openid

import (
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"github.com/procession-dev/procession/internal/tlspolicy"
)

const (
	// Timeout bounds a request to an issuer, with its answer.
	Timeout = 10 * time.Second
	// maxAnswer bounds an answer of an issuer in bytes.
	maxAnswer = 1 << 20
)

// NewClient returns an HTTP client for issuers. It follows no redirects, which could lead to an
// unencrypted connection, cuts off answers after 1 MiB, and keeps no connections open, because
// requests are rare.
func NewClient() *http.Client {
	return &http.Client{Timeout: Timeout, Transport: bounded{next: &http.Transport{
		Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, DisableKeepAlives: true, TLSClientConfig: tlspolicy.New(),
	}}}
}

// bounded turns answers without a usable body into errors.
type bounded struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper. Besides 200 it passes on the errors of token endpoints,
// which are 4xx (RFC 6749, section 5.2).
func (t bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := t.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	tokenError := r.Method == http.MethodPost && response.StatusCode >= 400 && response.StatusCode < 500
	if response.StatusCode != http.StatusOK && !tokenError {
		_ = response.Body.Close()
		return nil, fmt.Errorf("the answer has status %d", response.StatusCode)
	}
	response.Body = limitedBody{Reader: io.LimitReader(response.Body, maxAnswer), Closer: response.Body}
	return response, nil
}

type limitedBody struct {
	io.Reader
	io.Closer
}

// SafeURL reports whether text is an absolute URL with an authentic answer: https, or http on the
// loopback, without credentials and fragment.
func SafeURL(text string) bool {
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || u.User != nil || u.Fragment != "" {
		return false
	}
	switch u.Scheme {
	case "https":
		return true
	case "http":
		ip, err := netip.ParseAddr(u.Hostname())
		return u.Hostname() == "localhost" || err == nil && ip.IsLoopback()
	default:
		return false
	}
}
