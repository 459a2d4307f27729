package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/spf13/cobra"
	"golang.org/x/oauth2"

	"github.com/procession-dev/procession/domain"
)

const (
	// issuerTimeout bounds each request to an issuer.
	issuerTimeout = 30 * time.Second
	// expiresSoon is how long before its end a token is renewed.
	expiresSoon = 30 * time.Second
)

// loginFlags are the flags for the issuer and the way of signing in.
type loginFlags struct {
	issuer, clientID string
	scopes           []string
	device           bool
	port             int
	timeout          time.Duration
}

func newLoginCommand(env Environment) *cobra.Command {
	var f loginFlags
	cmd := withoutService(&cobra.Command{
		Use: "login", Args: exactly(), Short: "Sign in through OpenID Connect, for the current context",
		Long: "Signs in at an issuer that the service trusts, and keeps the ID token and, if the issuer gives one, the refresh token\n" +
			"with the context. It prints an address to open in a browser on this machine, or with --device one to open on any.\n" +
			"The client must be public, with the redirect address http://127.0.0.1, on any port or on --port.",
		Example: "  procession login --issuer https://login.example/realms/staff --client-id procession",
	}, func(cmd *cobra.Command, _ []string) error {
		name, c, err := env.context(cmd.Flags())
		if err != nil {
			return err
		}
		if name == "" {
			return misuse("there is no context to sign in for: see procession context add --help")
		}
		if c.Login != nil {
			f.complete(cmd, c.Login)
		}
		if f.issuer == "" || f.clientID == "" {
			return misuse("%s needs --issuer and --client-id", cmd.CommandPath())
		}
		ctx, cancel := context.WithTimeout(issuerContext(cmd.Context()), f.timeout)
		defer cancel()
		done, err := f.signIn(ctx, cmd, env.Clock)
		if err != nil {
			return err
		}
		err = env.changeContexts(func(all *contexts) error {
			known, err := all.find(name)
			if err == nil {
				known.Login, known.TokenFile = done, ""
			}
			return err
		})
		if err == nil {
			cmd.PrintErrf("signed in at %s for the context %s\n", f.issuer, name)
		}
		return err
	})
	flags := cmd.Flags()
	flags.String("context", "", "`name` of the context, instead of the current one; "+variableContext)
	flags.StringVar(&f.issuer, "issuer", "", "`address` of the issuer; required the first time")
	flags.StringVar(&f.clientID, "client-id", "", "`id` of the command line at the issuer; required the first time")
	flags.StringSliceVar(&f.scopes, "scope", []string{oidc.ScopeOpenID, "email", oidc.ScopeOfflineAccess}, "`scope` to ask for; repeatable")
	flags.BoolVar(&f.device, "device", false, "sign in with a browser on another machine")
	flags.IntVar(&f.port, "port", 0, "`port` of 127.0.0.1 to which the browser is sent back; 0 for any")
	flags.DurationVar(&f.timeout, "timeout", 5*time.Minute, "how long signing in may take")
	return cmd
}

// complete takes what was not given from the sign-in before.
func (f *loginFlags) complete(cmd *cobra.Command, before *signIn) {
	if f.issuer == "" {
		f.issuer = before.Issuer
	}
	if f.clientID == "" {
		f.clientID = before.ClientID
	}
	if !cmd.Flags().Changed("scope") {
		f.scopes = before.Scopes
	}
}

// issuerContext returns a context whose requests to issuers are bounded.
func issuerContext(ctx context.Context) context.Context {
	return oidc.ClientContext(ctx, &http.Client{Timeout: issuerTimeout})
}

// signIn signs the user in.
func (f *loginFlags) signIn(ctx context.Context, cmd *cobra.Command, clock func() time.Time) (*signIn, error) {
	provider, err := oidc.NewProvider(ctx, f.issuer)
	if err != nil {
		return nil, fmt.Errorf("looking for the issuer: %w", err)
	}
	config := &oauth2.Config{ClientID: f.clientID, Endpoint: provider.Endpoint(), Scopes: slices.Clone(f.scopes)}
	var token *oauth2.Token
	nonce := ""
	if f.device {
		token, err = deviceToken(ctx, cmd, config)
	} else {
		nonce = rand.Text()
		token, err = f.browserToken(ctx, cmd, config, nonce)
	}
	if err != nil {
		return nil, err
	}
	return checkToken(ctx, provider, clock, signIn{Issuer: f.issuer, ClientID: f.clientID, Scopes: f.scopes}, token, nonce)
}

// checkToken verifies the ID token that an issuer gave. A nonce is compared unless it is
// empty, as when a token is renewed.
func checkToken(
	ctx context.Context, provider *oidc.Provider, clock func() time.Time, s signIn, token *oauth2.Token, nonce string,
) (*signIn, error) {
	raw, ok := token.Extra("id_token").(string)
	if !ok {
		return nil, fmt.Errorf("%s gave no ID token: the scope openid is needed", s.Issuer)
	}
	verified, err := provider.Verifier(&oidc.Config{ClientID: s.ClientID, Now: clock}).Verify(ctx, raw)
	if err != nil {
		return nil, fmt.Errorf("checking the ID token: %w", err)
	}
	if nonce != "" && verified.Nonce != nonce {
		return nil, errors.New("checking the ID token: it answers another sign-in")
	}
	s.Token, s.Expiry = raw, verified.Expiry.UTC()
	if token.RefreshToken != "" {
		s.RefreshToken = token.RefreshToken
	}
	return &s, nil
}

// deviceToken signs in with a browser on any machine.
func deviceToken(ctx context.Context, cmd *cobra.Command, config *oauth2.Config) (*oauth2.Token, error) {
	if config.Endpoint.DeviceAuthURL == "" {
		return nil, misuse("the issuer has no sign-in for devices: leave --device out")
	}
	asked, err := config.DeviceAuth(ctx)
	if err != nil {
		return nil, fmt.Errorf("asking the issuer for a code: %w", err)
	}
	cmd.PrintErrf("Open %s and enter %s\n", asked.VerificationURI, asked.UserCode)
	token, err := config.DeviceAccessToken(ctx, asked)
	if err != nil {
		return nil, fmt.Errorf("signing in: %w", err)
	}
	return token, nil
}

// browserToken signs in with a browser on this machine, which the issuer sends back to a
// port of it.
func (f *loginFlags) browserToken(ctx context.Context, cmd *cobra.Command, config *oauth2.Config, nonce string) (*oauth2.Token, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", fmt.Sprintf("127.0.0.1:%d", f.port))
	if err != nil {
		return nil, fmt.Errorf("waiting for the browser: %w", err)
	}
	config.RedirectURL = "http://" + listener.Addr().String() + "/callback"
	state, verifier := rand.Text(), oauth2.GenerateVerifier()
	answers := make(chan func() (string, error), 1)
	server := &http.Server{Handler: callback(state, answers), ReadHeaderTimeout: issuerTimeout}
	go func() { _ = server.Serve(listener) }() // it ends when the server is closed
	defer func() { _ = server.Close() }()
	cmd.PrintErrf("Open %s\n", config.AuthCodeURL(state, oauth2.S256ChallengeOption(verifier), oidc.Nonce(nonce)))
	select {
	case <-ctx.Done():
		return nil, fmt.Errorf("waiting for the browser: %w", ctx.Err())
	case answer := <-answers:
		code, err := answer()
		if err != nil {
			return nil, err
		}
		token, err := config.Exchange(ctx, code, oauth2.VerifierOption(verifier))
		if err != nil {
			return nil, fmt.Errorf("signing in: %w", err)
		}
		return token, nil
	}
}

// callback answers the browser that the issuer sends back, and passes on what it brings.
// What does not belong to this sign-in is refused and changes nothing.
func callback(state string, answers chan<- func() (string, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		if r.URL.Path != "/callback" || query.Get("state") != state {
			http.Error(w, "This is not an answer to the sign-in.", http.StatusBadRequest)
			return
		}
		code, refusal := query.Get("code"), query.Get("error")
		answer := func() (string, error) { return code, nil }
		text := "You are signed in. You may close this window."
		if code == "" {
			answer = func() (string, error) { return "", fmt.Errorf("the issuer refuses the sign-in: %q", refusal) }
			text = "The issuer refuses the sign-in."
		}
		fmt.Fprintln(w, text)
		if flusher, ok := w.(http.Flusher); ok {
			flusher.Flush()
		}
		select {
		case answers <- answer:
		default: // a browser that asks twice
		}
	})
}

// token returns the token of a context that is signed in, renewed if it expires soon.
func (env Environment) token(ctx context.Context, name string, c *serverContext) (string, error) {
	now := env.Clock()
	if now.Before(c.Login.Expiry.Add(-expiresSoon)) {
		return c.Login.Token, nil
	}
	if c.Login.RefreshToken == "" {
		return "", expiredLogin(name, nil)
	}
	token := ""
	err := env.changeContexts(func(all *contexts) error {
		known, err := all.find(name)
		if err != nil || known.Login == nil {
			return expiredLogin(name, err)
		}
		// Another command may have renewed it meanwhile.
		if now.After(known.Login.Expiry.Add(-expiresSoon)) {
			if err := known.Login.renew(issuerContext(ctx), env.Clock); err != nil {
				return expiredLogin(name, err)
			}
		}
		token = known.Login.Token
		return nil
	})
	return token, err
}

// renew gets another ID token for the refresh token.
func (s *signIn) renew(ctx context.Context, clock func() time.Time) error {
	provider, err := oidc.NewProvider(ctx, s.Issuer)
	if err != nil {
		return err
	}
	config := &oauth2.Config{ClientID: s.ClientID, Endpoint: provider.Endpoint(), Scopes: s.Scopes}
	token, err := config.TokenSource(ctx, &oauth2.Token{RefreshToken: s.RefreshToken}).Token()
	if err != nil {
		return err
	}
	renewed, err := checkToken(ctx, provider, clock, *s, token, "")
	if err != nil {
		return err
	}
	*s = *renewed
	return nil
}

// expiredLogin returns the failure of a sign-in that does not hold any longer.
func expiredLogin(name string, cause error) error {
	text := "the sign-in of the context " + name + " has expired: procession login renews it"
	if cause != nil {
		text += fmt.Sprintf(" (%v)", cause)
	}
	return &failure{kind: domain.KindUnauthenticated, text: text}
}
