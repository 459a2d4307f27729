package authn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-jose/go-jose/v4"
)

// maxIssuerAnswer bounds an answer of an issuer in bytes.
const maxIssuerAnswer = 1 << 20

// keySource fetches the keys of an issuer.
type keySource struct {
	issuer  string
	jwksURL string
	client  *http.Client
}

// fetch returns the usable keys that the issuer publishes. It discovers their URL
// first, unless that is configured.
func (s keySource) fetch(ctx context.Context) ([]jose.JSONWebKey, error) {
	from := s.jwksURL
	if from == "" {
		var err error
		if from, err = s.discover(ctx); err != nil {
			return nil, fmt.Errorf("discovering the issuer %s: %w", s.issuer, err)
		}
	}
	keys, err := s.fetchKeys(ctx, from)
	if err != nil {
		return nil, fmt.Errorf("fetching the keys of the issuer %s: %w", s.issuer, err)
	}
	return keys, nil
}

// discover returns the URL of the issuer's keys (OpenID Connect Discovery,
// section 4).
func (s keySource) discover(ctx context.Context) (string, error) {
	provider, err := oidc.NewProvider(oidc.ClientContext(ctx, s.client), s.issuer)
	if err != nil {
		return "", err
	}
	var metadata struct {
		JWKSURL string `json:"jwks_uri"`
	}
	if err := provider.Claims(&metadata); err != nil {
		return "", fmt.Errorf("reading its metadata: %w", err)
	}
	u, err := url.Parse(metadata.JWKSURL)
	if err != nil || !safeURL(u) {
		return "", errors.New("its jwks_uri is not an https URL")
	}
	return metadata.JWKSURL, nil
}

// fetchKeys fetches a JSON Web Key Set. An empty set is valid: the issuer has
// withdrawn all keys.
func (s keySource) fetchKeys(ctx context.Context, from string) ([]jose.JSONWebKey, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, from, nil)
	if err != nil {
		return nil, err
	}
	response, err := s.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	var set struct {
		Keys *[]json.RawMessage `json:"keys"`
	}
	if err := json.NewDecoder(response.Body).Decode(&set); err != nil {
		return nil, fmt.Errorf("reading a JSON Web Key Set: %w", err)
	}
	if set.Keys == nil {
		return nil, errors.New("the answer is not a JSON Web Key Set")
	}
	keys := []jose.JSONWebKey{}
	for _, raw := range *set.Keys {
		var key jose.JSONWebKey
		// A set may contain keys of unknown types (RFC 7517, section 5).
		if json.Unmarshal(raw, &key) == nil && algorithmOf(key) != "" {
			keys = append(keys, key)
		}
	}
	return keys, nil
}

// newIssuerClient returns the HTTP client for issuers. It keeps no connections
// open, because requests are rare.
func newIssuerClient() *http.Client {
	return &http.Client{Transport: onlyOK{next: &http.Transport{
		Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, DisableKeepAlives: true,
	}}}
}

// onlyOK turns every answer but 200 into an error, redirects included, which
// could lead to an unencrypted connection. It cuts off answers that are too long.
type onlyOK struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (t onlyOK) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := t.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		_ = response.Body.Close()
		return nil, fmt.Errorf("the answer has status %d", response.StatusCode)
	}
	response.Body = limitedBody{Reader: io.LimitReader(response.Body, maxIssuerAnswer), Closer: response.Body}
	return response, nil
}

type limitedBody struct {
	io.Reader
	io.Closer
}
