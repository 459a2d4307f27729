package api_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/administer"
	"github.com/procession-dev/procession/api"
	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/internal/testkit/contracttest"
)

func TestIssuedTokensExpire(t *testing.T) {
	t.Parallel()
	s := newAdministered(t)
	const day = 24 * time.Hour
	options := s.options
	options.Administration = administer.New(administer.Options{
		Store:     storage.New(storage.Options{DB: s.db, Clock: s.now}),
		Lifetimes: administer.SecretLifetimes{AccessToken: 90 * day, MaxAccessToken: 365 * day, MaxApplicationSecret: 30 * day},
	})
	handler, err := api.NewRouter(options)
	require.NoError(t, err)
	s.client = contracttest.Client(contracttest.InProcess(handler))
	owner := s.as("owner")
	issue := func(status int, kind, code, body string) answer {
		return s.post(status, owner, resourcePath("north", kind, code, "/secrets"), body)
	}
	expiry := func(a answer) time.Time { return *decode[oasadmin.IssuedSecret](t, a).ExpiresAt }
	in := func(after time.Duration) string {
		return `"expiresAt":"` + s.now().Add(after).Format(time.RFC3339) + `"`
	}
	require.WithinDuration(t, s.now().Add(90*day), expiry(issue(201, "User", "viewer", `{"name":"default"}`)), time.Minute)
	require.WithinDuration(t, s.now().Add(300*day),
		expiry(issue(201, "User", "viewer", `{"name":"longer",`+in(300*day)+`}`)), time.Minute)
	require.WithinDuration(t, s.now().Add(30*day), expiry(issue(201, "Application", "worker", `{"name":"default"}`)), time.Minute)
	for _, refused := range []struct{ kind, code, after string }{
		{"User", "viewer", in(366 * day)}, {"Application", "stranger", in(31 * day)},
	} {
		failure := decode[contracttest.ErrorBody](t, issue(400, refused.kind, refused.code, `{"name":"too long",`+refused.after+`}`))
		require.Equal(t, "/expiresAt", failure.Errors[0].Location)
		require.Contains(t, failure.Errors[0].Message, "at most")
	}
}
