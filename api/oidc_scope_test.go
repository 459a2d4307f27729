package api_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/apitest"
	"github.com/procession-dev/procession/test/kit/contracttest"
)

// scopedFederation returns a federation with an issuer of the tenant Demo, changed by change.
func scopedFederation(t *testing.T, change func(*authn.OIDCIssuer)) *federation {
	t.Helper()
	f := newFederation(t)
	issuer := authn.OIDCIssuer{
		Issuer: f.world.Issuer.URL(), Audiences: []string{f.world.Audience}, Tenants: []string{"demo"},
	}
	change(&issuer)
	oidc, err := authn.NewOIDC(f.DB, []authn.OIDCIssuer{issuer}, f.Now)
	require.NoError(t, err)
	options := f.Options
	options.Authenticator, err = authn.NewAuthenticator(f.DB, f.Now, authn.WithOIDC(oidc))
	require.NoError(t, err)
	handler := apitest.Handler(t, options)
	f.Client = contracttest.Client(contracttest.InProcess(handler))
	return f
}

func TestOIDCIssuerLetsItsOwnUsersInOnly(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change   func(*authn.OIDCIssuer)
		operator bool
		status   int
	}{
		"its tenant":               {func(*authn.OIDCIssuer) {}, false, 200},
		"another tenant":           {func(i *authn.OIDCIssuer) { i.Tenants = []string{"north"} }, false, 401},
		"its domain":               {func(i *authn.OIDCIssuer) { i.Tenants, i.EmailDomains = nil, []string{"DEMO.example"} }, false, 200},
		"another domain":           {func(i *authn.OIDCIssuer) { i.EmailDomains = []string{"emo.example", "example"} }, false, 401},
		"all tenants":              {func(i *authn.OIDCIssuer) { i.Tenants = []string{"*"} }, false, 200},
		"one issuer without scope": {func(i *authn.OIDCIssuer) { i.Tenants = nil }, false, 200},
		"an operator":              {func(*authn.OIDCIssuer) {}, true, 401},
		"an operator, no scope":    {func(i *authn.OIDCIssuer) { i.Tenants = nil }, true, 401},
		"an operator, marked":      {func(i *authn.OIDCIssuer) { i.Operators = true }, true, 200},
		"an operator, marked, of another tenant": {func(i *authn.OIDCIssuer) {
			i.Operators, i.Tenants = true, []string{"north"}
		}, true, 200},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := scopedFederation(t, c.change)
			if c.operator {
				conn := f.Connect()
				_, err := conn.Exec(t.Context(), `UPDATE principals SET operator = true WHERE id = $1`, demo.Alice().ID)
				require.NoError(t, err)
				require.NoError(t, conn.Close(t.Context()))
			}
			token := f.world.Issuer.Key("ES256").Token(f.world.Claims())
			got := f.present(token, http.MethodGet, "/tenants", "")
			require.Equal(t, c.status, got.Status, got.Body)
			links := 0
			if c.status == 200 {
				links = 1
			}
			require.Equal(t, links, f.Count("SELECT count(*) FROM oidc_subjects"), "who is refused is not linked")
			// A link from before does not help either.
			conn := f.Connect()
			_, err := conn.Exec(t.Context(), `INSERT INTO oidc_subjects (issuer, subject, principal_id, linked_at)
				VALUES ($1, $2, $3, now()) ON CONFLICT DO NOTHING`, f.world.Issuer.URL(), f.world.Subject, demo.Alice().ID)
			require.NoError(t, err)
			require.NoError(t, conn.Close(t.Context()))
			require.Equal(t, c.status, f.present(token, http.MethodGet, "/tenants", "").Status)
		})
	}
}
