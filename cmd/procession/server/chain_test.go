package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/api"
	"github.com/procession-dev/procession/api/chain"
	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/blobstore"
	"github.com/procession-dev/procession/cmd/procession/config"
	"github.com/procession-dev/procession/test/kit/nettest"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

// newTestConfig returns settings with a database and a seal key.
func newTestConfig(t *testing.T) config.Config {
	t.Helper()
	var c config.Config
	c.BindFlags(pflag.NewFlagSet("test", pflag.ContinueOnError))
	c.DatabaseURL, c.TemporalAddress, c.SealKeyFile = pgtest.URL(t), "127.0.0.1:1", t.TempDir()+"/seal.key"
	_, err := authn.LoadOrCreateSealKey(c.SealKeyFile)
	require.NoError(t, err)
	return c
}

// wiredService returns a service with all listeners, without its background parts. A positive stall is the deadline of
// clients.
func wiredService(t *testing.T, log *slog.Logger, stall time.Duration, changes ...func(*config.Config)) *Service {
	t.Helper()
	c := newTestConfig(t)
	for _, change := range changes {
		change(&c)
	}
	c.Listen, c.ListenAdministration, c.ListenHealth = nettest.FreeAddress(t), nettest.FreeAddress(t), nettest.FreeAddress(t)
	c.ListenTLS = nettest.FreeAddress(t)
	c.TLSCert, c.TLSKey = writePair(t, t.TempDir(), 1)
	require.NoError(t, c.Check())
	k, err := OpenKeys(t.Context(), c, log)
	require.NoError(t, err)
	t.Cleanup(k.DB.Close)
	documents, err := blobstore.Open(t.Context(), "mem://")
	require.NoError(t, err)
	t.Cleanup(func() { _ = documents.Close() })
	s, err := New(Options{Config: c, Keyring: k, Documents: documents, Log: log})
	require.NoError(t, err)
	t.Cleanup(s.engine.Close)
	if stall > 0 {
		s.clients = chain.New(chain.Options{Log: log, Clock: time.Now, Stall: stall, Rest: stall})
		s.operators = s.clients
	}
	return s
}

// routesOf returns the routes of each listener by its flag, and some paths without a route.
func (s *Service) routesOf(t *testing.T) map[string][]string {
	t.Helper()
	clients, ok := s.clientHandler.(*front)
	require.True(t, ok)
	administration, ok := s.administrationHandler.(*api.Router)
	require.True(t, ok)
	open := slices.Concat(clients.rest.Routes(), clients.console.Routes(), []string{
		"GET /", "GET /console", "GET /docs", "POST /nothing", "POST /console/nothing", "POST /.well-known/jwks.json", "POST /openapi/shape_b.yaml",
	})
	require.Greater(t, len(open), 150)
	return map[string][]string{
		"listen": open, "listen-tls": open, "listen-administration": append(administration.Routes(), "POST /nothing"),
		"listen-health": {"GET /livez", "GET /readyz", "GET /metrics", "GET /debug/pprof/", "GET /nothing"},
	}
}

var parameter = regexp.MustCompile(`[:*][A-Za-z]+`)

// requestOf returns the method and the path of a route.
func requestOf(route string) (method, path string) {
	method, path, _ = strings.Cut(route, " ")
	return method, parameter.ReplaceAllString(path, uuid.NewString())
}

func TestEveryRouteIsBehindTheChain(t *testing.T) {
	t.Parallel()
	var logged bytes.Buffer
	s := wiredService(t, slog.New(slog.NewJSONHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug})), 0)
	opened, err := s.OpenListeners(t.Context())
	require.NoError(t, err)
	listeners := slices.Concat(opened.api, opened.health)
	flags := map[string]string{
		s.config.Listen: "listen", s.config.ListenTLS: "listen-tls", s.config.ListenAdministration: "listen-administration", s.config.ListenHealth: "listen-health",
	}
	require.Len(t, listeners, len(flags))
	routes := s.routesOf(t)
	for _, l := range listeners {
		require.NoError(t, l.Close())
		for _, route := range routes[flags[l.Addr().String()]] {
			logged.Reset()
			method, path := requestOf(route)
			r := httptest.NewRequest(method, path, nil).WithContext(t.Context())
			r.RemoteAddr = "192.0.2.9:4711"
			r.Header.Set("X-Request-Id", "mine")
			recorder := httptest.NewRecorder()
			l.server.Handler.ServeHTTP(recorder, r)
			require.Equal(t, "mine", recorder.Header().Get("X-Request-Id"), route)
			var line struct{ Msg, Method, Route, Peer string }
			for text := range strings.SplitSeq(strings.TrimSpace(logged.String()), "\n") {
				line.Msg = ""
				require.NoError(t, json.Unmarshal([]byte(text), &line), route)
				if line.Msg == "request" {
					break
				}
			}
			require.Equal(t, "request", line.Msg, route)
			require.Equal(t, "192.0.2.9", line.Peer, route)
			require.Contains(t, []string{route, method + " unmatched"}, line.Method+" "+line.Route)
		}
	}
}

func TestPartsNeedTheChain(t *testing.T) {
	t.Parallel()
	s := wiredService(t, slog.New(slog.DiscardHandler), 0)
	for _, path := range []string{"/console/sign-in", "/v2024-06-14/processes", "/openapi/shape_b.yaml"} {
		recorder := httptest.NewRecorder()
		s.clientHandler.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, path, nil))
		require.Equal(t, http.StatusInternalServerError, recorder.Code, path)
	}
}

// stall sends a part of a request and waits until the service has closed the connection.
func stall(address, method, path string) error {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	if err := conn.SetDeadline(time.Now().Add(30 * time.Second)); err != nil {
		return err
	}
	if _, err = fmt.Fprintf(conn, "%s %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n\r\ntoken=", method, path); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, conn)
	return err
}

// Bodies that stall do not hold connections, on any route and without credentials.
func TestStalledBodiesAreCutOff(t *testing.T) {
	t.Parallel()
	s := wiredService(t, slog.New(slog.DiscardHandler), 200*time.Millisecond)
	s.config.ListenTLS = ""
	opened, err := s.OpenListeners(t.Context())
	require.NoError(t, err)
	go func() { _ = serveUntil(t.Context(), 0, append(opened.api, opened.health...)) }()
	routes := s.routesOf(t)
	var stalled sync.WaitGroup
	problems := make(chan string, 1000)
	for address, flag := range map[string]string{
		s.config.Listen: "listen", s.config.ListenAdministration: "listen-administration", s.config.ListenHealth: "listen-health",
	} {
		for _, route := range routes[flag] {
			stalled.Go(func() {
				method, path := requestOf(route)
				if err := stall(address, method, path); err != nil {
					problems <- route + ": " + err.Error()
				}
			})
		}
	}
	stalled.Wait()
	close(problems)
	for problem := range problems {
		t.Error(problem)
	}
	require.Eventually(t, func() bool { return s.connections.countClients()+float64(s.connections.health.Load()) == 0 }, 10*time.Second, 10*time.Millisecond)
}

// One address cannot take the connections of others.
func TestAddressesHaveAShareOfConnections(t *testing.T) {
	t.Parallel()
	dial := func(from, to string) net.Conn {
		conn, err := (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}).DialContext(t.Context(), "tcp", to)
		require.NoError(t, err)
		t.Cleanup(func() { _ = conn.Close() })
		return conn
	}
	works := func(conn net.Conn) bool {
		_, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		n, _ := conn.Read(make([]byte, 1))
		return n == 1
	}
	s := serveListeners(t, func(c *config.Config) { c.MaxConnections, c.AddressConnections = 10, 2 })
	for range 2 {
		require.True(t, works(dial("127.0.0.1", s.config.Listen)))
	}
	require.False(t, works(dial("127.0.0.1", s.config.Listen)), "the share is used up")
	require.True(t, works(dial("127.0.0.2", s.config.Listen)), "another address has its own")
	require.EqualValues(t, 1, s.connections.rejected.Load())

	s = serveListeners(t, func(c *config.Config) {
		c.MaxConnections, c.AddressConnections, c.TrustedProxies = 10, 2, []string{"127.0.0.1"}
	})
	for range 5 {
		require.True(t, works(dial("127.0.0.1", s.config.Listen)), "a proxy has the connections of its clients")
	}
}
