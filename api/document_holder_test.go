package api_test

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasa "github.com/procession-dev/procession/api/shapea/oas"
	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// requireDocument requires that exactly these accounts can download a document of
// a process, in both shapes.
func (s *service) requireDocument(process uuid.UUID, uri string, visible map[*demo.Account]bool) {
	s.t.Helper()
	for as, found := range visible {
		status := map[bool]int{true: 200, false: 404}[found]
		s.get(status, *as, downloadPath(processPath(process, ""), uri))
		s.get(status, *as, processPathA(process, "/~actions/download-entity-document?")+url.Values{"documentUri": {uri}}.Encode())
	}
}

// Read permission on a process does not include the documents of its items.
func TestDocumentNeedsVisibleHolder(t *testing.T) {
	t.Parallel()
	s := newService(t)
	alice, bob, carol, reader, stranger := demo.Alice(), demo.Bob(), demo.Carol(), demo.Reader(), demo.Stranger()
	loan := s.loan().ID
	process := processPath(loan, "")
	own := s.item(loan, "LOAN_APPLICATION", ownedBy(carol)).ID
	review := s.item(loan, "APPROVE_LOAN", "").ID
	s.get(200, carol, process)
	s.get(404, carol, itemPath(review, ""))

	// Temporary documents are for who uploaded them and for managers.
	uri := s.upload(alice, process, "secret")
	temporary := map[*demo.Account]bool{&alice: true, &bob: false, &carol: false, &reader: false, &stranger: false}
	s.requireDocument(loan, uri, temporary)
	carols := s.upload(carol, process, "Carol's")
	s.requireDocument(loan, carols, map[*demo.Account]bool{&alice: true, &bob: false, &carol: true, &reader: false})
	s.get(404, carol, taskDownload(own, uri))
	s.get(200, carol, taskDownload(own, carols))

	saved := s.call(200, alice, http.MethodPut, itemPath(review, "/task/data"), `{"data":{"value":{"NOTE":"`+uri+`"}}}`)
	require.NotContains(t, saved.body, `"type":"format"`)
	s.requireDocument(loan, uri, map[*demo.Account]bool{&alice: true, &bob: true, &carol: false, &reader: true, &stranger: false})
	s.get(404, carol, taskDownload(own, uri))
	s.get(404, carol, taskDownload(review, uri))
	s.get(200, bob, taskDownload(review, uri))

	// Nor does a reference of hers lead there.
	data := decode[oasb.ProcessItem](t, s.call(200, carol, http.MethodPut, itemPath(own, "/task/data"),
		`{"data":{"value":{"NOTE":"`+uri+`"}}}`)).Task.Data
	requireAbsent(t, data, "/NOTE", uri)
	s.refused(400, "VALIDATION", carol, http.MethodPost, taskPathA(own, saveElementAction),
		saveElement("PHOTO", `[{"type":"DOCUMENT","value":{"uri":"`+uri+`"}}]`))
	s.requireDocument(loan, uri, map[*demo.Account]bool{&carol: false})

	// Documents that a process refers to are visible to all its viewers.
	s.call(200, alice, http.MethodPut, process+"/metadata", metadata(uri))
	s.requireDocument(loan, uri, map[*demo.Account]bool{&alice: true, &bob: true, &carol: true, &reader: true, &stranger: false})
	s.call(200, alice, http.MethodPut, process+"/metadata", metadata())
	s.call(200, alice, http.MethodPut, itemPath(review, "/task/data"), `{"data":{"value":{}}}`)
	s.requireDocument(loan, uri, temporary)
}

func TestADocumentOfAnElementNeedsAVisibleTask(t *testing.T) {
	t.Parallel()
	s := newService(t)
	alice, bob, carol := demo.Alice(), demo.Bob(), demo.Carol()
	loan := s.loan().ID
	review := s.item(loan, "APPROVE_LOAN", "").ID
	s.post(200, bob, itemPath(review, "/task/~actions/claim"), "")
	task := decode[oasa.Task](t, s.post(200, bob, uploadPathA(taskPathA(review, ""), "save-element-value-document",
		url.Values{"elementDefinitionCode": {"PHOTO"}}), "a photo"))
	photo := documentIn(t, task.ElementValues["PHOTO"][0])
	s.requireDocument(loan, photo.URI, map[*demo.Account]bool{&alice: true, &bob: true, &carol: false})
	path := taskPathA(review, "/~actions/download-element-value-document?documentId="+photo.ID.String())
	s.get(200, bob, path)
	s.get(404, carol, path)
}

// The result of a user action is visible to its invoker and to participants who
// may invoke user actions, not to candidates of a task of the process.
func TestUserActionResultHiddenFromCandidates(t *testing.T) {
	t.Parallel()
	s := newService(t)
	alice, bob, carol, reader := demo.Alice(), demo.Bob(), demo.Carol(), demo.Reader()
	loan := s.loan().ID
	s.item(loan, "APPROVE_LOAN", "")
	s.get(200, bob, processPath(loan, ""))
	report := s.invoke(alice, loan, invokeReport).ID
	done := decode[oasb.ProcessAction](t, s.post(200, demo.LoanWorker(),
		uploadPath(userActionPath(loan, report, ""), "text/plain", "a.txt"), "text"))
	uri := *done.Downloadable.DocumentURI
	s.requireDocument(loan, uri, map[*demo.Account]bool{&alice: true, &bob: false, &carol: true, &reader: true})
	s.ticks.Add((7 * 24 * time.Hour).Milliseconds())
	s.refused(404, "DOCUMENT_EXPIRED", alice, http.MethodGet, downloadPath(processPath(loan, ""), uri), "")
	s.refused(404, "NOT_FOUND", bob, http.MethodGet, downloadPath(processPath(loan, ""), uri), "")
}

func TestTemporaryArtifactDocumentVisibleToUploader(t *testing.T) {
	t.Parallel()
	s := newService(t)
	editor := s.editor()
	require.NoError(t, s.db.Write(t.Context(), func(tx *persistence.Tx) error {
		tx.GrantOnArtifact(customers(), demo.TenantDemo(), domain.PermissionArtifactViewer, demo.Reader().ID)
		return nil
	}))
	artifact := artifactPath(s.customer(`{"name":"Acme"}`).ID, "")
	uri, editors := s.upload(demo.Alice(), artifact, "secret"), s.upload(editor, artifact, "Bob's")
	s.get(404, editor, downloadPath(artifact, uri))
	s.get(404, demo.Reader(), downloadPath(artifact, uri))
	s.get(200, demo.LoanWorker(), downloadPath(artifact, uri))
	s.get(200, editor, downloadPath(artifact, editors))
	s.call(200, demo.Alice(), http.MethodPut, artifact+"/data", `{"data":{"value":{"notes":"`+uri+`"}}}`)
	s.get(200, editor, downloadPath(artifact, uri))
	s.get(200, demo.Reader(), downloadPath(artifact, uri))
}

// taskDownload is where a document of a task is downloaded from, in Shape A.
func taskDownload(task uuid.UUID, uri string) string {
	return taskPathA(task, "/~actions/download-json-forms-value-document?") + url.Values{"documentUri": {uri}}.Encode()
}
