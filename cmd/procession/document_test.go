package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"flag"
	"fmt"
	"hash"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/blobstore"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/demotest"
	"github.com/procession-dev/procession/test/kit/nettest"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

var (
	documentSize  = flag.Int64("document-size", 64<<20, "bytes of the document that memory is watched over")
	documentKills = flag.Int("document-kills", 5, "how often the service is killed amid an upload")
)

// newDocumentStack starts the service alone, without a Temporal, and loads the demo
// data.
func newDocumentStack(t *testing.T) *testStack {
	t.Helper()
	s := &testStack{t: t, dir: t.TempDir(), http: &http.Client{}}
	s.config.BindFlags(pflag.NewFlagSet("test", pflag.ContinueOnError))
	s.config.DatabaseURL = demotest.URL(t)
	s.config.SealKeyFile = filepath.Join(s.dir, "seal.key")
	s.config.DocumentsURL = "file://" + filepath.Join(s.dir, "documents")
	s.config.Listen, s.config.ListenHealth, s.config.TemporalAddress = nettest.FreeAddress(t), nettest.FreeAddress(t), nettest.FreeAddress(t)
	s.config.MaxDocumentBytes = 2 << 30
	demotest.WriteSealKey(t, s.config.SealKeyFile)
	s.startService()
	t.Cleanup(func() { s.killService() })
	return s
}

// loan starts a loan and returns its path.
func (s *testStack) loan() string {
	s.t.Helper()
	status, body := s.call(demo.Alice(), http.MethodPost, "/processes",
		map[string]any{"processDefinitionId": demo.Loan()})
	require.Equal(s.t, http.StatusCreated, status)
	return "/processes/" + field[string](s.t, body, "id")
}

func (s *testStack) documentRequest(ctx context.Context, method, path string, body io.Reader) *http.Request {
	s.t.Helper()
	r, err := http.NewRequestWithContext(ctx, method, s.url()+"/v2024-06-14"+path, body)
	require.NoError(s.t, err)
	r.Header.Set("Authorization", "Bearer "+demo.Alice().Secret)
	if body != nil {
		r.Header.Set("Content-Type", "application/octet-stream")
	}
	return r
}

const uploadQuery = "/~actions/upload-document?fileContentType=text%2Fplain&fileName=a.txt"

// resident reads a figure of the service's memory in bytes.
func (s *testStack) resident(figure string) int64 {
	s.t.Helper()
	file, err := os.Open(fmt.Sprintf("/proc/%d/status", s.service.PID()))
	require.NoError(s.t, err)
	defer func() { _ = file.Close() }()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if rest, ok := strings.CutPrefix(lines.Text(), figure+":"); ok {
			var kilobytes int64
			_, err := fmt.Sscan(rest, &kilobytes)
			require.NoError(s.t, err)
			return kilobytes << 10
		}
	}
	s.t.Fatal("the system does not report the memory of a process")
	return 0
}

// A document passes through the service without being held in it. The whole
// proof takes -document-size=1073741824.
func TestMemoryDoesNotGrowWithADocument(t *testing.T) {
	t.Parallel()
	s := newDocumentStack(t)
	process := s.loan()
	random := make([]byte, 1<<20)
	_, err := rand.Read(random)
	require.NoError(t, err)
	exchange := func(size int64) {
		sent := &repeated{block: random, left: size, digest: sha256.New()}
		r := s.documentRequest(t.Context(), http.MethodPost, process+uploadQuery, sent)
		answer, err := s.http.Do(r)
		require.NoError(t, err)
		body, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		require.Equal(t, http.StatusOK, answer.StatusCode, string(body))
		var uri string
		_, err = fmt.Sscanf(string(body), `{"documentUri":%q}`, &uri)
		require.NoError(t, err)
		query := url.Values{"documentUri": {uri}}.Encode()
		answer, err = s.http.Do(s.documentRequest(t.Context(), http.MethodGet, process+"/~actions/download-document?"+query, nil))
		require.NoError(t, err)
		received := sha256.New()
		n, err := io.Copy(received, answer.Body)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		require.Equal(t, size, n)
		require.Equal(t, sent.digest.Sum(nil), received.Sum(nil))
	}
	// The first request of its kind initializes caches of the service.
	exchange(1 << 10)
	before := s.resident("VmRSS")
	exchange(*documentSize)
	grown := s.resident("VmHWM") - before
	t.Logf("%d MiB up and down: %.1f MiB more memory", *documentSize>>20, float64(grown)/(1<<20))
	require.LessOrEqual(t, grown, int64(32<<20))
}

// repeated delivers a block again and again.
type repeated struct {
	block  []byte
	left   int64
	digest hash.Hash
}

func (r *repeated) Read(p []byte) (int, error) {
	if r.left == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(int64(len(p)), r.left)], r.block)
	r.left -= int64(n)
	r.digest.Write(p[:n])
	return n, nil
}

// A service that is killed between storing a blob and recording its document leaves only a blob, which the
// sweep finds.
func TestKilledAmidAnUpload(t *testing.T) {
	t.Parallel()
	s := newDocumentStack(t)
	process := s.loan()
	conn, err := pgx.Connect(t.Context(), s.config.DatabaseURL)
	require.NoError(t, err)
	defer func() { _ = conn.Close(context.Background()) }()
	for kill := range *documentKills {
		// The upload waits for the process once the bytes are stored.
		tx, err := conn.Begin(t.Context())
		require.NoError(t, err)
		_, err = tx.Exec(t.Context(), "SELECT 1 FROM processes FOR UPDATE")
		require.NoError(t, err)
		var sending sync.WaitGroup
		sending.Go(func() {
			answer, err := s.http.Do(s.documentRequest(context.Background(), http.MethodPost, process+uploadQuery,
				strings.NewReader(fmt.Sprintf("%d: %s", kill, strings.Repeat("x", 100_000)))))
			if err == nil {
				_ = answer.Body.Close()
			}
		})
		s.await("the bytes to be stored", func() bool { return len(s.stored()) == kill+1 })
		s.killService()
		sending.Wait()
		require.NoError(t, tx.Rollback(t.Context()))
		s.startService()
	}
	var rows int
	require.NoError(t, conn.QueryRow(t.Context(), "SELECT count(*) FROM documents").Scan(&rows))
	require.Zero(t, rows)

	status, _ := s.upload(process, "kept")
	require.Equal(t, http.StatusOK, status)
	require.Len(t, s.stored(), *documentKills+1)
	db := pgtest.Open(t, s.config.DatabaseURL)
	documents, err := blobstore.Open(t.Context(), s.config.DocumentsURL)
	require.NoError(t, err)
	defer func() { require.NoError(t, documents.Close()) }()
	sweep := func(now time.Time) int {
		operations := app.New(app.Options{
			Store: storage.New(storage.Options{DB: db, Clock: func() time.Time { return now }}), Documents: documents,
		})
		removed, cursor := 0, ""
		for {
			found, err := operations.SweepDocuments(t.Context(), cursor, 2)
			require.NoError(t, err)
			require.Empty(t, found.Foreign)
			removed += found.Removed
			if cursor = found.Next; cursor == "" {
				return removed
			}
		}
	}
	require.Zero(t, sweep(time.Now()), "they might be of an upload that is not over")
	// A file in which one was received may be left behind too.
	require.GreaterOrEqual(t, sweep(time.Now().Add(2*time.Hour)), *documentKills)
	require.Zero(t, sweep(time.Now().Add(2*time.Hour)))
	require.Len(t, s.stored(), 1)
	incoming, err := os.ReadDir(filepath.Join(s.dir, "documents", "incoming"))
	require.NoError(t, err)
	require.Empty(t, incoming)
	require.NoError(t, conn.QueryRow(t.Context(), "SELECT count(*) FROM documents").Scan(&rows))
	require.Equal(t, 1, rows)
}

func (s *testStack) upload(process, text string) (int, string) {
	s.t.Helper()
	answer, err := s.http.Do(s.documentRequest(s.t.Context(), http.MethodPost, process+uploadQuery, strings.NewReader(text)))
	require.NoError(s.t, err)
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	require.NoError(s.t, err)
	return answer.StatusCode, string(body)
}

// stored returns the files of stored documents.
func (s *testStack) stored() []string {
	s.t.Helper()
	files, err := filepath.Glob(filepath.Join(s.dir, "documents", "*-*", "*", "*"))
	require.NoError(s.t, err)
	return files
}
