package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestConfigPrecedence(t *testing.T) {
	file := filepath.Join(t.TempDir(), "procession.yaml")
	require.NoError(t, os.WriteFile(file, []byte("listen: 127.0.0.1:1001\nissuer: of-the-file\ntask-log-limit: 7\n"), 0o600))
	t.Setenv("PROCESSION_CONFIG", file)
	t.Setenv("PROCESSION_LISTEN", "127.0.0.1:1002")
	t.Setenv("PROCESSION_ISSUER", "of-the-environment")

	out := printed(t, "config", "print", "--listen", "127.0.0.1:1003")
	require.Contains(t, out, "listen: 127.0.0.1:1003\n", "a flag wins")
	require.Contains(t, out, "issuer: of-the-environment\n", "then the environment")
	require.Contains(t, out, "task-log-limit: 7\n", "then the file")
	require.Contains(t, out, "drain-timeout: 20s\n", "then the default")
}

func TestConfigPrintHidesPasswords(t *testing.T) {
	t.Parallel()
	for _, url := range []string{
		"postgres://me:hunter2@db/procession", "postgres://db/procession?user=me&password=hunter2",
		"host=db user=me password=hunter2",
	} {
		out := printed(t, "config", "print", "--database-url", url)
		require.NotContains(t, out, "hunter2")
		require.Contains(t, out, "REDACTED")
	}
}

func TestBadConfigurationIsAUsageError(t *testing.T) {
	t.Parallel()
	unknown := filepath.Join(t.TempDir(), "procession.yaml")
	require.NoError(t, os.WriteFile(unknown, []byte("lisden: x\n"), 0o600))
	for name, args := range map[string][]string{
		"unknown command":     {"sreve"},
		"unknown subcommand":  {"incidents", "bogus"},
		"unknown flag":        {"config", "print", "--lisden", "x"},
		"unknown key":         {"config", "print", "--config", unknown},
		"missing file":        {"config", "print", "--config", unknown + "x"},
		"bad value":           {"config", "print", "--task-log-limit", "0"},
		"tls without a key":   {"serve", "--temporal-address", "localhost:7233", "--listen-tls", ":8443"},
		"unexpected argument": {"migrate", "now"},
		"no database":         {"migrate"},
		"no Temporal":         {"serve", "--database-url", "postgres://db"},
		"no documents":        {"serve", "--database-url", "postgres://db", "--temporal-address", "localhost:7233"},
		"no connections":      {"config", "print", "--max-connections", "0"},
		"management in the clear": {
			"serve", "--database-url", "postgres://db", "--temporal-address", "localhost:7233",
			"--documents-url", "file:///tmp", "--listen-management", ":8444", "--tls-cert", "server.pem",
		},
		"negative rate":   {"config", "print", "--principal-rate", "-1"},
		"unknown proxies": {"config", "print", "--trusted-proxies", "10.0.0.0/8,proxy.example"},
		"tiny documents":  {"config", "print", "--max-document-bytes", "1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := run(t.Context(), args, &bytes.Buffer{}, &bytes.Buffer{})
			require.Error(t, err)
			require.Equal(t, exitUsage, exitCode(err), err)
		})
	}
}

func printed(t *testing.T, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), args, &out, &bytes.Buffer{}))
	return out.String()
}
