package shapeb_test

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain/kuflowref"
	"github.com/procession-dev/procession/test/kit/apitest"
	"github.com/procession-dev/procession/test/kit/contracttest"
)

func TestDownloadReturnsTheUploadedDocument(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	process := apitest.ProcessPath(s.Loan().ID, "")
	artifact := apitest.ArtifactPath(s.Customer(`{"name":"Acme"}`).ID, "")
	for _, owner := range []string{process, artifact} {
		for _, contentType := range []string{"application/pdf", "application/json", "text/html; charset=utf-8", "image/svg+xml"} {
			text := strings.Repeat("{}<&>\n", 500)
			uri := s.UploadAs(demo.LoanWorker(), owner, contentType, "../a b;=é.txt", text)
			file, ok := kuflowref.ParseFile(uri)
			require.True(t, ok, uri)
			require.Equal(t, "a b;=é.txt", file.Name)
			require.Equal(t, contentType, file.Type)
			require.EqualValues(t, len(text), file.Size)

			for _, name := range []string{uri, file.URI} {
				r := apitest.Request(t, demo.Alice(), http.MethodGet, apitest.DownloadPath(owner, name), "")
				r.Header.Set("Accept-Encoding", "gzip")
				got := s.Send(r)
				require.Equal(t, 200, got.Status, got.Body)
				require.Equal(t, text, got.Body)
				require.Equal(t, contentType, got.Header.Get("Content-Type"))
				require.Equal(t, fmt.Sprint(len(text)), got.Header.Get("Content-Length"))
				require.Equal(t, `attachment; filename="a b;=_.txt"; filename*=UTF-8''a%20b%3B%3D%C3%A9.txt`,
					got.Header.Get("Content-Disposition"))
				require.Equal(t, "nosniff", got.Header.Get("X-Content-Type-Options"))
				require.Equal(t, "bytes", got.Header.Get("Accept-Ranges"))
				require.Equal(t, fmt.Sprintf(`"%x"`, sha256.Sum256([]byte(text))), got.Header.Get("ETag"))
				require.Empty(t, got.Header.Get("Content-Encoding"))
			}
		}
	}
	require.Equal(t, 8, s.Count("SELECT count(*) FROM documents"))
}

func TestAnEmptyDocumentIsOne(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	process := apitest.ProcessPath(s.Loan().ID, "")
	// The contract can only say that there is a body.
	got := s.Send(contracttest.Invalid(apitest.Request(t, demo.LoanWorker(), "POST", apitest.UploadPath(process, "text/plain", "a.txt"), "")))
	require.Equal(t, 200, got.Status, got.Body)
	uri := apitest.Decode[oasb.DocumentReference](t, got).DocumentURI
	require.Empty(t, s.Download(demo.LoanWorker(), process, uri))
}

func TestPartsOfADocument(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	for _, owner := range []string{apitest.ProcessPath(s.Loan().ID, ""), apitest.ArtifactPath(s.Customer(`{"name":"Acme"}`).ID, "")} {
		s.RequireParts(apitest.DownloadPath(owner, s.Upload(demo.LoanWorker(), owner, "0123456789")))
	}
}

func TestRefusedUploadsStoreNoDocument(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	loan := s.Loan().ID
	process := apitest.ProcessPath(loan, "")
	finished := s.Loan().ID
	s.Post(200, demo.Alice(), apitest.ProcessPath(finished, "/~actions/complete"), "")
	path := apitest.UploadPath(process, "text/plain", "a.txt")
	s.Refused(403, "ACCESS_DENIED", demo.Carol(), "POST", path, "text")
	s.Refused(403, "PROCESS_FINISHED", demo.Alice(), "POST", apitest.UploadPath(apitest.ProcessPath(finished, ""), "text/plain", "a.txt"), "text")
	for _, contentType := range []string{"text", "text/", "a/b/c", "*/*", "text/plain;", "text/plain;;=", "é/x"} {
		if contentType == "text/plain;" {
			continue // an empty parameter is none
		}
		failure := s.Refused(400, "VALIDATION", demo.Alice(), "POST", apitest.UploadPath(process, contentType, "a.txt"), "text")
		require.Equal(t, "fileContentType", failure.Errors[0].Location, contentType)
	}
	tooLarge := s.Refused(413, "DOCUMENT_TOO_LARGE", demo.Alice(), "POST", path, strings.Repeat("x", apitest.DocumentLimit+1))
	require.Contains(t, tooLarge.Message, "1048576")

	for _, c := range [][4]string{
		{"Content-Type", "application/json", "Accept", "application/octet-stream"}, {"Content-Encoding", "gzip", "Accept-Encoding", "identity"},
	} {
		r := apitest.Request(t, demo.Alice(), "POST", path, "{}")
		r.Header.Set(c[0], c[1])
		got := s.Send(contracttest.Invalid(r))
		require.Equal(t, 415, got.Status)
		require.Equal(t, c[3], got.Header.Get(c[2]))
	}
	require.Zero(t, s.Count("SELECT count(*) FROM documents"))
	s.RequireBlobs(0)

	// The owner of an open task may add documents as long as it is open.
	task := s.Item(loan, "LOAN_APPLICATION", apitest.OwnedBy(demo.Carol())).ID
	s.Post(200, demo.Carol(), path, "text")
	s.Post(200, demo.Carol(), path, strings.Repeat("x", apitest.DocumentLimit))
	s.Post(200, demo.Carol(), apitest.ItemPath(task, "/task/~actions/complete"), "")
	s.Refused(403, "ACCESS_DENIED", demo.Carol(), "POST", path, "text")
	s.RequireBlobs(2)
}

func TestDocumentsThatAreNotThere(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	process, other := apitest.ProcessPath(s.Loan().ID, ""), apitest.ProcessPath(s.Loan().ID, "")
	artifact := apitest.ArtifactPath(s.Customer(`{"name":"Acme"}`).ID, "")
	uri := s.Upload(demo.LoanWorker(), process, "text")
	at, ok := kuflowref.ParseDocumentURI(uri)
	require.True(t, ok)
	elsewhere := at
	elsewhere.OwnerID = uuid.New()
	kind := at
	kind.Owner = kuflowref.OwnerProcessActionValue
	absent := at
	absent.DocumentID = uuid.New()
	want := s.Get(404, demo.LoanWorker(), apitest.DownloadPath(process, absent.String())).Timeless()
	for _, path := range []string{
		apitest.DownloadPath(other, uri), apitest.DownloadPath(artifact, uri), apitest.DownloadPath(apitest.ProcessPath(uuid.New(), ""), uri),
		apitest.DownloadPath(process, elsewhere.String()), apitest.DownloadPath(process, kind.String()),
	} {
		require.Equal(t, want, s.Get(404, demo.LoanWorker(), path).Timeless(), path)
	}
	for _, text := range []string{"a.txt", "ku:process/x", "kuflow-file:uri=https://example.org/a;type=a/b;size=1;name=a;"} {
		failure := s.Refused(400, "VALIDATION", demo.LoanWorker(), "GET", apitest.DownloadPath(process, text), "")
		require.Equal(t, "documentUri", failure.Errors[0].Location)
	}
	// A day later it is gone for everybody, found by the clean-up or not.
	s.Ticks.Add((24 * time.Hour).Milliseconds())
	require.Equal(t, want, s.Get(404, demo.LoanWorker(), apitest.DownloadPath(process, uri)).Timeless())
	require.Equal(t, 1, s.Count("SELECT count(*) FROM documents"))
}

func TestADocumentWithoutItsBytesIsAFailure(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	process := apitest.ProcessPath(s.Loan().ID, "")
	uri := s.Upload(demo.LoanWorker(), process, "text")
	page, err := s.Documents.List(t.Context(), "", 10, time.Now().Add(time.Hour))
	require.NoError(t, err)
	require.NoError(t, s.Documents.Delete(t.Context(), page.Blobs[0].Key))
	got := s.Get(500, demo.LoanWorker(), apitest.DownloadPath(process, uri))
	require.NotContains(t, got.Body, page.Blobs[0].Key.Document.String())
}

func TestTheDocumentOfAUserAction(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	loan := s.Loan().ID
	process := apitest.ProcessPath(loan, "")
	upload := func(action uuid.UUID) string {
		return strings.Replace(apitest.UploadPath(process, "text/plain", "a.txt"), "upload-document?", "upload-user-action-document?", 1) +
			"&userActionValueId=" + action.String()
	}
	action := s.Invoke(demo.LoanWorker(), loan, apitest.InvokeReport).ID
	other := s.Invoke(demo.LoanWorker(), loan, apitest.InvokeUserAction("NUDGE")).ID
	foreign := s.Invoke(demo.LoanWorker(), s.Loan().ID, apitest.InvokeReport).ID
	s.Refused(403, "ACCESS_DENIED", demo.Carol(), "POST", upload(action), "text")
	s.Refused(404, "NOT_FOUND", demo.LoanWorker(), "POST", upload(foreign), "text")
	s.Refused(404, "NOT_FOUND", demo.LoanWorker(), "POST", upload(uuid.New()), "text")
	s.Refused(409, "INVALID_STATE", demo.LoanWorker(), "POST", upload(other), "text")
	s.RequireBlobs(0)

	// The process may be over by then.
	s.Post(200, demo.Alice(), process+"/~actions/complete", "")
	require.Contains(t, s.Post(200, demo.LoanWorker(), upload(action), "text").Body, loan.String())
	got := s.Send(apitest.Request(t, demo.LoanWorker(), "POST", upload(action), "another text"))
	require.Equal(t, 304, got.Status)
	require.Empty(t, got.Body)
	s.RequireBlobs(1)
	require.Equal(t, 1, s.Count(`SELECT count(*) FROM process_actions x JOIN documents d ON d.id = x.document_id
      WHERE x.id = $1 AND x.status = 'COMPLETED' AND d.owner_id = x.id AND d.expires_at = d.created_at + interval '7 days'`, action))

	var id uuid.UUID
	conn := s.Connect()
	defer func() { _ = conn.Close(t.Context()) }()
	require.NoError(t, conn.QueryRow(t.Context(), "SELECT document_id FROM process_actions WHERE id = $1", action).Scan(&id))
	uri := kuflowref.URI{Owner: kuflowref.OwnerProcessActionValue, OwnerID: action, DocumentID: id}.String()
	require.Equal(t, "text", s.Download(demo.Carol(), process, uri))
	s.Ticks.Add((7 * 24 * time.Hour).Milliseconds())
	s.Refused(404, "DOCUMENT_EXPIRED", demo.Carol(), "GET", apitest.DownloadPath(process, uri), "")
	_, err := s.App.ExpireDocuments(t.Context(), 10)
	require.NoError(t, err)
	s.RequireBlobs(0)
	s.Refused(404, "DOCUMENT_EXPIRED", demo.Carol(), "GET", apitest.DownloadPath(process, uri), "")
	s.Refused(404, "NOT_FOUND", demo.Stranger(), "GET", apitest.DownloadPath(process, uri), "")
}
