package cli

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/spf13/cobra"
	"golang.org/x/oauth2"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/internal/openid"
)

// expiresSoon is how long before its end a token is renewed.
const expiresSoon = 30 * time.Second

// loginFlags are the flags for the issuer and the way of signing in.
type loginFlags struct {
	issuer, clientID string
	scopes           []string
	accessToken      bool
	device           bool
	port             int
	timeout          time.Duration
}

func newLoginCommand(env Environment) *cobra.Command {
	var f loginFlags
	cmd := withoutService(&cobra.Command{
		Use: "login", Args: requireArgs(), Short: "Sign in through OpenID Connect, for the current context",
		Long: "Signs in at an issuer that the service trusts, and keeps the ID token, or with --access-token the access token, and the\n" +
			"refresh token if the issuer gives one with the context. It prints an address to open in a browser on this machine, or with --device one to open on any.\n" +
			"The client must be public, with the redirect address http://127.0.0.1, on any port or on --port.",
		Example: "  procession login --issuer https://login.example/realms/staff --client-id procession",
	}, func(cmd *cobra.Command, _ []string) error {
		name, c, err := env.currentContext(cmd.Flags())
		if err != nil {
			return err
		}
		if name == "" {
			return usageError("there is no context to sign in for: see procession context add --help")
		}
		if c.Login != nil {
			f.addDefaults(cmd, c.Login)
		}
		if f.issuer == "" || f.clientID == "" {
			return usageError("%s needs --issuer and --client-id", cmd.CommandPath())
		}
		if !openid.SafeURL(f.issuer) {
			return usageError("--issuer must be an https URL without credentials (http only for the loopback)")
		}
		ctx, cancel := context.WithTimeout(cmd.Context(), f.timeout)
		defer cancel()
		done, err := f.signIn(ctx, cmd, env.Clock)
		if err != nil {
			return err
		}
		err = env.changeContexts(func(all *contexts) error {
			existing, err := all.findContext(name)
			if err == nil {
				existing.Login, existing.TokenFile = done, ""
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
	flags.BoolVar(&f.accessToken, "access-token", false, "use the access token instead of the ID token, for services that require it")
	flags.BoolVar(&f.device, "device", false, "sign in with a browser on another machine")
	flags.IntVar(&f.port, "port", 0, "`port` of 127.0.0.1 to which the browser is sent back; 0 for any")
	flags.DurationVar(&f.timeout, "timeout", 5*time.Minute, "how long signing in may take")
	return cmd
}

// addDefaults sets absent flags from the previous sign-in.
func (f *loginFlags) addDefaults(cmd *cobra.Command, before *signIn) {
	if f.issuer == "" {
		f.issuer = before.Issuer
	}
	if f.clientID == "" {
		f.clientID = before.ClientID
	}
	if !cmd.Flags().Changed("scope") {
		f.scopes = before.Scopes
	}
	if !cmd.Flags().Changed("access-token") {
		f.accessToken = before.AccessToken
	}
}

// signIn signs the user in.
func (f *loginFlags) signIn(ctx context.Context, cmd *cobra.Command, clock func() time.Time) (*signIn, error) {
	previous := signIn{Issuer: f.issuer, ClientID: f.clientID, Scopes: f.scopes, AccessToken: f.accessToken}
	c, err := previous.connectIssuer(ctx)
	if err != nil {
		return nil, fmt.Errorf("looking for the issuer: %w", err)
	}
	var token *oauth2.Token
	nonce := ""
	if f.device {
		token, err = c.deviceToken(cmd)
	} else {
		nonce = rand.Text()
		token, err = c.browserToken(cmd, f.port, nonce)
	}
	if err != nil {
		return nil, err
	}
	return c.checkToken(clock, previous, token, nonce)
}

// signInToken returns the token of a context that is signed in, renewed if it expires soon.
func (env Environment) signInToken(ctx context.Context, name string, c *serverContext) (string, error) {
	now := env.Clock()
	if now.Before(c.Login.Expiry.Add(-expiresSoon)) {
		return c.Login.Token, nil
	}
	if c.Login.RefreshToken == "" {
		return "", expiredLogin(name, nil)
	}
	token := ""
	err := env.changeContexts(func(all *contexts) error {
		server, err := all.findContext(name)
		if err != nil || server.Login == nil {
			return expiredLogin(name, err)
		}
		// Another command may have renewed it meanwhile.
		if now.After(server.Login.Expiry.Add(-expiresSoon)) {
			if err := server.Login.renewToken(ctx, env.Clock); err != nil {
				return expiredLogin(name, err)
			}
		}
		token = server.Login.Token
		return nil
	})
	return token, err
}

// renewToken gets another token for the refresh token.
func (s *signIn) renewToken(ctx context.Context, clock func() time.Time) error {
	c, err := s.connectIssuer(ctx)
	if err != nil {
		return err
	}
	token, err := c.config.TokenSource(c.ctx, &oauth2.Token{RefreshToken: s.RefreshToken}).Token() //nolint:contextcheck // c.ctx has the client for issuers
	if err != nil {
		return err
	}
	renewed, err := c.checkToken(clock, *s, token, "")
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
