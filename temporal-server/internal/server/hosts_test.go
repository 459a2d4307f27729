package server_test

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	// loanLanes is the number of loans that are in work at the same time.
	loanLanes = 4
	// clusterStepLimit is the promised duration of a step while a process is lost.
	clusterStepLimit = 15 * time.Second
	// partitionTime is the time for which a paused process does not answer.
	partitionTime = 20 * time.Second
)

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

// killEach kills each process in turn, and starts it again after the others have ended some loans without it.
func (w *testServer) killEach(t *testing.T, processes []*clusterProcess, load *loanLoad) {
	t.Helper()
	for _, p := range processes {
		t.Logf("%s of %s: killed at %s", strings.Join(p.services, ","), p.host, time.Now().Format("15:04:05.000"))
		require.NoError(t, p.cmd.Process.Kill())
		_ = p.cmd.Wait()
		load.awaitLoans(t, 10*loanLanes)
		p.cmd = w.startProcess(t, p.host, p.services...)
		load.awaitRound(t)
	}
}

// pauseEach stops each process in turn without ending it, as a partition of the network does: its connections stay open and nothing answers.
// When it continues, it takes itself for the owner of its shards.
func (w *testServer) pauseEach(t *testing.T, processes []*clusterProcess, load *loanLoad) {
	t.Helper()
	for _, p := range processes {
		require.NoError(t, p.cmd.Process.Signal(syscall.SIGSTOP))
		began := time.Now()
		t.Logf("%s of %s: paused at %s", strings.Join(p.services, ","), p.host, began.Format("15:04:05.000"))
		load.awaitLoans(t, 10*loanLanes)
		<-time.After(max(0, partitionTime-time.Since(began)))
		require.NoError(t, p.cmd.Process.Signal(syscall.SIGCONT))
		load.awaitRound(t)
		t.Logf("%s of %s: continued after %s", strings.Join(p.services, ","), p.host, time.Since(began).Round(time.Second))
	}
}

// A cluster of three hosts restarts, loses and pauses each process in turn, for the time in TEST_CLUSTER, without a failed call.
func TestThreeHosts(t *testing.T) {
	t.Parallel()
	length := clusterTime(t)
	w := newAuthorities(t)
	w.opts.TaskQueuePartitions, w.opts.HistoryShards = 1, 64
	w.disturbHosts(t, w.clusterNetwork(t, 3), length)
}

// clusterTime returns the time in TEST_CLUSTER, and skips the test without it.
func clusterTime(t *testing.T) time.Duration {
	t.Helper()
	text := os.Getenv("TEST_CLUSTER")
	if text == "" {
		t.Skip("make test-cluster sets TEST_CLUSTER")
	}
	length, err := time.ParseDuration(text)
	require.NoError(t, err)
	return length
}

// disturbHosts starts the hosts and disturbs each process in turn under load, in each way at least once.
func (w *testServer) disturbHosts(t *testing.T, hosts []string, length time.Duration) {
	t.Helper()
	processes := w.startHosts(t, hosts)
	for begin := time.Now(); time.Since(begin) < length; {
		for _, way := range []struct {
			name    string
			disturb func(*loanLoad)
		}{
			{"SIGTERM of each process", func(*loanLoad) { w.restartEach(t, processes) }},
			{"kill -9 of each process", func(load *loanLoad) { w.killEach(t, processes, load) }},
			{"SIGSTOP and SIGCONT of each process", func(load *loanLoad) { w.pauseEach(t, processes, load) }},
		} {
			t.Log(way.name)
			load := w.startLoad(t, loanLanes)
			load.awaitLoans(t, loanLanes)
			way.disturb(load)
			load.requireNoFailure(t)
			require.LessOrEqual(t, load.slowestStep(), clusterStepLimit)
		}
	}
}
