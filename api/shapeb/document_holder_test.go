package shapeb_test

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
	"github.com/procession-dev/procession/test/kit/apitest"
)

// requireDocument requires that exactly these accounts can download a document of
// a process, in both shapes.
func requireDocument(s *apitest.Service, process uuid.UUID, uri string, visible map[*demo.Account]bool) {
	s.T.Helper()
	for as, found := range visible {
		status := map[bool]int{true: 200, false: 404}[found]
		s.Get(status, *as, apitest.DownloadPath(apitest.ProcessPath(process, ""), uri))
		s.Get(status, *as, apitest.ProcessPathA(process, "/~actions/download-entity-document?")+url.Values{"documentUri": {uri}}.Encode())
	}
}

// Read permission on a process does not include the documents of its items.
func TestDocumentNeedsVisibleHolder(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	alice, bob, carol, reader, stranger := demo.Alice(), demo.Bob(), demo.Carol(), demo.Reader(), demo.Stranger()
	loan := s.Loan().ID
	process := apitest.ProcessPath(loan, "")
	own := s.Item(loan, "LOAN_APPLICATION", apitest.OwnedBy(carol)).ID
	review := s.Item(loan, "APPROVE_LOAN", "").ID
	s.Get(200, carol, process)
	s.Get(404, carol, apitest.ItemPath(review, ""))

	// Temporary documents are visible to the uploader and to managers.
	uri := s.Upload(alice, process, "secret")
	temporary := map[*demo.Account]bool{&alice: true, &bob: false, &carol: false, &reader: false, &stranger: false}
	requireDocument(s, loan, uri, temporary)
	carols := s.Upload(carol, process, "Carol's")
	requireDocument(s, loan, carols, map[*demo.Account]bool{&alice: true, &bob: false, &carol: true, &reader: false})
	s.Get(404, carol, taskDownload(own, uri))
	s.Get(200, carol, taskDownload(own, carols))

	saved := s.Call(200, alice, http.MethodPut, apitest.ItemPath(review, "/task/data"), `{"data":{"value":{"NOTE":"`+uri+`"}}}`)
	require.NotContains(t, saved.Body, `"type":"format"`)
	requireDocument(s, loan, uri, map[*demo.Account]bool{&alice: true, &bob: true, &carol: false, &reader: true, &stranger: false})
	s.Get(404, carol, taskDownload(own, uri))
	s.Get(404, carol, taskDownload(review, uri))
	s.Get(200, bob, taskDownload(review, uri))

	// Nor does a reference of hers lead there.
	data := apitest.Decode[oasb.ProcessItem](t, s.Call(200, carol, http.MethodPut, apitest.ItemPath(own, "/task/data"),
		`{"data":{"value":{"NOTE":"`+uri+`"}}}`)).Task.Data
	apitest.RequireAbsent(t, data, "/NOTE", uri)
	s.Refused(400, "VALIDATION", carol, http.MethodPost, apitest.TaskPathA(own, apitest.SaveElementAction),
		apitest.SaveElement("PHOTO", `[{"type":"DOCUMENT","value":{"uri":"`+uri+`"}}]`))
	requireDocument(s, loan, uri, map[*demo.Account]bool{&carol: false})

	// Documents that a process refers to are visible to all its viewers.
	s.Call(200, alice, http.MethodPut, process+"/metadata", apitest.Metadata(uri))
	requireDocument(s, loan, uri, map[*demo.Account]bool{&alice: true, &bob: true, &carol: true, &reader: true, &stranger: false})
	s.Call(200, alice, http.MethodPut, process+"/metadata", apitest.Metadata())
	s.Call(200, alice, http.MethodPut, apitest.ItemPath(review, "/task/data"), `{"data":{"value":{}}}`)
	requireDocument(s, loan, uri, temporary)
}

func TestADocumentOfAnElementNeedsAVisibleTask(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	alice, bob, carol := demo.Alice(), demo.Bob(), demo.Carol()
	loan := s.Loan().ID
	review := s.Item(loan, "APPROVE_LOAN", "").ID
	s.Post(200, bob, apitest.ItemPath(review, "/task/~actions/claim"), "")
	task := apitest.Decode[oasa.Task](t, s.Post(200, bob, apitest.UploadPathA(apitest.TaskPathA(review, ""), "save-element-value-document",
		url.Values{"elementDefinitionCode": {"PHOTO"}}), "a photo"))
	photo := apitest.DocumentIn(t, task.ElementValues["PHOTO"][0])
	requireDocument(s, loan, photo.URI, map[*demo.Account]bool{&alice: true, &bob: true, &carol: false})
	path := apitest.TaskPathA(review, "/~actions/download-element-value-document?documentId="+photo.ID.String())
	s.Get(200, bob, path)
	s.Get(404, carol, path)
}

// The result of a user action is visible to its invoker and to participants who
// may invoke user actions, not to candidates of a task of the process.
func TestUserActionResultHiddenFromCandidates(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	alice, bob, carol, reader := demo.Alice(), demo.Bob(), demo.Carol(), demo.Reader()
	loan := s.Loan().ID
	s.Item(loan, "APPROVE_LOAN", "")
	s.Get(200, bob, apitest.ProcessPath(loan, ""))
	report := s.Invoke(alice, loan, apitest.InvokeReport).ID
	done := apitest.Decode[oasb.ProcessAction](t, s.Post(200, demo.LoanWorker(),
		apitest.UploadPath(apitest.UserActionPath(loan, report, ""), "text/plain", "a.txt"), "text"))
	uri := *done.Downloadable.DocumentURI
	requireDocument(s, loan, uri, map[*demo.Account]bool{&alice: true, &bob: false, &carol: true, &reader: true})
	s.Ticks.Add((7 * 24 * time.Hour).Milliseconds())
	s.Refused(404, "DOCUMENT_EXPIRED", alice, http.MethodGet, apitest.DownloadPath(apitest.ProcessPath(loan, ""), uri), "")
	s.Refused(404, "NOT_FOUND", bob, http.MethodGet, apitest.DownloadPath(apitest.ProcessPath(loan, ""), uri), "")
}

func TestTemporaryArtifactDocumentVisibleToUploader(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	editor := editor(s)
	require.NoError(t, s.DB.Write(t.Context(), func(tx *persistence.Tx) error {
		tx.GrantOnArtifact(apitest.Customers(), demo.TenantDemo(), domain.PermissionArtifactViewer, demo.Reader().ID)
		return nil
	}))
	artifact := apitest.ArtifactPath(s.Customer(`{"name":"Acme"}`).ID, "")
	uri, editors := s.Upload(demo.Alice(), artifact, "secret"), s.Upload(editor, artifact, "Bob's")
	s.Get(404, editor, apitest.DownloadPath(artifact, uri))
	s.Get(404, demo.Reader(), apitest.DownloadPath(artifact, uri))
	s.Get(200, demo.LoanWorker(), apitest.DownloadPath(artifact, uri))
	s.Get(200, editor, apitest.DownloadPath(artifact, editors))
	s.Call(200, demo.Alice(), http.MethodPut, artifact+"/data", `{"data":{"value":{"notes":"`+uri+`"}}}`)
	s.Get(200, editor, apitest.DownloadPath(artifact, uri))
	s.Get(200, demo.Reader(), apitest.DownloadPath(artifact, uri))
}

// taskDownload returns where a document of a task is downloaded from, in Shape A.
func taskDownload(task uuid.UUID, uri string) string {
	return apitest.TaskPathA(task, "/~actions/download-json-forms-value-document?") + url.Values{"documentUri": {uri}}.Encode()
}
