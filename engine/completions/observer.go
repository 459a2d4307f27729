package completions

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/engine"
	"github.com/procession-dev/procession/internal/loop"
	"github.com/procession-dev/procession/persistence"
)

const (
	// A namespace is active for activeFor after a command or the end of a workflow, and
	// idle otherwise.
	activeFor      = 30 * time.Second
	activeInterval = 250 * time.Millisecond
	// The interval of idle namespaces grows with their number, so that all together
	// cause at most one scan per idleShare.
	minIdleInterval = 750 * time.Millisecond
	idleShare       = 30 * time.Millisecond
	maxIdleInterval = 30 * time.Second
	faultPause      = 2 * time.Second
	rateLimitPause  = 500 * time.Millisecond

	// Another replica takes over the scan of a dead one after lease and pollInterval. A
	// long scan renews its lease.
	lease        = 2 * time.Second
	pollInterval = time.Second
	renewAfter   = 500 * time.Millisecond
	// wakeInterval is the time between two searches for running workflows in namespaces
	// without scans, for starts that were not reported here.
	wakeInterval = time.Minute
	// markInterval is the minimum time between two marks of one namespace. It is far
	// below activeFor.
	markInterval = 5 * time.Second

	maxScans = 16
	// gatherTime is the time for which outcomes are gathered before they are written.
	gatherTime = 10 * time.Millisecond
	// minInterval is the minimum time between two exchanges.
	minInterval  = 10 * time.Millisecond
	drainTimeout = 5 * time.Second
)

// Engine contains the calls to Temporal. Tests inject faults into it.
type Engine interface {
	ListClosed(ctx context.Context, namespace string, kind engine.EndKind, pageToken []byte) ([]engine.Closed, []byte, error)
	ListRunning(ctx context.Context, namespace string, workflowIDs []string) (map[string]bool, error)
	Outcome(ctx context.Context, r domain.EngineRun, now time.Time) (*domain.RunEnd, error)
	ListProblems(ctx context.Context, namespace string) (workflowIDs []string, complete bool, err error)
	Inspect(ctx context.Context, r domain.EngineRun) (*domain.Inspection, error)
}

var _ Engine = (*engine.Engine)(nil)

// Options configure an Observer.
type Options struct {
	DB     *persistence.DB
	App    *app.Service
	Engine Engine
	// Missing is called with a namespace that does not exist in Temporal. It must not
	// block, and may be nil.
	Missing func(namespace string)
	Clock   func() time.Time
	Logger  *slog.Logger
}

// Observer scans the namespaces of all tenants for ended workflows and records each
// end. PostgreSQL keeps the time of each namespace's next scan and leases the namespace
// for one scan, so that several observers share the work and take over from each other.
// A namespace without running workflows is not scanned.
type Observer struct {
	o       Options
	wake    loop.Signal
	results chan persistence.ScanResult

	mu       sync.Mutex
	markedAt map[string]time.Time
	active   []string

	// Used by the loop only. running contains the start of each scan in progress.
	running  map[string]time.Time
	done     []persistence.ScanResult
	nextDue  time.Time
	wakeAt   time.Time
	failures loop.FailureLog
	// activeNamespaces is the number of scanned namespaces at the last count.
	activeNamespaces int

	listed, recorded atomic.Int64
	countAt          time.Time
}

// Stats contains the numbers of ends that Temporal listed for the scans of an observer, and of ends that it recorded.
// Scans overlap, so an end is listed several times.
type Stats struct{ Listed, Recorded int64 }

// Stats returns the observer's counters.
func (o *Observer) Stats() Stats { return Stats{Listed: o.listed.Load(), Recorded: o.recorded.Load()} }

// New returns an Observer that is started with Run.
func New(o Options) *Observer {
	if o.Missing == nil {
		o.Missing = func(string) {}
	}
	o.App, o.DB = o.App.Background(), o.DB.Background()
	return &Observer{
		o: o, wake: loop.NewSignal(), results: make(chan persistence.ScanResult, maxScans),
		markedAt: map[string]time.Time{}, running: map[string]time.Time{}, failures: loop.FailureLog{Logger: o.Logger, Clock: o.Clock},
	}
}

// MarkActive reports that a command was executed in a namespace and a workflow may soon
// end there. It never blocks for long.
func (o *Observer) MarkActive(namespace string) {
	now := o.o.Clock()
	o.mu.Lock()
	defer o.mu.Unlock()
	if now.Sub(o.markedAt[namespace]) < markInterval {
		return
	}
	o.markedAt[namespace] = now
	o.active = append(o.active, namespace)
	o.wake.Wake()
}

// Run scans until ctx ends and the scans in progress have stopped. It must not be
// called twice.
func (o *Observer) Run(ctx context.Context) {
	l := loop.Loop[persistence.ScanResult]{
		Step: func(ctx context.Context) time.Duration {
			o.exchangeScans(ctx)
			return o.nextPause()
		},
		Wake: o.wake, Results: o.results, OnResult: o.recordResult, GatherTime: func() time.Duration { return gatherTime }, MinInterval: minInterval,
	}
	l.Run(ctx)
	o.drain(ctx)
}

// nextPause returns the maximum time until the next exchange.
func (o *Observer) nextPause() time.Duration {
	pause := pollInterval
	if len(o.running) > 0 {
		pause = renewAfter
	}
	if len(o.running) < maxScans && !o.nextDue.IsZero() {
		pause = min(pause, o.nextDue.Sub(o.o.Clock()))
	}
	return max(pause, minInterval)
}

// exchangeScans writes the outcomes of scans and starts the due ones. While the
// database is unavailable, it keeps the outcomes for the next exchange.
func (o *Observer) exchangeScans(ctx context.Context) {
	now := o.o.Clock()
	if !now.Before(o.wakeAt) {
		o.wakeAt = now.Add(wakeInterval)
		if err := o.o.DB.WakeNamespaces(ctx); err != nil {
			o.logFailure(ctx, err)
			return
		}
	}
	active := o.takeActive()
	e := persistence.ScanExchange{
		Done: o.done, Active: active, Limit: maxScans - len(o.running),
		Now: now, LeaseUntil: now.Add(lease),
		ActiveFor: activeFor, ActiveInterval: activeInterval, IdleInterval: o.idleInterval(), CountScanned: !now.Before(o.countAt),
	}
	for namespace, began := range o.running {
		if now.Sub(began) > renewAfter {
			e.Held = append(e.Held, namespace)
		}
	}
	scans, err := o.o.DB.ExchangeEngineScans(ctx, e)
	if err != nil {
		o.restoreActive(active)
		o.logFailure(ctx, err)
		return
	}
	o.done, o.nextDue = nil, scans.Next
	o.failures.End()
	if e.CountScanned {
		o.activeNamespaces, o.countAt = scans.Scanned, now.Add(pollInterval)
	}
	for _, due := range scans.Due {
		o.running[due.Namespace] = now
		s := &scan{observer: o, ScanResult: persistence.ScanResult{DueScan: due}, began: now, idleInterval: e.IdleInterval}
		go func() { o.results <- s.run(ctx) }()
	}
}

// idleInterval returns the time between two scans of an idle namespace.
func (o *Observer) idleInterval() time.Duration {
	return min(max(minIdleInterval, time.Duration(o.activeNamespaces)*idleShare), maxIdleInterval)
}

func (o *Observer) takeActive() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	active := o.active
	o.active = nil
	return active
}

func (o *Observer) restoreActive(active []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.active = append(o.active, active...)
}

func (o *Observer) recordResult(done persistence.ScanResult) {
	delete(o.running, done.Namespace)
	o.done = append(o.done, done)
}

// logFailure logs an error of the database, once until the next success.
func (o *Observer) logFailure(ctx context.Context, err error) {
	// The time of the next due scan is unknown.
	o.nextDue = time.Time{}
	o.failures.Record(ctx, "observing the ends of workflows failed", err)
}

// drain waits for the scans in progress, which ctx has stopped, and releases them.
func (o *Observer) drain(ctx context.Context) {
	for len(o.running) > 0 {
		o.recordResult(<-o.results)
	}
	if len(o.done) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTimeout)
	defer cancel()
	_, err := o.o.DB.ExchangeEngineScans(ctx, persistence.ScanExchange{
		Done: o.done, Now: o.o.Clock(), ActiveFor: activeFor, ActiveInterval: activeInterval, IdleInterval: o.idleInterval(),
	})
	if err != nil {
		// Other observers repeat the scans when the leases end.
		o.o.Logger.ErrorContext(ctx, "recording the last scans for ends of workflows failed", slog.Any("error", err))
	}
}
