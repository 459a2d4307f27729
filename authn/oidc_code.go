package authn

import (
	"cmp"
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/procession-dev/procession/domain"
)

// endpointsLifetime is how long the endpoints that an issuer publishes are
// remembered.
const endpointsLifetime = time.Hour

// SignInIssuer is an issuer that users can sign in to the console through.
type SignInIssuer struct {
	Issuer string
	Name   string
}

// SignInAttempt is the state that a browser keeps while its user is at an issuer.
type SignInAttempt struct {
	Issuer   string `json:"issuer"`
	State    string `json:"state"`
	Nonce    string `json:"nonce"`
	Verifier string `json:"verifier"`
	// Return is where the user goes afterwards.
	Return string `json:"return"`
}

// codeFlow signs users in by the authorization code flow (OpenID Connect Core,
// section 3.1) with PKCE.
type codeFlow struct {
	issuer string
	client *http.Client
	clock  func() time.Time

	mu        sync.Mutex
	endpoints oauth2.Endpoint
	fetched   time.Time
}

// endpoint returns the endpoints of the issuer. They are https unless the issuer is
// on the loopback.
func (f *codeFlow) endpoint(ctx context.Context) (oauth2.Endpoint, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if now := f.clock(); f.fetched.IsZero() || now.Sub(f.fetched) > endpointsLifetime {
		provider, err := oidc.NewProvider(oidc.ClientContext(ctx, f.client), f.issuer)
		if err != nil {
			return oauth2.Endpoint{}, issuerUnavailable(f.issuer, err)
		}
		endpoints := provider.Endpoint()
		for _, address := range []string{endpoints.AuthURL, endpoints.TokenURL} {
			if u, err := url.Parse(address); err != nil || !safeURL(u) {
				return oauth2.Endpoint{}, issuerUnavailable(f.issuer, errors.New("its endpoints are not https URLs"))
			}
		}
		f.endpoints, f.fetched = endpoints, now
	}
	return f.endpoints, nil
}

func issuerUnavailable(issuer string, cause error) error {
	return &domain.Error{
		Kind: domain.KindUnavailable, Code: domain.CodeUnavailable,
		Message: "the identity provider does not answer as it should; try again later",
		Cause:   fmt.Errorf("signing in through %s: %w", issuer, cause),
	}
}

// config returns what the client of an issuer is set up as.
func (i *trustedIssuer) config(ctx context.Context, redirect string) (*oauth2.Config, error) {
	endpoint, err := i.code.endpoint(ctx)
	if err != nil {
		return nil, err
	}
	config := &oauth2.Config{
		ClientID: i.ClientID, Endpoint: endpoint, RedirectURL: redirect, Scopes: []string{oidc.ScopeOpenID, "email", "profile"},
	}
	if i.ClientSecretFile != "" {
		secret, err := os.ReadFile(i.ClientSecretFile)
		if err != nil {
			return nil, fmt.Errorf("reading the client secret for %s: %w", i.Issuer, err)
		}
		config.ClientSecret = strings.TrimSpace(string(secret))
	}
	return config, nil
}

// SignInIssuers returns the issuers that the console offers, in the order of their
// names.
func (o *OIDC) SignInIssuers() []SignInIssuer {
	var offered []SignInIssuer
	for _, issuer := range o.issuers {
		if issuer.ClientID != "" {
			offered = append(offered, SignInIssuer{Issuer: issuer.Issuer, Name: cmp.Or(issuer.Name, hostOf(issuer.Issuer))})
		}
	}
	slices.SortFunc(offered, func(a, b SignInIssuer) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Issuer, b.Issuer))
	})
	return offered
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return u.Hostname()
}

// offered returns an issuer that the console offers.
func (o *OIDC) offered(issuer string) (*trustedIssuer, error) {
	if o != nil {
		if found, ok := o.issuers[issuer]; ok && found.ClientID != "" {
			return found, nil
		}
	}
	return nil, domain.NotFound("identity provider")
}

// BeginSignIn returns where a user is sent to sign in through an issuer, which sends
// the user back to redirect, and what the browser has to keep meanwhile. It is
// NOT_FOUND for an issuer that the console does not offer, and UNAVAILABLE while the
// issuer does not answer.
func (o *OIDC) BeginSignIn(ctx context.Context, issuer, redirect string) (string, SignInAttempt, error) {
	found, err := o.offered(issuer)
	if err != nil {
		return "", SignInAttempt{}, err
	}
	config, err := found.config(ctx, redirect)
	if err != nil {
		return "", SignInAttempt{}, err
	}
	attempt := SignInAttempt{
		Issuer: issuer, State: oauth2.GenerateVerifier(), Nonce: oauth2.GenerateVerifier(), Verifier: oauth2.GenerateVerifier(),
	}
	return config.AuthCodeURL(attempt.State, oauth2.S256ChallengeOption(attempt.Verifier), oidc.Nonce(attempt.Nonce)), attempt, nil
}

// ProveByCode returns the proof of a user that an issuer sent back with a code and
// the state. A code that the issuer does not take, and a user that is not let in,
// are UNAUTHENTICATED.
func (o *OIDC) ProveByCode(ctx context.Context, attempt SignInAttempt, redirect, state, code string) (Proof, error) {
	if subtle.ConstantTimeCompare([]byte(state), []byte(attempt.State)) != 1 || state == "" {
		return Proof{}, refuse(domain.SignInMalformed)
	}
	found, err := o.offered(attempt.Issuer)
	if err != nil {
		return Proof{}, err
	}
	config, err := found.config(ctx, redirect)
	if err != nil {
		return Proof{}, err
	}
	token, err := config.Exchange(oidc.ClientContext(ctx, found.code.client), code, oauth2.VerifierOption(attempt.Verifier))
	if err != nil {
		// The error of the library quotes the answer, which may hold tokens.
		return Proof{}, refuse(domain.SignInUnknownCredential)
	}
	raw, _ := token.Extra("id_token").(string)
	now := o.clock()
	issuer, claims, err := o.verify(ctx, raw, now, []string{found.ClientID})
	switch {
	case err != nil:
		return Proof{}, err
	case issuer != found, claims.Nonce != attempt.Nonce:
		return Proof{}, refuse(domain.SignInMalformed)
	}
	caller, err := o.user(ctx, issuer, claims.Subject, claims.email, now)
	if err != nil {
		return Proof{}, issuer.blame(err, claims)
	}
	return Proof{caller: caller, issuer: issuer.Issuer, subject: claims.Subject}, nil
}

// resume returns the user of a session that was opened through an issuer, as far as
// the issuer is still trusted.
func (o *OIDC) resume(ctx context.Context, session *domain.Session, now time.Time) (domain.Caller, error) {
	issuer, err := o.offered(session.Issuer)
	if err != nil {
		return domain.Caller{}, refuse(domain.SignInUnknownIssuer)
	}
	caller, err := o.user(ctx, issuer, session.Subject, "", now)
	if err == nil && caller.PrincipalID != session.PrincipalID {
		return domain.Caller{}, refuse(domain.SignInUnknownUser)
	}
	return caller, err
}
