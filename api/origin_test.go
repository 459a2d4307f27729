package api_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/internal/testkit/contracttest"
)

// A page of another site cannot use the credentials that a browser remembers.
func TestRequestsOfOtherOrigins(t *testing.T) {
	t.Parallel()
	s := newService(t)
	task := s.item(s.loan().ID, "APPROVE_LOAN", "").ID
	send := func(method, path string, headers ...string) answer {
		r := request(t, demo.Bob(), method, path, "")
		for i := 0; i < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		return s.send(r)
	}
	claim := itemPath(task, "/task/~actions/claim")
	before := s.snapshot()
	for _, headers := range [][]string{
		{"Sec-Fetch-Site", "cross-site"},
		{"Sec-Fetch-Site", "same-site"},
		{"Origin", "https://attacker.example"},
		{"Origin", "null"},
		{"Sec-Fetch-Site", "cross-site", "Origin", host},
	} {
		for _, path := range []string{claim, shapeA + "/tasks/" + task.String() + "/~actions/claim", adminAPI + "/incidents/" + task.String() + "/~actions/retry"} {
			got := send(http.MethodPost, path, headers...)
			require.Equal(t, http.StatusForbidden, got.status, "%s %v", path, headers)
			require.Equal(t, "ACCESS_DENIED", decode[contracttest.ErrorBody](t, got).Errors[0].Code)
		}
	}
	require.Equal(t, before, s.snapshot())
	require.Equal(t, 200, send(http.MethodGet, itemPath(task, ""), "Sec-Fetch-Site", "cross-site").status, "reading is up to CORS")
	for _, headers := range [][]string{
		{}, {"Sec-Fetch-Site", "same-origin", "Origin", host}, {"Sec-Fetch-Site", "none"}, {"Origin", host},
	} {
		require.Equal(t, 200, send(http.MethodPost, claim, headers...).status, "%v", headers)
	}
}
