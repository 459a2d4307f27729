package openid

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/coreos/go-oidc/v3/oidc"
)

// Provider contains the metadata that an issuer publishes. Every endpoint in it passes SafeURL or
// is empty.
type Provider struct {
	*oidc.Provider

	// KeysURL is the address of the issuer's keys.
	KeysURL string

	issuer string
	// namesItself is set if every authorization response has the parameter iss.
	namesItself bool
}

// Discover fetches the metadata of an issuer (OpenID Connect Discovery, section 4).
func Discover(ctx context.Context, client *http.Client, issuer string) (*Provider, error) {
	if !SafeURL(issuer) {
		return nil, errors.New("the issuer must be an https URL without credentials (http only for the loopback)")
	}
	found, err := oidc.NewProvider(oidc.ClientContext(ctx, client), issuer)
	if err != nil {
		return nil, err
	}
	var metadata struct {
		KeysURL     string `json:"jwks_uri"`
		NamesItself bool   `json:"authorization_response_iss_parameter_supported"`
	}
	if err := found.Claims(&metadata); err != nil {
		return nil, fmt.Errorf("reading its metadata: %w", err)
	}
	if !SafeURL(metadata.KeysURL) {
		return nil, errors.New("its jwks_uri is not an https URL")
	}
	endpoint := found.Endpoint()
	for name, address := range map[string]string{
		"authorization_endpoint": endpoint.AuthURL, "token_endpoint": endpoint.TokenURL,
		"device_authorization_endpoint": endpoint.DeviceAuthURL, "userinfo_endpoint": found.UserInfoEndpoint(),
	} {
		if address != "" && !SafeURL(address) {
			return nil, fmt.Errorf("its %s is not an https URL", name)
		}
	}
	return &Provider{Provider: found, KeysURL: metadata.KeysURL, issuer: issuer, namesItself: metadata.NamesItself}, nil
}

// CheckResponse checks that an authorization response is the issuer's (RFC 9207, section 2.4).
func (p *Provider) CheckResponse(query url.Values) error {
	switch named := query["iss"]; {
	case len(named) == 0 && p.namesItself:
		return fmt.Errorf("the response has no issuer, and %s names itself in each", p.issuer)
	case len(named) > 1, len(named) == 1 && named[0] != p.issuer:
		return fmt.Errorf("the response is not from %s", p.issuer)
	}
	return nil
}

// FetchKeys fetches the keys of a JSON Web Key Set. An empty set is valid: the issuer has withdrawn
// all keys.
func FetchKeys(ctx context.Context, client *http.Client, from string) ([]json.RawMessage, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, from, nil)
	if err != nil {
		return nil, err
	}
	response, err := client.Do(request)
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
	return *set.Keys, nil
}
