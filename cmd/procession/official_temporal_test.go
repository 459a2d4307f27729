package main

import (
	"context"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/officialtemporal"
)

// The loan runs on the official development server, which has neither TLS nor credentials, and doctor reports that.
func TestLoanRunsOnTheOfficialDevelopmentServer(t *testing.T) {
	t.Parallel()
	s := newOfficialStack(t)
	s.startWorker()
	out, err := exec.Command(example(t, "loan/drive"), "-endpoint", s.url()).CombinedOutput()
	require.NoError(t, err, string(out))

	report, err := program("doctor", "--config", filepath.Join(s.dir, "procession.yaml")).CombinedOutput()
	require.NoError(t, err, string(report))
	require.Contains(t, string(report), "in plain text, on this machine")
	require.Contains(t, string(report), "Temporal accepts calls without credentials")
	s.requireGuarantees(guarantees{})
}

// newOfficialStack is newStack with the official development server.
func newOfficialStack(t *testing.T) *testStack {
	t.Helper()
	s := configureStack(t)
	s.config.TemporalTLS = false
	s.startOfficialTemporal(s.config.TemporalAddress)
	s.startService()
	t.Cleanup(func() { s.stopService() })
	s.awaitReady()
	return s
}

// startOfficialTemporal starts the official development server. It keeps its data until the test ends.
func (s *testStack) startOfficialTemporal(address string) *officialtemporal.Server {
	s.t.Helper()
	binary, err := officialtemporal.Find()
	require.NoError(s.t, err)
	p, err := officialtemporal.Start(officialtemporal.Options{
		Binary: binary, Listen: address, DataFile: filepath.Join(s.dir, "official.db"), LogWriter: s.logTo("official-temporal.log"),
	})
	require.NoError(s.t, err)
	s.t.Cleanup(func() { require.NoError(s.t, p.Stop(context.WithoutCancel(s.t.Context()))) })
	return p
}
