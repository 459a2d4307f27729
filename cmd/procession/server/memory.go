package server

import (
	"log/slog"
	"os"
	"runtime/debug"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

// gcPercent lets the heap grow to three times the live data between collections: the service holds few live data, and
// collecting them less often saves processor time.
const gcPercent = 200

// configureMemory sets the pace of the garbage collector and the memory limit of the Go runtime, 90 % of the limit of the
// control group. The variables GOGC and GOMEMLIMIT of the environment have precedence.
func configureMemory(log *slog.Logger) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	if _, err := memlimit.Set(); err != nil {
		log.Warn("cannot read the memory limit of the control group", slog.Any("error", err))
	}
}
