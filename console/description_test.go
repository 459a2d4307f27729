package console_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
)

func TestDescriptionsAreShown(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.applyManifests(`
apiVersion: procession/v1
kind: ProcessDefinition
metadata: {code: HOLIDAY, tenant: demo}
spec:
  name: Holiday
  description: Ask for days off.
  i18n:
    de: {HOLIDAY.description: Urlaub beantragen., DAYS.description: Nennen Sie die Tage.}
  items:
    - {code: DAYS, type: TASK, name: Days, description: "Name the days.\nHalf days count.", candidates: [{user: alice}]}
  permissions: {initiators: [{user: alice}], managers: [{user: alice}]}
`)
	call := s.callerOf(demo.Alice())
	started, _, err := s.app.CreateProcess(t.Context(), call, app.NewProcess{Definition: app.DefinitionKey{Code: "HOLIDAY"}})
	require.NoError(t, err)
	task, _, err := s.app.CreateProcessItem(t.Context(), call, app.NewItem{Type: domain.ItemTask, ProcessID: started.ID, DefinitionCode: "DAYS"})
	require.NoError(t, err)

	alice := s.signIn("Alice")
	alice.openPath("start?q=holiday")
	alice.AwaitText("Ask for days off.")
	alice.RequireAccessible()
	alice.Click(".tile a")
	alice.AwaitText("Ask for days off.")
	alice.openPath("tasks/" + task.ID.String())
	alice.AwaitText("Half days count.")
	alice.RequireAccessible()

	client := s.clientWithToken(demo.Alice().Secret)
	for path, text := range map[string]string{"start?q=holiday": "Urlaub beantragen.", "tasks/" + task.ID.String(): "Nennen Sie die Tage."} {
		page := s.sendRequest(client, "GET", path, nil, "Accept-Language", "de")
		require.Contains(t, string(page.body), text)
	}
}
