package console_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/api/chain"
	"github.com/procession-dev/procession/api/limit"
	"github.com/procession-dev/procession/console"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/devstack/demo"
)

// withChain returns the site behind another chain.
func (s *site) withChain(options chain.Options) *site {
	s.t.Helper()
	screens, err := console.New(s.options)
	require.NoError(s.t, err)
	server := httptest.NewServer(chain.New(options).Handler(screens))
	s.t.Cleanup(server.Close)
	other := *s
	other.url, other.chain = server.URL+web.Root, options
	return &other
}

func TestAccessLogNamesTheCaller(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	var logged bytes.Buffer
	options := s.chain
	options.Log = slog.New(slog.NewJSONHandler(&logged, nil))
	s = s.withChain(options)
	bob := s.clientWithToken(demo.Bob().Secret)
	line := func(send func()) (got map[string]any) {
		logged.Reset()
		send()
		require.NoError(t, json.Unmarshal(logged.Bytes(), &got), logged.String())
		return got
	}
	for _, path := range []string{"tasks", "audit"} {
		got := line(func() { s.sendRequest(bob, http.MethodGet, path, nil) })
		require.Equal(t, "GET", got["method"])
		require.Equal(t, "/console/"+path, got["route"])
		require.Equal(t, "127.0.0.1", got["peer"])
		require.Equal(t, demo.Bob().ID.String(), got["principal"])
		require.Equal(t, "USER", got["principal_kind"])
		require.Equal(t, demo.TenantDemo().String(), got["tenant"])
	}
	got := line(func() { s.sendRequest(s.clientWithToken(""), http.MethodGet, "sign-in", nil) })
	require.Equal(t, "127.0.0.1", got["peer"])
	require.NotContains(t, got, "principal")
	got = line(func() { s.clientWithToken(demo.Carol().Secret) })
	require.Equal(t, demo.Carol().ID.String(), got["principal"], "the user of a sign-in")
}

// guessPassword sends a request with a made-up cookie.
func (s *site) guessPassword(path string) reply {
	return s.sendRequest(s.clientWithToken(""), http.MethodGet, path, nil, "Cookie", "procession-session="+uuid.NewString())
}

func TestGuessedCookiesAreLimitedAndRecorded(t *testing.T) {
	t.Parallel()
	s := makeSite(t)
	s.t = t
	options := s.chain
	var err error
	options.Limiter, err = limit.New(limit.Limits{FailedSignIns: 3}, s.chain.Clock)
	require.NoError(t, err)
	s = s.withChain(options)
	bob := s.clientWithToken(demo.Bob().Secret)
	for range 3 {
		answer := s.guessPassword("tasks")
		require.Equal(t, http.StatusSeeOther, answer.status)
		require.Len(t, answer.cookies, 1)
		require.Negative(t, answer.cookies[0].MaxAge, "the browser forgets the cookie")
	}
	answer := s.guessPassword("tasks")
	require.Equal(t, http.StatusTooManyRequests, answer.status)
	require.NotEmpty(t, answer.header.Get("Retry-After"))
	require.Equal(t, http.StatusOK, s.guessPassword("sign-in").status, "the sign-in page is open to visitors")
	s.requireSignedIn(bob, true, "sessions that were valid within the hour are not affected")

	require.NoError(t, options.Audit.Flush(t.Context()))
	require.Equal(t, 3, sql[int](s, `SELECT sum((details->>'count')::int)::int FROM events
		WHERE type = 'AUTHENTICATION.FAILED' AND details->>'reason' = 'UNKNOWN_CREDENTIAL' AND details->>'address' = '127.0.0.1'`))
}

func TestFormsOfVisitorsAreSmall(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	large := map[string][]string{"token": {strings.Repeat("x", 64<<10)}, "return": {"/console/"}}
	for _, path := range []string{"sign-in", "preferences"} {
		require.Equal(t, http.StatusRequestEntityTooLarge, s.sendRequest(s.clientWithToken(""), http.MethodPost, path, large).status, path)
	}
	require.Equal(t, http.StatusSeeOther, s.sendRequest(s.clientWithToken(demo.Bob().Secret), http.MethodPost, "preferences", large).status)
}
