package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/spf13/cobra"
	"golang.org/x/oauth2"

	"github.com/procession-dev/procession/internal/openid"
)

// issuerClient is the command line as a client of an issuer.
type issuerClient struct {
	// ctx carries the HTTP client for the issuer, which bounds every request.
	ctx      context.Context //nolint:containedctx // the library takes its HTTP client from it
	provider *openid.Provider
	config   *oauth2.Config
}

// connectIssuer discovers the issuer of a sign-in.
func (s *signIn) connectIssuer(ctx context.Context) (*issuerClient, error) {
	client := openid.NewClient()
	provider, err := openid.Discover(ctx, client, s.Issuer)
	if err != nil {
		return nil, err
	}
	endpoint := provider.Endpoint()
	if endpoint.TokenURL == "" {
		return nil, fmt.Errorf("%s publishes no token_endpoint", s.Issuer)
	}
	return &issuerClient{
		ctx: oidc.ClientContext(ctx, client), provider: provider,
		config: &oauth2.Config{ClientID: s.ClientID, Endpoint: endpoint, Scopes: slices.Clone(s.Scopes)},
	}, nil
}

// checkToken verifies the tokens that an issuer gave and returns the sign-in s with them. A nonce is
// compared unless it is empty, as when tokens are renewed, and the subject with the one of s if that
// has one (OpenID Connect Core, section 12.2). An access token may be renewed without an ID token.
func (c *issuerClient) checkToken(clock func() time.Time, s signIn, token *oauth2.Token, nonce string) (*signIn, error) {
	raw, ok := token.Extra("id_token").(string)
	if !ok && (!s.AccessToken || s.Subject == "") {
		return nil, fmt.Errorf("%s gave no ID token: the scope openid is needed", s.Issuer)
	}
	if ok {
		verified, err := c.provider.Verifier(&oidc.Config{ClientID: s.ClientID, Now: clock}).Verify(c.ctx, raw)
		switch {
		case err != nil:
			return nil, fmt.Errorf("checking the ID token: %w", err)
		case nonce != "" && verified.Nonce != nonce:
			return nil, errors.New("checking the ID token: it answers another sign-in")
		case s.Subject != "" && verified.Subject != s.Subject:
			return nil, errors.New("checking the ID token: it is for another user than before")
		}
		s.Token, s.Subject, s.Expiry = raw, verified.Subject, verified.Expiry.UTC()
	}
	if s.AccessToken {
		if token.ExpiresIn <= 0 {
			return nil, fmt.Errorf("%s does not say when its access token expires (expires_in)", s.Issuer)
		}
		s.Token, s.Expiry = token.AccessToken, clock().Add(time.Duration(token.ExpiresIn)*time.Second).UTC()
	}
	if token.RefreshToken != "" {
		s.RefreshToken = token.RefreshToken
	}
	return &s, nil
}

// deviceToken signs in with a browser on any machine.
func (c *issuerClient) deviceToken(cmd *cobra.Command) (*oauth2.Token, error) {
	if c.config.Endpoint.DeviceAuthURL == "" {
		return nil, usageError("the issuer has no sign-in for devices: leave --device out")
	}
	authorization, err := c.config.DeviceAuth(c.ctx)
	if err != nil {
		return nil, fmt.Errorf("asking the issuer for a code: %w", err)
	}
	if !openid.SafeURL(authorization.VerificationURI) {
		return nil, errors.New("asking the issuer for a code: its verification_uri is not an https URL")
	}
	cmd.PrintErrf("Open %s and enter %s\n", authorization.VerificationURI, cellText(authorization.UserCode))
	token, err := c.config.DeviceAccessToken(c.ctx, authorization)
	if err != nil {
		return nil, fmt.Errorf("signing in: %w", err)
	}
	return token, nil
}

// browserToken signs in with a browser on this machine, which the issuer sends back to a
// port of it.
func (c *issuerClient) browserToken(cmd *cobra.Command, port int, nonce string) (*oauth2.Token, error) {
	if c.config.Endpoint.AuthURL == "" {
		return nil, usageError("the issuer publishes no authorization_endpoint: try --device")
	}
	listener, err := (&net.ListenConfig{}).Listen(c.ctx, "tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return nil, fmt.Errorf("waiting for the browser: %w", err)
	}
	c.config.RedirectURL = "http://" + listener.Addr().String() + "/callback"
	state, verifier := oauth2.GenerateVerifier(), oauth2.GenerateVerifier()
	answers := make(chan url.Values, 1)
	server := &http.Server{Handler: c.callbackHandler(state, answers), ReadHeaderTimeout: openid.Timeout}
	go func() { _ = server.Serve(listener) }() // it ends when the server is closed
	defer func() { _ = server.Close() }()
	cmd.PrintErrf("Open %s\n", c.config.AuthCodeURL(state, oauth2.S256ChallengeOption(verifier), oidc.Nonce(nonce)))
	select {
	case <-c.ctx.Done():
		return nil, fmt.Errorf("waiting for the browser: %w", c.ctx.Err())
	case answer := <-answers:
		if answer.Get("code") == "" {
			return nil, fmt.Errorf("the issuer refuses the sign-in: %q", answer.Get("error"))
		}
		token, err := c.config.Exchange(c.ctx, answer.Get("code"), oauth2.VerifierOption(verifier))
		if err != nil {
			return nil, fmt.Errorf("signing in: %w", err)
		}
		return token, nil
	}
}

// callbackHandler answers the browser that the issuer sends back, and passes on the authorization response.
// A response to another sign-in or of another issuer is refused and has no effect.
func (c *issuerClient) callbackHandler(state string, answers chan<- url.Values) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		if r.URL.Path != "/callback" || query.Get("state") != state || c.provider.CheckResponse(query) != nil {
			http.Error(w, "This is not an answer to the sign-in.", http.StatusBadRequest)
			return
		}
		text := "You are signed in. You may close this window."
		if query.Get("code") == "" {
			text = "The issuer refuses the sign-in."
		}
		fmt.Fprintln(w, text)
		if flusher, ok := w.(http.Flusher); ok {
			flusher.Flush()
		}
		select {
		case answers <- query:
		default: // a browser that asks twice
		}
	})
}
