package enginetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// Take takes the next command out of the outbox, and returns nil when there is none.
func Take(tb testing.TB, db *persistence.DB) *domain.DueCommand {
	tb.Helper()
	now := time.Now()
	due, err := db.ExchangeEngineCommands(tb.Context(), persistence.CommandExchange{
		Limit: 1, Now: now, LeaseUntil: now.Add(time.Minute),
	})
	require.NoError(tb, err)
	if len(due) == 0 {
		return nil
	}
	return &due[0]
}

// CarryOut takes the next command and records that it was done, as the engine's run.
func CarryOut(tb testing.TB, db *persistence.DB, engineRun string) *domain.DueCommand {
	tb.Helper()
	c := Take(tb, db)
	require.NotNil(tb, c)
	_, err := db.ExchangeEngineCommands(tb.Context(), persistence.CommandExchange{
		Done: []persistence.CommandDone{{ID: c.ID, EngineRun: engineRun}}, Now: time.Now(),
	})
	require.NoError(tb, err)
	return c
}
