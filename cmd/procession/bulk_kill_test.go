package main

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	documents "github.com/procession-dev/procession/examples/demo"
)

// Two replicas cancel processes and move them to another version while they are killed: the first time both, the second time one. Each
// process is moved and cancelled at most once, and each operation has a result for each process.
func TestKilledAmidBulkOperations(t *testing.T) {
	t.Parallel()
	const processes = 2 * domain.BulkBatch
	s := newStack(t, false)
	other := s.replica()
	asAlice := s.asking(demo.Alice())
	for range processes {
		s.createLoan(uuid.New())
	}
	text, err := documents.Files.ReadFile("loan.yaml")
	require.NoError(t, err)
	s.applyText(strings.Replace(string(text), "  name: Loan\n", "  name: Loan 2\n", 1))
	start := func(kind string, more ...string) string {
		line := slices.Concat([]string{"bulk", "start", kind, "--state", "RUNNING", "--reason", "the bank is closed", "--yes"}, more, asAlice)
		return regexp.MustCompile(`^[0-9a-f-]{36}`).FindString(printed(t, line...))
	}
	operations := []string{start("move-processes", "--definition", "LOAN", "--to-version", "2"), start("cancel-processes")}
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
		require.Contains(t, printed(t, append([]string{"bulk", "watch", id}, asAlice...)...), fmt.Sprintf("COMPLETED: %[1]d of %[1]d handled", processes))
	}
	require.Equal(t, fmt.Sprintf("%d 0", processes), s.queried(`SELECT done || ' ' || refused FROM bulk_operations WHERE id = '`+operations[1]+`'`))
	for what, changed := range map[string]string{
		"cancelled": `SELECT process_id FROM events WHERE type = 'PROCESS.STATE_CHANGED' AND details->>'bulkOperationId' = '` + operations[1] + `'`,
		"moved":     `SELECT process_id FROM repairs WHERE kind = 'MOVE_TO_VERSION'`,
	} {
		id := operations[map[string]int{"moved": 0, "cancelled": 1}[what]]
		require.Equal(t, "0 0", s.queried(`SELECT count(*) - count(DISTINCT c.process_id) || ' ' || count(*) - (SELECT done FROM bulk_operations WHERE id = '`+id+`')
			FROM (`+changed+`) c`), what)
	}
	require.Equal(t, "0", s.queried(`SELECT count(*) FROM bulk_operation_items WHERE state = 'PENDING'`))
	s.await("the commands", func() bool { return s.queried(`SELECT count(*) FROM engine_commands`) == "0" })
}
