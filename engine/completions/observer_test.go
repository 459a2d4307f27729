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

const patience = 20 * time.Second

// watched is a tenant's service with a fake of Temporal, which lists two ends to a
// page, the latest first.
type watched struct {
	*app.Service
	enginetest.Tenant

	db *persistence.DB

	mu      sync.Mutex
	ended   map[engine.EndKind][]engine.Closed
	running map[string]bool
	outcome map[string]*domain.Closing
	faults  []error
	// looks has the namespaces of the first pages of EndCompleted, pages counts all
	// pages.
	looks []string
	pages int
	// depths has the number of ends before the last page of each look for EndCompleted. asked is the most runs that were
	// asked for at once.
	depths []int
	asked  int
	// block, when it is not nil, is read from before each list.
	block chan struct{}
}

func newWatched(t *testing.T) *watched {
	t.Helper()
	db := pgtest.New(t)
	w := &watched{
		db: db, Tenant: enginetest.Seed(t, db, "tenant", "Loan"), ended: map[engine.EndKind][]engine.Closed{},
		running: map[string]bool{}, outcome: map[string]*domain.Closing{},
	}
	w.Service = app.New(app.Options{
		Store:        storage.New(storage.Options{DB: db, Clock: time.Now}),
		TaskLogLimit: app.DefaultTaskLogLimit, CancelGrace: time.Minute,
	})
	return w
}

func (w *watched) ListClosed(
	ctx context.Context, namespace string, kind engine.EndKind, token []byte,
) ([]engine.Closed, []byte, error) {
	w.mu.Lock()
	block := w.block
	if kind == engine.EndCompleted && len(token) == 0 {
		w.looks, w.depths = append(w.looks, namespace), append(w.depths, 0)
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

func (w *watched) ListRunning(_ context.Context, _ string, ids []string) (map[string]bool, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked = max(w.asked, len(ids))
	running := map[string]bool{}
	for _, id := range ids {
		running[id] = w.running[id]
	}
	return running, nil
}

func (w *watched) Outcome(_ context.Context, r domain.EngineRun, _ time.Time) (*domain.Closing, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.outcome[r.WorkflowID], nil
}

// start creates a process whose workflow runs as "run".
func (w *watched) start(t *testing.T) *domain.Process {
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

// end has Temporal list the end of a process's workflow.
func (w *watched) end(kind engine.EndKind, p *domain.Process, at time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended[kind] = append(w.ended[kind], engine.Closed{
		WorkflowID: workflowOf(p), RunID: "run", Completed: kind == engine.EndCompleted, ClosedAt: at,
	})
}

// observe runs an observer, whose clock is ahead of the time, until the test ends
// or the returned function is called.
func (w *watched) observe(t *testing.T, ahead time.Duration) (o *completions.Observer, stop func()) {
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

func (w *watched) await(t *testing.T, p *domain.Process, want domain.ProcessState) {
	t.Helper()
	require.Eventually(t, func() bool {
		p, err := w.RetrieveProcess(t.Context(), w.Caller, p.ID)
		require.NoError(t, err)
		return p.State == want
	}, patience, 5*time.Millisecond)
}

func (w *watched) counted() (looks, pages int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.looks), w.pages
}

// awaitLooks waits until that many more looks have begun.
func (w *watched) awaitLooks(t *testing.T, n int) {
	t.Helper()
	before, _ := w.counted()
	require.Eventually(t, func() bool { now, _ := w.counted(); return now >= before+n }, patience, 5*time.Millisecond)
}

func TestEndsAreRecordedOverAllPages(t *testing.T) {
	t.Parallel()
	w := newWatched(t)
	at := time.Now()
	var processes []*domain.Process
	for i := range 5 {
		p := w.start(t)
		processes = append(processes, p)
		w.end(engine.EndCompleted, p, at.Add(-time.Duration(i)*time.Second))
	}
	goesOn, failed := w.start(t), w.start(t)
	w.end("Failed", failed, at)
	w.outcome[workflowOf(failed)] = &domain.Closing{
		Namespace: w.Namespace, WorkflowID: workflowOf(failed), RunID: "run", Status: domain.RunCancelled, ClosedAt: at,
	}
	w.ended[engine.EndCompleted] = append(w.ended[engine.EndCompleted],
		engine.Closed{WorkflowID: "foreign", RunID: "run", Completed: true, ClosedAt: at})
	w.observe(t, 0)
	for _, p := range processes {
		w.await(t, p, domain.ProcessCompleted)
	}
	w.await(t, failed, domain.ProcessCancelled)
	w.await(t, goesOn, domain.ProcessRunning)
}

// What ended long ago is not read again: a look ends with the page that holds an
// earlier end than the one before has seen.
func TestALookCostsWhatClosedSince(t *testing.T) {
	t.Parallel()
	for _, kept := range []int{10, 100} {
		w := newWatched(t)
		at := time.Now()
		for i := range kept {
			w.ended[engine.EndCompleted] = append(w.ended[engine.EndCompleted], engine.Closed{
				WorkflowID: "foreign-" + strconv.Itoa(i), RunID: "run", Completed: true, ClosedAt: at.Add(-time.Duration(i) * time.Minute),
			})
		}
		w.start(t)
		_, stop := w.observe(t, 0)
		// The first look reads all of them.
		w.awaitLooks(t, 2)
		looks, pages := w.counted()
		w.awaitLooks(t, 3)
		stop()
		after, read := w.counted()
		require.LessOrEqual(t, read-pages, 5*(after-looks+1), "a page for each kind of end, of %d kept ones", kept)
	}
}

// A namespace that is not busy is looked at for workflows that did not return in one
// look of six, and their ends are found then.
func TestQuietNamespacesAreSeldomAskedForOtherEnds(t *testing.T) {
	t.Parallel()
	w := newWatched(t)
	p := w.start(t)
	w.observe(t, 0)
	w.awaitLooks(t, 2)
	looks, pages := w.counted()
	w.awaitLooks(t, 4)
	after, read := w.counted()
	require.LessOrEqual(t, read-pages, after-looks+2*len(engine.OtherEnds()), "a page for each look, and one for each other end")
	w.outcome[workflowOf(p)] = &domain.Closing{
		Namespace: w.Namespace, WorkflowID: workflowOf(p), RunID: "run", Status: domain.RunCancelled, ClosedAt: time.Now(),
	}
	w.end("Terminated", p, time.Now())
	w.await(t, p, domain.ProcessCancelled)
}

func TestLooksAreRepeatedAfterFaults(t *testing.T) {
	t.Parallel()
	w := newWatched(t)
	p := w.start(t)
	w.end(engine.EndCompleted, p, time.Now())
	w.faults = []error{serviceerror.NewResourceExhausted(0, "too much"), errors.New("no answer")}
	w.observe(t, 0)
	w.await(t, p, domain.ProcessCompleted)
}

// An end that is listed late, and out of order, is found.
func TestLateEndsAreRecorded(t *testing.T) {
	t.Parallel()
	w := newWatched(t)
	late, later := w.start(t), w.start(t)
	w.end(engine.EndCompleted, later, time.Now())
	w.observe(t, 0)
	w.await(t, later, domain.ProcessCompleted)
	w.end(engine.EndCompleted, late, time.Now().Add(-time.Second))
	w.await(t, late, domain.ProcessCompleted)
}

// A namespace is looked at while a workflow runs there, and for a while after a
// command.
func TestNamespacesWithoutRunsAreLeftAlone(t *testing.T) {
	t.Parallel()
	w := newWatched(t)
	idle := enginetest.Seed(t, w.db, "idle", "Loan")
	p := w.start(t)
	o, stop := w.observe(t, 0)
	w.awaitLooks(t, 3)
	w.mu.Lock()
	require.NotContains(t, w.looks, idle.Namespace)
	w.mu.Unlock()
	o.Touch(idle.Namespace)
	require.Eventually(t, func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		return slices.Contains(w.looks, idle.Namespace)
	}, patience, 5*time.Millisecond)
	w.end(engine.EndCompleted, p, time.Now())
	w.await(t, p, domain.ProcessCompleted)
	stop()

	// Nothing has happened for long.
	_, stop = w.observe(t, time.Minute)
	w.awaitLooks(t, 2)
	require.Eventually(t, func() bool {
		looks, err := w.db.ExchangeEngineLooks(t.Context(), persistence.LookExchange{Now: time.Now(), Count: true})
		require.NoError(t, err)
		return looks.Awake == 0
	}, patience, 5*time.Millisecond)
	stop()
}

// An observer that has died without a word holds a lease of two seconds at most.
func TestAnotherObserverTakesOver(t *testing.T) {
	t.Parallel()
	w := newWatched(t)
	p := w.start(t)
	require.NoError(t, w.db.WakeNamespaces(t.Context()))
	now := time.Now()
	died, err := w.db.ExchangeEngineLooks(t.Context(), persistence.LookExchange{
		Limit: 1, Now: now, LeaseUntil: now.Add(2 * time.Second),
	})
	require.NoError(t, err)
	require.Len(t, died.Due, 1)
	w.end(engine.EndCompleted, p, time.Now())
	w.observe(t, 0)
	w.await(t, p, domain.ProcessCompleted)
	require.Less(t, time.Since(now), patience)
	require.Greater(t, time.Since(now), 1900*time.Millisecond, "the lease was respected")
}

// A look that takes longer than a lease keeps the namespace.
func TestALongLookKeepsItsLease(t *testing.T) {
	t.Parallel()
	w := newWatched(t)
	w.start(t)
	w.block = make(chan struct{})
	w.observe(t, 0)
	require.Eventually(t, func() bool { looks, _ := w.counted(); return looks == 1 }, patience, 5*time.Millisecond)
	w.observe(t, 0)
	began := time.Now()
	require.Eventually(t, func() bool {
		looks, _ := w.counted()
		require.Equal(t, 1, looks)
		return time.Since(began) > 2500*time.Millisecond
	}, patience, 20*time.Millisecond)
	close(w.block)
}

// Several observers on one database record each end once.
func TestObserversShareTheWork(t *testing.T) {
	t.Parallel()
	w := newWatched(t)
	var processes []*domain.Process
	for range 20 {
		processes = append(processes, w.start(t))
	}
	for range 3 {
		o, _ := w.observe(t, 0)
		o.Touch(w.Namespace)
	}
	for _, p := range processes {
		w.end(engine.EndCompleted, p, time.Now())
	}
	for _, p := range processes {
		w.await(t, p, domain.ProcessCompleted)
	}
}
