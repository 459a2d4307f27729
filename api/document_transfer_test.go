package api_test

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
	"github.com/procession-dev/procession/internal/testkit/contracttest"
)

func TestADocumentComesBackAsItWasUploaded(t *testing.T) {
	t.Parallel()
	s := newService(t)
	process := processPath(s.loan().ID, "")
	artifact := artifactPath(s.customer(`{"name":"Acme"}`).ID, "")
	for _, owner := range []string{process, artifact} {
		for _, contentType := range []string{"application/pdf", "application/json", "text/html; charset=utf-8", "image/svg+xml"} {
			text := strings.Repeat("{}<&>\n", 500)
			uri := s.uploadAs(demo.LoanWorker(), owner, contentType, "../a b;=é.txt", text)
			file, ok := kuflowref.ParseFile(uri)
			require.True(t, ok, uri)
			require.Equal(t, "a b;=é.txt", file.Name)
			require.Equal(t, contentType, file.Type)
			require.EqualValues(t, len(text), file.Size)

			for _, name := range []string{uri, file.URI} {
				r := request(t, demo.Alice(), http.MethodGet, downloadPath(owner, name), "")
				r.Header.Set("Accept-Encoding", "gzip")
				got := s.send(r)
				require.Equal(t, 200, got.status, got.body)
				require.Equal(t, text, got.body)
				require.Equal(t, contentType, got.header.Get("Content-Type"))
				require.Equal(t, fmt.Sprint(len(text)), got.header.Get("Content-Length"))
				require.Equal(t, `attachment; filename="a b;=_.txt"; filename*=UTF-8''a%20b%3B%3D%C3%A9.txt`,
					got.header.Get("Content-Disposition"))
				require.Equal(t, "nosniff", got.header.Get("X-Content-Type-Options"))
				require.Equal(t, "bytes", got.header.Get("Accept-Ranges"))
				require.Equal(t, fmt.Sprintf(`"%x"`, sha256.Sum256([]byte(text))), got.header.Get("ETag"))
				require.Empty(t, got.header.Get("Content-Encoding"))
			}
		}
	}
	require.Equal(t, 8, s.count("SELECT count(*) FROM documents"))
}

func TestAnEmptyDocumentIsOne(t *testing.T) {
	t.Parallel()
	s := newService(t)
	process := processPath(s.loan().ID, "")
	// The contract can only say that there is a body.
	got := s.send(contracttest.Invalid(request(t, demo.LoanWorker(), "POST", uploadPath(process, "text/plain", "a.txt"), "")))
	require.Equal(t, 200, got.status, got.body)
	uri := decode[oasb.DocumentReference](t, got).DocumentURI
	require.Empty(t, s.download(demo.LoanWorker(), process, uri))
}

func TestPartsOfADocument(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for _, owner := range []string{processPath(s.loan().ID, ""), artifactPath(s.customer(`{"name":"Acme"}`).ID, "")} {
		s.requireParts(downloadPath(owner, s.upload(demo.LoanWorker(), owner, "0123456789")))
	}
}

// requireParts requires that parts of a document 0123456789 can be had.
func (s *service) requireParts(path string) {
	t := s.t
	t.Helper()
	whole := s.get(200, demo.LoanWorker(), path)
	etag := whole.header.Get("ETag")
	for name, c := range map[string]struct {
		method string
		header map[string]string
		status int
		body   string
	}{
		"range":            {"GET", map[string]string{"Range": "bytes=2-4"}, 206, "234"},
		"end":              {"GET", map[string]string{"Range": "bytes=-3"}, 206, "789"},
		"unchanged":        {"GET", map[string]string{"If-None-Match": etag}, 304, ""},
		"changed":          {"GET", map[string]string{"If-None-Match": `"other"`}, 200, "0123456789"},
		"range of the one": {"GET", map[string]string{"Range": "bytes=2-4", "If-Range": etag}, 206, "234"},
		"range of another": {"GET", map[string]string{"Range": "bytes=2-4", "If-Range": `"other"`}, 200, "0123456789"},
		"head":             {"HEAD", nil, 200, ""},
		"head of a range":  {"HEAD", map[string]string{"Range": "bytes=2-4"}, 206, ""},
	} {
		r := request(t, demo.LoanWorker(), c.method, path, "")
		for key, value := range c.header {
			r.Header.Set(key, value)
		}
		got := s.send(r)
		require.Equal(t, c.status, got.status, name)
		require.Equal(t, c.body, got.body, name)
		require.Equal(t, etag, got.header.Get("ETag"), name)
		if c.method == http.MethodHead && c.status == 200 {
			require.Equal(t, whole.header.Get("Content-Length"), got.header.Get("Content-Length"))
		}
	}
	for status, header := range map[int][2]string{416: {"Range", "bytes=10-"}, 412: {"If-Match", `"other"`}} {
		r := request(t, demo.LoanWorker(), http.MethodGet, path, "")
		r.Header.Set(header[0], header[1])
		got := s.send(r)
		require.Equal(t, status, got.status)
		require.Empty(t, got.header.Get("Content-Disposition"))
		require.Equal(t, "no-store", got.header.Get("Cache-Control"))
	}
}

func TestUploadsThatAreRefusedLeaveNothing(t *testing.T) {
	t.Parallel()
	s := newService(t)
	loan := s.loan().ID
	process := processPath(loan, "")
	finished := s.loan().ID
	s.post(200, demo.Alice(), processPath(finished, "/~actions/complete"), "")
	path := uploadPath(process, "text/plain", "a.txt")
	s.refused(403, "ACCESS_DENIED", demo.Carol(), "POST", path, "text")
	s.refused(403, "PROCESS_FINISHED", demo.Alice(), "POST", uploadPath(processPath(finished, ""), "text/plain", "a.txt"), "text")
	for _, contentType := range []string{"text", "text/", "a/b/c", "*/*", "text/plain;", "text/plain;;=", "é/x"} {
		if contentType == "text/plain;" {
			continue // an empty parameter is none
		}
		failure := s.refused(400, "VALIDATION", demo.Alice(), "POST", uploadPath(process, contentType, "a.txt"), "text")
		require.Equal(t, "fileContentType", failure.Errors[0].Location, contentType)
	}
	tooLarge := s.refused(413, "DOCUMENT_TOO_LARGE", demo.Alice(), "POST", path, strings.Repeat("x", documentLimit+1))
	require.Contains(t, tooLarge.Message, "1048576")

	for header, value := range map[string]string{"Content-Type": "application/json", "Content-Encoding": "gzip"} {
		r := request(t, demo.Alice(), "POST", path, "{}")
		r.Header.Set(header, value)
		got := s.send(contracttest.Invalid(r))
		require.Equal(t, 415, got.status)
		require.Equal(t, "application/octet-stream", got.header.Get("Accept"))
	}
	require.Zero(t, s.count("SELECT count(*) FROM documents"))
	s.requireBlobs(0)

	// The owner of an open task may add documents as long as it is open.
	task := s.item(loan, "LOAN_APPLICATION", ownedBy(demo.Carol())).ID
	s.post(200, demo.Carol(), path, "text")
	s.post(200, demo.Carol(), path, strings.Repeat("x", documentLimit))
	s.post(200, demo.Carol(), itemPath(task, "/task/~actions/complete"), "")
	s.refused(403, "ACCESS_DENIED", demo.Carol(), "POST", path, "text")
	s.requireBlobs(2)
}

// requireBlobs requires that the blob store holds exactly the given number of
// documents.
func (s *service) requireBlobs(want int) {
	s.t.Helper()
	page, err := s.documents.List(s.t.Context(), "", 1000, time.Now().Add(time.Hour))
	require.NoError(s.t, err)
	require.Len(s.t, page.Blobs, want)
	require.Empty(s.t, page.Leftovers)
	require.Empty(s.t, page.Foreign)
}

func TestDocumentsThatAreNotThere(t *testing.T) {
	t.Parallel()
	s := newService(t)
	process, other := processPath(s.loan().ID, ""), processPath(s.loan().ID, "")
	artifact := artifactPath(s.customer(`{"name":"Acme"}`).ID, "")
	uri := s.upload(demo.LoanWorker(), process, "text")
	at, ok := kuflowref.ParseDocumentURI(uri)
	require.True(t, ok)
	elsewhere := at
	elsewhere.OwnerID = uuid.New()
	kind := at
	kind.Owner = kuflowref.OwnerProcessActionValue
	absent := at
	absent.DocumentID = uuid.New()
	want := s.get(404, demo.LoanWorker(), downloadPath(process, absent.String())).timeless()
	for _, path := range []string{
		downloadPath(other, uri), downloadPath(artifact, uri), downloadPath(processPath(uuid.New(), ""), uri),
		downloadPath(process, elsewhere.String()), downloadPath(process, kind.String()),
	} {
		require.Equal(t, want, s.get(404, demo.LoanWorker(), path).timeless(), path)
	}
	for _, text := range []string{"a.txt", "ku:process/x", "kuflow-file:uri=https://example.org/a;type=a/b;size=1;name=a;"} {
		failure := s.refused(400, "VALIDATION", demo.LoanWorker(), "GET", downloadPath(process, text), "")
		require.Equal(t, "documentUri", failure.Errors[0].Location)
	}
	// A day later it is gone for everybody, found by the clean-up or not.
	s.ticks.Add((24 * time.Hour).Milliseconds())
	require.Equal(t, want, s.get(404, demo.LoanWorker(), downloadPath(process, uri)).timeless())
	require.Equal(t, 1, s.count("SELECT count(*) FROM documents"))
}

func TestADocumentWithoutItsBytesIsAFailure(t *testing.T) {
	t.Parallel()
	s := newService(t)
	process := processPath(s.loan().ID, "")
	uri := s.upload(demo.LoanWorker(), process, "text")
	page, err := s.documents.List(t.Context(), "", 10, time.Now().Add(time.Hour))
	require.NoError(t, err)
	require.NoError(t, s.documents.Delete(t.Context(), page.Blobs[0].Key))
	got := s.get(500, demo.LoanWorker(), downloadPath(process, uri))
	require.NotContains(t, got.body, page.Blobs[0].Key.Document.String())
}

func TestTheDocumentOfAUserAction(t *testing.T) {
	t.Parallel()
	s := newService(t)
	loan := s.loan().ID
	process := processPath(loan, "")
	upload := func(action uuid.UUID) string {
		return strings.Replace(uploadPath(process, "text/plain", "a.txt"), "upload-document?", "upload-user-action-document?", 1) +
			"&userActionValueId=" + action.String()
	}
	action := s.invoke(demo.LoanWorker(), loan, invokeReport).ID
	other := s.invoke(demo.LoanWorker(), loan, invokeUserAction("NUDGE")).ID
	foreign := s.invoke(demo.LoanWorker(), s.loan().ID, invokeReport).ID
	s.refused(403, "ACCESS_DENIED", demo.Carol(), "POST", upload(action), "text")
	s.refused(404, "NOT_FOUND", demo.LoanWorker(), "POST", upload(foreign), "text")
	s.refused(404, "NOT_FOUND", demo.LoanWorker(), "POST", upload(uuid.New()), "text")
	s.refused(409, "INVALID_STATE", demo.LoanWorker(), "POST", upload(other), "text")
	s.requireBlobs(0)

	// The process may be over by then.
	s.post(200, demo.Alice(), process+"/~actions/complete", "")
	require.Contains(t, s.post(200, demo.LoanWorker(), upload(action), "text").body, loan.String())
	got := s.send(request(t, demo.LoanWorker(), "POST", upload(action), "another text"))
	require.Equal(t, 304, got.status)
	require.Empty(t, got.body)
	s.requireBlobs(1)
	require.Equal(t, 1, s.count(`SELECT count(*) FROM process_actions x JOIN documents d ON d.id = x.document_id
      WHERE x.id = $1 AND x.status = 'COMPLETED' AND d.owner_id = x.id AND d.expires_at = d.created_at + interval '7 days'`, action))

	var id uuid.UUID
	conn := s.connect()
	defer func() { _ = conn.Close(t.Context()) }()
	require.NoError(t, conn.QueryRow(t.Context(), "SELECT document_id FROM process_actions WHERE id = $1", action).Scan(&id))
	uri := kuflowref.URI{Owner: kuflowref.OwnerProcessActionValue, OwnerID: action, DocumentID: id}.String()
	require.Equal(t, "text", s.download(demo.Carol(), process, uri))
	s.ticks.Add((7 * 24 * time.Hour).Milliseconds())
	s.refused(404, "DOCUMENT_EXPIRED", demo.Carol(), "GET", downloadPath(process, uri), "")
	_, err := s.app.ExpireDocuments(t.Context(), 10)
	require.NoError(t, err)
	s.requireBlobs(0)
	s.refused(404, "DOCUMENT_EXPIRED", demo.Carol(), "GET", downloadPath(process, uri), "")
	s.refused(404, "NOT_FOUND", demo.Stranger(), "GET", downloadPath(process, uri), "")
}
