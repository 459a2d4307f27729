package shapeb_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/api"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/apitest"
)

// begin sends the head of an upload and a part of the body.
func begin(s *apitest.Service, server *httptest.Server, path, headers, part string) net.Conn {
	s.T.Helper()
	if !strings.Contains(headers, "Content-Type") {
		headers += "Content-Type: application/octet-stream\r\n"
	}
	conn, err := (&net.Dialer{}).DialContext(s.T.Context(), "tcp", server.Listener.Addr().String())
	require.NoError(s.T, err)
	s.T.Cleanup(func() { _ = conn.Close() })
	_, err = fmt.Fprintf(conn, "POST %s%s HTTP/1.1\r\nHost: x\r\nAuthorization: %s\r\n"+
		"%s\r\n%s", apitest.ShapeB, path, apitest.Authorization(demo.Alice()), headers, part)
	require.NoError(s.T, err)
	return conn
}

func answerOf(s *apitest.Service, conn net.Conn) (int, string) {
	s.T.Helper()
	require.NoError(s.T, conn.SetReadDeadline(time.Now().Add(20*time.Second)))
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(s.T, err)
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	require.NoError(s.T, err)
	return resp.StatusCode, string(body)
}

// leftovers counts the files in which documents are being received.
func leftovers(s *apitest.Service) int {
	s.T.Helper()
	page, err := s.Documents.List(s.T.Context(), "", 1000, time.Now().Add(time.Hour))
	require.NoError(s.T, err)
	return len(page.Leftovers)
}

func TestUploadTooLargeEndsEarly(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	path := apitest.UploadPath(apitest.ProcessPath(s.Loan().ID, ""), "text/plain", "a.txt")
	server := s.Served()
	// With Content-Length, the upload is refused before any byte of the body is
	// sent.
	conn := begin(s, server, path, fmt.Sprintf("Content-Length: %d\r\nExpect: 100-continue\r\n", apitest.DocumentLimit+1), "")
	status, body := answerOf(s, conn)
	require.Equal(t, 413, status)
	require.Contains(t, body, "DOCUMENT_TOO_LARGE")
	// Not announced: at the first byte too many, with more to come.
	part := strings.Repeat("x", apitest.DocumentLimit)
	conn = begin(s, server, path, "Transfer-Encoding: chunked\r\n", fmt.Sprintf("%x\r\n%s\r\n1\r\nx\r\n", len(part), part))
	status, body = answerOf(s, conn)
	require.Equal(t, 413, status)
	require.Contains(t, body, "DOCUMENT_TOO_LARGE")
	require.Zero(t, s.Count("SELECT count(*) FROM documents"))
	s.RequireBlobs(0)
	// In chunks, exactly as large as it may be.
	conn = begin(s, server, path, "Transfer-Encoding: chunked\r\n", fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(part), part))
	status, _ = answerOf(s, conn)
	require.Equal(t, 200, status)
	s.RequireBlobs(1)
}

func TestAbortedUploadStoresNoDocument(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	path := apitest.UploadPath(apitest.ProcessPath(s.Loan().ID, ""), "text/plain", "a.txt")
	server := s.Served()
	for _, headers := range []string{"Content-Length: 1000000\r\n", "Transfer-Encoding: chunked\r\n"} {
		part := strings.Repeat("x", 300_000)
		if strings.HasPrefix(headers, "Transfer") {
			part = fmt.Sprintf("%x\r\n%s\r\n", len(part), part)
		}
		conn := begin(s, server, path, headers, part)
		require.Eventually(t, func() bool { return leftovers(s) == 1 }, 20*time.Second, 5*time.Millisecond)
		require.NoError(t, conn.Close())
		require.Eventually(t, func() bool { return leftovers(s) == 0 }, 20*time.Second, 5*time.Millisecond)
	}
	require.Zero(t, s.Count("SELECT count(*) FROM documents"))
	s.RequireBlobs(0)
}

// The service does not wait for a client that stops sending or sends too
// slowly.
func TestAStalledClientIsCutOff(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t, func(o *api.Options) { o.Stall = 300 * time.Millisecond })
	loan := apitest.ProcessPath(s.Loan().ID, "")
	server := s.Served()
	for _, head := range [][2]string{
		{apitest.UploadPath(loan, "text/plain", "a.txt"), "Content-Type: application/octet-stream\r\n"},
		{"/processes", "Content-Type: application/json\r\n"},
	} {
		conn := begin(s, server, head[0], head[1]+"Content-Length: 1000\r\n", "{")
		stop := make(chan struct{})
		go func() {
			ticker := time.NewTicker(50 * time.Millisecond)
			defer ticker.Stop()
			for {
				select {
				case <-stop:
					return
				case <-ticker.C:
					_, _ = io.WriteString(conn, "x")
				}
			}
		}()
		status, body := answerOf(s, conn)
		close(stop)
		require.Equal(t, 400, status, body)
		require.Contains(t, body, "could not be read")
	}
	require.Zero(t, s.Count("SELECT count(*) FROM documents"))
	s.RequireBlobs(0)
}

// An answer that does not depend on the body is sent without waiting for the
// body, and the connection of a client that does not send it is closed.
func TestAnswersDoNotWaitForBodies(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t, func(o *api.Options) { o.Stall = 300 * time.Millisecond })
	finished := s.Loan().ID
	s.Post(200, demo.Alice(), apitest.ProcessPath(finished, "/~actions/complete"), "")
	server := s.Served()
	path := apitest.UploadPath(apitest.ProcessPath(finished, ""), "text/plain", "a.txt")
	for _, headers := range []string{
		"Content-Length: 1000\r\n", "Content-Length: 1000000\r\n", "Transfer-Encoding: chunked\r\n",
		"Content-Length: 1000\r\nExpect: 100-continue\r\n",
	} {
		conn := begin(s, server, path, headers, "")
		status, body := answerOf(s, conn)
		require.Equal(t, 403, status, headers)
		require.Contains(t, body, "PROCESS_FINISHED")
		_, err := conn.Read(make([]byte, 1))
		require.ErrorIs(t, err, io.EOF, headers)
	}
	// With the body there, the connection can be used again.
	conn := begin(s, server, path, "Content-Length: 4\r\n", "text")
	status, _ := answerOf(s, conn)
	require.Equal(t, 403, status)
	_, err := fmt.Fprintf(conn, "GET /openapi/shape_b.yaml HTTP/1.1\r\nHost: x\r\n\r\n")
	require.NoError(t, err)
	status, _ = answerOf(s, conn)
	require.Equal(t, 200, status)
}

// A client may abort a download.
func TestDownloadAborted(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	process := apitest.ProcessPath(s.Loan().ID, "")
	text := strings.Repeat("0123456789abcdef", apitest.DocumentLimit/16)
	uri := s.Upload(demo.Alice(), process, text)
	server := s.Served()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r := apitest.Request(t, demo.Alice(), http.MethodGet, apitest.DownloadPath(process, uri), "").WithContext(ctx)
	r.URL.Host = server.Listener.Addr().String()
	resp, err := server.Client().Do(r)
	require.NoError(t, err)
	part := make([]byte, 1000)
	_, err = io.ReadFull(resp.Body, part)
	require.NoError(t, err)
	cancel()
	require.NoError(t, resp.Body.Close())
	require.Equal(t, text, s.Download(demo.Alice(), process, uri))
}
