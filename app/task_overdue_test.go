package app_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/test/kit/enginetest"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

// deadlineFixture is a tenant with a definition and several replicas of the service, each with a clock of its own.
type deadlineFixture struct {
	enginetest.Tenant

	t        *testing.T
	url      string
	replicas []*app.Service
	clocks   []time.Time
}

func newDeadlineFixture(t *testing.T) *deadlineFixture {
	t.Helper()
	url := pgtest.URL(t)
	db := pgtest.Open(t, url)
	f := &deadlineFixture{t: t, url: url, Tenant: enginetest.Seed(t, db, "tenant", "Loan"), clocks: make([]time.Time, 2)}
	for i := range f.clocks {
		f.clocks[i] = time.Now().UTC().Truncate(time.Microsecond)
		store := storage.New(storage.Options{DB: db, Clock: func() time.Time { return f.clocks[i] }})
		f.replicas = append(f.replicas, app.New(app.Options{Store: store, TaskLogLimit: app.DefaultTaskLogLimit, CancelGrace: time.Minute}))
	}
	return f
}

// newTasks creates open tasks that are due at a time.
func (f *deadlineFixture) newTasks(count int, due time.Time) []*domain.ProcessItem {
	f.t.Helper()
	p := f.Create(f.t, f.replicas[0], "Loan")
	tasks := make([]*domain.ProcessItem, count)
	for i := range tasks {
		tasks[i] = f.plan(f.Task(f.t, f.replicas[0], p, true), &due)
	}
	return tasks
}

func (f *deadlineFixture) plan(task *domain.ProcessItem, due *time.Time) *domain.ProcessItem {
	f.t.Helper()
	planned, err := f.replicas[0].UpdateProcessItemTaskPlanning(f.t.Context(), f.Call, task.ID, domain.TaskPlan{DueAt: due})
	require.NoError(f.t, err)
	return planned
}

// handle has a replica handle the due queue until it is empty.
func (f *deadlineFixture) handle(ctx context.Context, replica int) {
	for more := true; more; {
		var err error
		if _, more, err = f.replicas[replica].HandleDeadlines(ctx); ctx.Err() != nil {
			return
		}
		require.NoError(f.t, err)
	}
}

// overdue returns the number of events of each task. It reads the table: the event log waits for transactions of other tests.
func (f *deadlineFixture) overdue() map[string]int {
	f.t.Helper()
	conn, err := pgx.Connect(f.t.Context(), f.url)
	require.NoError(f.t, err)
	defer func() { _ = conn.Close(f.t.Context()) }()
	rows, err := conn.Query(f.t.Context(), `SELECT resource_id::text, count(*)::int FROM events
		WHERE type = 'PROCESS_ITEM.TASK_OVERDUE' AND actor_id = $1 AND details ->> 'dueAt' <> '' GROUP BY 1`, domain.SystemPrincipalID())
	require.NoError(f.t, err)
	defer rows.Close()
	counts := map[string]int{}
	var task string
	var n int
	_, err = pgx.ForEachRow(rows, []any{&task, &n}, func() error {
		counts[task] = n
		return nil
	})
	require.NoError(f.t, err)
	require.NoError(f.t, rows.Err())
	return counts
}

func TestTasksAreOverdueOncePerDueDate(t *testing.T) {
	t.Parallel()
	f := newDeadlineFixture(t)
	due := f.clocks[0].Add(time.Hour)
	task := f.newTasks(1, due)[0]
	f.handle(t.Context(), 0)
	require.Empty(t, f.overdue(), "it is not due yet")

	// The clock of one replica is ahead, and is set back.
	f.clocks[1] = due.Add(time.Second)
	f.handle(t.Context(), 1)
	require.Equal(t, map[string]int{task.ID.String(): 1}, f.overdue())
	f.clocks[1] = due.Add(-time.Hour)
	f.handle(t.Context(), 1)
	f.clocks[0], f.clocks[1] = due.Add(time.Second), due.Add(time.Second)
	f.handle(t.Context(), 0)
	f.handle(t.Context(), 1)
	require.Equal(t, map[string]int{task.ID.String(): 1}, f.overdue())

	// Another priority is not another due date, and the same due date again is reported no more.
	_, err := f.replicas[0].UpdateProcessItemTaskPlanning(t.Context(), f.Call, task.ID, domain.TaskPlan{DueAt: &due, Priority: domain.PriorityHigh})
	require.NoError(t, err)
	later := due.Add(time.Hour)
	f.plan(task, &later)
	f.plan(task, &due)
	f.handle(t.Context(), 0)
	require.Equal(t, map[string]int{task.ID.String(): 1}, f.overdue())
	f.plan(task, &later)
	f.clocks[0] = later
	f.handle(t.Context(), 0)
	require.Equal(t, map[string]int{task.ID.String(): 2}, f.overdue())
}

func TestFinishedTasksAreNotOverdue(t *testing.T) {
	t.Parallel()
	f := newDeadlineFixture(t)
	due := f.clocks[0].Add(time.Hour)
	tasks := f.newTasks(3, due)
	_, err := f.replicas[0].CompleteProcessItemTask(t.Context(), f.Call, tasks[0].ID)
	require.NoError(t, err)
	f.plan(tasks[1], nil)
	f.clocks[0] = due
	f.handle(t.Context(), 0)
	require.Equal(t, map[string]int{tasks[2].ID.String(): 1}, f.overdue())
	overdue, err := f.replicas[0].FindProcessItems(t.Context(), f.Call, app.ItemFilter{TaskOverdue: new(true)}, domain.PageRequest{Size: 10}, nil)
	require.NoError(t, err)
	require.Len(t, overdue.Items, 1)
	require.EqualValues(t, 1, overdue.Total)
	require.Equal(t, tasks[2].ID, overdue.Items[0].ID)
}

// Replicas that handle the queue at the same time report each task once. Some are killed within a transaction.
func TestConcurrentReplicasReportEachTaskOnce(t *testing.T) {
	t.Parallel()
	f := newDeadlineFixture(t)
	due := f.clocks[0].Add(time.Hour)
	const count = 250
	f.newTasks(count, due)
	f.clocks[0], f.clocks[1] = due.Add(time.Second), due.Add(2*time.Second)
	var replicas sync.WaitGroup
	for i := range 8 {
		replicas.Go(func() {
			ctx, kill := context.WithTimeout(t.Context(), time.Duration(i+1)*4*time.Millisecond)
			defer kill()
			f.handle(ctx, i%2)
		})
	}
	replicas.Wait()
	f.handle(t.Context(), 0)
	f.handle(t.Context(), 1)
	counts := f.overdue()
	require.Len(t, counts, count)
	for task, n := range counts {
		require.Equal(t, 1, n, task)
	}
}
