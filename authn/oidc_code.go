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
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/internal/openid"
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
	// Again is set if the user is signed in and proves again who they are.
	Again bool `json:"again,omitempty"`
}

// codeFlow signs users in by the authorization code flow (OpenID Connect Core,
// section 3.1) with PKCE.
type codeFlow struct {
	fetched[*openid.Provider]

	client *http.Client
}

func newCodeFlow(issuer string, client *http.Client, clock func() time.Time) *codeFlow {
	discover := func(ctx context.Context) (*openid.Provider, error) { return openid.Discover(ctx, client, issuer) }
	return &codeFlow{client: client, fetched: fetched[*openid.Provider]{
		fetch: discover, clock: clock, trust: keyTrust, pause: endpointsLifetime, timeout: openid.Timeout,
	}}
}

// fetchMetadata returns the metadata of the issuer. It is UNAVAILABLE while the issuer does not answer.
func (i *trustedIssuer) fetchMetadata(ctx context.Context) (*openid.Provider, error) {
	failure := i.code.refresh(ctx)
	provider, ok := i.code.currentValue()
	switch {
	case !ok:
		return nil, issuerUnavailable(i.Issuer, failure)
	case provider.Endpoint().AuthURL == "" || provider.Endpoint().TokenURL == "":
		return nil, issuerUnavailable(i.Issuer, errors.New("it publishes no authorization_endpoint or no token_endpoint"))
	}
	return provider, nil
}

func issuerUnavailable(issuer string, cause error) error {
	return &domain.Error{
		Kind: domain.KindUnavailable, Code: domain.CodeUnavailable,
		Message: "the identity provider does not answer as it should; try again later",
		Cause:   fmt.Errorf("signing in through %s: %w", issuer, cause),
	}
}

// clientConfig returns the configuration of the console as a client of the issuer. Issuers send browsers
// back to the service at the address base.
func (i *trustedIssuer) clientConfig(provider *openid.Provider, base string) (*oauth2.Config, error) {
	config := &oauth2.Config{
		ClientID: i.ClientID, Endpoint: provider.Endpoint(), RedirectURL: base + i.Callback(),
		Scopes: append([]string{oidc.ScopeOpenID, "email", "profile"}, i.Scopes...),
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

// findIssuer returns an issuer that the console offers.
func (o *OIDC) findIssuer(issuer string) (*trustedIssuer, error) {
	if o != nil {
		if found, ok := o.issuers[issuer]; ok && found.ClientID != "" {
			return found, nil
		}
	}
	return nil, domain.NotFound("identity provider")
}

// BeginSignIn returns the address at which a user signs in through an issuer, which sends the user
// back to the issuer's callback of the service at the address base, and the state that the browser
// keeps meanwhile. It is NOT_FOUND for an issuer that the console does not offer, and UNAVAILABLE
// while the issuer does not answer. With again the issuer authenticates the user even if it has a
// session of the user (OpenID Connect Core, section 3.1.2.1, max_age).
func (o *OIDC) BeginSignIn(ctx context.Context, issuer, base string, again bool) (string, SignInAttempt, error) {
	found, err := o.findIssuer(issuer)
	if err != nil {
		return "", SignInAttempt{}, err
	}
	provider, err := found.fetchMetadata(ctx)
	if err != nil {
		return "", SignInAttempt{}, err
	}
	config, err := found.clientConfig(provider, base)
	if err != nil {
		return "", SignInAttempt{}, err
	}
	attempt := SignInAttempt{
		Issuer: issuer, State: oauth2.GenerateVerifier(), Nonce: oauth2.GenerateVerifier(), Verifier: oauth2.GenerateVerifier(),
		Again: again,
	}
	options := []oauth2.AuthCodeOption{oauth2.S256ChallengeOption(attempt.Verifier), oidc.Nonce(attempt.Nonce)}
	if again {
		options = append(options, oauth2.SetAuthURLParam("max_age", "0"))
	}
	return config.AuthCodeURL(attempt.State, options...), attempt, nil
}

// SignInResponse is an authorization response that a browser brings back from an issuer (RFC 6749,
// section 4.1.2).
type SignInResponse struct {
	// Base is the address of the service, Path the path that the browser was sent to.
	Base, Path string
	Query      url.Values
}

// checkIssuer returns the reason to refuse a response to an attempt, "" for none. It is the issuer's: the
// path of its redirect URI and the parameter iss agree (RFC 9700, section 4.4).
func (r SignInResponse) checkIssuer(attempt SignInAttempt, of *trustedIssuer, provider *openid.Provider) domain.SignInReason {
	state := r.Query.Get("state")
	switch {
	case state == "", subtle.ConstantTimeCompare([]byte(state), []byte(attempt.State)) != 1,
		r.Path != of.Callback(), provider.CheckResponse(r.Query) != nil:
		return domain.SignInForeignResponse
	case r.Query.Get("error") != "":
		return domain.SignInIssuerRefused
	}
	return ""
}

// ProveByCode returns the proof of a user that an issuer sent back with a code. A response to another
// attempt or of another issuer, a code that the issuer does not take, and a user without access are
// UNAUTHENTICATED.
func (o *OIDC) ProveByCode(ctx context.Context, attempt SignInAttempt, response SignInResponse) (Proof, error) {
	found, err := o.findIssuer(attempt.Issuer)
	if err != nil {
		return Proof{}, signInError(domain.SignInForeignResponse)
	}
	fail := func(reason domain.SignInReason) (Proof, error) {
		return Proof{}, domain.RefuseSignIn(domain.SignInError{
			Reason: reason, Issuer: found.Issuer, Trusted: true, TenantCodes: found.signInScopes(),
		})
	}
	provider, err := found.fetchMetadata(ctx)
	if err != nil {
		return Proof{}, err
	}
	if reason := response.checkIssuer(attempt, found, provider); reason != "" {
		return fail(reason)
	}
	config, err := found.clientConfig(provider, response.Base)
	if err != nil {
		return Proof{}, err
	}
	token, err := config.Exchange(oidc.ClientContext(ctx, found.code.client), response.Query.Get("code"), oauth2.VerifierOption(attempt.Verifier))
	if err != nil {
		if _, ok := errors.AsType[*oauth2.RetrieveError](err); !ok {
			return Proof{}, issuerUnavailable(found.Issuer, err)
		}
		// The error of the library quotes the answer, which may hold tokens.
		return fail(domain.SignInUnknownCredential)
	}
	raw, _ := token.Extra("id_token").(string)
	issuer, claims, err := o.verifyToken(ctx, raw, o.clock(), found.ClientID)
	switch {
	case err != nil:
		return Proof{}, err
	case issuer != found, claims.Nonce != attempt.Nonce:
		return fail(domain.SignInForeignResponse)
	}
	caller, err := o.settleClaims(ctx, issuer, provider, token, claims)
	if err != nil {
		return Proof{}, issuer.withIssuer(err, claims)
	}
	proof := Proof{caller: caller, issuer: issuer.Issuer, subject: claims.Subject}
	if dateOK(claims.AuthTime) {
		at := numericDate(*claims.AuthTime)
		proof.authenticatedAt = &at
	}
	return proof, nil
}

// resumeSession returns the user of a session that was opened through an issuer, as far as
// the issuer is still trusted.
func (o *OIDC) resumeSession(ctx context.Context, session *domain.Session, now time.Time) (domain.Caller, error) {
	issuer, err := o.findIssuer(session.Issuer)
	if err != nil {
		return domain.Caller{}, signInError(domain.SignInUnknownIssuer)
	}
	caller, err := o.findUser(ctx, issuer, session.Subject, "", now)
	if err == nil && caller.PrincipalID != session.PrincipalID {
		return domain.Caller{}, signInError(domain.SignInUnknownUser)
	}
	return caller, err
}
