package webhook_test

import (
	"errors"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// listed is the one address in a mine that the operator listed.
const listed = "127.0.0.2"

// canaries returns addresses that must not be connected to.
func canaries() []string {
	return []string{"127.0.0.1", "127.0.0.3", "127.127.127.127", "127.255.255.254", "::1"}
}

// mine is a set of listeners on the same port of many addresses of this machine:
// one that the operator listed, and canaries that must not be connected to.
type mine struct {
	port string
	// touched counts connections to canaries, reached requests to the listed one.
	touched, reached atomic.Int64
}

// newMine starts the listeners of a mine. The receiver at the listed address
// answers 204, and /redirect with the status and the location in the query.
func newMine(t *testing.T) *mine {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("127.0.0.2 and its like are addresses of this machine on Linux only")
	}
	m := &mine{}
	receiver := m.listen(t)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m.reached.Add(1)
		if r.URL.Path != "/redirect" {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		status, err := strconv.Atoi(r.URL.Query().Get("status"))
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		w.Header().Set("Location", r.URL.Query().Get("to"))
		w.WriteHeader(status)
	}))
	require.NoError(t, server.Listener.Close())
	server.Listener = receiver
	server.Start()
	t.Cleanup(server.Close)
	return m
}

// listen takes a port that is free at all addresses, and returns the listener at
// the listed one. The port is outside the system's ephemeral range: a program that
// still calls an earlier server on the port would touch a canary.
func (m *mine) listen(t *testing.T) net.Listener {
	t.Helper()
	const first, count = 20_000, 12_000
	for range 50 {
		m.port = strconv.Itoa(first + rand.IntN(count))
		receiver, err := net.Listen("tcp", net.JoinHostPort(listed, m.port))
		if err != nil {
			continue
		}
		if m.place(t) {
			return receiver
		}
		require.NoError(t, receiver.Close())
	}
	require.Fail(t, "no port is free at all addresses")
	return nil
}

// place puts canaries on the port, or none when it is taken somewhere.
func (m *mine) place(t *testing.T) bool {
	t.Helper()
	var placed []net.Listener
	for _, address := range canaries() {
		listener, err := net.Listen("tcp", net.JoinHostPort(address, m.port))
		if err != nil && address == "::1" {
			// The machine may have no IPv6.
			continue
		}
		if err != nil {
			for _, other := range placed {
				require.NoError(t, other.Close())
			}
			return false
		}
		placed = append(placed, listener)
	}
	for _, listener := range placed {
		done := make(chan struct{})
		go func() {
			defer close(done)
			m.sing(listener)
		}()
		t.Cleanup(func() {
			require.NoError(t, listener.Close())
			<-done
		})
	}
	return true
}

// sing counts connections until the listener is closed.
func (m *mine) sing(listener net.Listener) {
	for {
		conn, err := listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		m.touched.Add(1)
		if err == nil {
			_ = conn.Close()
		}
	}
}

// redirect returns a URL that redirects to location.
func (m *mine) redirect(status int, to string) string {
	query := url.Values{"status": {strconv.Itoa(status)}, "to": {to}}
	return "http://" + net.JoinHostPort(listed, m.port) + "/redirect?" + query.Encode()
}
