package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func variables(values map[string]string) func(string) string {
	return func(name string) string { return values[name] }
}

func TestFlagsWinOverVariables(t *testing.T) {
	t.Parallel()
	cfg, err := parseConfig([]string{"-endpoint", "https://flag:8443", "-activity-token", "-log-level", "warn"},
		variables(map[string]string{
			"INSPECTION_WORKER_ENDPOINT": "http://variable", "INSPECTION_WORKER_TEMPORAL_ADDRESS": "temporal:7233",
			"INSPECTION_WORKER_CLIENT_ID": "app", "INSPECTION_WORKER_CLIENT_SECRET": "s3cret", "INSPECTION_WORKER_IDENTITY": "me",
		}), io.Discard)
	require.NoError(t, err)
	require.Equal(t, config{
		endpoint: "https://flag:8443", clientID: "app", clientSecret: "s3cret", temporalAddress: "temporal:7233",
		identity: "me", hostname: cfg.hostname, withActivityToken: true, logLevel: slog.LevelWarn,
	}, cfg)
}

func TestConfigurationThatCannotWorkIsRefused(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "ca.pem")
	require.NoError(t, os.WriteFile(file, []byte("nothing"), 0o600))
	secret := map[string]string{"INSPECTION_WORKER_CLIENT_SECRET": "s3cret"}
	for name, test := range map[string]struct {
		args []string
		env  map[string]string
		want string
	}{
		"no client id":      {nil, secret, "no client id"},
		"no secret":         {[]string{"-client-id", "app"}, nil, "no client secret"},
		"stray argument":    {[]string{"-client-id", "app", "x"}, secret, `unexpected argument "x"`},
		"secret as flag":    {[]string{"-client-secret", "x"}, secret, "not defined"},
		"no such CA file":   {[]string{"-client-id", "app", "-ca-file", "/nowhere"}, secret, "reading the CA file"},
		"CA file of others": {[]string{"-client-id", "app", "-ca-file", file}, secret, "holds no PEM certificate"},
		"odd endpoint":      {[]string{"-client-id", "app", "-endpoint", "here"}, secret, "not an http or https address"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := run(t.Context(), test.args, environment{
				getenv: variables(test.env), stdout: io.Discard, stderr: io.Discard, clock: time.Now,
			})
			require.ErrorContains(t, err, test.want)
		})
	}
}

func TestCredentialsAreRenewedAheadOfExpiry(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, time.March, 2, 10, 0, 0, 0, time.UTC)
	fetched, down := 0, errors.New("service down")
	var failing error
	r := &renewing[int]{
		clock: func() time.Time { return now },
		fetch: func(context.Context) (int, time.Time, error) {
			if failing != nil {
				return 0, time.Time{}, failing
			}
			fetched++
			return fetched, now.Add(time.Hour), nil
		},
	}
	get := func() int {
		value, err := r.get(t.Context())
		require.NoError(t, err)
		return value
	}
	require.Equal(t, 1, get())
	now = now.Add(47 * time.Minute)
	require.Equal(t, 1, get())
	now = now.Add(time.Minute)
	require.Equal(t, 2, get(), "a fifth of its life was left")
	failing, now = down, now.Add(50*time.Minute)
	require.Equal(t, 2, get(), "the one at hand is good")
	now = now.Add(10 * time.Minute)
	_, err := r.get(t.Context())
	require.ErrorIs(t, err, down)
	failing = nil
	require.Equal(t, 3, get())
}

// lockedBuffer is a log that the test reads while run writes.
type lockedBuffer struct {
	mu      sync.Mutex
	content bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.content.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.content.String()
}

func TestRunWaitsForTheServiceAndStopsCleanly(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 100)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.Method + " " + r.URL.Path
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	t.Cleanup(server.Close)
	ctx, stop := context.WithCancel(t.Context())
	var log, stdout lockedBuffer
	ended := make(chan error, 1)
	go func() {
		ended <- run(ctx, []string{"-endpoint", server.URL, "-client-id", "app"}, environment{
			getenv: variables(map[string]string{"INSPECTION_WORKER_CLIENT_SECRET": "s3cret"}),
			stdout: &stdout, stderr: &log, clock: time.Now,
		})
	}()
	for range 2 {
		require.Equal(t, "POST /v2022-10-08/authentications", <-asked)
	}
	stop()
	require.NoError(t, <-ended)
	require.Contains(t, log.String(), `step="engine access"`)
	require.NotContains(t, log.String(), "s3cret")
	require.Empty(t, stdout.String(), "never ready")
}
