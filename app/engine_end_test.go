package app_test

import (
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/test/kit/enginetest"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

// administrationService has a name other than app.Service, for structs with both.
type administrationService = administration.Service

// running is a service with a process with the workflow run "run-1".
type running struct {
	*app.Service
	*administrationService
	enginetest.Tenant

	db      *persistence.DB
	process *domain.Process
}

func newRunning(t *testing.T) running {
	t.Helper()
	db := pgtest.New(t)
	r := running{db: db, Tenant: enginetest.Seed(t, db, "tenant", "Loan")}
	store := storage.New(storage.Options{DB: db, Clock: time.Now})
	r.Service = app.New(app.Options{Store: store, TaskLogLimit: app.DefaultTaskLogLimit, CancelGrace: time.Minute})
	r.administrationService = administration.New(administration.Options{Store: store})
	r.process = r.Create(t, r.Service, "Loan")
	require.Equal(t, domain.CommandStart, r.carryOut(t, "run-1").Kind)
	return r
}

func (r running) take(t *testing.T) *domain.DueCommand {
	t.Helper()
	return enginetest.Take(t, r.db)
}

func (r running) carryOut(t *testing.T, engineRun string) *domain.DueCommand {
	t.Helper()
	return enginetest.CarryOut(t, r.db, engineRun)
}

func (r running) end(run string, status domain.EngineRunState) domain.RunEnd {
	return domain.RunEnd{
		Namespace: r.Namespace, WorkflowID: "process-" + r.process.ID.String(), RunID: run, Status: status,
		Message: "no funds", Failure: "at line 1", ClosedAt: time.Now(),
	}
}

func (r running) record(t *testing.T, c domain.RunEnd) bool {
	t.Helper()
	news, err := r.RecordEnd(t.Context(), c)
	require.NoError(t, err)
	return news
}

func (r running) requireState(t *testing.T, want domain.ProcessState) {
	t.Helper()
	p, err := r.RetrieveProcess(t.Context(), r.Call, r.process.ID)
	require.NoError(t, err)
	require.Equal(t, want, p.State)
}

func (r running) incidents(t *testing.T) []domain.Incident {
	t.Helper()
	page, err := r.ListIncidents(t.Context(), r.Call, administration.IncidentFilter{}, domain.PageRequest{Size: 10}, nil)
	require.NoError(t, err)
	require.EqualValues(t, len(page.Items), page.Total)
	return page.Items
}

func TestRecordEnd(t *testing.T) { //nolint:funlen // its subtests share one set-up
	t.Parallel()

	t.Run("a completed workflow completes its process", func(t *testing.T) {
		t.Parallel()
		r := newRunning(t)
		task := r.Task(t, r.Service, r.process, false)
		require.True(t, r.record(t, r.end("run-1", domain.RunCompleted)))
		p, err := r.RetrieveProcess(t.Context(), r.Call, r.process.ID)
		require.NoError(t, err)
		require.Equal(t, domain.ProcessCompleted, p.State)
		require.Equal(t, domain.SystemPrincipalID(), p.LastModifiedBy)
		item, err := r.RetrieveProcessItem(t.Context(), r.Call, task.ID)
		require.NoError(t, err)
		require.Equal(t, domain.TaskReady, item.Task.State)
		require.Nil(t, r.take(t), "the workflow needs no cancellation")
	})

	t.Run("many observers record it once", func(t *testing.T) {
		t.Parallel()
		r := newRunning(t)
		var wg sync.WaitGroup
		news, errs := make([]bool, 8), make([]error, 8)
		for i := range news {
			wg.Go(func() {
				news[i], errs[i] = r.RecordEnd(t.Context(), r.end("run-1", domain.RunCompleted))
			})
		}
		wg.Wait()
		count := 0
		for i := range news {
			require.NoError(t, errs[i])
			if news[i] {
				count++
			}
		}
		require.Equal(t, 1, count)
	})

	t.Run("a cancelled workflow cancels the process and its open tasks", func(t *testing.T) {
		t.Parallel()
		r := newRunning(t)
		ready := r.Task(t, r.Service, r.process, false)
		done := r.Task(t, r.Service, r.process, true)
		_, err := r.CompleteProcessItemTask(t.Context(), r.Call, done.ID)
		require.NoError(t, err)
		require.True(t, r.record(t, r.end("run-1", domain.RunCancelled)))
		r.requireState(t, domain.ProcessCancelled)
		for id, want := range map[uuid.UUID]domain.TaskState{
			ready.ID: domain.TaskCancelled, done.ID: domain.TaskCompleted,
		} {
			item, err := r.RetrieveProcessItem(t.Context(), r.Call, id)
			require.NoError(t, err)
			require.Equal(t, want, item.Task.State)
		}
	})

	t.Run("the end of another run is ignored", func(t *testing.T) {
		t.Parallel()
		r := newRunning(t)
		require.False(t, r.record(t, r.end("run-0", domain.RunCompleted)))
		r.requireState(t, domain.ProcessRunning)
	})

	t.Run("a finished process stays as it is", func(t *testing.T) {
		t.Parallel()
		r := newRunning(t)
		_, err := r.CompleteProcess(t.Context(), r.Call, r.process.ID)
		require.NoError(t, err)
		require.True(t, r.record(t, r.end("run-1", domain.RunFailed)))
		r.requireState(t, domain.ProcessCompleted)
		require.Empty(t, r.incidents(t))
	})

	t.Run("a workflow may end before its start was noted", func(t *testing.T) {
		t.Parallel()
		r := newRunning(t)
		r.process = r.Create(t, r.Service, "Loan")
		start := r.take(t)
		require.True(t, r.record(t, r.end("run-fast", domain.RunCompleted)))
		_, err := r.db.ExchangeEngineCommands(t.Context(), persistence.CommandExchange{
			Done: []persistence.CommandDone{{ID: start.ID, EngineRun: "run-fast"}}, Now: time.Now(),
		})
		require.NoError(t, err)
		r.requireState(t, domain.ProcessCompleted)
		require.False(t, r.record(t, r.end("run-fast", domain.RunCompleted)))
	})

	t.Run("a workflow of another process is not found", func(t *testing.T) {
		t.Parallel()
		r := newRunning(t)
		c := r.end("run-1", domain.RunCompleted)
		c.Namespace = "another"
		_, err := r.RecordEnd(t.Context(), c)
		require.True(t, domain.HasCode(err, domain.CodeNotFound), "%v", err)
	})
}
