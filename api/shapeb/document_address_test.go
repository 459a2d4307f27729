package shapeb_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain/kuflowref"
	"github.com/procession-dev/procession/test/kit/apitest"
)

// uploadFor uploads a text for an address and returns the document's uri.
func uploadAt(s *apitest.Service, as demo.Account, target, text string) string {
	s.T.Helper()
	return apitest.Decode[oasb.DocumentReference](s.T, s.Post(200, as, apitest.UploadFor(target, "text/plain", "note.txt"), text)).DocumentURI
}

func TestDocumentsByAddress(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	worker := demo.LoanWorker()
	loan, customer := s.Loan().ID, s.Customer(`{"name":"Acme"}`).ID
	process := "ku:process/" + loan.String()
	for _, target := range []string{process, "ku:business-artifact/" + customer.String()} {
		uri := uploadAt(s, worker, target, "0123456789")
		file, ok := kuflowref.ParseFile(uri)
		require.True(t, ok, uri)
		require.Equal(t, "note.txt", file.Name)
		for _, name := range []string{uri, file.URI} {
			got := s.Get(200, demo.Alice(), apitest.DownloadAt(name))
			require.Equal(t, "0123456789", got.Body)
			require.Equal(t, "text/plain", got.Header.Get("Content-Type"))
			require.Equal(t, `attachment; filename="note.txt"; filename*=UTF-8''note.txt`, got.Header.Get("Content-Disposition"))
		}
		s.RequireParts(apitest.DownloadAt(uri))
	}

	// A caller who may not add a document to a resource cannot do so by its
	// address either.
	s.Refused(403, "ACCESS_DENIED", demo.Carol(), "POST", apitest.UploadFor(process, "text/plain", "a.txt"), "text")
	s.Refused(404, "NOT_FOUND", demo.Stranger(), "POST", apitest.UploadFor(process, "text/plain", "a.txt"), "text")
	s.Refused(404, "NOT_FOUND", worker, "POST", apitest.UploadFor("ku:process/"+uuid.NewString(), "text/plain", "a.txt"), "text")
	task := s.Item(loan, "LOAN_APPLICATION", "").ID
	for _, target := range []string{
		loan.String(), "ku:process/x", "ku:process-item/" + task.String(), "ku:process/" + loan.String() + "/document/" + loan.String(),
	} {
		failure := s.Refused(400, "VALIDATION", worker, "POST", apitest.UploadFor(target, "text/plain", "a.txt"), "text")
		require.Equal(t, "targetUri", failure.Errors[0].Location, target)
	}
	failure := s.Refused(400, "VALIDATION", worker, "POST", apitest.UploadFor(process, "text", "a.txt"), "text")
	require.Equal(t, "fileContentType", failure.Errors[0].Location)
	s.RequireBlobs(2)
}

// An address that leads to no document visible to the caller is not found.
func TestDownloadByAddressNotFound(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	worker, carol := demo.LoanWorker(), demo.Carol()
	loan := s.Loan().ID
	uri := uploadAt(s, worker, "ku:process/"+loan.String(), "text")
	at, ok := kuflowref.ParseDocumentURI(uri)
	require.True(t, ok)
	want := s.Get(404, worker, apitest.DownloadAt("a.txt")).Timeless()
	elsewhere, kind := at, at
	elsewhere.OwnerID, kind.Owner = s.Loan().ID, kuflowref.OwnerBusinessArtifact
	for _, text := range []string{
		"ku:process/x", "ku:process/" + loan.String(), elsewhere.String(), kind.String(),
		"kuflow-file:uri=https://example.org/a;type=a/b;size=1;name=a;",
	} {
		require.Equal(t, want, s.Get(404, worker, apitest.DownloadAt(text)).Timeless(), text)
	}
	require.Equal(t, want, s.Get(404, carol, apitest.DownloadAt(uri)).Timeless())

	// Documents that a task refers to are visible with the task, even if its
	// process is not.
	review := s.Item(loan, "APPROVE_LOAN", "").ID
	s.Call(200, worker, http.MethodPut, apitest.ItemPath(review, "/task/data"), `{"data":{"value":{"NOTE":"`+uri+`"}}}`)
	s.Get(200, demo.Bob(), apitest.DownloadAt(uri))
	require.Equal(t, want, s.Get(404, carol, apitest.DownloadAt(uri)).Timeless())

	// An upload by address must be linked within two hours.
	unlinked := uploadAt(s, worker, "ku:process/"+loan.String(), "text")
	s.Ticks.Add((2 * time.Hour).Milliseconds())
	require.Equal(t, want, s.Get(404, worker, apitest.DownloadAt(unlinked)).Timeless())
	s.Get(200, worker, apitest.DownloadAt(uri))
}

// The document that an action delivered is found by its address until it
// expires.
func TestDocumentsOfActionsByAddress(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	loan := s.Loan().ID
	action := s.Invoke(demo.LoanWorker(), loan, apitest.InvokeReport).ID
	path := apitest.ProcessPath(loan, "/actions/"+action.String())
	s.Post(200, demo.LoanWorker(), apitest.UploadPath(path, "text/plain", "a.txt"), "text")
	uri := *apitest.Decode[oasb.ProcessAction](t, s.Get(200, demo.Carol(), path)).Downloadable.DocumentURI
	require.Equal(t, "text", s.Get(200, demo.Carol(), apitest.DownloadAt(uri)).Body)
	s.Refused(404, "NOT_FOUND", demo.Stranger(), "GET", apitest.DownloadAt(uri), "")
	s.Ticks.Add((7 * 24 * time.Hour).Milliseconds())
	s.Refused(404, "DOCUMENT_EXPIRED", demo.Carol(), "GET", apitest.DownloadAt(uri), "")
	s.Refused(404, "NOT_FOUND", demo.Stranger(), "GET", apitest.DownloadAt(uri), "")
}
