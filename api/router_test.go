package api_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/api"
	"github.com/procession-dev/procession/api/openapi"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/internal/testkit/contracttest"
)

// public requests a path outside the versioned interface, without credentials.
func (s *service) public(method, path string) answer {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, "http://service.test"+path, nil)
	require.NoError(s.t, err)
	return s.send(r)
}

func TestPublishedDocuments(t *testing.T) {
	t.Parallel()
	s := newService(t)
	require.NotEmpty(t, contracts)
	for name, contract := range contracts {
		published := s.public(http.MethodGet, "/openapi/"+contract.Document())
		require.Equal(t, 200, published.status, name)
		require.Equal(t, "application/yaml", published.header.Get("Content-Type"))
		source, err := openapi.Published(contract.Document())
		require.NoError(t, err)
		require.Equal(t, string(source), published.body)
	}

	keys := s.public(http.MethodGet, "/.well-known/jwks.json")
	require.Equal(t, 200, keys.status)
	require.Equal(t, "public, max-age=60", keys.header.Get("Cache-Control"))
	var set struct{ Keys []map[string]string }
	require.NoError(t, json.Unmarshal([]byte(keys.body), &set))
	require.NotEmpty(t, set.Keys)
	require.NotContains(t, set.Keys[0], "d", "the private half")
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://service.test/.well-known/jwks.json", nil)
	require.NoError(t, err)
	r.Header.Set("If-None-Match", keys.header.Get("ETag"))
	require.Equal(t, answer{status: 304, body: ""}, func() answer { a := s.send(r); a.header = nil; return a }())

	require.Equal(t, 404, s.public(http.MethodGet, "/dev/ca.pem").status)
	dev := newService(t, func(o *api.Options) { o.DevCA = []byte("certificate") })
	require.Equal(t, "certificate", dev.public(http.MethodGet, "/dev/ca.pem").body)
}

func TestUnknownPathsAndMethods(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for _, path := range []string{"/", "/v2024-06-14", "/v2024-06-14/nothing", "/processes", "/v2024-06-14/tenants/a/b"} {
		got := s.public(http.MethodGet, path)
		require.Equal(t, 404, got.status, path)
		require.Equal(t, "NOT_FOUND", decode[contracttest.ErrorBody](t, got).Errors[0].Code)
	}
	got := s.public(http.MethodDelete, "/v2024-06-14/processes")
	require.Equal(t, 405, got.status)
	require.Equal(t, 405, decode[contracttest.ErrorBody](t, got).Status)
	require.ElementsMatch(t, []string{"GET", "POST", "HEAD"}, strings.Split(got.header.Get("Allow"), ", "))
}

func TestEveryAnswerIsMarked(t *testing.T) {
	t.Parallel()
	s := newService(t)
	r := request(t, demo.Carol(), http.MethodGet, "/tenants", "")
	r.Header.Set("X-Request-Id", "mine-1")
	got := s.send(r)
	require.Equal(t, "mine-1", got.header.Get("X-Request-Id"))
	require.Equal(t, "no-store", got.header.Get("Cache-Control"))
	require.Equal(t, "nosniff", got.header.Get("X-Content-Type-Options"))
	require.Contains(t, got.header.Get("Content-Type"), "application/json")
}

func TestHeadAndDoubledSlashes(t *testing.T) {
	t.Parallel()
	s := newService(t)
	head := s.call(200, demo.Carol(), http.MethodHead, "/tenants", "")
	require.Empty(t, head.body)
	r := request(t, demo.Carol(), http.MethodGet, "/tenants", "")
	r.URL.Path = "/" + r.URL.Path
	require.Equal(t, 200, s.send(r).status)
}

type observation struct {
	method, route string
	status        int
}

func TestAnswersAreObserved(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var seen []observation
	s := newService(t, func(o *api.Options) {
		o.Observe = func(method, route string, status int, took time.Duration) {
			mu.Lock()
			defer mu.Unlock()
			require.Positive(t, took)
			seen = append(seen, observation{method, route, status})
		}
		o.Service = nil // every operation panics
	})
	s.get(500, demo.Carol(), "/tenants/"+demo.TenantDemo().String())
	require.Equal(t, 401, s.public(http.MethodGet, "/v2024-06-14/tenants").status)
	s.public(http.MethodGet, "/nothing")
	s.public(http.MethodDelete, "/v2024-06-14/tenants")
	require.Equal(t, []observation{
		{"GET", "/v2024-06-14/tenants/:id", 500},
		{"GET", "/v2024-06-14/tenants", 401},
		{"GET", "unmatched", 404},
		{"DELETE", "unmatched", 405},
	}, seen)
}
