package main

import (
	"flag"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

var modeWorkers = flag.String("mode-workers", "", "directory of the workers of test/compat/modes")

// Workers with the SDKs of other languages run in each mode of docs/temporal.md.
func TestWorkersInEachMode(t *testing.T) { //nolint:tparallel // see below
	t.Parallel()
	if *modeWorkers == "" {
		t.Skip("make compat installs the workers and runs this")
	}
	for mode, newStackOf := range map[string]func(*testing.T) *testStack{ //nolint:paralleltest // four stacks with foreign workers take too much memory
		"guarded":   func(t *testing.T) *testStack { t.Helper(); return newStack(t, false) },
		"stock":     newStockStack,
		"given":     func(t *testing.T) *testStack { t.Helper(); s, _ := newGivenStack(t); return s },
		"plaintext": newOfficialStack,
	} {
		t.Run(mode, func(t *testing.T) {
			s := newStackOf(t)
			for _, sdk := range []string{"python", "typescript", "java"} {
				worker := s.startForeignWorker(filepath.Join(*modeWorkers, sdk))
				out, err := exec.Command(example(t, "loan/drive"), "-endpoint", s.url()).CombinedOutput()
				require.NoError(t, err, "%s: %s", sdk, out)
				s.stopProcess(worker, syscall.SIGKILL)
			}
			s.startForeignWorker(filepath.Join(*modeWorkers, "python-2023"))
			s.finishInspection(s.beginInspection())
		})
	}
}
