package procession

import (
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func getenvOf(values map[string]string) func(string) string {
	return func(name string) string { return values[name] }
}

func newProgram() Program {
	return Program{Name: "loan", Prefix: "LOAN_WORKER", TaskQueue: "QUEUE_LOAN"}
}

func TestFlagsWinOverVariablesOverDefaults(t *testing.T) {
	t.Parallel()
	cfg, err := newProgram().parseConfig(
		[]string{"-endpoint", "https://flag:8443", "-log-level", "warn"},
		getenvOf(map[string]string{
			"LOAN_WORKER_ENDPOINT": "http://variable", "LOAN_WORKER_TEMPORAL_ADDRESS": "temporal:7233",
			"LOAN_WORKER_CLIENT_ID": "app", "LOAN_WORKER_CLIENT_SECRET": "s3cret", "LOAN_WORKER_IDENTITY": "me",
		}), io.Discard)
	require.NoError(t, err)
	require.False(t, cfg.Logger.Enabled(t.Context(), slog.LevelInfo))
	cfg.Logger = nil
	require.NotEmpty(t, cfg.Hostname)
	require.Equal(t, Config{
		Client:          ClientConfig{Endpoint: "https://flag:8443", Credentials: ClientCredentials("app", "s3cret")},
		TemporalAddress: "temporal:7233", Identity: "me", TaskQueue: "QUEUE_LOAN", Hostname: cfg.Hostname,
	}, cfg)
}

func TestSecretComesFromTheFileWhenNamed(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(file, []byte("from-file\n"), 0o600))
	cfg, err := newProgram().parseConfig([]string{"-client-id", "app", "-client-secret-file", file},
		getenvOf(map[string]string{"LOAN_WORKER_CLIENT_SECRET": "from-env"}), io.Discard)
	require.NoError(t, err)
	require.Equal(t, ClientCredentials("app", "from-file"), cfg.Client.Credentials)
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
		"no such CA":     {[]string{"-client-id", "app", "-client-secret-file", "program.go", "-ca-file", "/nowhere"}, "reading the CA file"},
		"odd level":      {[]string{"-log-level", "loud"}, "invalid value"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := newProgram().parseConfig(test.args, getenvOf(nil), io.Discard)
			require.ErrorContains(t, err, test.want)
		})
	}
}
