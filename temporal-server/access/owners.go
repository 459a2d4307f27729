package access

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/server/common/cache"
	"go.temporal.io/server/common/metrics"
)

const (
	// maxQueues is the maximum number of personal queues of a subject. Each process of
	// workers has one or two, which are kept for forgetAfter.
	maxQueues = 5_000

	// renewInterval is the time for which an owner is cached, and so the maximum time between two renewals of a polled queue.
	renewInterval = 5 * time.Minute

	// forgetAfter is the time for which a queue keeps its owner after the latest poll.
	// Temporal keeps the sticky queue of a running workflow longer; the [interceptor]
	// checks tasks of queues without an owner.
	forgetAfter = 48 * time.Hour

	forgetInterval = time.Hour

	// maxCachedOwners bounds the cached owners; others are read from the store.
	maxCachedOwners = 50_000

	storeTimeout = 5 * time.Second

	metricStoreFailures = "procession_store_failures"
)

// owners looks up the subjects that own personal queues. When the store fails, calls for these queues fail with Unavailable and the SDKs
// retry them.
type owners struct {
	store   Store
	cached  cache.Cache // by queueName: the owner, a string
	clock   func() time.Time
	logger  *slog.Logger
	metrics metrics.Handler

	stop    context.CancelFunc
	running sync.WaitGroup
}

func newOwners(o Options) *owners {
	return &owners{
		store: o.Store, cached: cache.New(maxCachedOwners, &cache.Options{TTL: renewInterval}),
		clock: o.Clock, logger: o.Logger, metrics: o.Metrics,
	}
}

// startForgetting periodically removes ownerships that were not renewed, until close.
func (w *owners) startForgetting(ctx context.Context) {
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	w.stop = stop
	w.running.Go(func() {
		due := time.NewTicker(forgetInterval)
		defer due.Stop()
		for {
			select {
			case <-background.Done():
				return
			case <-due.C:
				w.forgetOwners(background)
			}
		}
	})
}

func (w *owners) close() {
	w.stop()
	w.running.Wait()
}

func (w *owners) forgetOwners(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	if err := w.store.Forget(ctx, w.clock().Add(-forgetAfter)); err != nil {
		w.recordFailure(ctx, err)
	}
}

// checkOwners returns a denial if one of the queues of a request belongs to another subject, and an error if the store fails. With claims, the
// caller becomes the owner of queues without one.
func (w *owners) checkOwners(ctx context.Context, namespace string, who *caller, claims bool) (denial, error) {
	for _, queue := range who.personal {
		owner, err := w.findOwner(ctx, namespace, who.subject, queue, claims)
		switch {
		case errors.Is(err, ErrTooManyQueues):
			return denial{class: classQueue, reason: "the caller has too many sticky task queues"}, serviceerror.NewResourceExhausted(
				enums.RESOURCE_EXHAUSTED_CAUSE_CONCURRENT_LIMIT, "Request refused: the caller has too many sticky task queues.")
		case err != nil:
			w.recordFailure(ctx, err)
			return denial{}, serviceerror.NewUnavailable("The owners of task queues are unavailable.")
		case owner == "" && !queue.normal:
			return denial{class: classQueue, reason: "a normal task queue has the name of the sticky one"}, nil
		case owner != "" && owner != who.subject:
			return denial{class: classQueue, reason: "the task queue belongs to another subject, which named it first"}, nil
		}
	}
	return denial{}, nil
}

// findOwner returns the owner of a queue. With claims, the caller becomes the owner of a queue without one.
func (w *owners) findOwner(ctx context.Context, namespace, subject string, queue personalQueue, claims bool) (string, error) {
	key := queueName{namespace, queue.name}
	if queue.normal {
		subject = ""
	}
	if cached, ok := w.cached.Get(key).(string); ok && (cached == subject || !queue.normal) {
		return cached, nil
	}
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	if !claims {
		owner, known, err := w.store.Owner(ctx, namespace, queue.name)
		if err != nil || known {
			return owner, err
		}
		return subject, nil
	}
	claim := Claim{Namespace: namespace, Queue: queue.name, Subject: subject, At: w.clock()}
	owner, err := w.store.Claim(ctx, claim, maxQueues)
	if err != nil {
		return "", err
	}
	w.cached.Put(key, owner)
	return owner, nil
}

func (w *owners) recordFailure(ctx context.Context, err error) {
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return // the caller has gone
	}
	w.metrics.Counter(metricStoreFailures).Record(1)
	w.logger.ErrorContext(ctx, "owners of task queues unavailable", slog.String("error", err.Error()))
}
