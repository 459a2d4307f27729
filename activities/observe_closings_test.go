package activities_test

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/testsuite"

	"github.com/procession-dev/procession/activities"
	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/engine"
	"github.com/procession-dev/procession/internal/testkit/enginetest"
	"github.com/procession-dev/procession/internal/testkit/pgtest"
	"github.com/procession-dev/procession/persistence"
)

// watch is an observer of a tenant with a fake of Temporal, whose faults it controls. Its clock runs a hundred times
// too fast.
type watch struct {
	*app.Service
	enginetest.Tenant

	db    *persistence.DB
	began time.Time

	mu      sync.Mutex
	listed  []engine.Closed
	faults  []error
	since   []time.Time
	outcome map[string]*domain.Closing
}

var _ activities.Engine = (*watch)(nil)

func (*watch) ReadResult(context.Context, uuid.UUID, *commonpb.Payload) (json.RawMessage, string, error) {
	return nil, "", errors.New("nothing is read")
}

func (w *watch) ListClosed(
	_ context.Context, _ string, since time.Time, token []byte,
) ([]engine.Closed, []byte, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.faults) > 0 {
		fault := w.faults[0]
		w.faults = w.faults[1:]
		return nil, nil, fault
	}
	w.since = append(w.since, since)
	// Two to a page.
	first := len(token) * 2
	last := min(first+2, len(w.listed))
	if last < len(w.listed) {
		return w.listed[first:last], append(token, 1), nil
	}
	return w.listed[first:last], nil, nil
}

func (w *watch) Outcome(_ context.Context, r domain.EngineRun, _ time.Time) (*domain.Closing, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.outcome[r.WorkflowID], nil
}

func (w *watch) clock() time.Time { return w.began.Add(time.Since(w.began) * 100) }

func newWatch(t *testing.T) *watch {
	t.Helper()
	db := pgtest.New(t)
	w := &watch{
		db: db, Tenant: enginetest.Seed(t, db, "tenant", "Loan"), began: time.Now(),
		outcome: map[string]*domain.Closing{},
	}
	w.Service = app.New(app.Options{
		Store:        storage.New(storage.Options{DB: db, Clock: time.Now}),
		TaskLogLimit: app.DefaultTaskLogLimit, CancelGrace: time.Minute,
	})
	return w
}

// start creates a process whose workflow runs as "run".
func (w *watch) start(t *testing.T) *domain.Process {
	t.Helper()
	p := w.Create(t, w.Service, "Loan")
	now := time.Now()
	due, err := w.db.ExchangeEngineCommands(t.Context(), persistence.CommandExchange{
		Limit: 1, Now: now, LeaseUntil: now.Add(time.Minute),
	})
	require.NoError(t, err)
	require.Len(t, due, 1)
	_, err = w.db.ExchangeEngineCommands(t.Context(), persistence.CommandExchange{
		Done: []persistence.CommandDone{{ID: due[0].ID, EngineRun: "run"}}, Now: now,
	})
	require.NoError(t, err)
	return p
}

func workflowOf(p *domain.Process) string { return "process-" + p.ID.String() }

// observe runs the activity for a time of the fast clock.
func (w *watch) observe(t *testing.T, d time.Duration) {
	t.Helper()
	acts := activities.New(activities.Options{
		App: w.Service, Engine: w, Clock: w.clock, Logger: enginetest.Logger(),
	})
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(log.NewStructuredLogger(enginetest.Logger()))
	env := suite.NewTestActivityEnvironment()
	acts.Register(env)
	_, err := env.ExecuteActivity(activities.ObserveClosingsName, activities.ObserveClosingsInput{
		Namespace: w.Namespace, Duration: d,
	})
	require.NoError(t, err)
}

func (w *watch) requireState(t *testing.T, p *domain.Process, want domain.ProcessState) {
	t.Helper()
	p, err := w.RetrieveProcess(t.Context(), w.Caller, p.ID)
	require.NoError(t, err)
	require.Equal(t, want, p.State)
}

func TestListedEndsAreRecordedOverAllPages(t *testing.T) {
	t.Parallel()
	w := newWatch(t)
	at := time.Now().UTC().Truncate(time.Microsecond)
	var processes []*domain.Process
	for i := range 5 {
		p := w.start(t)
		processes = append(processes, p)
		w.listed = append(w.listed, engine.Closed{
			WorkflowID: workflowOf(p), RunID: "run", Completed: true, ClosedAt: at.Add(-time.Duration(i) * time.Second),
		})
	}
	goesOn := w.start(t)
	w.listed = append(w.listed,
		engine.Closed{WorkflowID: "foreign", RunID: "run", Completed: true, ClosedAt: at},
		engine.Closed{WorkflowID: workflowOf(goesOn), RunID: "run", Continued: true, ClosedAt: at})
	w.observe(t, time.Second)
	for _, p := range processes {
		w.requireState(t, p, domain.ProcessCompleted)
	}
	w.requireState(t, goesOn, domain.ProcessRunning)
	watermark, err := w.db.Reader().GetEngineWatermark(t.Context(), w.Namespace)
	require.NoError(t, err)
	require.True(t, at.Equal(watermark), "%s", watermark)

	// The next observer goes on from there, and looks back a little.
	w.since = nil
	w.observe(t, time.Second)
	require.NotEmpty(t, w.since)
	require.True(t, at.Add(-30*time.Second).Equal(w.since[0]), "%s", w.since[0])
}

func TestObserveClosingsRetriesFaults(t *testing.T) {
	t.Parallel()
	w := newWatch(t)
	p := w.start(t)
	w.listed = []engine.Closed{{WorkflowID: workflowOf(p), RunID: "run", Completed: true, ClosedAt: time.Now()}}
	w.faults = []error{errors.New("no answer"), serviceerror.NewResourceExhausted(0, "too much")}
	w.observe(t, 300*time.Second)
	w.requireState(t, p, domain.ProcessCompleted)
}

func TestSweepRecordsUnlistedEnds(t *testing.T) {
	t.Parallel()
	w := newWatch(t)
	ended, goesOn := w.start(t), w.start(t)
	w.outcome[workflowOf(ended)] = &domain.Closing{
		Namespace: w.Namespace, WorkflowID: workflowOf(ended), RunID: "run", Status: domain.RunCancelled,
		ClosedAt: time.Now(),
	}
	// Runs are swept after a minute without news, and the first sweep is a minute after the start.
	w.observe(t, 200*time.Second)
	w.requireState(t, ended, domain.ProcessCancelled)
	w.requireState(t, goesOn, domain.ProcessRunning)
}
