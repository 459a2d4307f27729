package console_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/oauth2-proxy/mockoidc"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/devstack/demo"
)

func TestSignInThroughAnIssuer(t *testing.T) {
	t.Parallel()
	issuer, err := mockoidc.Run()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, issuer.Shutdown()) })
	secret := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(secret, []byte(issuer.ClientSecret+"\n"), 0o600))
	s := makeSite(t, authn.OIDCIssuer{
		Issuer: issuer.Issuer(), Audiences: []string{"procession"}, Name: "Example staff",
		ClientID: issuer.ClientID, ClientSecretFile: secret,
	})
	s.t = t

	// The issuer asks nothing and sends the next user back.
	issuer.QueueUser(&mockoidc.MockUser{Subject: "bob-at-issuer", Email: demo.Bob().Email, EmailVerified: true})
	b := s.visitor()
	b.Open(s.url + "sign-in?return=%2Fconsole%2Fsessions")
	b.AwaitText("Continue with Example staff")
	b.Click("a[href*=issuer]")
	b.AwaitPath(web.Root + "sessions")
	b.AwaitText("Bob")

	issuer.QueueUser(&mockoidc.MockUser{Subject: "unknown", Email: "unknown@demo.example", EmailVerified: true})
	unknown := s.visitor()
	unknown.Click("a[href*=issuer]")
	unknown.AwaitText("you have no access")

	// A code that was not asked for by this browser is not taken.
	attacked := s.visitor()
	attacked.Open(s.url + "sign-in/callback?state=x&code=y")
	attacked.AwaitText("begun in another browser")
}
