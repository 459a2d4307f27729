package console_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
)

func TestRightsOfEveryoneAreShownAndEnforced(t *testing.T) {
	t.Parallel()
	s := makeSite(t)
	s.t = t
	s.applyManifests(`
apiVersion: procession/v1
kind: ProcessDefinition
metadata: {code: SUGGESTION, tenant: demo}
spec:
  name: Suggestion box
  items:
    - {code: READ, type: TASK, name: Read, candidates: [{role: EVERYONE}]}
  permissions: {initiators: [{role: EVERYONE}], managers: [{user: alice}]}
`)
	started, _, err := s.app.CreateProcess(t.Context(), s.callerOf(demo.Carol()), app.NewProcess{Definition: app.DefinitionKey{Code: "SUGGESTION"}})
	require.NoError(t, err)
	task, _, err := s.app.CreateProcessItem(t.Context(), s.callerOf(demo.Alice()),
		app.NewItem{Type: domain.ItemTask, ProcessID: started.ID, DefinitionCode: "READ"})
	require.NoError(t, err)
	_, err = s.app.ClaimProcessItemTask(t.Context(), s.callerOf(demo.Bob()), task.ID)
	require.NoError(t, err)
	_, err = s.app.RetrieveProcessItem(t.Context(), s.callerOf(demo.LoanWorker()), task.ID)
	require.True(t, domain.HasCode(err, domain.CodeNotFound), "an application is not one of everyone: %v", err)

	bob := s.clientWithToken(demo.Bob().Secret)
	require.Contains(t, string(s.sendRequest(bob, "GET", "start?q=suggestion", nil).body), "Suggestion box")
	alice := s.clientWithToken(demo.Alice().Secret)
	for path, texts := range map[string][2]string{
		"definitions/demo/ProcessDefinition/SUGGESTION":        {"everyone of the tenant", "alle im Mandanten"},
		"definitions/demo/ProcessDefinition/SUGGESTION/rights": {"everyone of the tenant", "alle im Mandanten"},
		"people/demo/User/bob":                                 {"as everyone of the tenant", "wie alle im Mandanten"},
		"access?resource=SUGGESTION&person=bob":                {"as everyone of the tenant", "wie alle im Mandanten"},
	} {
		require.Contains(t, string(s.sendRequest(alice, "GET", path, nil, "Accept-Language", "en").body), texts[0], path)
		require.Contains(t, string(s.sendRequest(alice, "GET", path, nil, "Accept-Language", "de").body), texts[1], path)
	}
}
