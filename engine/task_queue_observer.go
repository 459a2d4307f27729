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
	// DefaultTaskQueueInterval is how often a task queue is looked at.
	DefaultTaskQueueInterval = 15 * time.Second

	queuesAtOnce = 4
	// queuesPerRound bounds what a replica takes on before others get their share.
	queuesPerRound = 200
	// looksPerInterval is how often queues that are due are asked for.
	looksPerInterval = 3
)

// TaskQueueObserverOptions are what a TaskQueueObserver is made of.
type TaskQueueObserverOptions struct {
	// Claim returns up to limit task queues that are due, which are due again at
	// next, as DB.ClaimTaskQueues does.
	Claim func(ctx context.Context, now, next time.Time, limit int) ([]domain.DueTaskQueue, error)
	// Put stores what was seen, as DB.PutObservations does.
	Put func(ctx context.Context, seen []domain.SeenTaskQueue) error
	// Describe looks at a task queue, as Engine.DescribeTaskQueue does.
	Describe func(ctx context.Context, namespace, queue string) (domain.TaskQueueObservation, error)
	// Interval is how old an observation gets; 0 is DefaultTaskQueueInterval.
	Interval time.Duration
	Clock    func() time.Time
	Logger   *slog.Logger
}

// TaskQueueObserver looks at the task queues that definitions need or workers
// registered for, again and again, and stores what it sees, so that no request
// has to ask Temporal. Replicas share the queues. While Temporal cannot be used,
// one call an interval finds that out, and the observations say so.
type TaskQueueObserver struct {
	o     TaskQueueObserverOptions
	blind bool
}

// NewTaskQueueObserver makes a TaskQueueObserver. Run makes it work.
func NewTaskQueueObserver(o TaskQueueObserverOptions) *TaskQueueObserver {
	if o.Interval == 0 {
		o.Interval = DefaultTaskQueueInterval
	}
	return &TaskQueueObserver{o: o}
}

// Run works until ctx ends. It must not be called twice.
func (t *TaskQueueObserver) Run(ctx context.Context) {
	l := loop.Loop[struct{}]{Step: func(ctx context.Context) time.Duration {
		if t.round(ctx) {
			return 0
		}
		return t.o.Interval / looksPerInterval
	}}
	l.Run(ctx)
}

// round looks at the queues that are due and reports whether there may be more.
// A queue is due again so early that its observation is as old as the interval at
// most when it is looked at next.
func (t *TaskQueueObserver) round(ctx context.Context) (more bool) {
	now := t.o.Clock()
	due, err := t.o.Claim(ctx, now, now.Add(t.o.Interval-t.o.Interval/looksPerInterval), queuesPerRound)
	if err != nil {
		t.complain(ctx, err)
		return false
	}
	seen, failure := t.look(ctx, due)
	if ctx.Err() != nil {
		return false
	}
	if err := t.o.Put(ctx, seen); err != nil {
		t.complain(ctx, err)
		return false
	}
	if len(due) > 0 {
		t.report(ctx, failure)
	}
	return len(due) == queuesPerRound
}

// look observes queues, some at a time. Once Temporal is found not to answer, the
// rest of them is not asked for. failure is one of those that occurred.
func (t *TaskQueueObserver) look(ctx context.Context, due []domain.DueTaskQueue) ([]domain.SeenTaskQueue, error) {
	seen := make([]domain.SeenTaskQueue, len(due))
	var down atomic.Bool
	var first sync.Once
	var failure error
	var group errgroup.Group
	group.SetLimit(queuesAtOnce)
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
				if Unavailable(err) {
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

// failureText says why a queue could not be looked at, without where Temporal is.
func failureText(err error) string {
	switch {
	case Unavailable(err):
		return unavailableText
	case NamespaceMissing(err):
		return "its namespace does not exist"
	case RateLimited(err):
		return "Temporal is asked too much at a time"
	default:
		return "Temporal does not describe it"
	}
}

// report tells of a change between success and failure, not of each round.
func (t *TaskQueueObserver) report(ctx context.Context, failure error) {
	if failure != nil {
		t.complain(ctx, failure)
		return
	}
	if t.blind {
		t.blind = false
		t.o.Logger.InfoContext(ctx, "task queues are observed again")
	}
}

func (t *TaskQueueObserver) complain(ctx context.Context, err error) {
	if t.blind || ctx.Err() != nil {
		return
	}
	t.blind = true
	t.o.Logger.WarnContext(ctx, "task queues cannot be observed", slog.Any("error", err))
}
