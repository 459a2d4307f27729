package main

import (
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func variables(values map[string]string) func(string) string {
	return func(name string) string { return values[name] }
}

func TestFlagsWinOverVariablesOverDefaults(t *testing.T) {
	t.Parallel()
	cfg, err := parseConfig(
		[]string{"-endpoint", "https://flag:8443", "-log-level", "warn"},
		variables(map[string]string{
			"LOAN_WORKER_ENDPOINT": "http://variable", "LOAN_WORKER_TEMPORAL_ADDRESS": "temporal:7233",
			"LOAN_WORKER_CLIENT_ID": "app", "LOAN_WORKER_CLIENT_SECRET": "s3cret", "LOAN_WORKER_IDENTITY": "me",
		}), io.Discard)
	require.NoError(t, err)
	require.Equal(t, config{
		endpoint: "https://flag:8443", clientID: "app", clientSecret: "s3cret", temporalAddress: "temporal:7233",
		identity: "me", taskQueue: "QUEUE_SAMPLE_LOAN", hostname: cfg.hostname, logLevel: slog.LevelWarn,
	}, cfg)
	require.NotEmpty(t, cfg.hostname)
}

func TestSecretComesFromTheFileWhenNamed(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(file, []byte("from-file\n"), 0o600))
	cfg, err := parseConfig([]string{"-client-id", "app", "-client-secret-file", file},
		variables(map[string]string{"LOAN_WORKER_CLIENT_SECRET": "from-env"}), io.Discard)
	require.NoError(t, err)
	require.Equal(t, "from-file", cfg.clientSecret)
}

func TestConfigurationThatCannotWorkIsRefused(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"no client id":   {nil, "no client id"},
		"no secret":      {[]string{"-client-id", "app"}, "no client secret"},
		"no such file":   {[]string{"-client-id", "app", "-client-secret-file", "/nowhere"}, "reading the client secret"},
		"stray argument": {[]string{"-client-id", "app", "x"}, `unexpected argument "x"`},
		"unknown flag":   {[]string{"-unknown"}, "not defined"},
		"secret as flag": {[]string{"-client-secret", "x"}, "not defined"},
		"odd level":      {[]string{"-log-level", "loud"}, "invalid value"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := parseConfig(test.args, variables(nil), io.Discard)
			require.ErrorContains(t, err, test.want)
		})
	}
}
