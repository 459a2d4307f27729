package admin_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/test/kit/apitest"
	"github.com/procession-dev/procession/test/kit/contracttest"
)

func TestIssuedTokensExpire(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	const day = 24 * time.Hour
	options := s.Options
	options.Administration = administration.New(administration.Options{
		Store:     storage.New(storage.Options{DB: s.DB, Clock: s.Now}),
		Lifetimes: administration.SecretLifetimes{AccessToken: 90 * day, MaxAccessToken: 365 * day, MaxApplicationSecret: 30 * day},
	})
	handler := apitest.Handler(t, options)
	s.Client = contracttest.Client(contracttest.InProcess(handler))
	owner := s.As("owner")
	issue := func(status int, kind, code, body string) apitest.Answer {
		return s.Post(status, owner, apitest.ResourcePath("north", kind, code, "/secrets"), body)
	}
	expiry := func(a apitest.Answer) time.Time { return *apitest.Decode[oasadmin.IssuedSecret](t, a).ExpiresAt }
	in := func(after time.Duration) string {
		return `"expiresAt":"` + s.Now().Add(after).Format(time.RFC3339) + `"`
	}
	require.WithinDuration(t, s.Now().Add(90*day), expiry(issue(201, "User", "viewer", `{"name":"default"}`)), time.Minute)
	require.WithinDuration(t, s.Now().Add(300*day),
		expiry(issue(201, "User", "viewer", `{"name":"longer",`+in(300*day)+`}`)), time.Minute)
	require.WithinDuration(t, s.Now().Add(30*day), expiry(issue(201, "Application", "worker", `{"name":"default"}`)), time.Minute)
	for _, test := range []struct{ kind, code, after string }{
		{"User", "viewer", in(366 * day)}, {"Application", "stranger", in(31 * day)},
	} {
		failure := apitest.Decode[contracttest.ErrorBody](t, issue(400, test.kind, test.code, `{"name":"too long",`+test.after+`}`))
		require.Equal(t, "/expiresAt", failure.Errors[0].Location)
		require.Contains(t, failure.Errors[0].Message, "at most")
	}
}
