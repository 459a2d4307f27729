package api_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/api"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/apitest"
	"github.com/procession-dev/procession/test/kit/contracttest"
)

// A page of another site cannot use the credentials that a browser remembers.
func TestRequestsOfOtherOrigins(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	task := s.Item(s.Loan().ID, "APPROVE_LOAN", "").ID
	send := func(method, path string, headers ...string) apitest.Answer {
		r := apitest.Request(t, demo.Bob(), method, path, "")
		for i := 0; i < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		return s.Send(r)
	}
	claim := apitest.ItemPath(task, "/task/~actions/claim")
	before := s.Snapshot()
	for _, headers := range [][]string{
		{"Sec-Fetch-Site", "cross-site"},
		{"Sec-Fetch-Site", "same-site"},
		{"Origin", "https://attacker.example"},
		{"Origin", "null"},
		{"Sec-Fetch-Site", "cross-site", "Origin", apitest.Host},
	} {
		for _, path := range []string{claim, apitest.ShapeA + "/tasks/" + task.String() + "/~actions/claim", apitest.AdminAPI + "/incidents/" + task.String() + "/~actions/retry"} {
			got := send(http.MethodPost, path, headers...)
			require.Equal(t, http.StatusForbidden, got.Status, "%s %v", path, headers)
			require.Equal(t, "ACCESS_DENIED", apitest.Decode[contracttest.ErrorBody](t, got).Errors[0].Code)
		}
	}
	require.Equal(t, before, s.Snapshot())
	require.Equal(t, 200, send(http.MethodGet, apitest.ItemPath(task, ""), "Sec-Fetch-Site", "cross-site").Status, "reading is up to CORS")
	for _, headers := range [][]string{
		{}, {"Sec-Fetch-Site", "same-origin", "Origin", apitest.Host}, {"Sec-Fetch-Site", "none"}, {"Origin", apitest.Host},
	} {
		require.Equal(t, 200, send(http.MethodPost, claim, headers...).Status, "%v", headers)
	}
}

// Pages of the origins that the operator names may use the interface, with
// credentials that their programs send.
func TestPagesOfNamedOrigins(t *testing.T) {
	t.Parallel()
	const desk, other = "https://desk.example.com", "https://attacker.example"
	s := apitest.NewService(t, func(o *api.Options) { o.Origins = []string{desk} })
	claim := apitest.ItemPath(s.Item(s.Loan().ID, "APPROVE_LOAN", "").ID, "/task/~actions/claim")
	send := func(method, path, origin string, headers ...string) apitest.Answer {
		r := apitest.Request(t, demo.Bob(), method, path, "")
		r.Header.Set("Origin", origin)
		r.Header.Set("Sec-Fetch-Site", "cross-site")
		for i := 0; i < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		return s.Send(r)
	}
	ask := []string{"Access-Control-Request-Method", http.MethodPost, "Access-Control-Request-Headers", "authorization,if-match"}
	preflight := send(http.MethodOptions, claim, desk, ask...)
	require.Equal(t, http.StatusNoContent, preflight.Status)
	require.Equal(t, desk, preflight.Header.Get("Access-Control-Allow-Origin"))
	require.Equal(t, "authorization,if-match", preflight.Header.Get("Access-Control-Allow-Headers"))
	require.Empty(t, preflight.Header.Get("Access-Control-Allow-Credentials"))
	require.Empty(t, send(http.MethodOptions, claim, other, ask...).Header.Get("Access-Control-Allow-Origin"))

	response := send(http.MethodPost, claim, other)
	require.Equal(t, http.StatusForbidden, response.Status)
	require.Empty(t, response.Header.Get("Access-Control-Allow-Origin"))
	claimed := send(http.MethodPost, claim, desk)
	require.Equal(t, http.StatusOK, claimed.Status)
	require.Equal(t, desk, claimed.Header.Get("Access-Control-Allow-Origin"))
	require.Contains(t, claimed.Header.Get("Access-Control-Expose-Headers"), "Etag")
}

// Without origins, responses have no headers of CORS.
func TestPagesOfNoOrigin(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	r := apitest.Request(t, demo.Bob(), http.MethodOptions, "/processes", "")
	r.Header.Set("Origin", "https://desk.example.com")
	r.Header.Set("Access-Control-Request-Method", http.MethodGet)
	got := s.Send(r)
	require.Equal(t, http.StatusMethodNotAllowed, got.Status)
	require.Empty(t, got.Header.Get("Access-Control-Allow-Origin"))
}
