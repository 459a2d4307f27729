package engine

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/internal/loop"
)

const (
	// DefaultTaskQueueInterval is the default time between two observations of a
	// task queue.
	DefaultTaskQueueInterval = 15 * time.Second

	// IdleIntervals is the number of intervals between two observations of an idle
	// queue, without waiting tasks and in an idle namespace.
	IdleIntervals = 3

	maxDescriptions = 4
	// queuesPerRound bounds the queues that a replica claims at a time, to leave a
	// share to the others.
	queuesPerRound = 200
	// claimsPerInterval is the number of claims of due queues per interval.
	claimsPerInterval = 3
)

// TaskQueueObserverOptions configure a TaskQueueObserver.
type TaskQueueObserverOptions struct {
	// Match adds and deletes task queues as definitions and workers need, as
	// DB.MatchTaskQueues does.
	Match func(ctx context.Context, now time.Time) error
	// Claim returns up to limit task queues that are due and makes them due again at
	// next, or at nextAtRest, as DB.ClaimTaskQueues does.
	Claim func(ctx context.Context, now, next, nextAtRest time.Time, limit int) ([]domain.DueTaskQueue, error)
	// Put stores observations, as DB.PutObservations does.
	Put func(ctx context.Context, seen []domain.SeenTaskQueue) error
	// Describe observes a task queue, as Engine.DescribeTaskQueue does.
	Describe func(ctx context.Context, namespace, queue string) (domain.TaskQueueObservation, error)
	// Interval is the maximum age of an observation, IdleIntervals for an idle queue; 0
	// is DefaultTaskQueueInterval.
	Interval time.Duration
	Clock    func() time.Time
	Logger   *slog.Logger
}

// TaskQueueObserver periodically observes the task queues that definitions need
// or workers registered for, and stores the observations, so that no request has
// to call Temporal. Replicas share the queues. While Temporal is unavailable, it
// makes one call per interval, and the observations record the failure.
type TaskQueueObserver struct {
	o        TaskQueueObserverOptions
	failures loop.FailureLog
	matchAt  time.Time
}

// NewTaskQueueObserver returns a TaskQueueObserver that is started with Run.
func NewTaskQueueObserver(o TaskQueueObserverOptions) *TaskQueueObserver {
	if o.Interval == 0 {
		o.Interval = DefaultTaskQueueInterval
	}
	return &TaskQueueObserver{o: o, failures: loop.FailureLog{Logger: o.Logger, Clock: o.Clock}}
}

// Run observes queues until ctx ends. It must not be called twice.
func (t *TaskQueueObserver) Run(ctx context.Context) {
	l := loop.Loop[struct{}]{Step: func(ctx context.Context) time.Duration {
		if t.observeDue(ctx) {
			return 0
		}
		return t.o.Interval / claimsPerInterval
	}}
	l.Run(ctx)
}

// observeDue observes the queues that are due and reports whether there may be more. A
// queue is due again early enough that its observation never gets older than the
// interval.
func (t *TaskQueueObserver) observeDue(ctx context.Context) (more bool) {
	now := t.o.Clock()
	if !now.Before(t.matchAt) {
		if err := t.o.Match(ctx, now); err != nil {
			t.logFailure(ctx, err)
			return false
		}
		t.matchAt = now.Add(t.o.Interval)
	}
	early := t.o.Interval / claimsPerInterval
	due, err := t.o.Claim(ctx, now, now.Add(t.o.Interval-early), now.Add(IdleIntervals*t.o.Interval-early), queuesPerRound)
	if err != nil {
		t.logFailure(ctx, err)
		return false
	}
	seen, failure := t.describeQueues(ctx, due)
	if ctx.Err() != nil {
		return false
	}
	if err := t.o.Put(ctx, seen); err != nil {
		t.logFailure(ctx, err)
		return false
	}
	if len(due) > 0 {
		t.logChange(ctx, failure)
	}
	return len(due) == queuesPerRound
}

// describeQueues observes queues concurrently until Temporal is unavailable. It also
// returns one of the errors.
func (t *TaskQueueObserver) describeQueues(ctx context.Context, due []domain.DueTaskQueue) ([]domain.SeenTaskQueue, error) {
	seen := make([]domain.SeenTaskQueue, len(due))
	var down atomic.Bool
	var first sync.Once
	var failure error
	var group errgroup.Group
	group.SetLimit(maxDescriptions)
	for i, queue := range due {
		group.Go(func() error {
			s := domain.SeenTaskQueue{DueTaskQueue: queue}
			if down.Load() {
				s.Observation = domain.TaskQueueObservation{FailedAt: t.o.Clock(), Failure: unavailableText}
				seen[i] = s
				return nil
			}
			observation, err := t.o.Describe(ctx, queue.Namespace, queue.TaskQueue)
			s.Observation = observation
			s.Observation.ObservedAt = t.o.Clock()
			if err != nil {
				s.Observation = domain.TaskQueueObservation{FailedAt: t.o.Clock(), Failure: failureText(err)}
				first.Do(func() { failure = err })
				if Unavailable(err) && !InOtherCluster(err) {
					down.Store(true)
				}
			}
			seen[i] = s
			return nil
		})
	}
	_ = group.Wait()
	return seen, failure
}

const unavailableText = "Temporal is not available"

// failureText describes a failed observation without Temporal's address.
func failureText(err error) string {
	switch {
	case Unavailable(err):
		return unavailableText
	case NamespaceMissing(err):
		return "its namespace does not exist"
	case RateLimited(err):
		return "Temporal limits the rate of requests"
	default:
		return "Temporal cannot describe it"
	}
}

// logChange logs a change between success and failure, not each round.
func (t *TaskQueueObserver) logChange(ctx context.Context, failure error) {
	if failure != nil {
		t.logFailure(ctx, failure)
		return
	}
	if t.failures.End() {
		t.o.Logger.InfoContext(ctx, "task queues are observed again")
	}
}

func (t *TaskQueueObserver) logFailure(ctx context.Context, err error) {
	t.failures.Record(ctx, "observing task queues failed", err)
}
