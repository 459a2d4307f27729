package shapeb_test

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"mime"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	blobs "github.com/procession-dev/procession/blobstore"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/apitest"
)

// hostileNames have, alone and combined, characters that split headers, escape from directories or
// mislead people.
func hostileNames(n int) []string {
	pieces := []string{
		"\r\n", "\n", "\r", "Set-Cookie: a=b", "\r\n\r\n<html>", `"`, `\`, "/", "..", "../../etc/passwd", `..\..\boot.ini`,
		"%0d%0a", "%2e%2e%2f", "%", "%41", ";", "=", "filename*=UTF-8''x", "\u202e", "\u200b", "\ufeff", "é", "日本", "😀",
		"\u2028", "\u0085", "CON", "nul.txt", "C:", "~", "$(id)", "`id`", "|", "<", ">", "?", "*", "\t", "\x1b[2J", "\x7f",
		" ", ".", "a", strings.Repeat("x", 60), strings.Repeat("é", 60), ".pdf", "'", ",",
	}
	random := rand.New(rand.NewPCG(1, 2))
	names := slices.Concat(pieces, make([]string, n-len(pieces)))
	for i := len(pieces); i < n; i++ {
		for range 1 + random.IntN(6) {
			names[i] += pieces[random.IntN(len(pieces))]
		}
	}
	return names
}

// The answer has the expected headers and no others, for every name, stored as
// sent or sanitized.
func TestHostileNamesInDownloads(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	process := s.Loan().ID
	path := apitest.ProcessPath(process, "")
	plain := s.Upload(demo.Alice(), path, "text")
	want := s.Get(200, demo.Alice(), apitest.DownloadPath(path, plain)).Header
	names := hostileNames(1_000)
	ids := make([]uuid.UUID, len(names))
	stored := make([]string, len(names))
	for i, name := range names {
		ids[i] = uuid.New()
		stored[i] = name
		if runes := []rune(name); len(runes) > 255 {
			stored[i] = string(runes[:255])
		}
		if i%2 == 0 {
			stored[i] = blobs.FileName(name)
		}
	}
	conn := s.Connect()
	defer func() { _ = conn.Close(t.Context()) }()
	_, err := conn.Exec(t.Context(), `
INSERT INTO documents (id, tenant_id, owner_kind, owner_id, blob_id, name, content_type, size, sha256, created_by, created_at)
SELECT n.id, d.tenant_id, d.owner_kind, d.owner_id, d.blob_id, n.name, d.content_type, d.size, d.sha256, d.created_by, d.created_at
  FROM documents d, unnest($1::uuid[], $2::text[]) n (id, name)`, ids, stored)
	require.NoError(t, err)
	at := apitest.DocumentOf(t, plain).String()
	for i, id := range ids {
		r := apitest.Request(t, demo.Alice(), http.MethodGet, apitest.DownloadPath(path, strings.ReplaceAll(plain, at, id.String())), "")
		got := s.Send(r)
		require.Equal(t, 200, got.Status)
		require.Equal(t, "text", got.Body)
		require.Len(t, got.Header, len(want))
		for name, values := range got.Header {
			require.Contains(t, want, name)
			require.Len(t, values, 1)
			require.Equal(t, -1, strings.IndexFunc(values[0], func(r rune) bool { return r < ' ' || r > '~' }), "%q", values[0])
		}
		disposition, params, err := mime.ParseMediaType(got.Header.Get("Content-Disposition"))
		require.NoError(t, err, "%q", stored[i])
		require.Equal(t, "attachment", disposition)
		require.Len(t, params, 1)
		require.Equal(t, blobs.FileName(stored[i]), params["filename"])
		require.NotContains(t, params["filename"], "/")
		require.NotContains(t, params["filename"], `\`)
	}
}

// Nor does a name that is uploaded get anywhere else.
func TestHostileNamesInUploads(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	path := apitest.ProcessPath(s.Loan().ID, "")
	for i, name := range hostileNames(300) {
		uri := s.UploadAs(demo.Alice(), path, "text/plain", name, fmt.Sprint(i))
		require.Equal(t, -1, strings.IndexFunc(uri, func(r rune) bool { return r <= ' ' || r > '~' }), "%q", uri)
		require.Equal(t, fmt.Sprint(i), s.Download(demo.Alice(), path, uri))
	}
	s.RequireBlobs(300)
	var names []string
	conn := s.Connect()
	defer func() { _ = conn.Close(t.Context()) }()
	rows, err := conn.Query(t.Context(), "SELECT name FROM documents")
	require.NoError(t, err)
	names, err = pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	for _, name := range names {
		require.True(t, fs.ValidPath(name) && utf8.ValidString(name) && len(name) <= 255, "%q", name)
	}
	files := 0
	require.NoError(t, fs.WalkDir(os.DirFS(s.DocumentsDir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			files++
			_, err = uuid.Parse(name[strings.LastIndex(name, "/")+1:])
		}
		return err
	}))
	require.Equal(t, 300, files)
}
