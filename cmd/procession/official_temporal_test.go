package main

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/child"
)

// The loan runs on the official development server, which has neither TLS nor credentials, and doctor reports that.
func TestLoanRunsOnTheOfficialDevelopmentServer(t *testing.T) {
	t.Parallel()
	s := configureStack(t)
	s.config.TemporalTLS = false
	s.startOfficialTemporal(s.config.TemporalAddress)
	s.startService()
	t.Cleanup(func() { s.stopService() })
	s.awaitReady()
	s.startWorker()
	out, err := exec.Command(example(t, "loan/drive"), "-endpoint", s.url()).CombinedOutput()
	require.NoError(t, err, string(out))

	report, err := program("doctor", "--config", filepath.Join(s.dir, "procession.yaml")).CombinedOutput()
	require.NoError(t, err, string(report))
	require.Contains(t, string(report), "in plain text, on this machine")
	require.Contains(t, string(report), "Temporal accepts calls without credentials")
	s.requireGuarantees(guarantees{})
}

// startOfficialTemporal starts the server of Temporal's command line, which make bootstrap-tests installs. It keeps its data
// until the test ends.
func (s *testStack) startOfficialTemporal(address string) *child.Process {
	s.t.Helper()
	cache, err := os.UserCacheDir()
	require.NoError(s.t, err)
	found, err := filepath.Glob(filepath.Join(cache, "procession", "temporal-[0-9]*", "bin", "temporal"))
	require.NoError(s.t, err)
	require.NotEmpty(s.t, found, "tools/scripts/bootstrap --tests installs it")
	host, port, err := net.SplitHostPort(address)
	require.NoError(s.t, err)
	cmd := exec.Command(found[len(found)-1], "server", "start-dev", "--headless", "--ip", host, "--port", port, "--log-level", "error",
		"--db-filename", filepath.Join(s.dir, "official.db"))
	log := s.logTo("official-temporal.log")
	cmd.Stdout, cmd.Stderr = log, log
	p, err := child.Start(cmd, syscall.SIGKILL)
	require.NoError(s.t, err)
	s.t.Cleanup(func() { s.stopProcess(p, syscall.SIGTERM) })
	return p
}
