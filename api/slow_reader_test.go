package api_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/procession-dev/procession/api"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/apitest"
)

// watchedServer serves a handler and knows which connections and requests there are.
type watchedServer struct {
	*httptest.Server

	mu      sync.Mutex
	open    map[net.Conn]bool
	running int
}

func watch(t *testing.T, handler http.Handler, secure bool) *watchedServer {
	t.Helper()
	w := &watchedServer{open: map[net.Conn]bool{}}
	w.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.count(1)
		defer w.count(-1)
		handler.ServeHTTP(rw, r)
	}))
	w.Config.ConnState = func(c net.Conn, state http.ConnState) {
		w.mu.Lock()
		defer w.mu.Unlock()
		if state == http.StateClosed {
			delete(w.open, c)
		} else {
			w.open[c] = true
		}
	}
	if secure {
		w.EnableHTTP2 = true
		w.StartTLS()
	} else {
		w.Start()
	}
	t.Cleanup(w.Close)
	return w
}

func (w *watchedServer) count(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running += n
}

// held returns how many connections and requests there are.
func (w *watchedServer) held() (connections, requests int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.open), w.running
}

// pipeline opens a connection that requests the path repeatedly without reading the
// responses.
func (w *watchedServer) pipeline(t *testing.T, path, headers string) {
	t.Helper()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", w.Listener.Addr().String())
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	// An answer that fits into buffers is sent without being read.
	tcp, ok := conn.(*net.TCPConn)
	require.True(t, ok)
	require.NoError(t, tcp.SetReadBuffer(4096))
	_, err = conn.Write([]byte(strings.Repeat("GET "+path+" HTTP/1.1\r\nHost: x\r\n"+headers+"\r\n", 200)))
	require.NoError(t, err)
}

func TestAnswersThatAreNotReadAreCutOff(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t, func(o *api.Options) { o.Stall = 300 * time.Millisecond })
	loan := s.Loan().ID
	task := s.Item(loan, "APPROVE_LOAN", apitest.OwnedBy(demo.Alice())).ID
	s.Call(200, demo.Alice(), http.MethodPut, apitest.ItemPath(task, "/task/data"),
		`{"data":{"value":{"A":"`+strings.Repeat("x", 900_000)+`"}}}`)
	server := watch(t, s.Handler, false)
	authorized := "Authorization: " + apitest.Authorization(demo.Alice()) + "\r\n"
	for range 5 {
		server.pipeline(t, "/openapi/shape_b.yaml", "")                           // a published document
		server.pipeline(t, apitest.ShapeB+apitest.ItemPath(task, ""), authorized) // JSON
	}
	require.Eventually(t, func() bool { connections, _ := server.held(); return connections == 10 },
		20*time.Second, time.Millisecond, "all are accepted")
	require.Eventually(t, func() bool {
		connections, requests := server.held()
		return connections == 0 && requests == 0
	}, 20*time.Second, 20*time.Millisecond, "connections and goroutines are given back")
}

// In HTTP/2 it is the stream that a client does not take, and the stream that ends.
func TestStreamsThatAreNotReadAreReset(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t, func(o *api.Options) { o.Stall = 300 * time.Millisecond })
	server := watch(t, s.Handler, true)
	conn, framer := dialHTTP2(t, server.Server)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	deadline, _ := ctx.Deadline()
	require.NoError(t, conn.SetDeadline(deadline))
	// None of the answer's bytes may be sent.
	require.NoError(t, framer.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0}))
	for i, path := range []string{"/openapi/shape_b.yaml", "/.well-known/jwks.json"} {
		var head strings.Builder
		encoder := hpack.NewEncoder(&head)
		for _, field := range [][2]string{{":method", "GET"}, {":scheme", "https"}, {":authority", "x"}, {":path", path}} {
			require.NoError(t, encoder.WriteField(hpack.HeaderField{Name: field[0], Value: field[1]}))
		}
		require.NoError(t, framer.WriteHeaders(http2.HeadersFrameParam{
			StreamID: uint32(2*i + 1), BlockFragment: []byte(head.String()), EndStream: true, EndHeaders: true,
		}))
	}
	reset := map[uint32]bool{}
	for len(reset) < 2 {
		frame, err := framer.ReadFrame()
		require.NoError(t, err, fmt.Sprint(reset))
		if _, ok := frame.(*http2.RSTStreamFrame); ok {
			reset[frame.Header().StreamID] = true
		}
	}
	require.Eventually(t, func() bool { _, requests := server.held(); return requests == 0 }, 10*time.Second, 10*time.Millisecond)
}

func dialHTTP2(t *testing.T, server *httptest.Server) (net.Conn, *http2.Framer) {
	t.Helper()
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	config := &tls.Config{RootCAs: roots, ServerName: "example.com", NextProtos: []string{"h2"}}
	conn, err := (&tls.Dialer{Config: config}).DialContext(t.Context(), "tcp", server.Listener.Addr().String())
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	_, err = io.WriteString(conn, http2.ClientPreface)
	require.NoError(t, err)
	return conn, http2.NewFramer(conn, conn)
}
