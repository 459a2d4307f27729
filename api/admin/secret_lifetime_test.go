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

// New secrets of applications end after the term that is configured, within the maximum. Others keep their term.
func TestSecretsOfApplicationsExpire(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for name, c := range map[string]struct {
		lifetimes administration.SecretLifetimes
		after     time.Duration
	}{
		"standard":              {administration.SecretLifetimes{ApplicationSecret: 365 * day}, 365 * day},
		"maximum below it":      {administration.SecretLifetimes{ApplicationSecret: 365 * day, MaxApplicationSecret: 30 * day}, 30 * day},
		"maximum only":          {administration.SecretLifetimes{MaxApplicationSecret: 30 * day}, 30 * day},
		"no standard, no bound": {administration.SecretLifetimes{}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := apitest.NewAdministered(t)
			owner := s.As("owner")
			path := apitest.ResourcePath("north", "Application", "worker", "/secrets")
			options := s.Options
			options.Administration = administration.New(administration.Options{
				Store: storage.New(storage.Options{DB: s.DB, Clock: s.Now}), Lifetimes: c.lifetimes,
			})
			s.Client = contracttest.Client(contracttest.InProcess(apitest.Handler(t, options)))
			issued := apitest.Decode[oasadmin.IssuedSecret](t, s.Post(201, owner, path, `{"name":"default"}`))
			if c.after == 0 {
				require.Nil(t, issued.ExpiresAt)
			} else {
				require.WithinDuration(t, s.Now().Add(c.after), *issued.ExpiresAt, time.Minute)
			}
			list := apitest.Decode[oasadmin.SecretList](t, s.Get(200, owner, path))
			for _, secret := range list.Content {
				if secret.Name == "first" {
					require.Nil(t, secret.ExpiresAt)
				}
			}
		})
	}
}
