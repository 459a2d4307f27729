package console_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
)

// sessionEvents returns the events of sessions of a user, in the order of the event log: the type, the actor and the
// details apart from the session's id.
func (s *site) sessionEvents(user demo.Account) []string {
	s.t.Helper()
	return strings.Split(sql[string](s, `SELECT coalesce(string_agg(concat_ws(' ', type,
			CASE actor_id WHEN $1 THEN 'user' WHEN $2 THEN 'service' END,
			details->>'reason', details->>'issuer', details->>'token', details->>'address'), ',' ORDER BY xid, position), '')
		FROM events WHERE type LIKE 'SESSION.%' AND resource_kind = 'PRINCIPAL' AND resource_id = $1 AND tenant_id = $3
			AND request_id IS NOT NULL AND details->>'sessionId' IS NOT NULL`,
		user.ID, domain.SystemPrincipalID(), demo.TenantDemo()), ",")
}

func TestSessionsAreRecorded(t *testing.T) {
	t.Parallel()
	clock := &movedClock{}
	s := makeSiteAt(t, clock.currentTime)
	s.t = t
	bob := demo.Bob()
	token := sql[string](s, `SELECT name FROM credentials WHERE principal_id = $1`, bob.ID)
	opened := strings.TrimSpace(strings.Join([]string{"SESSION.OPENED user", token}, " ")) + " 127.0.0.1"

	first := s.clientWithToken(bob.Secret)
	want := []string{opened}
	require.Equal(t, want, s.sessionEvents(bob), "sign-in")

	s.sendRequest(first, http.MethodPost, "sign-in", map[string][]string{"token": {bob.Secret}})
	want = append(want, "SESSION.ENDED user REPLACED 127.0.0.1", opened)
	require.Equal(t, want, s.sessionEvents(bob), "a sign-in in the same browser")

	second := s.clientWithToken(bob.Secret)
	id := sql[string](s, `SELECT id::text FROM console_sessions WHERE principal_id = $1 ORDER BY created_at DESC LIMIT 1`, bob.ID)
	s.sendRequest(first, http.MethodPost, "sessions/"+id+"/end", nil)
	want = append(want, opened, "SESSION.ENDED user CLOSED 127.0.0.1")
	require.Equal(t, want, s.sessionEvents(bob), "the end from another browser")
	s.requireSignedIn(second, false, "its session has ended")

	s.sendRequest(first, http.MethodPost, "sign-out", nil)
	want = append(want, "SESSION.ENDED user SIGNED_OUT 127.0.0.1")
	require.Equal(t, want, s.sessionEvents(bob), "sign-out")

	for range 21 {
		s.clientWithToken(bob.Secret)
		want = append(want, opened)
	}
	want = append(want, "SESSION.ENDED user SURPLUS 127.0.0.1")
	require.Equal(t, want, s.sessionEvents(bob), "the 21st session")

	last := s.clientWithToken(bob.Secret)
	want = append(want, opened, "SESSION.ENDED user SURPLUS 127.0.0.1")
	sql[string](s, `DELETE FROM credentials WHERE principal_id = $1 RETURNING id::text`, bob.ID)
	clock.advance(10 * time.Second)
	s.requireSignedIn(last, false, "the token is revoked")
	s.requireSignedIn(last, false, "the token is revoked")
	want = append(want, "SESSION.ENDED service REVOKED")
	require.Equal(t, want, s.sessionEvents(bob), "one event for the end by revocation")
}
