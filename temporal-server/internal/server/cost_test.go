package server_test

import (
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/temporal-server/internal/teststores"
)

const (
	costLoans = 400
	costLanes = 16
	costIdle  = 15 * time.Second
	// clockTick is the unit of processor times in /proc.
	clockTick = 10 * time.Millisecond
)

// The processor time and the space of a loan, of Temporal and of its stores: figures for docs/scaling.md.
func TestCostOnPostgres(t *testing.T) { //nolint:paralleltest // it measures
	clusterTime(t)
	w := newAuthorities(t)
	hosts := w.clusterNetwork(t, 1)
	at, err := url.Parse(w.opts.DatabaseURL)
	require.NoError(t, err)
	postgres := readPID(t, filepath.Join(at.Query().Get("host"), "data", "postmaster.pid"))
	w.measureLoans(t, hosts, map[string]int{"PostgreSQL": postgres}, func() int64 {
		return int64(queryInt(t, w.opts.DatabaseURL, "temporal", `SELECT pg_database_size('temporal') + pg_database_size('temporal_visibility')`))
	})
}

func TestCostOnCassandraAndOpenSearch(t *testing.T) { //nolint:paralleltest // it measures
	clusterTime(t)
	w := newAuthorities(t)
	w.useStores(t, teststores.Both)
	w.updateStores(t)
	folder := teststores.Folder()
	stores := map[string]int{}
	for _, name := range []string{"cassandra", "opensearch"} {
		stores[name] = readPID(t, filepath.Join(folder, name+".pid"))
	}
	w.measureLoans(t, w.clusterHosts(t, 1), stores, func() int64 {
		out, err := exec.CommandContext(t.Context(), "sh", filepath.Join(folder, "nodetool"), "flush", w.opts.Cassandra.Keyspace).CombinedOutput()
		require.NoError(t, err, "%s", out)
		return folderSize(t, filepath.Join(folder, "data", w.opts.Cassandra.Keyspace))
	})
}

// measureLoans runs loans on one host and logs the cost of one.
func (w *testServer) measureLoans(t *testing.T, hosts []string, stores map[string]int, size func() int64) {
	t.Helper()
	w.opts.TaskQueuePartitions, w.opts.HistoryShards = 1, 16
	var pids []int
	for _, p := range w.startHosts(t, hosts) {
		pids = append(pids, p.cmd.Process.Pid)
	}
	times := func() map[string]time.Duration {
		found := map[string]time.Duration{"Temporal": processorTime(t, pids...)}
		for name, pid := range stores {
			found[name] = processorTime(t, append(childrenOf(t, pid), pid)...)
		}
		return found
	}
	warm := w.startLoad(t, costLanes)
	warm.awaitLoans(t, costLoans/2)
	warm.requireNoFailure(t)
	space, idle := size(), times()
	<-time.After(costIdle)
	resting := times()

	before, began := times(), time.Now()
	load := w.startLoad(t, costLanes)
	load.awaitLoans(t, costLoans)
	load.requireNoFailure(t)
	took, after := time.Since(began), times()
	t.Logf("%.1f loans/s", float64(load.ended)/took.Seconds())
	for name := range after {
		rest := resting[name] - idle[name]
		used := after[name] - before[name] - time.Duration(float64(rest)*took.Seconds()/costIdle.Seconds())
		t.Logf("%s: %.1f ms of processor time for a loan; idle %.3f of a processor", name,
			used.Seconds()*1000/float64(load.ended), rest.Seconds()/costIdle.Seconds())
	}
	t.Logf("%.1f KB for a loan in the main store", float64(size()-space)/1000/float64(load.ended))
}

// processorTime returns the processor time of processes, and of their children that have ended.
func processorTime(t *testing.T, pids ...int) (sum time.Duration) {
	t.Helper()
	for _, pid := range pids {
		for _, ticks := range statOf(t, pid)[11:15] {
			n, err := strconv.Atoi(ticks)
			require.NoError(t, err)
			sum += time.Duration(n) * clockTick
		}
	}
	return sum
}

// statOf returns the fields of /proc/PID/stat from the state on.
func statOf(t *testing.T, pid int) []string {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	require.NoError(t, err)
	return strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
}

// childrenOf returns the running children of a process.
func childrenOf(t *testing.T, pid int) (found []int) {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%[1]d/task/%[1]d/children", pid))
	require.NoError(t, err)
	for _, field := range strings.Fields(string(text)) {
		child, err := strconv.Atoi(field)
		require.NoError(t, err)
		found = append(found, child)
	}
	return found
}

func readPID(t *testing.T, file string) int {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	pid, err := strconv.Atoi(strings.Fields(string(text))[0])
	require.NoError(t, err)
	return pid
}

func folderSize(t *testing.T, folder string) (sum int64) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(folder, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		sum += info.Size()
		return err
	}))
	return sum
}
