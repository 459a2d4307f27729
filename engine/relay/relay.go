package relay

import (
	"cmp"
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
	// pollInterval is the time between two polls for commands that another replica
	// staged or that have become due.
	pollInterval = time.Second
	// Results are gathered before they are written, so that many commands share one
	// transaction; busyGatherTime applies while other commands are in flight.
	minGatherTime  = 3 * time.Millisecond
	busyGatherTime = 12 * time.Millisecond
	// lease keeps a claimed command from other replicas. It exceeds the time in the
	// relay's queue plus callTimeout.
	lease       = 10 * time.Second
	callTimeout = 6 * time.Second
	// drainTimeout bounds the last transaction of a stopping relay.
	drainTimeout = 5 * time.Second
)

// Options configure a Relay.
type Options struct {
	DB *persistence.DB
	// Execute executes a command within six seconds and may be called again with the
	// same command. For commands that start a workflow it returns Temporal's run id.
	Execute func(ctx context.Context, c domain.DueCommand) (engineRun string, err error)
	// Unavailable reports whether an error of Execute means that the cluster of the command
	// is unavailable, rather than that the command is invalid.
	Unavailable func(error) bool
	// Executed is called with the namespace of every successful command. It must not
	// block, and may be nil.
	Executed func(namespace string)
	// Refused is called with each error that the command itself caused. It must not
	// block, and may be nil.
	Refused func(error)
	// Wake notifies the relay that commands were staged; nil for a signal of its own.
	Wake   loop.Signal
	Clock  func() time.Time
	Logger *slog.Logger
	// Concurrency limits the commands that are executed concurrently; 0 is
	// DefaultConcurrency.
	Concurrency int
}

// Relay executes staged commands in order within an order key, and concurrently
// otherwise. A failed command is retried with increasing backoff until it succeeds,
// and blocks only its own order key. While a cluster of Temporal is unavailable, a relay
// tries one of its commands a second.
//
// Several relays may work on one database.
type Relay struct {
	o       Options
	results chan result

	// Used by the loop only.
	queue   []claimedCommand
	running int
	outcome persistence.CommandExchange
	// clusters are the clusters of commands so far, the default one as "".
	clusters map[string]*cluster
	retryAt  time.Time

	executed, failed atomic.Int64
	down             atomic.Bool
}

type claimedCommand struct {
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
	o.DB, o.Wake = o.DB.Background(), cmp.Or(o.Wake, loop.NewSignal())
	return &Relay{o: o, results: make(chan result, o.Concurrency), clusters: map[string]*cluster{}}
}

// Wake notifies the relay that commands were staged. It never blocks.
func (r *Relay) Wake() { r.o.Wake.Wake() }

// Stats contains the numbers of executed and failed commands since the relay was
// created. Down reports whether the default cluster of Temporal is unavailable.
type Stats struct {
	Executed, Failed int64
	Down             bool
}

// Stats returns the relay's counters.
func (r *Relay) Stats() Stats {
	return Stats{Executed: r.executed.Load(), Failed: r.failed.Load(), Down: r.down.Load()}
}

// Run executes commands until ctx ends, then finishes and records the commands in
// flight. It must not be called twice.
func (r *Relay) Run(ctx context.Context) {
	l := loop.Loop[result]{
		Step: func(ctx context.Context) time.Duration {
			r.exchangeCommands(ctx)
			r.startCommands(ctx)
			return r.nextPause()
		},
		Wake: r.o.Wake, Results: r.results, OnResult: r.recordResult, GatherTime: r.gatherTime,
	}
	l.Run(ctx)
	r.drain(ctx)
}

// nextPause returns the maximum time until the next exchange.
func (r *Relay) nextPause() time.Duration {
	pause := pollInterval
	now := r.o.Clock()
	if !r.retryAt.IsZero() {
		pause = min(pause, max(r.retryAt.Sub(now), minGatherTime))
	}
	for _, c := range r.clusters {
		if c.isOpen() && c.pending == 0 {
			pause = min(pause, max(c.probeAt.Sub(now), minGatherTime))
		}
	}
	return pause
}

func (r *Relay) gatherTime() time.Duration {
	if r.running > 0 {
		return busyGatherTime
	}
	return minGatherTime
}

// exchangeCommands writes the outcomes and claims commands, enough to keep all goroutines busy until the next one. While the
// database is unavailable, it keeps the outcomes for the next exchange.
func (r *Relay) exchangeCommands(ctx context.Context) {
	now := r.o.Clock()
	r.outcome.Now, r.outcome.LeaseUntil = now, now.Add(lease)
	r.outcome.Limit = 2*r.o.Concurrency - len(r.queue) - r.running
	closed, probed := r.restrictedClusters(now)
	r.outcome.Closed, r.outcome.Probed = closed, probed
	due, err := r.o.DB.ExchangeEngineCommands(ctx, r.outcome)
	if err != nil {
		if ctx.Err() == nil {
			r.o.Logger.ErrorContext(ctx, "exchanging engine commands failed", slog.Any("error", err))
		}
		return
	}
	r.outcome = persistence.CommandExchange{}
	if !r.retryAt.After(now) {
		r.retryAt = time.Time{}
	}
	for _, c := range due {
		r.queue = append(r.queue, claimedCommand{DueCommand: c, leaseUntil: now.Add(lease)})
		r.clusterOf(c).pending++
	}
	for _, name := range probed {
		r.clusters[name].startProbe(now)
	}
}

// restrictedClusters returns the unavailable clusters: the ones without commands to claim, and the ones with one, a probe.
func (r *Relay) restrictedClusters(now time.Time) (closed, probed []string) {
	for name, c := range r.clusters {
		switch {
		case !c.isOpen():
		case c.pending > 0 || now.Before(c.probeAt):
			closed = append(closed, name)
		default:
			probed = append(probed, name)
		}
	}
	return closed, probed
}

func (r *Relay) clusterOf(c domain.DueCommand) *cluster {
	if r.clusters[c.Cluster] == nil {
		r.clusters[c.Cluster] = &cluster{}
	}
	return r.clusters[c.Cluster]
}

// startCommands starts claimed commands up to the concurrency limit. It releases a
// command with a lease that might end during execution.
func (r *Relay) startCommands(ctx context.Context) {
	now := r.o.Clock()
	for len(r.queue) > 0 && r.running < r.o.Concurrency {
		next := r.queue[0]
		r.queue = r.queue[1:]
		if now.Add(callTimeout).After(next.leaseUntil) {
			r.outcome.Untried = append(r.outcome.Untried, next.ID)
			r.clusterOf(next.DueCommand).pending--
			continue
		}
		r.running++
		// Commands in flight are finished even when the relay stops.
		go r.executeCommand(context.WithoutCancel(ctx), next.DueCommand)
	}
}

func (r *Relay) executeCommand(ctx context.Context, c domain.DueCommand) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	run, err := r.o.Execute(ctx, c)
	r.results <- result{command: c, engineRun: run, err: err}
}

// recordResult keeps an outcome for the next exchange.
func (r *Relay) recordResult(done result) {
	r.running--
	now := r.o.Clock()
	unavailable := done.err != nil && r.o.Unavailable(done.err)
	c := r.clusterOf(done.command)
	c.pending--
	if c.recordAttempt(unavailable, now) {
		r.recordOutage(done.command.Cluster, c.isOpen(), done.err)
	}
	if done.err == nil {
		r.executed.Add(1)
		r.o.Executed(done.command.Run.Namespace)
		r.outcome.Done = append(r.outcome.Done,
			persistence.CommandDone{ID: done.command.ID, EngineRun: done.engineRun})
		return
	}
	r.failed.Add(1)
	if !unavailable {
		r.o.Refused(done.err)
		r.logFailure(done)
	}
	retryAt := now.Add(retryDelay(done.command.Attempts, unavailable))
	if r.retryAt.IsZero() || retryAt.Before(r.retryAt) {
		r.retryAt = retryAt
	}
	r.outcome.Failed = append(r.outcome.Failed,
		persistence.CommandFailed{ID: done.command.ID, Error: done.err.Error(), RetryAt: retryAt})
}

// recordOutage reports the begin or the end of an outage of a cluster.
func (r *Relay) recordOutage(name string, down bool, err error) {
	log := r.o.Logger
	if name == "" {
		r.down.Store(down)
	} else {
		log = log.With(slog.String("cluster", name))
	}
	if down {
		log.Warn("Temporal is unavailable", slog.Any("error", err))
	} else {
		log.Warn("Temporal is available again")
	}
}

// logFailure logs a failing command, but not on every attempt.
func (r *Relay) logFailure(done result) {
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

// drain waits for the commands in flight, releases the queued commands, and records
// both.
func (r *Relay) drain(ctx context.Context) {
	for r.running > 0 {
		r.recordResult(<-r.results)
	}
	untried := make([]uuid.UUID, len(r.queue))
	for i, c := range r.queue {
		untried[i] = c.ID
	}
	r.queue = nil
	r.outcome.Untried = append(r.outcome.Untried, untried...)
	r.outcome.Limit, r.outcome.Now = 0, r.o.Clock()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTimeout)
	defer cancel()
	if _, err := r.o.DB.ExchangeEngineCommands(ctx, r.outcome); err != nil {
		// The commands are retried when their leases end.
		r.o.Logger.ErrorContext(ctx, "recording the last outcomes of engine commands failed", slog.Any("error", err))
	}
}
