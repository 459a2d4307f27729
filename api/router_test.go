package api_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/procession-dev/procession/api"
	"github.com/procession-dev/procession/api/openapi"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/apitest"
	"github.com/procession-dev/procession/test/kit/contracttest"
)

// public requests a path outside the versioned interface, without credentials.
func public(s *apitest.Service, method, path string) apitest.Answer {
	s.T.Helper()
	r, err := http.NewRequestWithContext(s.T.Context(), method, "http://service.test"+path, nil)
	require.NoError(s.T, err)
	return s.Send(r)
}

func TestContractsArePublishedInBothForms(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	var index struct {
		Documents []struct{ Title, Version, Server, YAML, JSON string }
	}
	for _, path := range []string{"/openapi", "/openapi/"} {
		listed := public(s, http.MethodGet, path)
		require.Equal(t, 200, listed.Status, path)
		requireRevalidated(s, path, listed)
		require.NoError(t, json.Unmarshal([]byte(listed.Body), &index))
	}
	require.Len(t, index.Documents, len(apitest.Contracts))
	for _, listed := range index.Documents {
		name := strings.TrimPrefix(listed.YAML, "/openapi/")
		source, err := openapi.YAML(name)
		require.NoError(t, err)
		text, converted := public(s, http.MethodGet, listed.YAML), public(s, http.MethodGet, listed.JSON)
		require.Equal(t, "application/yaml", text.Header.Get("Content-Type"))
		require.Equal(t, string(source), text.Body)
		requireRevalidated(s, listed.YAML, text)
		require.Equal(t, "application/json", converted.Header.Get("Content-Type"))
		requireRevalidated(s, listed.JSON, converted)

		var want, got map[string]any
		require.NoError(t, yaml.Unmarshal(source, &want))
		require.NoError(t, yaml.Unmarshal([]byte(converted.Body), &got))
		require.Equal(t, want, got, listed.JSON)
		var about struct {
			Info    struct{ Title, Version string }
			Servers []struct{ URL string }
		}
		require.NoError(t, yaml.Unmarshal(source, &about))
		require.Equal(t, about.Info.Title, listed.Title)
		require.Equal(t, about.Info.Version, listed.Version)
		require.Equal(t, about.Servers[0].URL, listed.Server)
	}
}

// requireRevalidated requires that a cache can store an answer and must revalidate it.
func requireRevalidated(s *apitest.Service, path string, answer apitest.Answer) {
	s.T.Helper()
	require.Equal(s.T, "no-cache", answer.Header.Get("Cache-Control"), path)
	r, err := http.NewRequestWithContext(s.T.Context(), http.MethodGet, apitest.Host+path, nil)
	require.NoError(s.T, err)
	r.Header.Set("If-None-Match", answer.Header.Get("ETag"))
	require.Equal(s.T, 304, s.Send(r).Status, path)
}

func TestPublishedDocuments(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	keys := public(s, http.MethodGet, "/.well-known/jwks.json")
	require.Equal(t, 200, keys.Status)
	require.Equal(t, "public, max-age=60", keys.Header.Get("Cache-Control"))
	var set struct{ Keys []map[string]string }
	require.NoError(t, json.Unmarshal([]byte(keys.Body), &set))
	require.NotEmpty(t, set.Keys)
	require.NotContains(t, set.Keys[0], "d", "the private half")
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://service.test/.well-known/jwks.json", nil)
	require.NoError(t, err)
	r.Header.Set("If-None-Match", keys.Header.Get("ETag"))
	require.Equal(t, apitest.Answer{Status: 304, Body: ""}, func() apitest.Answer { a := s.Send(r); a.Header = nil; return a }())

	require.Equal(t, 404, public(s, http.MethodGet, "/dev/ca.pem").Status)
	dev := apitest.NewService(t, func(o *api.Options) { o.DevCA = []byte("certificate") })
	require.Equal(t, "certificate", public(dev, http.MethodGet, "/dev/ca.pem").Body)
}

func TestUnknownPathsAndMethods(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	for _, path := range []string{"/", "/v2024-06-14", "/v2024-06-14/nothing", "/processes", "/v2024-06-14/tenants/a/b"} {
		got := public(s, http.MethodGet, path)
		require.Equal(t, 404, got.Status, path)
		require.Equal(t, "NOT_FOUND", apitest.Decode[contracttest.ErrorBody](t, got).Errors[0].Code)
	}
	got := public(s, http.MethodDelete, "/v2024-06-14/processes")
	require.Equal(t, 405, got.Status)
	requireErrorBody(t, got, "method not allowed: the path has ")
	require.ElementsMatch(t, []string{"GET", "POST", "HEAD"}, strings.Split(got.Header.Get("Allow"), ", "))
}

// requireErrorBody requires that an error has the body that all errors have.
func requireErrorBody(t *testing.T, got apitest.Answer, message string) {
	t.Helper()
	body := apitest.Decode[contracttest.ErrorBody](t, got)
	require.Equal(t, got.Status, body.Status)
	require.True(t, strings.HasPrefix(body.Message, message), body.Message)
	require.Len(t, body.Errors, 1)
	require.Equal(t, "VALIDATION", body.Errors[0].Code)
	require.Equal(t, body.Message, body.Errors[0].Message)
}

func TestOtherHostsAreMisdirected(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t, func(o *api.Options) { o.Hosts = func(host string) bool { return host != "service.test" } })
	got := public(s, http.MethodGet, "/openapi/admin.yaml")
	require.Equal(t, 421, got.Status)
	requireErrorBody(t, got, "this host is not served here")
}

func TestEveryAnswerIsMarked(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	r := apitest.Request(t, demo.Carol(), http.MethodGet, "/tenants", "")
	r.Header.Set("X-Request-Id", "mine-1")
	got := s.Send(r)
	require.Equal(t, "mine-1", got.Header.Get("X-Request-Id"))
	require.Equal(t, "no-store", got.Header.Get("Cache-Control"))
	require.Equal(t, "nosniff", got.Header.Get("X-Content-Type-Options"))
	require.Contains(t, got.Header.Get("Content-Type"), "application/json")
}

func TestHeadAndDoubledSlashes(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	head := s.Call(200, demo.Carol(), http.MethodHead, "/tenants", "")
	require.Empty(t, head.Body)
	r := apitest.Request(t, demo.Carol(), http.MethodGet, "/tenants", "")
	r.URL.Path = "/" + r.URL.Path
	require.Equal(t, 200, s.Send(r).Status)
}

type observation struct {
	method, route string
	status        int
}

func TestAnswersAreObserved(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var seen []observation
	s := apitest.NewService(t, func(o *api.Options) {
		o.Observe = func(method, route string, status int, took time.Duration) {
			mu.Lock()
			defer mu.Unlock()
			require.Positive(t, took)
			seen = append(seen, observation{method, route, status})
		}
		o.Service = nil // every operation panics
	})
	s.Get(500, demo.Carol(), "/tenants/"+demo.TenantDemo().String())
	require.Equal(t, 401, public(s, http.MethodGet, "/v2024-06-14/tenants").Status)
	public(s, http.MethodGet, "/nothing")
	public(s, http.MethodDelete, "/v2024-06-14/tenants")
	require.Equal(t, []observation{
		{"GET", "/v2024-06-14/tenants/:id", 500},
		{"GET", "/v2024-06-14/tenants", 401},
		{"GET", "unmatched", 404},
		{"DELETE", "unmatched", 405},
	}, seen)
}
