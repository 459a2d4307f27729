package api_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/events"
	"github.com/procession-dev/procession/test/kit/apitest"
)

// newPerson makes a person whom the tenant Other has named first, and who does everything in the tenant Demo.
func newPerson(s *apitest.Service) (person demo.Account, named func(tenant, name string)) {
	s.T.Helper()
	person = demo.Account{
		Name: "dave", ID: uuid.New(), Email: "dave@demo.example", Secret: "token-of-dave", Tenant: demo.TenantDemo(),
	}
	named = func(tenant, name string) {
		s.T.Helper()
		_, err := s.Administration.ApplyResources(s.T.Context(), apitest.OperatorCall(), administration.ApplyRequest{Documents: []json.RawMessage{
			json.RawMessage(apitest.Identified(tenant, "User", "dave", person.ID, `{"name":"`+name+`","email":"`+person.Email+
				`","accessTokens":[`+apitest.Declared("t", tenant+"-"+person.Secret)+`]}`)),
		}})
		require.NoError(s.T, err)
	}
	named("other", "Impostor")
	named("demo", "Dave")
	person.Secret = "demo-" + person.Secret
	require.NoError(s.T, s.DB.Write(s.T.Context(), func(tx *persistence.Tx) error {
		tx.GrantOnProcess(demo.Loan(), domain.PermissionManager, person.ID)
		tx.GrantOnArtifact(apitest.Customers(), demo.TenantDemo(), domain.PermissionArtifactManager, person.ID)
		return nil
	}))
	return person, named
}

// A tenant sees a person under the name that it gave, whatever other tenants call the person, also once the person has left.
func TestNamesOfPersonsComeFromTheTenant(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	person, named := newPerson(s)
	id := func(path, body string) uuid.UUID {
		return apitest.Decode[struct{ ID uuid.UUID }](t, s.Post(201, person, path, body)).ID
	}
	process := id("/processes", `{"processDefinitionCode":"LOAN","tenantId":"`+demo.TenantDemo().String()+`"}`)
	task := id("/process-items", `{"type":"TASK","processId":"`+process.String()+`","processItemDefinitionCode":"LOAN_APPLICATION"`+
		apitest.OwnedBy(person)+`}`)
	s.Upload(person, apitest.ProcessPath(process, ""), "text")
	id(apitest.ProcessPath(process, "/actions"), apitest.InvokeReport)
	artifact := id("/business-artifacts", `{"businessArtifactDefinitionId":"`+apitest.Customers().String()+`"}`)
	s.Upload(person, apitest.ArtifactPath(artifact, ""), "text")
	id(apitest.ArtifactPath(artifact, "/actions"), apitest.InvokeStatement)

	paths := map[string]bool{
		"/principals": true, "/principals/" + person.ID.String(): false,
		"/principals?tenantId=" + demo.TenantDemo().String(): true,
		apitest.ShapeA + "/principals":                       true, apitest.ShapeA + "/principals/" + person.ID.String(): false,
		apitest.ShapeA + "/tenant-users": true, apitest.ShapeA + "/processes": false, apitest.ShapeA + "/tasks": false,
		apitest.ProcessPathA(process, ""): false, apitest.TaskPathA(task, ""): false,
		apitest.ProcessPath(process, "/events"): false,
	}
	check := func(member bool) {
		t.Helper()
		for path, ofMembers := range paths {
			got := s.Get(200, demo.Alice(), path).Body
			require.NotContains(t, got, "Impostor", path)
			if member || !ofMembers {
				require.Contains(t, got, `"Dave"`, path)
			}
		}
		for name, found := range namesShown(s, process, task, artifact) {
			require.NotContains(t, found, "Impostor", name)
			require.Contains(t, found, `"Dave"`, name)
		}
	}
	check(true)
	require.Contains(t, s.Get(200, demo.OtherWorker(), "/principals/"+person.ID.String()).Body, "Impostor")

	named("other", "Impostor again")
	check(true)
	s.Call(204, s.NewOperator(), http.MethodDelete, apitest.ResourcePath("demo", "User", "dave", "")+"&handOver=keep", "")
	named("other", "Impostor for the third time")
	check(false)
}

// namesShown returns the console's data for Alice that contain names, and her search results by name.
func namesShown(s *apitest.Service, process, task, artifact uuid.UUID) map[string]string {
	s.T.Helper()
	ctx, r := s.T.Context(), s.DB.Reader()
	alice := domain.Call{Caller: domain.Caller{
		PrincipalID: demo.Alice().ID, Type: domain.PrincipalUser,
		Memberships: []domain.Membership{{TenantID: demo.TenantDemo(), Namespace: "demo", Role: domain.RoleOwner}},
	}}
	page := domain.PageRequest{Size: 10}
	shown := map[string]string{}
	show := func(name string, found any, err error) {
		require.NoError(s.T, err, name)
		text, err := json.Marshal(found)
		require.NoError(s.T, err)
		shown[name] = string(text)
	}
	board, err := r.ListBoard(ctx, alice.Caller, persistence.BoardFilter{Search: "Dave"}, page, []domain.SortKey{{Property: "initiator"}})
	show("board", board, err)
	none, err := r.ListBoard(ctx, alice.Caller, persistence.BoardFilter{Search: "Impostor"}, page, nil)
	require.NoError(s.T, err)
	require.Empty(s.T, none.Items)
	inbox, err := r.ReadInbox(ctx, alice.Caller, persistence.InboxFilter{View: domain.InboxAll, Search: "Dave"}, page, nil)
	show("inbox", inbox, err)
	opened, err := r.OpenTask(ctx, alice.Caller, task)
	show("task", opened, err)
	overview, err := r.GetProcessOverview(ctx, alice.Caller, process)
	show("process", overview, err)
	parts, err := r.ListProcessParts(ctx, alice.Caller, process, nil, page, nil)
	show("items", parts, err)
	actions, err := r.ListProcessActions(ctx, alice.Caller, process, page, nil, s.Now())
	show("actions", actions, err)
	documents, err := r.ListProcessDocuments(ctx, alice.Caller, process, page, nil, s.Now())
	show("documents", documents, err)
	artifactOverview, err := r.GetArtifactOverview(ctx, alice.Caller, artifact)
	show("artifact", artifactOverview, err)
	artifactActions, err := r.ListArtifactActions(ctx, alice.Caller, artifact, page, s.Now())
	show("artifact actions", artifactActions, err)
	artifactDocuments, err := r.ListArtifactDocuments(ctx, alice.Caller, artifact, page, s.Now())
	show("artifact documents", artifactDocuments, err)
	artifacts, _, err := r.ListArtifactBoard(ctx, alice.Caller, persistence.ArtifactFilter{}, page, nil)
	show("artifacts", artifacts, err)
	timeline, err := events.ListTimeline(ctx, r, alice.Caller, process, events.Range{Limit: 10})
	show("timeline", timeline, err)
	s.Settle()
	scope := persistence.AdministrationOf(alice.Caller)
	records, err := events.ListRecords(ctx, r, scope, events.Filter{Actor: "dave"}, events.Range{Limit: 10})
	show("records", records, err)
	foreign, err := events.ListRecords(ctx, r, scope, events.Filter{Actor: "impostor"}, events.Range{Limit: 10})
	require.NoError(s.T, err)
	require.Empty(s.T, foreign)
	return shown
}
