package api_test

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
)

// deleted are the members by which a resource shows its deletion.
type deleted struct {
	URI       string
	DeletedAt *time.Time
	DeletedBy *uuid.UUID
}

// requireDeleted requires that a resource is found, deleted by the account.
func (s *service) requireDeleted(as demo.Account, path, uri string, by demo.Account) {
	s.t.Helper()
	got := decode[deleted](s.t, s.get(200, as, path))
	require.Equal(s.t, uri, got.URI)
	require.NotNil(s.t, got.DeletedAt, path)
	require.Equal(s.t, by.ID, *got.DeletedBy)
}

func TestDeletingAProcess(t *testing.T) {
	t.Parallel()
	s := newService(t)
	worker, alice := demo.LoanWorker(), demo.Alice()
	loan, other := s.loan().ID, s.loan().ID
	path := processPath(loan, "")
	task := s.item(loan, "LOAN_APPLICATION", ownedBy(worker)).ID
	action := s.invoke(worker, loan, invokeReport).ID
	uri := s.upload(worker, path, "text")
	s.call(200, worker, http.MethodPut, path+"/metadata", metadata(uri))

	s.refused(404, "NOT_FOUND", demo.Stranger(), "DELETE", path, "")
	s.refused(403, "ACCESS_DENIED", demo.Carol(), "DELETE", path, "")
	s.refused(409, "INVALID_STATE", alice, "DELETE", path, "")
	s.post(200, worker, processPath(loan, "/~actions/complete"), "")
	s.refused(409, "INVALID_STATE", alice, "DELETE", path, "")
	s.post(200, worker, itemPath(task, "/task/~actions/complete"), "")
	before := s.snapshot()
	s.refused(409, "INVALID_STATE", alice, "DELETE", path, "")
	require.Equal(t, before, s.snapshot(), "the action is not finished")
	s.post(200, worker, userActionPath(loan, action, "/~actions/cancel"), "")
	require.Empty(t, s.call(204, alice, "DELETE", path, "").body)

	after := s.snapshot()
	s.call(204, worker, "DELETE", path, "")
	require.Equal(t, after, s.snapshot())
	s.requireDeleted(demo.Carol(), path, "ku:process/"+loan.String(), alice)
	s.requireDeleted(worker, itemPath(task, ""), "ku:process-item/"+task.String(), alice)
	require.Equal(t, "text", s.download(worker, path, uri))
	require.Equal(t, "text", s.get(200, worker, downloadAt(uri)).body)
	s.get(200, worker, userActionPath(loan, action, ""))
	require.Empty(t, s.available(worker, loan))

	open := s.item(other, "LOAN_APPLICATION", "").ID
	s.filtered(worker, "/processes", map[string][]uuid.UUID{
		"": {other}, "deleted=EXCLUDE": {other}, "deleted=ONLY": {loan}, "deleted=INCLUDE": {loan, other}, "deleted=ONLY&state=RUNNING": nil,
	})
	s.filtered(worker, "/process-items", map[string][]uuid.UUID{
		"": {open}, "deleted=EXCLUDE": {open}, "deleted=ONLY": {task}, "deleted=INCLUDE": {task, open}, "deleted=INCLUDE&type=THREAD": nil,
	})
	page := decode[oasb.ProcessItemPage](t, s.get(200, worker, "/process-items?deleted=ONLY"))
	require.Equal(t, alice.ID, *page.Content[0].DeletedBy)
	require.NotNil(t, decode[oasb.ProcessPage](t, s.get(200, worker, "/processes?deleted=ONLY")).Content[0].DeletedAt)

	// Shape A has no deleted state: by id it returns the process as it was, in
	// lists it omits it.
	require.Equal(t, []uuid.UUID{other}, s.list(worker, shapeA+"/processes").ids())
	require.Equal(t, []uuid.UUID{open}, s.list(worker, shapeA+"/tasks").ids())
	require.NotContains(t, s.get(200, worker, processPathA(loan, "")).body, "deleted")
	s.get(200, worker, taskPathA(task, ""))
}

// Writes to a deleted process and to its items are refused.
func TestDeletedProcessesTakeNoWrites(t *testing.T) {
	t.Parallel()
	s := newService(t)
	worker := demo.LoanWorker()
	loan := s.loan().ID
	task := s.item(loan, "LOAN_APPLICATION", ownedBy(worker)).ID
	s.post(200, worker, itemPath(task, "/task/~actions/complete"), "")
	s.post(200, worker, processPath(loan, "/~actions/complete"), "")
	s.call(204, worker, "DELETE", processPath(loan, ""), "")
	before := s.snapshot()
	const value = `{"value":{"A":1}}`
	for _, c := range []struct{ code, method, path, body string }{
		{"INVALID_STATE", "POST", processPath(loan, "/~actions/complete"), ""},
		{"INVALID_STATE", "POST", processPath(loan, "/~actions/cancel"), ""},
		{"INVALID_STATE", "POST", processPath(loan, "/~actions/cancel-process-items"), ""},
		{"PROCESS_FINISHED", "POST", processPath(loan, "/~actions/change-initiator"), `{"initiatorId":"` + worker.ID.String() + `"}`},
		{"PROCESS_FINISHED", "PUT", processPath(loan, "/metadata"), `{"metadata":` + value + `}`},
		{"PROCESS_FINISHED", "PATCH", processPath(loan, "/entity"), `[]`},
		{"PROCESS_FINISHED", "POST", uploadPath(processPath(loan, ""), "text/plain", "a.txt"), "text"},
		{"PROCESS_FINISHED", "POST", "/process-items", `{"type":"MESSAGE","processId":"` + loan.String() + `","message":{"text":"t"}}`},
		{"INVALID_STATE", "POST", processPath(loan, "/actions"), invokeReport},
		{"INVALID_STATE", "POST", itemPath(task, "/task/~actions/complete"), ""},
		{"INVALID_STATE", "POST", itemPath(task, "/task/~actions/append-log"), `{"message":"m","level":"INFO"}`},
		{"INVALID_STATE", "PUT", itemPath(task, "/task/data"), `{"data":` + value + `}`},
	} {
		status := map[string]int{"INVALID_STATE": 409, "PROCESS_FINISHED": 403}[c.code]
		s.refused(status, c.code, worker, c.method, c.path, c.body)
	}
	s.refused(400, "VALIDATION", worker, "POST", "/processes",
		`{"processDefinitionId":"`+demo.Loan().String()+`","relatedProcessId":"`+loan.String()+`"}`)
	require.Equal(t, before, s.snapshot())
}

func TestDeletingAndRestoringABusinessArtifact(t *testing.T) {
	t.Parallel()
	s := newService(t)
	alice := demo.Alice()
	a, kept := s.customer(`{"name":"Acme","tier":"GOLD"}`), s.customer(`{"name":"Acme"}`)
	path := artifactPath(a.ID, "")
	uri := s.upload(alice, path, "text")
	s.call(200, alice, http.MethodPut, artifactPath(a.ID, "/data"), `{"data":{"value":{"name":"Acme","tier":"GOLD","FILE":"`+uri+`"}}}`)
	// Its document is where the artifact is: found by its address, also while deleted.
	documentIsKept := func() {
		t.Helper()
		require.Equal(t, "text", s.download(demo.Bob(), path, uri))
		require.Equal(t, "text", s.get(200, demo.Bob(), downloadAt(uri)).body)
		s.get(404, demo.Stranger(), downloadAt(uri))
	}
	was := s.get(200, alice, path).body
	s.refused(403, "ACCESS_DENIED", s.editor(), http.MethodDelete, path, "")
	require.Empty(t, s.call(204, alice, http.MethodDelete, path, "").body)
	after := s.snapshot()
	s.call(204, alice, http.MethodDelete, path, "")
	require.Equal(t, after, s.snapshot())
	s.requireDeleted(demo.Bob(), path, "ku:business-artifact/"+a.ID.String(), alice)
	documentIsKept()
	s.advance(48 * time.Hour)
	expired, err := s.app.ExpireDocuments(t.Context(), 100)
	require.NoError(t, err)
	require.Zero(t, expired, "what is linked does not expire")

	lists := func(excluded, only, included []uuid.UUID) {
		t.Helper()
		for _, more := range []string{"", "&value=name+eq+Acme", "&value=name+eq+Acme&sort=lastModifiedAt", "&value=name+eq+Acme&value=name+le+B"} {
			s.filtered(alice, "/business-artifacts", map[string][]uuid.UUID{
				more: excluded, "deleted=EXCLUDE" + more: excluded, "deleted=ONLY" + more: only, "deleted=INCLUDE" + more: included,
			})
		}
	}
	lists([]uuid.UUID{kept.ID}, []uuid.UUID{a.ID}, []uuid.UUID{a.ID, kept.ID})
	require.Equal(t, alice.ID, *decode[oasb.BusinessArtifactPage](t,
		s.get(200, alice, "/business-artifacts?deleted=ONLY")).Content[0].DeletedBy)

	before := s.snapshot()
	for _, c := range [][3]string{
		{http.MethodPut, artifactPath(a.ID, "/data"), `{"data":{"value":{}}}`},
		{http.MethodPatch, artifactPath(a.ID, "/data"), `[]`},
		{http.MethodPost, artifactPath(a.ID, "/actions"), invokeAction("OPEN_LOAN")},
		{http.MethodPost, artifactPath(a.ID, "/~actions/prepare-create-artifact"), invokeAction("CLONE")},
		{http.MethodPost, artifactPath(a.ID, "/~actions/prepare-start-process"), invokeAction("OPEN_LOAN")},
		{http.MethodPost, uploadPath(path, "text/plain", "a.txt"), "text"},
		{http.MethodPost, uploadFor("ku:business-artifact/"+a.ID.String(), "text/plain", "a.txt"), "text"},
	} {
		s.refused(409, "INVALID_STATE", alice, c[0], c[1], c[2])
	}
	s.refused(403, "ACCESS_DENIED", demo.Bob(), http.MethodPost, artifactPath(a.ID, "/~actions/restore"), "")
	require.Equal(t, a.ID, decode[oasb.BusinessArtifact](t, s.post(200, alice, "/business-artifacts",
		customerBody(`{}`, `"id":"`+a.ID.String()+`"`))).ID, "the id is taken")
	require.Equal(t, before, s.snapshot())

	restored := decode[oasb.BusinessArtifact](t, s.post(200, alice, artifactPath(a.ID, "/~actions/restore"), ""))
	require.Nil(t, restored.DeletedAt)
	documentIsKept()
	require.Equal(t, restored, s.retrieveArtifact(a.ID))
	require.NotEqual(t, was, s.get(200, alice, path).body, "it was changed since")
	lists([]uuid.UUID{a.ID, kept.ID}, nil, []uuid.UUID{a.ID, kept.ID})
	before = s.snapshot()
	require.Equal(t, restored, decode[oasb.BusinessArtifact](t, s.post(200, alice, artifactPath(a.ID, "/~actions/restore"), "")))
	require.Equal(t, before, s.snapshot())
	s.call(200, alice, http.MethodPut, artifactPath(a.ID, "/data"), `{"data":{"value":{"name":"Acme"}}}`)
}

// An operator removes a deleted resource with everything that belongs to it,
// and no other.
func TestWhatIsDeletedIsRemoved(t *testing.T) {
	t.Parallel()
	s := newService(t)
	worker, alice := demo.LoanWorker(), demo.Alice()
	customer := s.customer(`{"name":"Kept"}`).ID
	conn := s.connect()
	defer func() { _ = conn.Close(t.Context()) }()
	remove := func(want int) {
		t.Helper()
		var n int
		require.NoError(t, conn.QueryRow(t.Context(), `SELECT remove_deleted(now(), 10)`).Scan(&n))
		require.Equal(t, want, n)
	}
	tables := []string{
		"processes", "process_items", "process_actions", "process_relations", "process_index", "task_logs", "documents", "document_links",
		"engine_runs", "engine_commands", "business_artifacts", "business_artifact_index", "business_artifact_actions",
	}
	kept := s.loan().ID
	before := s.snapshot()

	started := decode[oasb.BusinessArtifactAction](t, s.post(201, worker, artifactPath(customer, "/actions"),
		invokeAction("OPEN_LOAN", `"startProcess":{"metadata":{"LAST_NAME":"Ann"}}`)))
	loan := started.StartProcess.ProcessID
	related := decode[oasb.Process](t, s.post(201, worker, "/processes",
		`{"processDefinitionId":"`+demo.Loan().String()+`","relatedProcessId":"`+loan.String()+`"}`)).ID
	task := s.item(loan, "LOAN_APPLICATION", ownedBy(worker)).ID
	s.post(200, worker, itemPath(task, "/task/~actions/append-log"), `{"message":"m","level":"INFO"}`)
	uri := s.upload(worker, processPath(loan, ""), "text")
	s.call(200, worker, http.MethodPut, itemPath(task, "/task/data"), `{"data":{"value":{"FILE":"`+uri+`"}}}`)
	s.post(200, worker, userActionPath(loan, s.invoke(worker, loan, invokeReport).ID, "/~actions/cancel"), "")
	gone := s.customer(`{"name":"Gone"}`).ID
	s.action(gone, invokeStatement)
	s.upload(worker, artifactPath(gone, ""), "text")
	for _, process := range []uuid.UUID{loan, related} {
		s.post(200, alice, processPath(process, "/~actions/cancel"), "")
		s.call(204, alice, http.MethodDelete, processPath(process, ""), "")
	}
	remove(0)
	_, err := conn.Exec(t.Context(), `UPDATE engine_runs SET state = 'CANCELLED', closed_at = created_at WHERE owner_id <> $1`, kept)
	require.NoError(t, err)
	remove(2)
	s.get(404, alice, processPath(loan, ""))
	s.get(404, alice, itemPath(task, ""))
	require.Nil(t, s.retrieveAction(customer, started.ID).StartProcess)
	s.call(204, alice, http.MethodDelete, artifactPath(gone, ""), "")
	remove(1)
	_, err = conn.Exec(t.Context(), `DELETE FROM business_artifact_actions`)
	require.NoError(t, err)
	_, err = conn.Exec(t.Context(), `DELETE FROM engine_commands c USING engine_runs r WHERE r.id = c.engine_run_id AND r.owner_id <> $1`, kept)
	require.NoError(t, err)
	_, err = conn.Exec(t.Context(), `DELETE FROM engine_runs WHERE owner_id <> $1`, kept)
	require.NoError(t, err)
	after := s.snapshot()
	for _, table := range tables {
		require.Equal(t, before[table], after[table], table)
	}
	require.Equal(t, 2, s.count(`SELECT count(*) FROM events WHERE type = $1 AND tenant_id = $2`, domain.EventDeletedRemoved, demo.TenantDemo()))
	_, err = conn.Exec(t.Context(), `SELECT remove_deleted(now() + interval '1 hour')`)
	require.ErrorContains(t, err, "in the past")
}

// The feed reports deletions and restorings to callers who see what was deleted.
func TestDeletionsAreFollowed(t *testing.T) {
	t.Parallel()
	s := newService(t)
	require.NoError(t, s.db.Write(t.Context(), func(tx *persistence.Tx) error {
		tx.GrantOnProcess(demo.Loan(), domain.PermissionViewer, demo.Stranger().ID)
		return nil
	}))
	loan, a := s.loan().ID, s.customer(`{}`).ID
	s.post(200, demo.Alice(), processPath(loan, "/~actions/cancel"), "")
	server := s.replica()
	all, processes := follow(t, server, demo.Alice(), "", ""), follow(t, server, demo.Stranger(), "", "")
	s.call(204, demo.Alice(), http.MethodDelete, artifactPath(a, ""), "")
	s.post(200, demo.Alice(), artifactPath(a, "/~actions/restore"), "")
	s.call(204, demo.Alice(), http.MethodDelete, processPath(loan, ""), "")
	for _, want := range []string{"BUSINESS_ARTIFACT.DELETED", "BUSINESS_ARTIFACT.RESTORED"} {
		got := all.event()
		require.Equal(t, want, got.event)
		require.Contains(t, got.data, `"data":{"businessArtifactId":"`+a.String()+`","businessArtifactDefinitionCode":"CUSTOMER"}`)
	}
	for _, f := range []*follower{all, processes} {
		got := f.event()
		require.Equal(t, "PROCESS.DELETED", got.event)
		require.Contains(t, got.data, `"data":{"processId":"`+loan.String()+`","processState":"CANCELLED"}`)
	}
}
