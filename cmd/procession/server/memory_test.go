package server

import (
	"log/slog"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
)

// The settings belong to the process, so the test runs alone.
func TestEnvironmentHasPrecedenceInMemory(t *testing.T) {
	before := debug.SetGCPercent(100)
	limit := debug.SetMemoryLimit(-1)
	t.Cleanup(func() { debug.SetGCPercent(before); debug.SetMemoryLimit(limit) })

	t.Setenv("GOMEMLIMIT", "off")
	t.Setenv("GOGC", "50")
	configureMemory(slog.New(slog.DiscardHandler))
	require.Equal(t, 100, debug.SetGCPercent(100), "the runtime has read GOGC")
	require.Equal(t, limit, debug.SetMemoryLimit(-1))

	t.Setenv("GOGC", "")
	configureMemory(slog.New(slog.DiscardHandler))
	require.Equal(t, gcPercent, debug.SetGCPercent(100))
}
