package apitest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	blobs "github.com/procession-dev/procession/blobstore"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain/kuflowref"
)

// openDocuments opens a store that is fast.
func openDocuments(t *testing.T, dir string) *blobs.Store {
	t.Helper()
	store, err := blobs.Open(t.Context(), "file://"+dir+"?fsync=off")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	return store
}

// UploadPath returns where a document with the name is uploaded to.
func UploadPath(owner, contentType, name string) string {
	return owner + "/~actions/upload-document?" +
		url.Values{"fileContentType": {contentType}, "fileName": {name}}.Encode()
}

// UploadFor returns where a document for an address is uploaded to.
func UploadFor(target, contentType, name string) string {
	return "/documents/~actions/upload?" +
		url.Values{"targetUri": {target}, "fileContentType": {contentType}, "fileName": {name}}.Encode()
}

// DownloadAt returns where a document is downloaded from by its address.
func DownloadAt(uri string) string {
	return "/documents/~actions/download?" + url.Values{"documentUri": {uri}}.Encode()
}

// DownloadPath returns where a document of a process or an artifact is downloaded
// from.
func DownloadPath(owner, uri string) string {
	return owner + "/~actions/download-document?" + url.Values{"documentUri": {uri}}.Encode()
}

// Upload uploads a text into a process or an artifact, by its path, and returns
// the document's uri.
func (s *Service) Upload(as demo.Account, owner, text string) string {
	s.T.Helper()
	return s.UploadAs(as, owner, "text/plain", "note.txt", text)
}

// UploadAs uploads a text with a content type and a name, as Upload does.
func (s *Service) UploadAs(as demo.Account, owner, contentType, name, text string) string {
	s.T.Helper()
	stored := Decode[oasb.DocumentReference](s.T, s.Post(200, as, UploadPath(owner, contentType, name), text))
	return stored.DocumentURI
}

// Download returns the text of a document.
func (s *Service) Download(as demo.Account, owner, uri string) string {
	s.T.Helper()
	return s.Get(200, as, DownloadPath(owner, uri)).Body
}

// DocumentOf returns the id of the document that a reference or an address names.
func DocumentOf(t *testing.T, uri string) uuid.UUID {
	t.Helper()
	at, ok := kuflowref.ParseDocumentURI(uri)
	require.True(t, ok, uri)
	return at.DocumentID
}

// Metadata returns the body that replaces the metadata of a process by FILE and
// whatever else.
func Metadata(uris ...string) string {
	text, err := json.Marshal(uris)
	if err != nil {
		panic(err)
	}
	return `{"metadata":{"value":{"n":1.50,"files":` + string(text) + `}}}`
}

// documentExpiry returns how long a document is still kept, nil when it does not
// expire.
func (s *Service) documentExpiry(uri string) *time.Duration {
	s.T.Helper()
	conn := s.Connect()
	defer func() { _ = conn.Close(s.T.Context()) }()
	var at *time.Time
	err := conn.QueryRow(s.T.Context(), "SELECT expires_at FROM documents WHERE id = $1", DocumentOf(s.T, uri)).Scan(&at)
	require.NoError(s.T, err)
	if at == nil {
		return nil
	}
	left := at.Sub(s.Now())
	return &left
}

// RequireKept requires that a document does not expire.
func (s *Service) RequireKept(uri string) {
	s.T.Helper()
	require.Nil(s.T, s.documentExpiry(uri), "it expires")
}

// RequireExpiring requires that a document expires after a time, within a second.
func (s *Service) RequireExpiring(uri string, in time.Duration) {
	s.T.Helper()
	left := s.documentExpiry(uri)
	require.NotNil(s.T, left, "it does not expire")
	require.InDelta(s.T, in.Seconds(), left.Seconds(), 1)
}

// Later advances the clock and runs the clean-up.
func (s *Service) Later(by time.Duration) {
	s.T.Helper()
	s.Ticks.Add(by.Milliseconds())
	_, err := s.App.ExpireDocuments(s.T.Context(), 100)
	require.NoError(s.T, err)
}

// Served returns the service on a port, and a connection to it.
func (s *Service) Served() *httptest.Server {
	s.T.Helper()
	server := httptest.NewServer(s.Handler)
	s.T.Cleanup(server.Close)
	return server
}

// RequireParts requires that parts of a document 0123456789 can be had.
func (s *Service) RequireParts(path string) {
	t := s.T
	t.Helper()
	whole := s.Get(200, demo.LoanWorker(), path)
	etag := whole.Header.Get("ETag")
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
		"head of a range":  {"HEAD", map[string]string{"Range": "bytes=2-4"}, 200, ""},
	} {
		r := Request(t, demo.LoanWorker(), c.method, path, "")
		for key, value := range c.header {
			r.Header.Set(key, value)
		}
		got := s.Send(r)
		require.Equal(t, c.status, got.Status, name)
		require.Equal(t, c.body, got.Body, name)
		require.Equal(t, etag, got.Header.Get("ETag"), name)
		if c.method == http.MethodHead && c.status == 200 {
			require.Equal(t, whole.Header.Get("Content-Length"), got.Header.Get("Content-Length"))
		}
	}
	for status, header := range map[int][2]string{416: {"Range", "bytes=10-"}, 412: {"If-Match", `"other"`}} {
		r := Request(t, demo.LoanWorker(), http.MethodGet, path, "")
		r.Header.Set(header[0], header[1])
		got := s.Send(r)
		require.Equal(t, status, got.Status)
		require.Empty(t, got.Header.Get("Content-Disposition"))
		require.Equal(t, "no-store", got.Header.Get("Cache-Control"))
	}
}

// RequireBlobs requires that the blob store holds exactly the given number of
// documents.
func (s *Service) RequireBlobs(want int) {
	s.T.Helper()
	page, err := s.Documents.List(s.T.Context(), "", 1000, time.Now().Add(time.Hour))
	require.NoError(s.T, err)
	require.Len(s.T, page.Blobs, want)
	require.Empty(s.T, page.Leftovers)
	require.Empty(s.T, page.Foreign)
}

// RequireAbsent requires that a value has a text at a place, and that there is no
// such document for it.
func RequireAbsent(t *testing.T, value *oasb.JSONValue, pointer, text string) {
	t.Helper()
	var members map[string]any
	require.NoError(t, json.Unmarshal(value.Value, &members))
	require.Equal(t, text, members[pointer[1:]])
	require.False(t, *value.Valid)
	format := "format"
	require.Contains(t, value.Errors, oasb.JSONValueError{PropertyPath: &pointer, Type: &format})
}
