package api_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/internal/testkit/apitest"
	"github.com/procession-dev/procession/internal/testkit/contracttest"
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
