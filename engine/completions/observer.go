package completions

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/engine"
	"github.com/procession-dev/procession/internal/loop"
	"github.com/procession-dev/procession/persistence"
)

const (
	// A namespace is busy for busyFor after the service did something there or a
	// workflow ended.
	busyFor      = 30 * time.Second
	busyInterval = 250 * time.Millisecond
	// Other namespaces are looked at less often the more of them there are, so that
	// all together cost no more than one look per quietShare.
	quietInterval    = 750 * time.Millisecond
	quietShare       = 30 * time.Millisecond
	maxQuietInterval = 30 * time.Second
	faultInterval    = 2 * time.Second
	limitInterval    = 500 * time.Millisecond

	// lease and pollInterval together are how soon another replica takes over from
	// one that died. A look that takes longer renews its lease.
	lease        = 2 * time.Second
	pollInterval = time.Second
	renewAfter   = 500 * time.Millisecond
	// wakeInterval is how soon a running workflow is noticed in a namespace that is
	// not looked at, because its start was not reported here.
	wakeInterval = time.Minute
	// touchInterval is the least time between two reports of commands in a namespace.
	// It is far below busyFor.
	touchInterval = 5 * time.Second

	looksAtOnce = 16
	// gatherFor is how long outcomes are gathered before they are written.
	gatherFor = 10 * time.Millisecond
	// rest is the least time between two exchanges.
	rest       = 10 * time.Millisecond
	finishTime = 5 * time.Second
)

// Engine contains the calls to Temporal. Tests inject faults into it.
type Engine interface {
	ListClosed(ctx context.Context, namespace string, kind engine.EndKind, pageToken []byte) ([]engine.Closed, []byte, error)
	ListRunning(ctx context.Context, namespace string, workflowIDs []string) (map[string]bool, error)
	Outcome(ctx context.Context, r domain.EngineRun, now time.Time) (*domain.Closing, error)
}

var _ Engine = (*engine.Engine)(nil)

// Options configure an Observer.
type Options struct {
	DB     *persistence.DB
	App    *app.Service
	Engine Engine
	// Missing is called with a namespace that Temporal does not have. It must not
	// block, and may be nil.
	Missing func(namespace string)
	Clock   func() time.Time
	Logger  *slog.Logger
}

// Observer watches for workflows that end, in the namespaces of all tenants, and
// records each end. Namespaces are due at times that are kept in PostgreSQL and
// leased for one look, so that several observers share the work and one takes over
// from another. A namespace without running workflows is not due.
type Observer struct {
	o       Options
	wake    loop.Signal
	results chan persistence.LookDone

	mu      sync.Mutex
	touched map[string]time.Time
	news    []string

	// Used by the loop only. held has the start of each look under way.
	held    map[string]time.Time
	done    []persistence.LookDone
	looks   persistence.Looks
	wakeAt  time.Time
	blinded bool
	// awake is how many namespaces were looked at when they were last counted.
	awake   int
	countAt time.Time
}

// New returns an Observer that is started with Run.
func New(o Options) *Observer {
	if o.Missing == nil {
		o.Missing = func(string) {}
	}
	o.App, o.DB = o.App.Background(), o.DB.Background()
	return &Observer{
		o: o, wake: loop.NewSignal(), results: make(chan persistence.LookDone, looksAtOnce),
		touched: map[string]time.Time{}, held: map[string]time.Time{},
	}
}

// Touch reports that a command was executed in a namespace, so that a workflow may
// soon end there. It never blocks for long.
func (o *Observer) Touch(namespace string) {
	now := o.o.Clock()
	o.mu.Lock()
	defer o.mu.Unlock()
	if now.Sub(o.touched[namespace]) < touchInterval {
		return
	}
	o.touched[namespace] = now
	o.news = append(o.news, namespace)
	o.wake.Wake()
}

// Run watches until ctx ends and the looks under way have ended. It must not be
// called twice.
func (o *Observer) Run(ctx context.Context) {
	l := loop.Loop[persistence.LookDone]{
		Step: func(ctx context.Context) time.Duration {
			o.exchange(ctx)
			return o.pause()
		},
		Wake: o.wake, Results: o.results, Note: o.note, Gather: func() time.Duration { return gatherFor }, Rest: rest,
	}
	l.Run(ctx)
	o.finish(ctx)
}

// pause returns how long the loop may wait without a wake-up.
func (o *Observer) pause() time.Duration {
	pause := pollInterval
	if len(o.held) > 0 {
		pause = renewAfter
	}
	if len(o.held) < looksAtOnce && !o.looks.Next.IsZero() {
		pause = min(pause, o.looks.Next.Sub(o.o.Clock()))
	}
	return max(pause, rest)
}

// exchange writes the outcomes of looks and begins those that are due. While the
// database cannot be used, the outcomes are kept for the next exchange.
func (o *Observer) exchange(ctx context.Context) {
	now := o.o.Clock()
	if !now.Before(o.wakeAt) {
		o.wakeAt = now.Add(wakeInterval)
		if err := o.o.DB.WakeNamespaces(ctx); err != nil {
			o.complain(ctx, err)
			return
		}
	}
	touched := o.take()
	e := persistence.LookExchange{
		Done: o.done, Touched: touched, Limit: looksAtOnce - len(o.held),
		Now: now, LeaseUntil: now.Add(lease),
		BusyFor: busyFor, Busy: busyInterval, Quiet: o.quiet(), Count: !now.Before(o.countAt),
	}
	for namespace, began := range o.held {
		if now.Sub(began) > renewAfter {
			e.Held = append(e.Held, namespace)
		}
	}
	looks, err := o.o.DB.ExchangeEngineLooks(ctx, e)
	if err != nil {
		o.giveBack(touched)
		o.complain(ctx, err)
		return
	}
	o.done, o.looks, o.blinded = nil, looks, false
	if e.Count {
		o.awake, o.countAt = looks.Awake, now.Add(pollInterval)
	}
	for _, due := range looks.Due {
		o.held[due.Namespace] = now
		l := &look{observer: o, LookDone: persistence.LookDone{DueLook: due}, began: now, pause: e.Quiet}
		go func() { o.results <- l.run(ctx) }()
	}
}

// quiet returns the pause between two looks at a namespace that is not busy.
func (o *Observer) quiet() time.Duration {
	return min(max(quietInterval, time.Duration(o.awake)*quietShare), maxQuietInterval)
}

func (o *Observer) take() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	news := o.news
	o.news = nil
	return news
}

func (o *Observer) giveBack(touched []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.news = append(o.news, touched...)
}

func (o *Observer) note(done persistence.LookDone) {
	delete(o.held, done.Namespace)
	o.done = append(o.done, done)
}

// complain logs that the database cannot be used, once until it can.
func (o *Observer) complain(ctx context.Context, err error) {
	// The next look that is due is not known.
	o.looks.Next = time.Time{}
	if o.blinded || ctx.Err() != nil {
		return
	}
	o.blinded = true
	o.o.Logger.WarnContext(ctx, "observing the ends of workflows failed", slog.Any("error", err))
}

// finish waits for the looks under way, which ctx has ended, and gives them back.
func (o *Observer) finish(ctx context.Context) {
	for len(o.held) > 0 {
		o.note(<-o.results)
	}
	if len(o.done) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishTime)
	defer cancel()
	_, err := o.o.DB.ExchangeEngineLooks(ctx, persistence.LookExchange{
		Done: o.done, Now: o.o.Clock(), BusyFor: busyFor, Busy: busyInterval, Quiet: o.quiet(),
	})
	if err != nil {
		// Nothing is lost: other observers look when the leases end.
		o.o.Logger.ErrorContext(ctx, "the last looks for ends of workflows were not recorded", slog.Any("error", err))
	}
}
