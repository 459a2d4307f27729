package api_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain/kuflowref"
)

// uploadFor uploads a text for an address and returns the document's uri.
func (s *service) uploadAt(as demo.Account, target, text string) string {
	s.t.Helper()
	return decode[oasb.DocumentReference](s.t, s.post(200, as, uploadFor(target, "text/plain", "note.txt"), text)).DocumentURI
}

func TestDocumentsByAddress(t *testing.T) {
	t.Parallel()
	s := newService(t)
	worker := demo.LoanWorker()
	loan, customer := s.loan().ID, s.customer(`{"name":"Acme"}`).ID
	process := "ku:process/" + loan.String()
	for _, target := range []string{process, "ku:business-artifact/" + customer.String()} {
		uri := s.uploadAt(worker, target, "0123456789")
		file, ok := kuflowref.ParseFile(uri)
		require.True(t, ok, uri)
		require.Equal(t, "note.txt", file.Name)
		for _, name := range []string{uri, file.URI} {
			got := s.get(200, demo.Alice(), downloadAt(name))
			require.Equal(t, "0123456789", got.body)
			require.Equal(t, "text/plain", got.header.Get("Content-Type"))
			require.Equal(t, `attachment; filename="note.txt"; filename*=UTF-8''note.txt`, got.header.Get("Content-Disposition"))
		}
		s.requireParts(downloadAt(uri))
	}

	// A caller who may not add a document to a resource cannot do so by its
	// address either.
	s.refused(403, "ACCESS_DENIED", demo.Carol(), "POST", uploadFor(process, "text/plain", "a.txt"), "text")
	s.refused(404, "NOT_FOUND", demo.Stranger(), "POST", uploadFor(process, "text/plain", "a.txt"), "text")
	s.refused(404, "NOT_FOUND", worker, "POST", uploadFor("ku:process/"+uuid.NewString(), "text/plain", "a.txt"), "text")
	task := s.item(loan, "LOAN_APPLICATION", "").ID
	for _, target := range []string{
		loan.String(), "ku:process/x", "ku:process-item/" + task.String(), "ku:process/" + loan.String() + "/document/" + loan.String(),
	} {
		failure := s.refused(400, "VALIDATION", worker, "POST", uploadFor(target, "text/plain", "a.txt"), "text")
		require.Equal(t, "targetUri", failure.Errors[0].Location, target)
	}
	failure := s.refused(400, "VALIDATION", worker, "POST", uploadFor(process, "text", "a.txt"), "text")
	require.Equal(t, "fileContentType", failure.Errors[0].Location)
	s.requireBlobs(2)
}

// An address that leads to no document visible to the caller is not found.
func TestDownloadByAddressNotFound(t *testing.T) {
	t.Parallel()
	s := newService(t)
	worker, carol := demo.LoanWorker(), demo.Carol()
	loan := s.loan().ID
	uri := s.uploadAt(worker, "ku:process/"+loan.String(), "text")
	at, ok := kuflowref.ParseDocumentURI(uri)
	require.True(t, ok)
	want := s.get(404, worker, downloadAt("a.txt")).timeless()
	elsewhere, kind := at, at
	elsewhere.OwnerID, kind.Owner = s.loan().ID, kuflowref.OwnerBusinessArtifact
	for _, text := range []string{
		"ku:process/x", "ku:process/" + loan.String(), elsewhere.String(), kind.String(),
		"kuflow-file:uri=https://example.org/a;type=a/b;size=1;name=a;",
	} {
		require.Equal(t, want, s.get(404, worker, downloadAt(text)).timeless(), text)
	}
	require.Equal(t, want, s.get(404, carol, downloadAt(uri)).timeless())

	// Documents that a task refers to are visible with the task, even if its
	// process is not.
	review := s.item(loan, "APPROVE_LOAN", "").ID
	s.call(200, worker, http.MethodPut, itemPath(review, "/task/data"), `{"data":{"value":{"NOTE":"`+uri+`"}}}`)
	s.get(200, demo.Bob(), downloadAt(uri))
	require.Equal(t, want, s.get(404, carol, downloadAt(uri)).timeless())

	// Two hours are what an upload by address has to be referred to.
	unlinked := s.uploadAt(worker, "ku:process/"+loan.String(), "text")
	s.ticks.Add((2 * time.Hour).Milliseconds())
	require.Equal(t, want, s.get(404, worker, downloadAt(unlinked)).timeless())
	s.get(200, worker, downloadAt(uri))
}

// The document that an action delivered is found by its address until it
// expires.
func TestDocumentsOfActionsByAddress(t *testing.T) {
	t.Parallel()
	s := newService(t)
	loan := s.loan().ID
	action := s.invoke(demo.LoanWorker(), loan, invokeReport).ID
	path := processPath(loan, "/actions/"+action.String())
	s.post(200, demo.LoanWorker(), uploadPath(path, "text/plain", "a.txt"), "text")
	uri := *decode[oasb.ProcessAction](t, s.get(200, demo.Carol(), path)).Downloadable.DocumentURI
	require.Equal(t, "text", s.get(200, demo.Carol(), downloadAt(uri)).body)
	s.refused(404, "NOT_FOUND", demo.Stranger(), "GET", downloadAt(uri), "")
	s.ticks.Add((7 * 24 * time.Hour).Milliseconds())
	s.refused(404, "DOCUMENT_EXPIRED", demo.Carol(), "GET", downloadAt(uri), "")
	s.refused(404, "NOT_FOUND", demo.Stranger(), "GET", downloadAt(uri), "")
}
