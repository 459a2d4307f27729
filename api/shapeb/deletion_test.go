package shapeb_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/retention"
	"github.com/procession-dev/procession/test/kit/apitest"
)

// deleted are the members by which a resource shows its deletion.
type deleted struct {
	URI       string
	DeletedAt *time.Time
	DeletedBy *uuid.UUID
}

// requireDeleted requires that a resource is found, deleted by the account.
func requireDeleted(s *apitest.Service, as demo.Account, path, uri string, by demo.Account) {
	s.T.Helper()
	got := apitest.Decode[deleted](s.T, s.Get(200, as, path))
	require.Equal(s.T, uri, got.URI)
	require.NotNil(s.T, got.DeletedAt, path)
	require.Equal(s.T, by.ID, *got.DeletedBy)
}

func TestDeletingAProcess(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	worker, alice := demo.LoanWorker(), demo.Alice()
	loan, other := s.Loan().ID, s.Loan().ID
	path := apitest.ProcessPath(loan, "")
	task := s.Item(loan, "LOAN_APPLICATION", apitest.OwnedBy(worker)).ID
	action := s.Invoke(worker, loan, apitest.InvokeReport).ID
	uri := s.Upload(worker, path, "text")
	s.Call(200, worker, http.MethodPut, path+"/metadata", apitest.Metadata(uri))

	s.Refused(404, "NOT_FOUND", demo.Stranger(), "DELETE", path, "")
	s.Refused(403, "ACCESS_DENIED", demo.Carol(), "DELETE", path, "")
	s.Refused(409, "INVALID_STATE", alice, "DELETE", path, "")
	s.Post(200, worker, apitest.ProcessPath(loan, "/~actions/complete"), "")
	s.Refused(409, "INVALID_STATE", alice, "DELETE", path, "")
	s.Post(200, worker, apitest.ItemPath(task, "/task/~actions/complete"), "")
	before := s.Snapshot()
	s.Refused(409, "INVALID_STATE", alice, "DELETE", path, "")
	require.Equal(t, before, s.Snapshot(), "the action is not finished")
	s.Post(200, worker, apitest.UserActionPath(loan, action, "/~actions/cancel"), "")
	require.Empty(t, s.Call(204, alice, "DELETE", path, "").Body)

	after := s.Snapshot()
	s.Call(204, worker, "DELETE", path, "")
	require.Equal(t, after, s.Snapshot())
	requireDeleted(s, demo.Carol(), path, "ku:process/"+loan.String(), alice)
	requireDeleted(s, worker, apitest.ItemPath(task, ""), "ku:process-item/"+task.String(), alice)
	require.Equal(t, "text", s.Download(worker, path, uri))
	require.Equal(t, "text", s.Get(200, worker, apitest.DownloadAt(uri)).Body)
	s.Get(200, worker, apitest.UserActionPath(loan, action, ""))
	require.Empty(t, availableActions(s, worker, loan))

	open := s.Item(other, "LOAN_APPLICATION", "").ID
	s.Filtered(worker, "/processes", map[string][]uuid.UUID{
		"": {other}, "deleted=EXCLUDE": {other}, "deleted=ONLY": {loan}, "deleted=INCLUDE": {loan, other}, "deleted=ONLY&state=RUNNING": nil,
	})
	s.Filtered(worker, "/process-items", map[string][]uuid.UUID{
		"": {open}, "deleted=EXCLUDE": {open}, "deleted=ONLY": {task}, "deleted=INCLUDE": {task, open}, "deleted=INCLUDE&type=THREAD": nil,
	})
	page := apitest.Decode[oasb.ProcessItemPage](t, s.Get(200, worker, "/process-items?deleted=ONLY"))
	require.Equal(t, alice.ID, *page.Content[0].DeletedBy)
	require.NotNil(t, apitest.Decode[oasb.ProcessPage](t, s.Get(200, worker, "/processes?deleted=ONLY")).Content[0].DeletedAt)

	// Shape A has no deleted state: by id it returns the process as it was, in
	// lists it omits it.
	require.Equal(t, []uuid.UUID{other}, s.List(worker, apitest.ShapeA+"/processes").IDs())
	require.Equal(t, []uuid.UUID{open}, s.List(worker, apitest.ShapeA+"/tasks").IDs())
	require.NotContains(t, s.Get(200, worker, apitest.ProcessPathA(loan, "")).Body, "deleted")
	s.Get(200, worker, apitest.TaskPathA(task, ""))
}

// Writes to a deleted process and to its items are refused.
func TestDeletedProcessesTakeNoWrites(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	worker := demo.LoanWorker()
	loan := s.Loan().ID
	task := s.Item(loan, "LOAN_APPLICATION", apitest.OwnedBy(worker)).ID
	s.Post(200, worker, apitest.ItemPath(task, "/task/~actions/complete"), "")
	s.Post(200, worker, apitest.ProcessPath(loan, "/~actions/complete"), "")
	s.Call(204, worker, "DELETE", apitest.ProcessPath(loan, ""), "")
	before := s.Snapshot()
	const value = `{"value":{"A":1}}`
	for _, c := range []struct{ code, method, path, body string }{
		{"INVALID_STATE", "POST", apitest.ProcessPath(loan, "/~actions/complete"), ""},
		{"INVALID_STATE", "POST", apitest.ProcessPath(loan, "/~actions/cancel"), ""},
		{"INVALID_STATE", "POST", apitest.ProcessPath(loan, "/~actions/cancel-process-items"), ""},
		{"PROCESS_FINISHED", "POST", apitest.ProcessPath(loan, "/~actions/change-initiator"), `{"initiatorId":"` + worker.ID.String() + `"}`},
		{"PROCESS_FINISHED", "PUT", apitest.ProcessPath(loan, "/metadata"), `{"metadata":` + value + `}`},
		{"PROCESS_FINISHED", "PATCH", apitest.ProcessPath(loan, "/entity"), `[]`},
		{"PROCESS_FINISHED", "POST", apitest.UploadPath(apitest.ProcessPath(loan, ""), "text/plain", "a.txt"), "text"},
		{"PROCESS_FINISHED", "POST", "/process-items", `{"type":"MESSAGE","processId":"` + loan.String() + `","message":{"text":"t"}}`},
		{"INVALID_STATE", "POST", apitest.ProcessPath(loan, "/actions"), apitest.InvokeReport},
		{"INVALID_STATE", "POST", apitest.ItemPath(task, "/task/~actions/complete"), ""},
		{"INVALID_STATE", "POST", apitest.ItemPath(task, "/task/~actions/append-log"), `{"message":"m","level":"INFO"}`},
		{"INVALID_STATE", "PUT", apitest.ItemPath(task, "/task/data"), `{"data":` + value + `}`},
	} {
		status := map[string]int{"INVALID_STATE": 409, "PROCESS_FINISHED": 403}[c.code]
		s.Refused(status, c.code, worker, c.method, c.path, c.body)
	}
	s.Refused(400, "VALIDATION", worker, "POST", "/processes",
		`{"processDefinitionId":"`+demo.Loan().String()+`","relatedProcessId":"`+loan.String()+`"}`)
	require.Equal(t, before, s.Snapshot())
}

func TestDeletingAndRestoringABusinessArtifact(t *testing.T) { //nolint:funlen // most of it is a table
	t.Parallel()
	s := apitest.NewService(t)
	alice := demo.Alice()
	a, kept := s.Customer(`{"name":"Acme","tier":"GOLD"}`), s.Customer(`{"name":"Acme"}`)
	path := apitest.ArtifactPath(a.ID, "")
	uri := s.Upload(alice, path, "text")
	s.Call(200, alice, http.MethodPut, apitest.ArtifactPath(a.ID, "/data"), `{"data":{"value":{"name":"Acme","tier":"GOLD","FILE":"`+uri+`"}}}`)
	// Its document is where the artifact is: found by its address, also while deleted.
	documentIsKept := func() {
		t.Helper()
		require.Equal(t, "text", s.Download(demo.Bob(), path, uri))
		require.Equal(t, "text", s.Get(200, demo.Bob(), apitest.DownloadAt(uri)).Body)
		s.Get(404, demo.Stranger(), apitest.DownloadAt(uri))
	}
	was := s.Get(200, alice, path).Body
	s.Refused(403, "ACCESS_DENIED", editor(s), http.MethodDelete, path, "")
	require.Empty(t, s.Call(204, alice, http.MethodDelete, path, "").Body)
	after := s.Snapshot()
	s.Call(204, alice, http.MethodDelete, path, "")
	require.Equal(t, after, s.Snapshot())
	requireDeleted(s, demo.Bob(), path, "ku:business-artifact/"+a.ID.String(), alice)
	documentIsKept()
	s.Advance(48 * time.Hour)
	expired, err := s.App.ExpireDocuments(t.Context(), 100)
	require.NoError(t, err)
	require.Zero(t, expired, "what is linked does not expire")

	lists := func(excluded, only, included []uuid.UUID) {
		t.Helper()
		for _, more := range []string{"", "&value=name+eq+Acme", "&value=name+eq+Acme&sort=lastModifiedAt", "&value=name+eq+Acme&value=name+le+B"} {
			s.Filtered(alice, "/business-artifacts", map[string][]uuid.UUID{
				more: excluded, "deleted=EXCLUDE" + more: excluded, "deleted=ONLY" + more: only, "deleted=INCLUDE" + more: included,
			})
		}
	}
	lists([]uuid.UUID{kept.ID}, []uuid.UUID{a.ID}, []uuid.UUID{a.ID, kept.ID})
	require.Equal(t, alice.ID, *apitest.Decode[oasb.BusinessArtifactPage](t,
		s.Get(200, alice, "/business-artifacts?deleted=ONLY")).Content[0].DeletedBy)

	before := s.Snapshot()
	for _, c := range [][3]string{
		{http.MethodPut, apitest.ArtifactPath(a.ID, "/data"), `{"data":{"value":{}}}`},
		{http.MethodPatch, apitest.ArtifactPath(a.ID, "/data"), `[]`},
		{http.MethodPost, apitest.ArtifactPath(a.ID, "/actions"), apitest.InvokeAction("OPEN_LOAN")},
		{http.MethodPost, apitest.ArtifactPath(a.ID, "/~actions/prepare-create-artifact"), apitest.InvokeAction("CLONE")},
		{http.MethodPost, apitest.ArtifactPath(a.ID, "/~actions/prepare-start-process"), apitest.InvokeAction("OPEN_LOAN")},
		{http.MethodPost, apitest.UploadPath(path, "text/plain", "a.txt"), "text"},
		{http.MethodPost, apitest.UploadFor("ku:business-artifact/"+a.ID.String(), "text/plain", "a.txt"), "text"},
	} {
		s.Refused(409, "INVALID_STATE", alice, c[0], c[1], c[2])
	}
	s.Refused(403, "ACCESS_DENIED", demo.Bob(), http.MethodPost, apitest.ArtifactPath(a.ID, "/~actions/restore"), "")
	require.Equal(t, a.ID, apitest.Decode[oasb.BusinessArtifact](t, s.Post(200, alice, "/business-artifacts",
		apitest.CustomerBody(`{}`, `"id":"`+a.ID.String()+`"`))).ID, "the id is taken")
	require.Equal(t, before, s.Snapshot())

	restored := apitest.Decode[oasb.BusinessArtifact](t, s.Post(200, alice, apitest.ArtifactPath(a.ID, "/~actions/restore"), ""))
	require.Nil(t, restored.DeletedAt)
	documentIsKept()
	require.Equal(t, restored, s.RetrieveArtifact(a.ID))
	require.NotEqual(t, was, s.Get(200, alice, path).Body, "it was changed since")
	lists([]uuid.UUID{a.ID, kept.ID}, nil, []uuid.UUID{a.ID, kept.ID})
	before = s.Snapshot()
	require.Equal(t, restored, apitest.Decode[oasb.BusinessArtifact](t, s.Post(200, alice, apitest.ArtifactPath(a.ID, "/~actions/restore"), "")))
	require.Equal(t, before, s.Snapshot())
	s.Call(200, alice, http.MethodPut, apitest.ArtifactPath(a.ID, "/data"), `{"data":{"value":{"name":"Acme"}}}`)
}

// An operator removes a deleted resource with everything that belongs to it,
// and no other.
func TestDeletedResourcesAreRemoved(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	worker, alice := demo.LoanWorker(), demo.Alice()
	customer := s.Customer(`{"name":"Kept"}`).ID
	conn := s.Connect()
	defer func() { _ = conn.Close(t.Context()) }()
	remove := func(want int) {
		t.Helper()
		s.PassLog()
		turn := retention.Turn{TenantID: demo.TenantDemo(), Kind: domain.RetainDeleted, Before: s.Now()}
		found, err := retention.Find(t.Context(), s.DB.Reader(), turn)
		require.NoError(t, err)
		require.EqualValues(t, want, found.Count)
		part, err := retention.Remove(t.Context(), s.DB, turn, s.Now())
		require.NoError(t, err)
		require.EqualValues(t, want, part.Removed)
	}
	tables := []string{
		"processes", "process_items", "process_actions", "process_relations", "process_index", "task_logs", "documents", "document_links",
		"engine_runs", "engine_commands", "business_artifacts", "business_artifact_index", "business_artifact_actions",
	}
	kept := s.Loan().ID
	before := s.Snapshot()
	started := apitest.Decode[oasb.BusinessArtifactAction](t, s.Post(201, worker, apitest.ArtifactPath(customer, "/actions"),
		apitest.InvokeAction("OPEN_LOAN", `"startProcess":{"metadata":{"LAST_NAME":"Ann"}}`)))
	loan := started.StartProcess.ProcessID
	related := apitest.Decode[oasb.Process](t, s.Post(201, worker, "/processes",
		`{"processDefinitionId":"`+demo.Loan().String()+`","relatedProcessId":"`+loan.String()+`"}`)).ID
	task := s.Item(loan, "LOAN_APPLICATION", apitest.OwnedBy(worker)).ID
	s.Post(200, worker, apitest.ItemPath(task, "/task/~actions/append-log"), `{"message":"m","level":"INFO"}`)
	uri := s.Upload(worker, apitest.ProcessPath(loan, ""), "text")
	s.Call(200, worker, http.MethodPut, apitest.ItemPath(task, "/task/data"), `{"data":{"value":{"FILE":"`+uri+`"}}}`)
	s.Post(200, worker, apitest.UserActionPath(loan, s.Invoke(worker, loan, apitest.InvokeReport).ID, "/~actions/cancel"), "")
	deleted := s.Customer(`{"name":"Gone"}`).ID
	action(s, deleted, apitest.InvokeStatement)
	s.Upload(worker, apitest.ArtifactPath(deleted, ""), "text")
	for _, process := range []uuid.UUID{loan, related} {
		s.Post(200, alice, apitest.ProcessPath(process, "/~actions/cancel"), "")
		s.Call(204, alice, http.MethodDelete, apitest.ProcessPath(process, ""), "")
	}
	remove(0)
	_, err := conn.Exec(t.Context(), `UPDATE engine_runs SET state = 'CANCELLED', closed_at = created_at WHERE owner_id <> $1`, kept)
	require.NoError(t, err)
	remove(2)
	s.Get(404, alice, apitest.ProcessPath(loan, ""))
	s.Get(404, alice, apitest.ItemPath(task, ""))
	require.Nil(t, retrieveAction(s, customer, started.ID).StartProcess)
	s.Call(204, alice, http.MethodDelete, apitest.ArtifactPath(deleted, ""), "")
	remove(1)
	_, err = conn.Exec(t.Context(), `DELETE FROM business_artifact_actions`)
	require.NoError(t, err)
	_, err = conn.Exec(t.Context(), `DELETE FROM engine_commands c USING engine_runs r WHERE r.id = c.engine_run_id AND r.owner_id <> $1`, kept)
	require.NoError(t, err)
	_, err = conn.Exec(t.Context(), `DELETE FROM engine_runs WHERE owner_id <> $1`, kept)
	require.NoError(t, err)
	after := s.Snapshot()
	for _, table := range tables {
		require.Equal(t, before[table], after[table], table)
	}
	require.Equal(t, 2, s.Count(`SELECT count(*) FROM events WHERE type = $1 AND tenant_id = $2`, domain.EventDeletedRemoved, demo.TenantDemo()))
}

// The feed reports deletions and restorings of resources visible to the caller.
func TestDeletionsAreFollowed(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	require.NoError(t, s.DB.Write(t.Context(), func(tx *persistence.Tx) error {
		tx.GrantOnProcess(demo.Loan(), domain.PermissionViewer, demo.Stranger().ID)
		return nil
	}))
	loan, a := s.Loan().ID, s.Customer(`{}`).ID
	s.Post(200, demo.Alice(), apitest.ProcessPath(loan, "/~actions/cancel"), "")
	s.Settle()
	server := s.Replica()
	all, processes := apitest.Follow(t, server, demo.Alice(), "", ""), apitest.Follow(t, server, demo.Stranger(), "", "")
	s.Call(204, demo.Alice(), http.MethodDelete, apitest.ArtifactPath(a, ""), "")
	s.Post(200, demo.Alice(), apitest.ArtifactPath(a, "/~actions/restore"), "")
	s.Call(204, demo.Alice(), http.MethodDelete, apitest.ProcessPath(loan, ""), "")
	for _, want := range []string{"BUSINESS_ARTIFACT.DELETED", "BUSINESS_ARTIFACT.RESTORED"} {
		got := event(all)
		require.Equal(t, want, got.Event)
		require.Contains(t, got.Data, `"data":{"businessArtifactId":"`+a.String()+`","businessArtifactDefinitionCode":"CUSTOMER"}`)
	}
	for _, f := range []*apitest.Follower{all, processes} {
		got := event(f)
		require.Equal(t, "PROCESS.DELETED", got.Event)
		require.Contains(t, got.Data, `"data":{"processId":"`+loan.String()+`","processState":"CANCELLED"}`)
	}
}
