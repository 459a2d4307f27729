package console_test

import (
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// signInOperator returns the browser of an operator who belongs to no tenant and has just signed in.
func (s *site) signInOperator() *person {
	s.t.Helper()
	id, token := uuid.New(), uuid.NewString()
	audit := domain.NewAudit(domain.SystemPrincipalID(), s.currentTime())
	require.NoError(s.t, s.db.Write(s.t.Context(), func(tx *persistence.Tx) error {
		err := tx.PutTenantUser(domain.TenantUser{
			ID: uuid.New(), TenantID: demo.TenantDemo(), Role: domain.RoleMember, Audit: audit,
			Principal: domain.Principal{ID: id, Type: domain.PrincipalUser, Name: "Olga", Email: token + "@service.example"},
		})
		tx.MakeOperator(id)
		tx.InsertCredential(domain.Credential{
			ID: uuid.New(), PrincipalID: id, Kind: domain.CredentialPersonalAccessToken, SecretSHA256: authn.HashSecret(token),
			CreatedAt: audit.CreatedAt,
		})
		return err
	}))
	sql[int64](s, `WITH gone AS (DELETE FROM tenant_users WHERE principal_id = $1 RETURNING 1) SELECT count(*) FROM gone`, id)
	b := s.openBrowser()
	b.Type("#token", token)
	b.Press(kb.Enter)
	b.AwaitPath(web.Root)
	return &person{b, s}
}

// Operators see and act in every tenant, one at a time where they ask for that.
func TestOperatorsSeeAllTenants(t *testing.T) {
	t.Parallel()
	s := makeSite(t)
	s.t = t
	s.createIncident(s.startLoan("Loan here"), "fails here")
	foreign, _ := s.foreignTask()
	there := s.createIncident(foreign, "fails there")
	olga := s.signInOperator()

	olga.openPath("incidents")
	olga.AwaitText("fails here")
	olga.AwaitText("fails there")
	olga.Type("[name=tenant]", "other")
	olga.Press(kb.Enter)
	olga.Await(`document.querySelectorAll(".row-item").length === 1`)
	olga.AwaitText("fails there")
	olga.AwaitText("procession incidents list --tenant other")
	olga.Click("#incident-" + there.String() + " input")
	olga.Click("button[formaction$=retry]")
	olga.AwaitText("Retried")
	for path, one := range map[string]string{
		"queues": ".row-item", "audit": "#audit tbody tr", "webhooks": "#webhooks",
	} {
		olga.openPath(path)
		require.NotZero(t, olga.Count(one), path)
		require.Equal(t, 1, olga.Count("[name=tenant]"), path)
		olga.openPath(path + "?tenant=nowhere")
		require.Zero(t, olga.Count(".row-item, #audit tbody tr"), path)
	}

	olga.openPath("health")
	olga.AwaitText("1 of 5 checks fails.")
	olga.AwaitText("Synchronise the clocks")
	olga.AwaitText("v1.2.3")
	olga.Click(".figure-name[href$=incidents]")
	olga.AwaitText("fails here")

	alice := s.signIn("Alice")
	alice.openPath("health")
	alice.AwaitText("Commands for Temporal")
	require.Zero(t, alice.Count("#checks, [name=tenant]"), "Alice is no operator and administers one tenant")
	alice.openPath("health/checks")
	alice.AwaitText("Not allowed")
}
