package completions_test

import (
	"context"
	"flag"
	"fmt"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/engine"
	"github.com/procession-dev/procession/engine/completions"
	"github.com/procession-dev/procession/test/kit/enginetest"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

var costDuration = flag.Duration("cost-duration", 2*time.Second, "duration of each measurement of the cost of inspections")

// countingEngine is a Temporal with healthy workflows that counts the calls.
type countingEngine struct {
	lists, sweeps, problems, inspections atomic.Int64
}

func (c *countingEngine) ListClosed(context.Context, string, engine.EndKind, []byte) ([]engine.Closed, []byte, error) {
	c.lists.Add(1)
	return nil, nil, nil
}

func (c *countingEngine) ListRunning(_ context.Context, _ string, ids []string) (map[string]bool, error) {
	c.sweeps.Add(1)
	running := map[string]bool{}
	for _, id := range ids {
		running[id] = true
	}
	return running, nil
}

func (c *countingEngine) ListProblems(context.Context, string) (workflowIDs []string, complete bool, err error) {
	c.problems.Add(1)
	return nil, true, nil
}

func (c *countingEngine) Inspect(context.Context, domain.EngineRun) (*domain.Inspection, error) {
	c.inspections.Add(1)
	return &domain.Inspection{EngineRun: "run"}, nil
}

func (c *countingEngine) Outcome(context.Context, domain.EngineRun, time.Time) (*domain.RunEnd, error) {
	return nil, nil //nolint:nilnil // no workflow has ended
}

// Healthy workflows that wait are not inspected, and a namespace causes calls by its scans only, whatever the number of its
// workflows. Each measurement takes -cost-duration.
func TestHealthyWorkflowsCostNoInspections(t *testing.T) { //nolint:paralleltest // it measures CPU time
	for _, size := range []struct{ tenants, runs int }{{1, 10}, {1, 10_000}, {1000, 1000}} { //nolint:paralleltest // see above
		t.Run(fmt.Sprintf("%d tenants with %d runs", size.tenants, size.runs), func(t *testing.T) {
			url := pgtest.URL(t)
			w := newFixtureIn(t, pgtest.Open(t, url))
			conn, err := pgx.Connect(t.Context(), url)
			require.NoError(t, err)
			defer func() { _ = conn.Close(context.Background()) }()
			_, err = conn.Exec(t.Context(), `SET session_replication_role = replica`)
			require.NoError(t, err)
			_, err = conn.Exec(t.Context(), `
INSERT INTO engine_runs (id, tenant_id, kind, owner_id, namespace, workflow_id, run_id, workflow_type, task_queue, state, created_at, last_active_at)
SELECT gen_random_uuid(), $1, 'PROCESS', id, 'cost-' || i % $2, 'process-' || id, 'run', 'Loan', 'queue', 'RUNNING', now() - interval '1 day', now() - interval '1 hour'
  FROM (SELECT i, gen_random_uuid() AS id FROM generate_series(1, $3::int) i) r`, w.ID, size.tenants, size.runs)
			require.NoError(t, err)
			_, err = conn.Exec(t.Context(), `INSERT INTO engine_watermarks (namespace, closed_at)
SELECT DISTINCT namespace, now() - interval '1 hour' FROM engine_runs ON CONFLICT DO NOTHING`)
			require.NoError(t, err)

			counted := &countingEngine{}
			o := completions.New(completions.Options{DB: w.db, App: w.Service, Engine: counted, Logger: enginetest.Logger(), Clock: time.Now})
			ctx, cancel := context.WithTimeout(t.Context(), *costDuration)
			defer cancel()
			before, statements := cpuTime(t), transactions(t, conn)
			var running sync.WaitGroup
			running.Go(func() { o.Run(ctx) })
			running.Wait()
			perMinute := func(n int64) int64 { return int64(float64(n) * float64(time.Minute) / float64(*costDuration)) }
			t.Logf("per minute: %d lists of ends, %d lists of running workflows, %d lists of problems, %d inspections, %d transactions, %s CPU",
				perMinute(counted.lists.Load()), perMinute(counted.sweeps.Load()), perMinute(counted.problems.Load()),
				perMinute(counted.inspections.Load()), perMinute(transactions(t, conn)-statements),
				time.Duration(perMinute(int64(cpuTime(t)-before))).Round(10*time.Millisecond))
			require.Zero(t, counted.inspections.Load())
			// Each namespace is scanned at first; then all idle ones together cause a scan in 30 ms.
			scans := int64(*costDuration/(30*time.Millisecond)) + int64(size.tenants) + 100
			require.LessOrEqual(t, counted.problems.Load(), scans)
			require.LessOrEqual(t, counted.lists.Load(), 4*scans)
		})
	}
}

// cpuTime returns the CPU time of the process.
func cpuTime(t *testing.T) time.Duration {
	t.Helper()
	var used syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// transactions returns the number of transactions of the database.
func transactions(t *testing.T, conn *pgx.Conn) (n int64) {
	t.Helper()
	_, err := conn.Exec(t.Context(), `SELECT pg_stat_clear_snapshot()`)
	require.NoError(t, err)
	require.NoError(t, conn.QueryRow(t.Context(), `SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()`).Scan(&n))
	return n
}
