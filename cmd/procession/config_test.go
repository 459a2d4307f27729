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

func TestSettingsInTheFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "procession.yaml")
	require.NoError(t, os.WriteFile(file, []byte(`
listen: &address 127.0.0.1:1001
listen-health: *address
issuer: 2026
max-connections: 20
webhook-allow: [10.1.0.0/16, hooks.example]
earlier-seal-key-files: one, two
webhook-allow-http: yes
drain-timeout: 1m
log-level: warn
cancel-grace:
`), 0o600))
	out := printed(t, "config", "print", "--config", file)
	for _, line := range []string{
		"listen: 127.0.0.1:1001", "listen-health: 127.0.0.1:1001", `issuer: "2026"`, "max-connections: 20",
		"webhook-allow:\n    - 10.1.0.0/16\n    - hooks.example", "earlier-seal-key-files:\n    - one\n    - two",
		"webhook-allow-http: true", "drain-timeout: 1m0s", "log-level: WARN", "cancel-grace: 1m0s",
	} {
		require.Contains(t, out, line+"\n")
	}
	again := filepath.Join(t.TempDir(), "again.yaml")
	require.NoError(t, os.WriteFile(again, []byte(out), 0o600))
	require.Equal(t, out, printed(t, "config", "print", "--config", again), "what is printed can be read")

	for text, complaint := range map[string]string{
		"listen: a\nlisden: x":        `line 2: unknown setting "lisden"`,
		"config: x":                   `unknown setting "config"`,
		"listen: [a]":                 "reading listen of",
		"max-connections: many":       "reading max-connections of",
		"webhook-allow-http: perhaps": "reading webhook-allow-http of",
		"listen: a\nlisten: b":        "already defined",
		"oidc-issuers: [{audience: [a], issuer: \"https://a.example\"}]": "audience",
	} {
		require.NoError(t, os.WriteFile(again, []byte(text), 0o600))
		err := run(t.Context(), []string{"config", "print", "--config", again}, &bytes.Buffer{}, &bytes.Buffer{})
		require.ErrorContains(t, err, complaint)
		require.Equal(t, exitUsage, exitCode(err))
	}
}

func TestConfigPrintHidesPasswords(t *testing.T) {
	t.Parallel()
	for _, url := range []string{
		"postgres://me:hunter2@db/procession", "postgres://db/procession?user=me&password=hunter2",
		"host=db user=me password=hunter2",
	} {
		out := printed(t, "config", "print", "--database-url", url, "--database-direct-url", url)
		require.NotContains(t, out, "hunter2")
		require.Regexp(t, `(?s)REDACTED.*REDACTED`, out)
	}
}

func TestConfigPrintShowsPublicURL(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), []string{"config", "print", "--public-url", "https://a.example", "--allowed-hosts", "b.internal"}, &out, &out))
	require.Contains(t, out.String(), "public-url: https://a.example\n")
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
		"odd personal tokens": {"serve", "--temporal-address", "localhost:7233", "--personal-tokens", "some"},
		"no way to sign in":   {"serve", "--temporal-address", "localhost:7233", "--personal-tokens", "none"},
		"tls without a key":   {"serve", "--temporal-address", "localhost:7233", "--listen-tls", ":8443"},
		"unexpected argument": {"migrate", "now"},
		"no database":         {"migrate"},
		"no Temporal":         {"serve", "--database-url", "postgres://db"},
		"no documents":        {"serve", "--database-url", "postgres://db", "--temporal-address", "localhost:7233"},
		"no connections":      {"config", "print", "--max-connections", "0"},
		"administration without encryption": {
			"serve", "--database-url", "postgres://db", "--temporal-address", "localhost:7233",
			"--documents-url", "file:///tmp", "--listen-administration", ":8444", "--tls-cert", "server.pem",
		},
		"negative rate":                {"config", "print", "--principal-rate", "-1"},
		"unknown proxies":              {"config", "print", "--trusted-proxies", "10.0.0.0/8,proxy.example"},
		"public URL without a scheme":  {"config", "print", "--public-url", "procession.example.com"},
		"public URL with a path":       {"config", "print", "--public-url", "https://example.com/procession"},
		"allowed hosts with a port":    {"config", "print", "--public-url", "https://a.example", "--allowed-hosts", "b.example:80"},
		"allowed hosts without a name": {"config", "print", "--allowed-hosts", "b.example"},
		"share beyond all connections": {"config", "print", "--address-connections", "11", "--max-connections", "10"},
		"tiny documents":               {"config", "print", "--max-document-bytes", "1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := run(t.Context(), args, &bytes.Buffer{}, &bytes.Buffer{})
			require.Error(t, err)
			require.Equal(t, exitUsage, exitCode(err), err)
		})
	}
}

func TestAllThatIsMissingIsNamedAtOnce(t *testing.T) {
	t.Parallel()
	err := run(t.Context(), []string{"serve", "--listen-tls", ":8443"}, &bytes.Buffer{}, &bytes.Buffer{})
	for _, flag := range []string{"--database-url", "--seal-key-file", "--temporal-address", "--documents-url", "--tls-cert"} {
		require.ErrorContains(t, err, flag)
	}
	file := filepath.Join(t.TempDir(), "procession.yaml")
	require.NoError(t, os.WriteFile(file, []byte("lisden: x\ntask-log-limit: 0\ndrain-timeout: soon\nqqqq: 1\n"), 0o600))
	err = run(t.Context(), []string{"serve", "--config", file}, &bytes.Buffer{}, &bytes.Buffer{})
	for _, wrong := range []string{`line 1: unknown setting "lisden"; did you mean listen?`, "line 4: unknown setting \"qqqq\"\n", "--task-log-limit must be", "reading drain-timeout of"} {
		require.ErrorContains(t, err, wrong)
	}
	require.Equal(t, exitUsage, exitCode(err))
}

func TestRenamedSettingsAreRefused(t *testing.T) {
	t.Setenv("PROCESSION_LISTEN_MANAGEMENT", ":8444")
	file := filepath.Join(t.TempDir(), "procession.yaml")
	require.NoError(t, os.WriteFile(file, []byte("listen-admin: 127.0.0.1:9090\n"), 0o600))
	err := run(t.Context(), []string{"config", "print", "--config", file}, &bytes.Buffer{}, &bytes.Buffer{})
	require.ErrorContains(t, err, "line 1: listen-admin is now listen-health")
	require.ErrorContains(t, err, "PROCESSION_LISTEN_MANAGEMENT is now PROCESSION_LISTEN_ADMINISTRATION")
	require.Equal(t, exitUsage, exitCode(err))
	for before, now := range map[string]string{
		"--listen-admin": "--listen-health", "--listen-management": "--listen-administration", "--poller-patience": "--poller-timeout",
		"--temporal-ca-file": "--temporal-tls-ca",
	} {
		err = run(t.Context(), []string{"serve", before, ":1"}, &bytes.Buffer{}, &bytes.Buffer{})
		require.ErrorContains(t, err, before+" is now "+now)
		require.Equal(t, exitUsage, exitCode(err))
	}
}

func TestHelpOfCommandsIsNotThatOfServe(t *testing.T) {
	t.Parallel()
	require.Contains(t, printed(t, "serve", "--help"), "--task-log-limit")
	for _, args := range [][]string{{"migrate"}, {"doctor"}, {"keys", "rotate"}, {"bootstrap"}} {
		help := printed(t, append(args, "--help")...)
		require.NotContains(t, help, "--task-log-limit", args)
		require.Contains(t, help, "--database-url", args)
		require.Contains(t, help, "procession serve --help lists them", args)
	}
}

func printed(t *testing.T, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), args, &out, &bytes.Buffer{}))
	return out.String()
}
