package main

import (
	"io"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/demotest"
	"github.com/procession-dev/procession/test/kit/nettest"
	"github.com/procession-dev/procession/test/kit/oidctest"
)

// The program starts while an issuer is down, serves everybody else, and lets the
// issuer's users in as soon as it is back.
func TestServeWhileAnIssuerIsDown(t *testing.T) {
	t.Parallel()
	issuer := oidctest.NewIssuer(t, oidctest.NewKey(t, "ES256", "es"))
	issuer.Stop()
	s := &testStack{t: t, dir: t.TempDir(), http: &http.Client{Timeout: 30 * time.Second}}
	s.config.BindFlags(pflag.NewFlagSet("test", pflag.ContinueOnError))
	s.config.DatabaseURL = demotest.URL(t)
	s.config.SealKeyFile = filepath.Join(s.dir, "seal.key")
	s.config.Listen, s.config.ListenHealth = nettest.FreeAddress(t), nettest.FreeAddress(t)
	s.config.TemporalAddress = nettest.FreeAddress(t)
	s.config.DocumentsURL = "file://" + filepath.Join(s.dir, "documents")
	s.config.OIDCIssuers = []authn.OIDCIssuer{{Issuer: issuer.URL(), Audiences: []string{"procession"}}}
	demotest.WriteSealKey(t, s.config.SealKeyFile)
	s.startService()
	t.Cleanup(s.stopService)

	token := issuer.Key("ES256").Token(oidctest.World{
		Issuer: issuer, Audience: "procession", Now: time.Now(), Subject: "a", Email: demo.Alice().Email,
	}.Claims())
	ask := func(bearer string) (status int, body string) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url()+"/v2024-06-14/tenants", nil)
		if err != nil {
			return 0, err.Error()
		}
		r.Header.Set("Authorization", "Bearer "+bearer)
		response, err := s.http.Do(r)
		if err != nil {
			return 0, err.Error()
		}
		defer func() { _ = response.Body.Close() }()
		text, err := io.ReadAll(response.Body)
		if err != nil {
			return 0, err.Error()
		}
		return response.StatusCode, string(text)
	}
	status, body := ask(token)
	require.Equal(t, http.StatusServiceUnavailable, status, body)
	status, want := ask(demo.Alice().Secret)
	require.Equal(t, http.StatusOK, status, want)

	issuer.Resume()
	s.await("the issuer's keys", func() bool {
		status, body = ask(token)
		return status == http.StatusOK
	})
	require.Equal(t, want, body)
}
