package cli_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/cli"
)

func TestAnIssuedSecretWorksUntilItIsRevoked(t *testing.T) {
	t.Parallel()
	w := newNorth(t)
	o := w.runs("secrets", "issue", "app", "worker", "--name", "second", "--expires", "90d")
	require.NoError(t, o.err)
	value := strings.TrimSuffix(o.stdout, "\n")
	require.NotContains(t, value, "\n", "the value is alone on standard output")
	require.NotContains(t, o.stderr, value)
	require.Regexp(t, `^The secret "second" of Application/worker works from now on and expires at 2026-06-03T10:30:00Z\. `, o.stderr)
	pair := "01980000-0000-7000-8000-000000000021:" + value
	require.Equal(t, "Worker\n", w.as(pair).succeeds("whoami", "-o", "jq=.principal.name"))

	requireGolden(t, "secrets-two.txt", w.succeeds("secrets", "list", "application", "worker"))
	requireGolden(t, "secrets-two.yaml", w.succeeds("secrets", "list", "application", "worker", "--tenant", "north", "-o", "yaml"))
	require.NotContains(t, w.succeeds("describe", "app", "worker"), value)
	require.Contains(t, w.fails(cli.ExitConflict, "secrets", "issue", "app", "worker", "--name", "third"), "at most 2")

	require.Regexp(t, `^[0-9a-f-]{36} revoked\n$`, w.succeeds("secrets", "revoke", "app", "worker", "second"))
	require.Equal(t, "first\n", w.succeeds("secrets", "list", "app", "worker", "-o", "jq=.[].name"))
	require.Contains(t, w.fails(cli.ExitNotFound, "secrets", "revoke", "app", "worker", "second"), `no secret "second"`)
	w.fails(cli.ExitNotFound, "secrets", "revoke", "app", "worker", "01980000-0000-7000-8000-0000000000ff")
}

func TestSecretsOfOthers(t *testing.T) {
	t.Parallel()
	w := newNorth(t)
	token := strings.TrimSuffix(w.succeeds("secrets", "issue", "user", "administrator", "--name", "phone"), "\n")
	require.Equal(t, "Administrator\n", w.as(token).succeeds("whoami", "-o", "jq=.principal.name"))
	o := w.runs("secrets", "list", "webhook", "EVENTS")
	require.Empty(t, o.stdout)
	require.Equal(t, "no secrets\n", o.stderr)
	require.Regexp(t, `^whsec_`, w.succeeds("secrets", "issue", "webhook", "EVENTS", "--name", "one",
		"--expires", "2027-01-31T00:00:00Z"))
	require.Equal(t, "2027-01-31T00:00:00Z\n", w.succeeds("secrets", "list", "webhook", "EVENTS", "-o", "jq=.[].expiresAt"))

	w.as(administratorToken).fails(cli.ExitDenied, "secrets", "issue", "user", "owner", "--name", "mine")
	require.Equal(t, "Application/absent not found", w.fails(cli.ExitNotFound, "secrets", "list", "app", "absent"))
	for _, wrong := range [][]string{
		{"issue", "app", "worker"},
		{"issue", "group", "REVIEWERS", "--name", "x"},
		{"issue", "app", "worker", "--name", "x", "--expires", "soon"},
		{"issue", "app", "worker", "--name", "x", "--expires", "-1h"},
		{"issue", "app", "worker", "--name", "x", "--expires", "1.5d"},
		{"issue", "app", "worker", "--name", "x", "--expires", "2020-01-31T00:00:00Z"},
		{"issue", "app", "--name", "x"},
		{"list", "robot", "BOT"},
		{"revoke", "app", "worker"},
		{"rotate"},
	} {
		w.fails(cli.ExitUsage, append([]string{"secrets"}, wrong...)...)
	}
}
