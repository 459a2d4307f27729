package availability

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/test/kit/cputime"
)

// boundMemory is how much parsing and evaluating any expression may allocate.
const boundMemory = 8 << 20

// requireBounded requires that run stays within the bounds. Other work of the process (garbage collection) is counted
// too, so the best of a few runs decides, and of many if the first are too slow.
func requireBounded(t *testing.T, label string, run func()) {
	t.Helper()
	elapsed, memory := time.Hour, uint64(1<<40)
	for range 50 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		elapsed = min(elapsed, cputime.Of(run))
		runtime.ReadMemStats(&after)
		memory = min(memory, after.TotalAlloc-before.TotalAlloc)
		if elapsed < boundTime && memory < boundMemory {
			break
		}
	}
	t.Logf("%8v %5d KiB %-60.60s", elapsed, memory>>10, label)
	require.Less(t, elapsed, boundTime, label)
	require.Less(t, memory, uint64(boundMemory), label)
}
