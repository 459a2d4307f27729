package main

import (
	"math/rand/v2"
	"regexp"
	"strconv"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/demo"
)

// Two replicas run two bulk operations on the same processes while they are killed: the first time both, the second time one. Each
// process is changed once, and each operation has a result for each process.
func TestKilledAmidBulkOperations(t *testing.T) {
	t.Parallel()
	const processes = 100
	s := newStack(t, false)
	other := s.replica()
	asAlice := s.asking(demo.Alice())
	for range processes {
		s.createLoan(uuid.New())
	}
	start := func(kind string) string {
		out := printed(t, append([]string{"bulk", "start", kind, "--state", "RUNNING", "--reason", "the bank is closed", "--yes"}, asAlice...)...)
		return regexp.MustCompile(`^[0-9a-f-]{36}`).FindString(out)
	}
	operations := []string{start("terminate-processes"), start("cancel-processes")}
	handled := func() int {
		n, err := strconv.Atoi(s.queried(`SELECT sum(done + refused) FROM bulk_operations`))
		require.NoError(t, err)
		return n
	}
	for _, replicas := range [][]*testStack{{s, other}, {other}} {
		kill := handled() + 1 + rand.IntN(processes/2)
		s.await("progress", func() bool { return handled() >= min(kill, 2*processes-1) })
		var killed sync.WaitGroup
		for _, r := range replicas {
			killed.Go(r.killService)
		}
		killed.Wait()
		t.Logf("killed %d replicas after %d of %d results", len(replicas), handled(), 2*processes)
		for _, r := range replicas {
			r.startService()
		}
	}
	for _, id := range operations {
		require.Contains(t, printed(t, append([]string{"bulk", "watch", id}, asAlice...)...), "COMPLETED: 100 of 100 handled")
	}
	require.Equal(t, "100 100", s.queried(`SELECT sum(done) || ' ' || sum(refused) FROM bulk_operations`))
	require.Equal(t, "100 100 1", s.queried(`SELECT count(*) || ' ' || count(DISTINCT process_id) || ' ' || max(n) FROM (
		SELECT process_id, count(*) AS n FROM events
		 WHERE type = 'PROCESS.STATE_CHANGED' AND details->>'bulkOperationId' IS NOT NULL GROUP BY process_id) c`))
	require.Equal(t, "0", s.queried(`SELECT count(*) FROM bulk_operation_items WHERE state = 'PENDING'`))
	s.await("the commands", func() bool { return s.queried(`SELECT count(*) FROM engine_commands`) == "0" })
}
