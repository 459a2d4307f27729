package console_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/console/resources"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/test/kit/browsertest"
)

// appoint makes a user an administrator of LOAN.
func (s *site) appoint(user string) {
	s.t.Helper()
	stored := s.manifestOf(resource.KindProcessDefinition, "LOAN")
	s.loanSpec(stored).Permissions.Administrators = []resource.Grantee{{User: user}}
	text, err := resources.Text(stored.Document)
	require.NoError(s.t, err)
	s.applyManifests(text)
}

func (s *site) loanSpec(stored *resource.Stored) *resource.ProcessDefinitionSpec {
	s.t.Helper()
	spec, ok := stored.Spec.(*resource.ProcessDefinitionSpec)
	require.True(s.t, ok)
	return spec
}

// A user who administers one definition changes a user action of it and retries its incident, and sees no other definition.
func TestAdministratorOfADefinition(t *testing.T) {
	t.Parallel()
	s := makeSite(t)
	s.t = t
	s.appoint("bob")
	s.createIncident(s.startLoan("Loan that fails"), "no funds")
	s.createIncident(s.startInspection(), "no inspector")

	bob := s.signIn("Bob")
	bob.Click(".areas a[href='/console/definitions']")
	bob.AwaitText("LOAN")
	require.Equal(t, []string{"definitions", "access", "incidents", "bulk", "queues", "audit"}, bob.sideAreas())
	require.Equal(t, 1, bob.Count("tbody tr"))
	require.Zero(t, bob.Count("a[href='/console/definitions/new']"))
	for name, path := range map[string]string{
		"narrow-definitions": "definitions", "narrow-definition": "definitions/demo/ProcessDefinition/LOAN", "narrow-access": "access",
		"narrow-incidents": "incidents", "narrow-queues": "queues", "narrow-audit": "audit",
		"narrow-rights": "definitions/demo/ProcessDefinition/LOAN/rights",
	} {
		bob.openPath(path)
		s.requireAccessible(bob.Tab)
		bob.AwaitContent()
		require.NotContains(t, bob.Text("main"), "INSPECTION", path)
		require.Zero(t, bob.Count("main a[href*='/console/people'], main a[href*='/console/webhooks']"), path)
		if *screenshots != "" {
			bob.takePicture(name, path)
		}
	}
	bob.openPath("people")
	bob.AwaitText("Not allowed")

	bob.openPath("definitions/demo/ProcessDefinition/LOAN")
	bob.Click(".page-head .btn-primary")
	bob.Await(`document.querySelector(".cm-editor")`)
	bob.Eval(`(() => {
		const text = document.getElementById("text");
		text.value = text.value.replace("name: Top up", "name: Raise the loan");
		text.dispatchEvent(new Event("input", {bubbles: true}));
	})()`)
	bob.AwaitText("What would change")
	bob.Click("button[form=definition].btn-primary")
	bob.AwaitText("This is applied.")
	actions := s.loanSpec(s.manifestOf(resource.KindProcessDefinition, "LOAN")).UserActions
	require.Contains(t, actions[2].Name, "Raise the loan")

	bob.openPath("incidents")
	bob.AwaitText("no funds")
	require.NotContains(t, bob.Text("main"), "no inspector")
	bob.Click(".row-link")
	require.Zero(t, bob.Count("input[name=all]"), "the cause may have incidents of other definitions")
	bob.Click("form[action$=retry] button")
	bob.AwaitText("Retried")
	require.Equal(t, int64(1), sql[int64](s, `SELECT count(*) FROM engine_commands WHERE kind = 'RESTART'`))
}

// sideAreas returns the areas in the navigation of administration.
func (p *person) sideAreas() []string {
	p.s.t.Helper()
	text := browsertest.Eval[string](p.Tab, `[...document.querySelectorAll(".side a")].map(a => a.getAttribute("href").split("/").pop()).join(" ")`)
	return strings.Fields(text)
}
