package outbox

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

// DefaultConcurrency is how many commands a relay carries out at once.
const DefaultConcurrency = 16

const (
	// pollInterval is how soon commands that another replica staged, or whose time
	// has come, are seen.
	pollInterval = time.Second
	// gatherFor is how long results are gathered before they are written, which
	// makes few transactions of many commands; gatherBusy is that while others are
	// under way, which will have results soon too.
	gatherFor  = 3 * time.Millisecond
	gatherBusy = 12 * time.Millisecond
	// lease is how long a claimed command is left alone by other replicas. It
	// outlasts the time in the relay's queue plus callTime.
	lease    = 15 * time.Second
	callTime = 6 * time.Second
	// finishTime bounds the last transaction of a relay that stops.
	finishTime = 5 * time.Second
)

// Options are what a Relay is made of.
type Options struct {
	DB *persistence.DB
	// Execute carries out a command within six seconds and may be called again for
	// the same one. For commands that start a workflow it returns Temporal's run.
	Execute func(ctx context.Context, c domain.DueCommand) (engineRun string, err error)
	// Unavailable tells errors of Execute that are none of the command's, but of
	// Temporal as a whole.
	Unavailable func(error) bool
	// Executed is told the namespace of every command that was carried out. It must
	// not block. It may be nil.
	Executed func(namespace string)
	// Refused is told of errors that are the command's own. It must not block. It
	// may be nil.
	Refused func(error)
	Clock   func() time.Time
	Logger  *slog.Logger
	// Concurrency is how many commands are carried out at once; 0 is
	// DefaultConcurrency.
	Concurrency int
}

// Relay carries out commands: those of one order key one after the other, others
// at the same time. A command that fails is tried again, at ever longer
// intervals, until it succeeds, and holds up only its own order key. While
// Temporal cannot be used, a relay tries one command a second.
//
// Several relays may work on one database.
type Relay struct {
	o       Options
	wake    loop.Signal
	results chan result

	// Of the loop alone.
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

// New makes a Relay. Run makes it work.
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

// Wake tells the relay that commands were staged. It never blocks.
func (r *Relay) Wake() { r.wake.Wake() }

// Stats is what a relay has done since it was made, and whether it finds that
// Temporal cannot be used.
type Stats struct {
	Executed, Failed int64
	Down             bool
}

// Stats returns the relay's counters.
func (r *Relay) Stats() Stats {
	return Stats{Executed: r.executed.Load(), Failed: r.refused.Load(), Down: r.down.Load()}
}

// Run works until ctx ends and all that was begun is finished and noted. It
// must not be called twice.
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

// pause is how long there is nothing to do unless something happens.
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

// gatherFor is how long results are gathered.
func (r *Relay) gatherFor() time.Duration {
	if r.running > 0 {
		return gatherBusy
	}
	return gatherFor
}

// exchange writes the outcomes and claims what there is room for. When the
// database cannot be used, the outcomes are kept for the next time.
func (r *Relay) exchange(ctx context.Context) {
	now := r.o.Clock()
	r.outcome.Now, r.outcome.LeaseUntil = now, now.Add(lease)
	r.outcome.Limit = r.room(now)
	due, err := r.o.DB.ExchangeEngineCommands(ctx, r.outcome)
	if err != nil {
		if ctx.Err() == nil {
			r.o.Logger.ErrorContext(ctx, "the outbox cannot use the database", slog.Any("error", err))
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

// room is how many commands may be claimed: enough to keep all busy until the
// next exchange, one at a time while Temporal cannot be used.
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

// start begins as many of the claimed commands as may run at once. One that has
// waited so long that its lease might end under way is given back.
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
		// What was begun is finished even when the relay is to stop.
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

// logRefused tells of a command that keeps failing now and then, not each time.
func (r *Relay) logRefused(done result) {
	if done.command.Attempts%10 != 0 {
		return
	}
	r.o.Logger.Error("an engine command fails",
		slog.String("command", string(done.command.Kind)),
		slog.String("workflow", done.command.Run.WorkflowID),
		slog.String("namespace", done.command.Run.Namespace),
		slog.Int("attempts", done.command.Attempts+1),
		slog.Any("error", done.err))
}

// finish waits for what was begun, gives back what was not, and notes it all.
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
		r.o.Logger.ErrorContext(ctx, "the outbox could not note what it did last", slog.Any("error", err))
	}
}
