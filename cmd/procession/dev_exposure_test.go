package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/test/kit/nettest"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

// refusedDev runs dev, which must refuse to start, and returns its output.
func refusedDev(t *testing.T, env []string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), testTimeout)
	defer cancel()
	made := program(append([]string{"dev", "--dir", t.TempDir(), "--worker", "none"}, args...)...)
	cmd := exec.CommandContext(ctx, made.Path, made.Args[1:]...)
	cmd.Env = append(made.Env, env...)
	// If it starts, it is interrupted and has time to stop its parts.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = testTimeout
	out, err := cmd.CombinedOutput()
	require.Error(t, err, string(out))
	require.NoError(t, ctx.Err(), "it did not refuse: %s", out)
	require.Equal(t, exitUsage, cmd.ProcessState.ExitCode(), string(out))
	return string(out)
}

func TestDevRefusesAddressesBeyondLoopback(t *testing.T) {
	t.Parallel()
	for _, address := range [][2]string{
		{"listen", ":0"},
		{"listen", "0.0.0.0:0"},
		{"listen", "[::]:0"},
		{"listen", "192.0.2.1:0"},
		{"listen", "procession.example:0"},
		{"listen-tls", "0.0.0.0:0"},
		{"listen-health", "0.0.0.0:0"},
		{"temporal-listen", "0.0.0.0:0"},
	} {
		// The other addresses are free, so only this one is refused.
		var args []string
		for _, flag := range []string{"listen", "listen-tls", "listen-health", "temporal-listen"} {
			args = append(args, "--"+flag, nettest.FreeAddress(t))
		}
		out := refusedDev(t, nil, append(args, "--"+address[0], address[1])...)
		require.Contains(t, out, "--"+address[0]+" is "+address[1])
		require.Contains(t, out, "--expose-demo-accounts")
	}
}

func TestDevRefusesAddressesOfTheEnvironmentAndOfAFile(t *testing.T) {
	t.Parallel()
	out := refusedDev(t, []string{"PROCESSION_LISTEN=0.0.0.0:0"})
	require.Contains(t, out, "--listen is 0.0.0.0:0")

	file := filepath.Join(t.TempDir(), "procession.yaml")
	require.NoError(t, os.WriteFile(file, []byte("listen-health: 0.0.0.0:0\n"), 0o600))
	out = refusedDev(t, nil, "--config", file)
	require.Contains(t, out, "--listen-health is 0.0.0.0:0")

	// Only the flag allows it.
	out = refusedDev(t, []string{"PROCESSION_LISTEN=0.0.0.0:0", "PROCESSION_EXPOSE_DEMO_ACCOUNTS=true"})
	require.Contains(t, out, "unknown variable PROCESSION_EXPOSE_DEMO_ACCOUNTS")
}

func TestDevRefusesADatabaseWithOtherTenants(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	_, _, err := bootstrap(t, url, "--tenant", "north", "--tenant-name", "The North",
		"--email", "olga@north.example", "--name", "Olga")
	require.NoError(t, err)
	out := refusedDev(t, nil, "--database-url", url, "--listen", nettest.FreeAddress(t), "--listen-tls", "",
		"--listen-health", nettest.FreeAddress(t), "--temporal-listen", nettest.FreeAddress(t))
	require.Contains(t, out, "--database-url")
	require.Contains(t, out, "The North")
	require.Equal(t, 1, countRows(t, url, "SELECT count(*) FROM tenants"), "nothing was loaded")
}
