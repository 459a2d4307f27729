package admin_test

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
	"github.com/procession-dev/procession/test/kit/apitest"
)

// cached is how long credentials that were revoked may go on working, in ticks
// of the clock.
const cached = 10_001

func issue(s *apitest.Administered, as demo.Account, kind, code, body string) oasadmin.IssuedSecret {
	s.T.Helper()
	got := s.Post(201, as, apitest.ResourcePath("north", kind, code, "/secrets"), body)
	require.Equal(s.T, "no-store", got.Header.Get("Cache-Control"))
	require.Empty(s.T, got.Header.Get("Content-Encoding"))
	return apitest.Decode[oasadmin.IssuedSecret](s.T, got)
}

func secretsOf(s *apitest.Administered, kind, code string) []oasadmin.Secret {
	s.T.Helper()
	got := s.Get(200, s.As("owner"), apitest.ResourcePath("north", kind, code, "/secrets"))
	require.NotContains(s.T, got.Body, `"value"`)
	return apitest.Decode[oasadmin.SecretList](s.T, got).Content
}

func TestIssueSecretValidUntilRevoked(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	issued := issue(s, s.As("administrator"), "Application", "worker", `{"name":"second"}`)
	worker := s.As("worker")
	worker.Secret = issued.Value
	s.Get(200, worker, apitest.AdminAPI+"/identity")
	s.Get(200, s.As("worker"), apitest.AdminAPI+"/identity")

	secrets := secretsOf(s, "Application", "worker")
	require.Len(t, secrets, 2)
	for _, secret := range secrets {
		require.Equal(t, secret.Name == "first", secret.Declared)
		require.Equal(t, secret.Name == "second", secret.ID == issued.ID)
	}

	path := apitest.ResourcePath("north", "Application", "worker", "/secrets/"+issued.ID.String())
	s.Call(204, s.As("administrator"), http.MethodDelete, path, "")
	require.Len(t, secretsOf(s, "Application", "worker"), 1)
	s.Ticks.Add(cached)
	s.Get(401, worker, apitest.AdminAPI+"/identity")
	s.Get(200, s.As("worker"), apitest.AdminAPI+"/identity")
	s.Refused(404, "NOT_FOUND", s.As("administrator"), http.MethodDelete, path, "")
}

func TestASecretIsRotatedWithoutAGap(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	issue(s, s.As("owner"), "Application", "stranger", `{"name":"second"}`)
	failure := s.Refused(409, "CONFLICT", s.As("owner"), http.MethodPost,
		apitest.ResourcePath("north", "Application", "stranger", "/secrets"), `{"name":"third"}`)
	require.NotEmpty(t, failure.Message)

	// The declared one goes when the document no longer declares it.
	s.Apply(s.As("owner"), apitest.Document("north", "Application", "stranger", `{"name":"stranger"}`))
	third := issue(s, s.As("owner"), "Application", "stranger", `{"name":"third"}`)
	stranger := s.As("stranger")
	s.Ticks.Add(cached)
	s.Get(401, stranger, apitest.AdminAPI+"/identity")
	stranger.Secret = third.Value
	s.Get(200, stranger, apitest.AdminAPI+"/identity")
	// Applying the manifest again keeps issued secrets.
	s.Apply(s.As("owner"), apitest.Document("north", "Application", "stranger", `{"name":"The stranger"}`))
	s.Ticks.Add(cached)
	s.Get(200, stranger, apitest.AdminAPI+"/identity")
}

func TestRevokeSecretRefusesDeclaredSecret(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	path := apitest.ResourcePath("north", "Application", "worker", "/secrets")
	before := s.Snapshot()
	s.Refused(409, "CONFLICT", s.As("owner"), http.MethodPost, path, `{"name":"first"}`)
	for _, name := range []string{"  ", "two\\nlines"} {
		failure := s.Refused(400, "VALIDATION", s.As("owner"), http.MethodPost, path, `{"name":"`+name+`"}`)
		require.Equal(t, "/name", failure.Errors[0].Location)
	}
	declared := secretsOf(s, "Application", "worker")[0]
	s.Refused(409, "CONFLICT", s.As("owner"), http.MethodDelete,
		apitest.ResourcePath("north", "Application", "worker", "/secrets/"+declared.ID.String()), "")
	require.Equal(t, before, s.Snapshot())
}

func TestASecretExpires(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	expires := s.Now().Add(time.Minute)
	issued := issue(s, s.As("owner"), "Application", "worker",
		`{"name":"second","expiresAt":"`+expires.Format(time.RFC3339Nano)+`"}`)
	require.True(t, expires.Equal(*issued.ExpiresAt))
	worker := s.As("worker")
	worker.Secret = issued.Value
	s.Get(200, worker, apitest.AdminAPI+"/identity")
	s.Ticks.Add(time.Minute.Milliseconds())
	s.Get(401, worker, apitest.AdminAPI+"/identity")

	failure := s.Refused(400, "VALIDATION", s.As("owner"), http.MethodPost,
		apitest.ResourcePath("north", "Application", "stranger", "/secrets"), `{"name":"late","expiresAt":"2020-01-01T00:00:00Z"}`)
	require.Equal(t, "/expiresAt", failure.Errors[0].Location)
}

func TestAnAccessTokenIsThatOfItsUser(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	issued := issue(s, s.As("administrator"), "User", "viewer", `{"name":"laptop"}`)
	viewer := s.As("viewer")
	viewer.Secret = issued.Value
	identity := apitest.Decode[oasadmin.Identity](t, s.Get(200, viewer, apitest.AdminAPI+"/identity"))
	require.Equal(t, viewer.ID, identity.Principal.ID)
	require.Len(t, identity.Memberships, 1)
	issue(s, s.As("owner"), "User", "owner", `{"name":"laptop"}`)
	s.Refused(403, "ACCESS_DENIED", s.As("administrator"), http.MethodPost,
		apitest.ResourcePath("north", "User", "owner", "/secrets"), `{"name":"mine"}`)
	for _, secret := range secretsOf(s, "User", "owner") {
		s.Refused(403, "ACCESS_DENIED", s.As("administrator"), http.MethodDelete,
			apitest.ResourcePath("north", "User", "owner", "/secrets/"+secret.ID.String()), "")
	}
}

func TestAWebhookSecretIsSealed(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	first := issue(s, s.As("owner"), "WebhookSubscription", "EVENTS", `{"name":"first"}`)
	require.True(t, strings.HasPrefix(first.Value, "whsec_"), first.Value)
	issue(s, s.As("owner"), "WebhookSubscription", "EVENTS", `{"name":"second"}`)
	s.Refused(409, "CONFLICT", s.As("owner"), http.MethodPost,
		apitest.ResourcePath("north", "WebhookSubscription", "EVENTS", "/secrets"), `{"name":"third"}`)
	require.Equal(t, 2, s.Count(`SELECT count(*) FROM webhook_secrets WHERE position($1::bytea IN sealed) = 0`,
		[]byte(strings.TrimPrefix(first.Value, "whsec_"))))
	require.Len(t, secretsOf(s, "WebhookSubscription", "EVENTS"), 2)
	s.Call(204, s.As("owner"), http.MethodDelete,
		apitest.ResourcePath("north", "WebhookSubscription", "EVENTS", "/secrets/"+first.ID.String()), "")
	require.Len(t, secretsOf(s, "WebhookSubscription", "EVENTS"), 1)
}

// No log and no table holds the value of a secret.
func TestSecretsAreInNoLogAndNoTable(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	s := apitest.NewAdministered(t, func(o *api.Options) {
		o.Log = slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	for kind, code := range map[string]string{"Application": "worker", "User": "viewer", "WebhookSubscription": "EVENTS"} {
		issued := issue(s, s.As("owner"), kind, code, `{"name":"second"}`)
		require.NotContains(t, log.String(), issued.Value)
		require.NotEmpty(t, log.String())
		for table, n := range s.Holding(issued.Value) {
			require.Zero(t, n, "%s of %s", table, kind)
		}
	}
}
