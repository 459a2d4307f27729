package completions_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/serviceerror"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/engine"
	"github.com/procession-dev/procession/engine/completions"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/test/kit/enginetest"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

const timeout = 20 * time.Second

// fixture is a tenant's service with a fake of Temporal that lists two ends per page,
// the latest first.
type fixture struct {
	*app.Service
	enginetest.Tenant

	db *persistence.DB

	mu      sync.Mutex
	ended   map[engine.EndKind][]engine.Closed
	running map[string]bool
	outcome map[string]*domain.RunEnd
	// problems are the workflows that Temporal reports, inspected the states of workflows.
	problems  []string
	inspected map[string]*domain.Inspection
	// inspections counts the calls of Inspect.
	inspections int
	faults      []error
	// scans contains the namespaces of the first pages of EndCompleted, pages counts all
	// pages.
	scans []string
	pages int
	// depths contains the number of ends before the last page of each scan for
	// EndCompleted, sweepSize the maximum number of runs in one request.
	depths    []int
	sweepSize int
	// block, when it is not nil, is read from before each list.
	block chan struct{}
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	return newFixtureIn(t, pgtest.New(t))
}

func newFixtureIn(t *testing.T, db *persistence.DB) *fixture {
	t.Helper()
	w := &fixture{
		db: db, Tenant: enginetest.Seed(t, db, "tenant", "Loan"), ended: map[engine.EndKind][]engine.Closed{},
		running: map[string]bool{}, outcome: map[string]*domain.RunEnd{}, inspected: map[string]*domain.Inspection{},
	}
	w.Service = app.New(app.Options{
		Store:        storage.New(storage.Options{DB: db, Clock: time.Now}),
		TaskLogLimit: app.DefaultTaskLogLimit, CancelGrace: time.Minute,
	})
	return w
}

func (w *fixture) ListClosed(
	ctx context.Context, namespace string, kind engine.EndKind, token []byte,
) ([]engine.Closed, []byte, error) {
	w.mu.Lock()
	block := w.block
	if kind == engine.EndCompleted && len(token) == 0 {
		w.scans, w.depths = append(w.scans, namespace), append(w.depths, 0)
	}
	w.pages++
	var fault error
	if len(w.faults) > 0 {
		fault, w.faults = w.faults[0], w.faults[1:]
	}
	ended := slices.Clone(w.ended[kind])
	w.mu.Unlock()
	if block != nil {
		select {
		case <-block:
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
	}
	if fault != nil || namespace != w.Namespace {
		return nil, nil, fault
	}
	slices.SortFunc(ended, func(a, b engine.Closed) int { return b.ClosedAt.Compare(a.ClosedAt) })
	first, _ := strconv.Atoi(string(token))
	w.mu.Lock()
	if kind == engine.EndCompleted {
		w.depths[len(w.depths)-1] = first
	}
	w.mu.Unlock()
	last := min(first+2, len(ended))
	if last < len(ended) {
		token = []byte(strconv.Itoa(last))
	} else {
		token = nil
	}
	return ended[first:last], token, nil
}

func (w *fixture) ListRunning(_ context.Context, _ string, ids []string) (map[string]bool, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sweepSize = max(w.sweepSize, len(ids))
	running := map[string]bool{}
	for _, id := range ids {
		running[id] = w.running[id]
	}
	return running, nil
}

func (w *fixture) ListProblems(context.Context, string) (workflowIDs []string, complete bool, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.problems), true, nil
}

func (w *fixture) Inspect(_ context.Context, r domain.EngineRun) (*domain.Inspection, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.inspections++
	return w.inspected[r.WorkflowID], nil
}

func (w *fixture) Outcome(_ context.Context, r domain.EngineRun, _ time.Time) (*domain.RunEnd, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.outcome[r.WorkflowID], nil
}

// startProcess creates a process with the workflow run "run".
func (w *fixture) startProcess(t *testing.T) *domain.Process {
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

func workflowID(p *domain.Process) string { return "process-" + p.ID.String() }

// endWorkflow adds the end of a process's workflow to Temporal's list.
func (w *fixture) endWorkflow(kind engine.EndKind, p *domain.Process, at time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended[kind] = append(w.ended[kind], engine.Closed{
		WorkflowID: workflowID(p), RunID: "run", Completed: kind == engine.EndCompleted, ClosedAt: at,
	})
}

// startObserver runs an observer with a clock ahead of the time, until the test ends or
// the returned function is called.
func (w *fixture) startObserver(t *testing.T, ahead time.Duration) (o *completions.Observer, stop func()) {
	t.Helper()
	o = completions.New(completions.Options{
		DB: w.db, App: w.Service, Engine: w, Logger: enginetest.Logger(),
		Clock: func() time.Time { return time.Now().Add(ahead) },
	})
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { o.Run(ctx) })
	stop = sync.OnceFunc(func() {
		cancel()
		running.Wait()
	})
	t.Cleanup(stop)
	return o, stop
}

func (w *fixture) awaitState(t *testing.T, p *domain.Process, want domain.ProcessState) {
	t.Helper()
	require.Eventually(t, func() bool {
		p, err := w.RetrieveProcess(t.Context(), w.Call, p.ID)
		require.NoError(t, err)
		return p.State == want
	}, timeout, 5*time.Millisecond)
}

func (w *fixture) scanCounts() (scans, pages int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.scans), w.pages
}

// awaitScans waits until n more scans have started.
func (w *fixture) awaitScans(t *testing.T, n int) {
	t.Helper()
	before, _ := w.scanCounts()
	require.Eventually(t, func() bool { now, _ := w.scanCounts(); return now >= before+n }, timeout, 5*time.Millisecond)
}

func TestEndsAreRecordedOverAllPages(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	at := time.Now()
	var processes []*domain.Process
	for i := range 5 {
		p := w.startProcess(t)
		processes = append(processes, p)
		w.endWorkflow(engine.EndCompleted, p, at.Add(-time.Duration(i)*time.Second))
	}
	goesOn, failed := w.startProcess(t), w.startProcess(t)
	w.endWorkflow("Failed", failed, at)
	w.outcome[workflowID(failed)] = &domain.RunEnd{
		Namespace: w.Namespace, WorkflowID: workflowID(failed), RunID: "run", Status: domain.RunCancelled, ClosedAt: at,
	}
	w.ended[engine.EndCompleted] = append(w.ended[engine.EndCompleted],
		engine.Closed{WorkflowID: "foreign", RunID: "run", Completed: true, ClosedAt: at})
	w.startObserver(t, 0)
	for _, p := range processes {
		w.awaitState(t, p, domain.ProcessCompleted)
	}
	w.awaitState(t, failed, domain.ProcessCancelled)
	w.awaitState(t, goesOn, domain.ProcessRunning)
}

// A scan stops at the page with an end that an earlier scan has recorded.
func TestScanReadsOnlyNewEnds(t *testing.T) {
	t.Parallel()
	for _, kept := range []int{10, 100} {
		w := newFixture(t)
		at := time.Now()
		for i := range kept {
			w.ended[engine.EndCompleted] = append(w.ended[engine.EndCompleted], engine.Closed{
				WorkflowID: "foreign-" + strconv.Itoa(i), RunID: "run", Completed: true, ClosedAt: at.Add(-time.Duration(i) * time.Minute),
			})
		}
		w.startProcess(t)
		_, stop := w.startObserver(t, 0)
		// The first scan reads all of them.
		w.awaitScans(t, 2)
		scans, pages := w.scanCounts()
		w.awaitScans(t, 3)
		stop()
		after, read := w.scanCounts()
		require.LessOrEqual(t, read-pages, 5*(after-scans+1), "a page for each kind of end, of %d kept ones", kept)
	}
}

// One scan of six of an idle namespace finds workflows that did not return.
func TestIdleNamespaceIsRarelyScannedForOtherEnds(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	p := w.startProcess(t)
	w.startObserver(t, 0)
	w.awaitScans(t, 2)
	scans, pages := w.scanCounts()
	w.awaitScans(t, 4)
	after, read := w.scanCounts()
	require.LessOrEqual(t, read-pages, after-scans+2*len(engine.OtherEnds()), "a page for each scan, and one for each other end")
	w.outcome[workflowID(p)] = &domain.RunEnd{
		Namespace: w.Namespace, WorkflowID: workflowID(p), RunID: "run", Status: domain.RunCancelled, ClosedAt: time.Now(),
	}
	w.endWorkflow("Terminated", p, time.Now())
	w.awaitState(t, p, domain.ProcessCancelled)
}

func TestScansAreRepeatedAfterFaults(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	p := w.startProcess(t)
	w.endWorkflow(engine.EndCompleted, p, time.Now())
	w.faults = []error{serviceerror.NewResourceExhausted(0, "too much"), errors.New("no answer")}
	w.startObserver(t, 0)
	w.awaitState(t, p, domain.ProcessCompleted)
}

// An end that is listed late, and out of order, is found.
func TestLateEndsAreRecorded(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	late, later := w.startProcess(t), w.startProcess(t)
	w.endWorkflow(engine.EndCompleted, later, time.Now())
	w.startObserver(t, 0)
	w.awaitState(t, later, domain.ProcessCompleted)
	w.endWorkflow(engine.EndCompleted, late, time.Now().Add(-time.Second))
	w.awaitState(t, late, domain.ProcessCompleted)
}

// A namespace is scanned while a workflow runs there, and for a while after a command.
func TestNamespaceWithoutRunsIsNotScanned(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	idle := enginetest.Seed(t, w.db, "idle", "Loan")
	p := w.startProcess(t)
	o, stop := w.startObserver(t, 0)
	w.awaitScans(t, 3)
	w.mu.Lock()
	require.NotContains(t, w.scans, idle.Namespace)
	w.mu.Unlock()
	o.MarkActive(idle.Namespace)
	require.Eventually(t, func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		return slices.Contains(w.scans, idle.Namespace)
	}, timeout, 5*time.Millisecond)
	w.endWorkflow(engine.EndCompleted, p, time.Now())
	w.awaitState(t, p, domain.ProcessCompleted)
	stop()

	// The namespace is idle by now.
	_, stop = w.startObserver(t, time.Minute)
	w.awaitScans(t, 2)
	require.Eventually(t, func() bool {
		scans, err := w.db.ExchangeEngineScans(t.Context(), persistence.ScanExchange{Now: time.Now(), CountScanned: true})
		require.NoError(t, err)
		return scans.Scanned == 0
	}, timeout, 5*time.Millisecond)
	stop()
}

// A dead observer holds its leases for two seconds at most.
func TestAnotherObserverTakesOver(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	p := w.startProcess(t)
	require.NoError(t, w.db.WakeNamespaces(t.Context()))
	now := time.Now()
	died, err := w.db.ExchangeEngineScans(t.Context(), persistence.ScanExchange{
		Limit: 1, Now: now, LeaseUntil: now.Add(2 * time.Second),
	})
	require.NoError(t, err)
	require.Len(t, died.Due, 1)
	w.endWorkflow(engine.EndCompleted, p, time.Now())
	w.startObserver(t, 0)
	w.awaitState(t, p, domain.ProcessCompleted)
	require.Less(t, time.Since(now), timeout)
	require.Greater(t, time.Since(now), 1900*time.Millisecond, "the lease was respected")
}

// A scan that takes longer than a lease keeps the namespace.
func TestLongScanKeepsItsLease(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.startProcess(t)
	w.block = make(chan struct{})
	w.startObserver(t, 0)
	require.Eventually(t, func() bool { scans, _ := w.scanCounts(); return scans == 1 }, timeout, 5*time.Millisecond)
	w.startObserver(t, 0)
	began := time.Now()
	require.Eventually(t, func() bool {
		scans, _ := w.scanCounts()
		require.Equal(t, 1, scans)
		return time.Since(began) > 2500*time.Millisecond
	}, timeout, 20*time.Millisecond)
	close(w.block)
}

// Several observers on one database record each end once.
func TestObserversShareNamespaces(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	var processes []*domain.Process
	for range 20 {
		processes = append(processes, w.startProcess(t))
	}
	for range 3 {
		o, _ := w.startObserver(t, 0)
		o.MarkActive(w.Namespace)
	}
	for _, p := range processes {
		w.endWorkflow(engine.EndCompleted, p, time.Now())
	}
	for _, p := range processes {
		w.awaitState(t, p, domain.ProcessCompleted)
	}
}
