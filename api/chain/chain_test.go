package chain_test

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/api/chain"
	"github.com/procession-dev/procession/api/httpio"
	"github.com/procession-dev/procession/api/limit"
	"github.com/procession-dev/procession/domain"
)

func options() chain.Options {
	return chain.Options{Log: slog.New(slog.DiscardHandler), Clock: time.Now}
}

// paced sends pieces with pauses and then, unless it ends, no more until it is closed.
type paced struct {
	pieces int
	piece  string
	pause  time.Duration
	ends   bool
	closed chan struct{}
	once   sync.Once
}

func (p *paced) Read(b []byte) (int, error) {
	if p.pieces == 0 {
		if p.ends {
			return 0, io.EOF
		}
		<-p.closed
		return 0, errors.New("closed")
	}
	p.pieces--
	<-time.After(p.pause)
	return copy(b, p.piece), nil
}

func (p *paced) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

// In HTTP/1 and HTTP/2, whether the handler reads bodies or not.
func TestStalledBodies(t *testing.T) {
	t.Parallel()
	var running atomic.Int64
	o := options()
	o.Stall, o.Rest = 200*time.Millisecond, 200*time.Millisecond
	handler := chain.New(o).Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		running.Add(1)
		defer running.Add(-1)
		if r.URL.Path == "/reads" {
			if _, err := io.Copy(io.Discard, r.Body); err != nil {
				w.WriteHeader(http.StatusBadRequest)
			}
		}
	}))
	for name, secure := range map[string]bool{"HTTP/1": false, "HTTP/2": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewUnstartedServer(handler)
			server.EnableHTTP2 = secure
			server.StartTLS()
			t.Cleanup(server.Close)
			send := func(path string, body io.ReadCloser) (int, error) {
				defer func() { _ = body.Close() }()
				r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+path, body)
				require.NoError(t, err)
				answer, err := server.Client().Do(r)
				if err != nil {
					return 0, err
				}
				defer func() { _ = answer.Body.Close() }()
				require.Equal(t, secure, answer.ProtoMajor == 2)
				return answer.StatusCode, nil
			}
			var stalled sync.WaitGroup
			for range 10 {
				for path, want := range map[string]int{"/reads": http.StatusBadRequest, "/ignores": http.StatusOK} {
					stalled.Go(func() {
						// The server may close the connection while the body is sent.
						if status, err := send(path, &paced{pieces: 1, piece: "begun", closed: make(chan struct{})}); err == nil {
							assert.Equal(t, want, status) //nolint:forbidigo // a goroutine of its own
						}
					})
				}
			}
			stalled.Wait()
			status, err := send("/reads", &paced{
				pieces: 10, piece: strings.Repeat("x", 20<<10), pause: 60 * time.Millisecond, ends: true, closed: make(chan struct{}),
			})
			require.NoError(t, err, "an upload that makes progress takes its time")
			require.Equal(t, http.StatusOK, status)
		})
	}
	t.Cleanup(func() { require.Zero(t, running.Load()) })
}

// Behind a proxy each client has its share of concurrent requests.
func TestConcurrentRequestsOfAnAddress(t *testing.T) {
	t.Parallel()
	o := options()
	var err error
	o.Limiter, err = limit.New(limit.Limits{AddressConcurrency: 2}, time.Now)
	require.NoError(t, err)
	o.TrustedProxies = httpio.Proxies{netip.MustParsePrefix("10.0.0.0/8")}
	var rejections atomic.Int64
	o.Limited = func(name string) {
		require.Equal(t, limit.AddressConcurrency, name)
		rejections.Add(1)
	}
	entered, release := make(chan struct{}), make(chan struct{})
	handler := chain.New(o).Handler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/waits" {
			entered <- struct{}{}
			<-release
		}
	}))
	ask := func(path, client string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodGet, path, nil)
		r.RemoteAddr = "10.0.0.1:4711"
		r.Header.Set("X-Forwarded-For", client)
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, r)
		return recorder
	}
	var waiting sync.WaitGroup
	for range 2 {
		waiting.Go(func() { ask("/waits", "192.0.2.1") })
		<-entered
	}
	answer := ask("/", "192.0.2.1")
	require.Equal(t, http.StatusTooManyRequests, answer.Code)
	require.Equal(t, "1", answer.Header().Get("Retry-After"))
	require.Contains(t, answer.Body.String(), "RATE_LIMITED")
	require.Equal(t, http.StatusOK, ask("/", "192.0.2.2").Code)
	close(release)
	waiting.Wait()
	require.Equal(t, http.StatusOK, ask("/", "192.0.2.1").Code)
	require.EqualValues(t, 1, rejections.Load())
}

func TestGuessesAreRefusedBeforeTheyAreLookedUp(t *testing.T) {
	t.Parallel()
	o := options()
	var err error
	o.Limiter, err = limit.New(limit.Limits{FailedSignIns: 3}, time.Now)
	require.NoError(t, err)
	lookedUp := 0
	var got error
	handler := chain.New(o).Handler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, got = chain.SignIn(r.Context(), r.URL.Path, func() (domain.Caller, error) {
			lookedUp++
			return domain.Caller{}, domain.Unauthenticated()
		})
	}))
	for range 10 {
		handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/guess", nil))
	}
	require.Equal(t, 3, lookedUp)
	require.True(t, domain.HasCode(got, domain.CodeRateLimited))
}

func TestUntrustedProxiesAreReported(t *testing.T) {
	t.Parallel()
	o := options()
	o.TrustedProxies = httpio.Proxies{netip.MustParsePrefix("10.0.0.0/8")}
	var seen []string
	o.Untrusted = func(peer netip.Addr) { seen = append(seen, peer.String()) }
	handler := chain.New(o).Handler(http.NotFoundHandler())
	for peer, forwarded := range map[string]string{"10.0.0.1:1": "192.0.2.1", "192.0.2.7:1": "192.0.2.1", "192.0.2.8:1": ""} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr = peer
		if forwarded != "" {
			r.Header.Set("X-Forwarded-For", forwarded)
		}
		handler.ServeHTTP(httptest.NewRecorder(), r)
	}
	require.Equal(t, []string{"192.0.2.7"}, seen)
}
