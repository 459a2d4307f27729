package api_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/api"
	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/devstack/demo"
)

// cached is how long credentials that were revoked may go on working, in ticks
// of the clock.
const cached = 10_001

func (s *administered) issue(as demo.Account, kind, code, body string) oasadmin.IssuedSecret {
	s.t.Helper()
	got := s.post(201, as, resourcePath("north", kind, code, "/secrets"), body)
	require.Equal(s.t, "no-store", got.header.Get("Cache-Control"))
	require.Empty(s.t, got.header.Get("Content-Encoding"))
	return decode[oasadmin.IssuedSecret](s.t, got)
}

func (s *administered) secretsOf(kind, code string) []oasadmin.Secret {
	s.t.Helper()
	got := s.get(200, s.as("owner"), resourcePath("north", kind, code, "/secrets"))
	require.NotContains(s.t, got.body, `"value"`)
	return decode[oasadmin.SecretList](s.t, got).Content
}

func TestIssueSecretValidUntilRevoked(t *testing.T) {
	t.Parallel()
	s := newAdministered(t)
	issued := s.issue(s.as("administrator"), "Application", "worker", `{"name":"second"}`)
	worker := s.as("worker")
	worker.Secret = issued.Value
	s.get(200, worker, adminAPI+"/identity")
	s.get(200, s.as("worker"), adminAPI+"/identity")

	secrets := s.secretsOf("Application", "worker")
	require.Len(t, secrets, 2)
	for _, secret := range secrets {
		require.Equal(t, secret.Name == "first", secret.Declared)
		require.Equal(t, secret.Name == "second", secret.ID == issued.ID)
	}

	path := resourcePath("north", "Application", "worker", "/secrets/"+issued.ID.String())
	s.call(204, s.as("administrator"), http.MethodDelete, path, "")
	require.Len(t, s.secretsOf("Application", "worker"), 1)
	s.ticks.Add(cached)
	s.get(401, worker, adminAPI+"/identity")
	s.get(200, s.as("worker"), adminAPI+"/identity")
	s.refused(404, "NOT_FOUND", s.as("administrator"), http.MethodDelete, path, "")
}

func TestASecretIsRotatedWithoutAGap(t *testing.T) {
	t.Parallel()
	s := newAdministered(t)
	s.issue(s.as("owner"), "Application", "stranger", `{"name":"second"}`)
	failure := s.refused(409, "CONFLICT", s.as("owner"), http.MethodPost,
		resourcePath("north", "Application", "stranger", "/secrets"), `{"name":"third"}`)
	require.NotEmpty(t, failure.Message)

	// The declared one goes when the document no longer declares it.
	s.apply(s.as("owner"), document("north", "Application", "stranger", `{"name":"stranger"}`))
	third := s.issue(s.as("owner"), "Application", "stranger", `{"name":"third"}`)
	stranger := s.as("stranger")
	s.ticks.Add(cached)
	s.get(401, stranger, adminAPI+"/identity")
	stranger.Secret = third.Value
	s.get(200, stranger, adminAPI+"/identity")
	// Applying the document again leaves what was issued alone.
	s.apply(s.as("owner"), document("north", "Application", "stranger", `{"name":"The stranger"}`))
	s.ticks.Add(cached)
	s.get(200, stranger, adminAPI+"/identity")
}

func TestRevokeSecretRefusesDeclaredSecret(t *testing.T) {
	t.Parallel()
	s := newAdministered(t)
	path := resourcePath("north", "Application", "worker", "/secrets")
	before := s.snapshot()
	s.refused(409, "CONFLICT", s.as("owner"), http.MethodPost, path, `{"name":"first"}`)
	for _, name := range []string{"  ", "two\\nlines"} {
		failure := s.refused(400, "VALIDATION", s.as("owner"), http.MethodPost, path, `{"name":"`+name+`"}`)
		require.Equal(t, "/name", failure.Errors[0].Location)
	}
	declared := s.secretsOf("Application", "worker")[0]
	s.refused(409, "CONFLICT", s.as("owner"), http.MethodDelete,
		resourcePath("north", "Application", "worker", "/secrets/"+declared.ID.String()), "")
	require.Equal(t, before, s.snapshot())
}

func TestASecretExpires(t *testing.T) {
	t.Parallel()
	s := newAdministered(t)
	expires := s.now().Add(time.Minute)
	issued := s.issue(s.as("owner"), "Application", "worker",
		`{"name":"second","expiresAt":"`+expires.Format(time.RFC3339Nano)+`"}`)
	require.True(t, expires.Equal(*issued.ExpiresAt))
	worker := s.as("worker")
	worker.Secret = issued.Value
	s.get(200, worker, adminAPI+"/identity")
	s.ticks.Add(time.Minute.Milliseconds())
	s.get(401, worker, adminAPI+"/identity")

	failure := s.refused(400, "VALIDATION", s.as("owner"), http.MethodPost,
		resourcePath("north", "Application", "stranger", "/secrets"), `{"name":"late","expiresAt":"2020-01-01T00:00:00Z"}`)
	require.Equal(t, "/expiresAt", failure.Errors[0].Location)
}

func TestAnAccessTokenIsThatOfItsUser(t *testing.T) {
	t.Parallel()
	s := newAdministered(t)
	issued := s.issue(s.as("administrator"), "User", "viewer", `{"name":"laptop"}`)
	viewer := s.as("viewer")
	viewer.Secret = issued.Value
	identity := decode[oasadmin.Identity](t, s.get(200, viewer, adminAPI+"/identity"))
	require.Equal(t, viewer.ID, identity.Principal.ID)
	require.Len(t, identity.Memberships, 1)
	s.issue(s.as("owner"), "User", "owner", `{"name":"laptop"}`)
	s.refused(403, "ACCESS_DENIED", s.as("administrator"), http.MethodPost,
		resourcePath("north", "User", "owner", "/secrets"), `{"name":"mine"}`)
	for _, secret := range s.secretsOf("User", "owner") {
		s.refused(403, "ACCESS_DENIED", s.as("administrator"), http.MethodDelete,
			resourcePath("north", "User", "owner", "/secrets/"+secret.ID.String()), "")
	}
}

func TestAWebhookSecretIsSealed(t *testing.T) {
	t.Parallel()
	s := newAdministered(t)
	first := s.issue(s.as("owner"), "WebhookSubscription", "EVENTS", `{"name":"first"}`)
	require.True(t, strings.HasPrefix(first.Value, "whsec_"), first.Value)
	s.issue(s.as("owner"), "WebhookSubscription", "EVENTS", `{"name":"second"}`)
	s.refused(409, "CONFLICT", s.as("owner"), http.MethodPost,
		resourcePath("north", "WebhookSubscription", "EVENTS", "/secrets"), `{"name":"third"}`)
	require.Equal(t, 2, s.count(`SELECT count(*) FROM webhook_secrets WHERE position($1::bytea IN sealed) = 0`,
		[]byte(strings.TrimPrefix(first.Value, "whsec_"))))
	require.Len(t, s.secretsOf("WebhookSubscription", "EVENTS"), 2)
	s.call(204, s.as("owner"), http.MethodDelete,
		resourcePath("north", "WebhookSubscription", "EVENTS", "/secrets/"+first.ID.String()), "")
	require.Len(t, s.secretsOf("WebhookSubscription", "EVENTS"), 1)
}

// No log and no table holds the value of a secret.
func TestNothingKeepsTheValueOfASecret(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	s := newAdministered(t, func(o *api.Options) {
		o.Log = slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	for kind, code := range map[string]string{"Application": "worker", "User": "viewer", "WebhookSubscription": "EVENTS"} {
		issued := s.issue(s.as("owner"), kind, code, `{"name":"second"}`)
		require.NotContains(t, log.String(), issued.Value)
		require.NotEmpty(t, log.String())
		for table, n := range s.holding(issued.Value) {
			require.Zero(t, n, "%s of %s", table, kind)
		}
	}
}

// holding counts the rows of every table that hold the text.
func (s *service) holding(text string) map[string]int {
	s.t.Helper()
	counts := map[string]int{}
	for table := range s.snapshot() {
		counts[table] = s.count(`SELECT count(*) FROM "`+table+`" t WHERE position($1 IN t::text) > 0`, text)
	}
	return counts
}
