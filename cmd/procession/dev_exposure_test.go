package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/cmd/procession/config"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/nettest"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

// refusedDev runs dev, which must refuse to start, and returns its output.
func refusedDev(t *testing.T, env []string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), testTimeout)
	defer cancel()
	made := program(append([]string{"dev", "--dir", t.TempDir(), "--worker", noWorker}, args...)...)
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
		require.Contains(t, out, "--"+exposeFlag)
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
	require.Contains(t, out, "--listen is 0.0.0.0:0")
}

// The settings of the service's listeners begin with "listen".
func TestDevAddressesHasEveryListener(t *testing.T) {
	t.Parallel()
	var c config.Config
	var flags []string
	c.VisitSettings(func(setting *pflag.Flag) {
		if strings.HasPrefix(setting.Name, "listen") {
			require.NoError(t, setting.Value.Set("127.0.0.1:0"))
			flags = append(flags, setting.Name)
		}
	})
	require.NotEmpty(t, flags)
	var found []string
	for _, a := range devAddresses(&c, &devOptions{temporalListen: "127.0.0.1:0"}) {
		found = append(found, a.flag)
	}
	require.ElementsMatch(t, append(flags, "temporal-listen"), found)
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

func TestCheckOwnDatabase(t *testing.T) {
	t.Parallel()
	check := func(url string) error {
		return checkOwnDatabase(t.Context(), config.Config{Database: config.Database{DatabaseURL: url, DatabaseConnections: 4}})
	}
	require.NoError(t, check(""), "a private one")
	url := pgtest.URL(t)
	require.NoError(t, check(url), "without tenants")
	db := pgtest.Open(t, url)
	require.NoError(t, demo.Load(t.Context(), db, nil, time.Now()))
	require.NoError(t, check(url), "with those of the demo")
	separator := "?"
	if strings.Contains(url, "?") {
		separator = "&"
	}
	require.NoError(t, check(url+separator+"search_path=nothing"), "without a schema")
	require.Error(t, check("postgres://procession@127.0.0.1:1/procession"))
}
