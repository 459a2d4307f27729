package relay

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/internal/loop"
	"github.com/procession-dev/procession/persistence"
)

// DefaultConcurrency is the default number of commands that a relay executes
// concurrently.
const DefaultConcurrency = 16

const (
	// pollInterval is how soon the relay finds commands that another replica staged
	// or that have become due.
	pollInterval = time.Second
	// gatherFor is how long results are gathered before they are written, so that
	// many commands share one transaction; gatherBusy applies while other commands
	// are under way.
	gatherFor  = 3 * time.Millisecond
	gatherBusy = 12 * time.Millisecond
	// lease is how long a claimed command is not claimed by other replicas. It
	// outlasts the time in the relay's queue plus callTime.
	lease    = 15 * time.Second
	callTime = 6 * time.Second
	// finishTime bounds the last transaction of a stopping relay.
	finishTime = 5 * time.Second
)

// Options configure a Relay.
type Options struct {
	DB *persistence.DB
	// Execute carries out a command within six seconds and may be called again for
	// the same one. For commands that start a workflow it returns Temporal's run id.
	Execute func(ctx context.Context, c domain.DueCommand) (engineRun string, err error)
	// Unavailable reports whether an error of Execute means that Temporal as a whole
	// is unavailable, rather than that the command is wrong.
	Unavailable func(error) bool
	// Executed is called with the namespace of every command that succeeded. It must
	// not block. It may be nil.
	Executed func(namespace string)
	// Refused is called with errors that are caused by the command itself. It must
	// not block. It may be nil.
	Refused func(error)
	Clock   func() time.Time
	Logger  *slog.Logger
	// Concurrency limits the commands that are executed concurrently; 0 is
	// DefaultConcurrency.
	Concurrency int
}

// Relay executes staged commands: those of one order key one after the other,
// others concurrently. A command that fails is retried with increasing backoff
// until it succeeds, and holds up only its own order key. While Temporal is
// unavailable, a relay tries one command a second.
//
// Several relays may work on one database.
type Relay struct {
	o       Options
	wake    loop.Signal
	results chan result

	// Used by the loop only.
	queue   []claimed
	running int
	outcome persistence.CommandExchange
	circuit circuit
	retryAt time.Time

	executed, refused atomic.Int64
	down              atomic.Bool
}

type claimed struct {
	domain.DueCommand
	leaseUntil time.Time
}

type result struct {
	command   domain.DueCommand
	engineRun string
	err       error
}

// New returns a Relay that is started with Run.
func New(o Options) *Relay {
	if o.Concurrency == 0 {
		o.Concurrency = DefaultConcurrency
	}
	if o.Executed == nil {
		o.Executed = func(string) {}
	}
	if o.Refused == nil {
		o.Refused = func(error) {}
	}
	o.DB = o.DB.Background()
	return &Relay{o: o, wake: loop.NewSignal(), results: make(chan result, o.Concurrency)}
}

// Wake notifies the relay that commands were staged. It never blocks.
func (r *Relay) Wake() { r.wake.Wake() }

// Stats counts what a relay has done since it was created, and reports whether
// Temporal is unavailable to it.
type Stats struct {
	Executed, Failed int64
	Down             bool
}

// Stats returns the relay's counters.
func (r *Relay) Stats() Stats {
	return Stats{Executed: r.executed.Load(), Failed: r.refused.Load(), Down: r.down.Load()}
}

// Run executes commands until ctx ends, then finishes and records the commands
// under way. It must not be called twice.
func (r *Relay) Run(ctx context.Context) {
	l := loop.Loop[result]{
		Step: func(ctx context.Context) time.Duration {
			r.exchange(ctx)
			r.start(ctx)
			return r.pause()
		},
		Wake: r.wake, Results: r.results, Note: r.note, Gather: r.gatherFor,
	}
	l.Run(ctx)
	r.finish(ctx)
}

// pause returns how long the loop may wait without a wake-up.
func (r *Relay) pause() time.Duration {
	pause := pollInterval
	now := r.o.Clock()
	if !r.retryAt.IsZero() {
		pause = min(pause, max(r.retryAt.Sub(now), gatherFor))
	}
	if r.circuit.open() {
		pause = min(pause, max(r.circuit.probeAt.Sub(now), gatherFor))
	}
	return pause
}

// gatherFor returns how long results are gathered.
func (r *Relay) gatherFor() time.Duration {
	if r.running > 0 {
		return gatherBusy
	}
	return gatherFor
}

// exchange writes the outcomes and claims as many commands as there is room for.
// While the database cannot be used, the outcomes are kept for the next exchange.
func (r *Relay) exchange(ctx context.Context) {
	now := r.o.Clock()
	r.outcome.Now, r.outcome.LeaseUntil = now, now.Add(lease)
	r.outcome.Limit = r.room(now)
	due, err := r.o.DB.ExchangeEngineCommands(ctx, r.outcome)
	if err != nil {
		if ctx.Err() == nil {
			r.o.Logger.ErrorContext(ctx, "outbox relay cannot use the database", slog.Any("error", err))
		}
		return
	}
	r.outcome = persistence.CommandExchange{}
	if !r.retryAt.After(now) {
		r.retryAt = time.Time{}
	}
	for _, c := range due {
		r.queue = append(r.queue, claimed{DueCommand: c, leaseUntil: now.Add(lease)})
	}
	if r.circuit.open() && len(due) > 0 {
		r.circuit.probed(now)
	}
}

// room returns how many commands may be claimed: enough to keep all goroutines
// busy until the next exchange, one at a time while Temporal is unavailable.
func (r *Relay) room(now time.Time) int {
	busy := len(r.queue) + r.running
	if !r.circuit.open() {
		return 2*r.o.Concurrency - busy
	}
	if busy > 0 || now.Before(r.circuit.probeAt) {
		return 0
	}
	return 1
}

// start begins as many of the claimed commands as may run concurrently. A command
// that has waited so long that its lease might end during execution is released.
func (r *Relay) start(ctx context.Context) {
	now := r.o.Clock()
	for len(r.queue) > 0 && r.running < r.o.Concurrency {
		next := r.queue[0]
		r.queue = r.queue[1:]
		if now.Add(callTime).After(next.leaseUntil) {
			r.outcome.Untried = append(r.outcome.Untried, next.ID)
			continue
		}
		r.running++
		// Commands under way are finished even when the relay stops.
		go r.execute(context.WithoutCancel(ctx), next.DueCommand)
	}
}

func (r *Relay) execute(ctx context.Context, c domain.DueCommand) {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	run, err := r.o.Execute(ctx, c)
	r.results <- result{command: c, engineRun: run, err: err}
}

// note keeps an outcome for the next exchange.
func (r *Relay) note(done result) {
	r.running--
	now := r.o.Clock()
	unavailable := done.err != nil && r.o.Unavailable(done.err)
	if changed := r.circuit.note(unavailable, now); changed {
		r.down.Store(r.circuit.open())
		if r.circuit.open() {
			r.o.Logger.Warn("Temporal is unavailable", slog.Any("error", done.err))
		} else {
			r.o.Logger.Warn("Temporal is available again")
		}
	}
	if done.err == nil {
		r.executed.Add(1)
		r.o.Executed(done.command.Run.Namespace)
		r.outcome.Done = append(r.outcome.Done,
			persistence.CommandDone{ID: done.command.ID, EngineRun: done.engineRun})
		return
	}
	r.refused.Add(1)
	if !unavailable {
		r.o.Refused(done.err)
		r.logRefused(done)
	}
	retryAt := now.Add(backoff(done.command.Attempts, unavailable))
	if r.retryAt.IsZero() || retryAt.Before(r.retryAt) {
		r.retryAt = retryAt
	}
	r.outcome.Failed = append(r.outcome.Failed,
		persistence.CommandFailed{ID: done.command.ID, Error: done.err.Error(), RetryAt: retryAt})
}

// logRefused logs a failing command, but not on every attempt.
func (r *Relay) logRefused(done result) {
	if done.command.Attempts%10 != 0 {
		return
	}
	r.o.Logger.Error("engine command failed",
		slog.String("command", string(done.command.Kind)),
		slog.String("workflow", done.command.Run.WorkflowID),
		slog.String("namespace", done.command.Run.Namespace),
		slog.Int("attempts", done.command.Attempts+1),
		slog.Any("error", done.err))
}

// finish waits for commands under way, releases those that were not begun, and
// records both.
func (r *Relay) finish(ctx context.Context) {
	for r.running > 0 {
		r.note(<-r.results)
	}
	untried := make([]uuid.UUID, len(r.queue))
	for i, c := range r.queue {
		untried[i] = c.ID
	}
	r.queue = nil
	r.outcome.Untried = append(r.outcome.Untried, untried...)
	r.outcome.Limit, r.outcome.Now = 0, r.o.Clock()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishTime)
	defer cancel()
	if _, err := r.o.DB.ExchangeEngineCommands(ctx, r.outcome); err != nil {
		// Nothing is lost: the commands are tried again when their leases end.
		r.o.Logger.ErrorContext(ctx, "outbox relay could not record its last outcomes", slog.Any("error", err))
	}
}
