package server_test

import (
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// loanLanes is the number of loans that are in work at the same time.
const loanLanes = 4

// hostProcesses returns the services of each process of a host.
func hostProcesses() [][]string {
	return [][]string{{"history", "matching"}, {"frontend", "internal-frontend", "worker"}}
}

// clusterProcess is a process of a host.
type clusterProcess struct {
	host     string
	services []string
	cmd      *exec.Cmd
}

// startHosts starts all processes of the hosts, and creates the namespace alpha with a worker.
func (w *testServer) startHosts(t *testing.T, hosts []string) []*clusterProcess {
	t.Helper()
	var processes []*clusterProcess
	for _, services := range hostProcesses() {
		for _, host := range hosts {
			processes = append(processes, &clusterProcess{host: host, services: services, cmd: w.startProcess(t, host, services...)})
		}
	}
	for _, host := range hosts {
		w.frontends = append(w.frontends, host+":7233")
	}
	w.addNamespace(t, "alpha")
	w.startLoanWorker(t)
	return processes
}

// restartEach stops each process in turn and starts it again.
func (w *testServer) restartEach(t *testing.T, processes []*clusterProcess) {
	t.Helper()
	for _, p := range processes {
		begin := time.Now()
		require.NoError(t, p.cmd.Process.Signal(syscall.SIGTERM))
		require.NoError(t, p.cmd.Wait(), "%s of %s", p.services, p.host)
		stopped := time.Since(begin)
		p.cmd = w.startProcess(t, p.host, p.services...)
		t.Logf("%s of %s: stopped in %s, back after %s", strings.Join(p.services, ","), p.host,
			stopped.Round(time.Millisecond), time.Since(begin).Round(time.Millisecond))
	}
}

// A cluster with two hosts for each service restarts process by process, and loses a host of histories, without a failed call of clients
// that know all frontends by one name.
func TestTwoHostsPerService(t *testing.T) {
	t.Parallel()
	w := newAuthorities(t)
	w.opts.HistoryShards, w.opts.TaskQueuePartitions = 4, 1
	processes := w.startHosts(t, w.clusterNetwork(t, 2))

	load := w.startLoad(t, loanLanes)
	load.awaitLoans(t, 10)
	w.restartEach(t, processes)
	load.requireNoFailure(t)

	load = w.startLoad(t, loanLanes)
	load.awaitLoans(t, 10)
	killed := processes[0]
	require.NoError(t, killed.cmd.Process.Kill())
	_ = killed.cmd.Wait()
	load.awaitLoans(t, 40)
	load.requireNoFailure(t)
}
