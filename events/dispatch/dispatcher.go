// Package dispatch turns events into deliveries of webhooks and makes the first attempt at each.
package dispatch

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/internal/loop"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/webhooks"
)

const (
	// DefaultPerEndpoint is the default limit of concurrent attempts at one
	// endpoint.
	DefaultPerEndpoint = 4

	// deliveriesAtOnce bounds the concurrent attempts at all endpoints.
	deliveriesAtOnce = 2048
	// deliveryBatch bounds the deliveries that are leased at a time, which is how
	// far a tenant can exceed its share.
	deliveryBatch = 256
	// handoversAtOnce bounds the workflows that are started concurrently: many
	// deliveries can fail at the same moment, and first attempts go on meanwhile.
	handoversAtOnce = 4
	// handoverInterval is how often the dispatcher looks for deliveries that a
	// workflow has to take over. It is well below the first step of the retries.
	handoverInterval = 250 * time.Millisecond
	// warnInterval is the least time between two log messages about held-up
	// deliveries: when one is held up, many are.
	warnInterval = 5 * time.Second
	// fanOutBatch is how many events are turned into deliveries in one transaction.
	fanOutBatch = 500
	// deliveryLease outlasts an attempt and the time until it is recorded. The
	// deliveries of a dispatcher that died become due again when it ends.
	deliveryLease = 30 * time.Second
	// idleFanOutBatch is fanOutBatch while there are no endpoints, and so no
	// deliveries.
	idleFanOutBatch = 50_000
	// rest is the least time between two exchanges, of which the first follows a
	// wake-up at once.
	rest = 20 * time.Millisecond
	// soon is the pause before the next look after a commit: earlier transactions
	// that are still open may hold the new events back for a moment. Each look that
	// finds nothing doubles it, up to pollInterval.
	soon = rest
	// pollInterval is how soon events of other replicas are found.
	pollInterval = time.Second
	// gatherFor is how long results are gathered before they are written, so that
	// many attempts share one transaction.
	gatherFor = 3 * time.Millisecond
	// callTime bounds the start of a workflow.
	callTime = 6 * time.Second
	// finishTime bounds the last transaction of a stopping dispatcher.
	finishTime = 5 * time.Second
)

// Options configure a Dispatcher.
type Options struct {
	DB *persistence.DB
	// Attempt makes the first attempt at a delivery. An error means that the request
	// was never sent, which says nothing about the receiver.
	Attempt func(ctx context.Context, d *webhooks.DueDelivery) (domain.WebhookAttempt, error)
	// Retry starts the workflow that retries a delivery whose first attempt failed.
	// It may be called again for the same delivery.
	Retry  func(ctx context.Context, d domain.WebhookDelivery) error
	Clock  func() time.Time
	Logger *slog.Logger
	// PerEndpoint limits the concurrent attempts at one endpoint; 0 is
	// DefaultPerEndpoint.
	PerEndpoint int
	// Drain is how long attempts under way may take to end when the dispatcher
	// stops.
	Drain time.Duration
}

// Dispatcher turns the events in the ledger into deliveries and makes the first
// attempt at each. Deliveries of one process to one endpoint are made one after
// the other in the order of the ledger, others concurrently. Failed deliveries
// are handed over to a workflow.
//
// A failing endpoint gets one attempt at a time, and after some failures in a row
// pauses between attempts. Slow receivers of one tenant cannot use up the
// capacity for other tenants: a tenant gets at most as much as is left free.
//
// Several dispatchers may work on one database.
type Dispatcher struct {
	o       Options
	wake    loop.Signal
	results chan deliveryResult

	// Used by the loop only.
	busy       map[uuid.UUID]int
	ofTenants  map[uuid.UUID]int
	running    int
	handing    int
	handoverAt time.Time
	warnedAt   time.Time
	pause      time.Duration
	// idle is set while there are no endpoints: wake-ups are in vain until idleUntil.
	idle      bool
	idleUntil time.Time
	// waiting are endpoints with deliveries that may be due. Others are found by leaps,
	// from leapAt on, after leapAfter.
	waiting   map[uuid.UUID]bool
	leapAt    time.Time
	leapAfter uuid.UUID
	outcome   webhooks.DeliveryExchange
}

// deliveryResult is the outcome of an attempt or of a handover.
type deliveryResult struct {
	delivery domain.WebhookDelivery
	attempt  domain.WebhookAttempt
	handover bool
	err      error
}

// New returns a Dispatcher that is started with Run.
func New(o Options) *Dispatcher {
	if o.PerEndpoint == 0 {
		o.PerEndpoint = DefaultPerEndpoint
	}
	o.DB = o.DB.Background()
	return &Dispatcher{
		o: o, wake: loop.NewSignal(), results: make(chan deliveryResult, deliveriesAtOnce+handoversAtOnce),
		waiting: map[uuid.UUID]bool{}, busy: map[uuid.UUID]int{}, ofTenants: map[uuid.UUID]int{}, pause: pollInterval,
	}
}

// Wake notifies the dispatcher that events were recorded or deliveries have to be
// made again. It never blocks.
func (d *Dispatcher) Wake() { d.wake.Wake() }

// Run works until ctx ends and all attempts that were begun have ended and are
// recorded. It must not be called twice.
func (d *Dispatcher) Run(ctx context.Context) {
	// Attempts under way outlive ctx, for at most the drain time.
	lasting, giveUp := context.WithCancel(context.WithoutCancel(ctx))
	defer giveUp()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(d.o.Drain, giveUp) })()
	l := loop.Loop[deliveryResult]{
		Step: func(ctx context.Context) time.Duration {
			if d.idle && d.o.Clock().Before(d.idleUntil) {
				return d.idleUntil.Sub(d.o.Clock())
			}
			d.exchange(ctx, lasting)
			return d.pause
		},
		Wake: d.wake, Woken: func() { d.pause = soon },
		Results: d.results, Note: func(r deliveryResult) { d.note(ctx, r) },
		Gather: func() time.Duration { return gatherFor }, Rest: rest,
	}
	l.Run(ctx)
	d.finish(ctx)
}

// exchange records outcomes and begins the next deliveries. While the database
// cannot be used, the outcomes are kept for the next exchange.
func (d *Dispatcher) exchange(ctx, lasting context.Context) {
	now := d.o.Clock()
	d.outcome.Now, d.outcome.LeaseUntil = now, now.Add(deliveryLease)
	d.outcome.FanOut, d.outcome.PerEndpoint = fanOutBatch, d.o.PerEndpoint
	if d.idle {
		d.outcome.FanOut = idleFanOutBatch
	}
	d.outcome.Limit = min(deliveriesAtOnce-d.running, deliveryBatch)
	d.outcome.Busy, d.outcome.Full = d.busy, d.full()
	d.outcome.Endpoints = slices.Collect(maps.Keys(d.waiting))
	d.outcome.Leap, d.outcome.LeapAfter = !now.Before(d.leapAt), d.leapAfter
	d.outcome.Handovers = 0
	if !now.Before(d.handoverAt) {
		d.outcome.Handovers = handoversAtOnce - d.handing
	}
	due, err := webhooks.ExchangeDeliveries(ctx, d.o.DB, d.outcome)
	if err != nil {
		if ctx.Err() == nil {
			d.o.Logger.ErrorContext(ctx, "webhook dispatcher cannot use the database", slog.Any("error", err))
		}
		d.pause = pollInterval
		return
	}
	if len(due.Handovers) < d.outcome.Handovers {
		d.handoverAt = now.Add(handoverInterval)
	}
	if d.outcome.Leap {
		d.leapAt, d.leapAfter = now.Add(pollInterval), due.LeapAfter
	}
	if d.outcome.Limit > 0 {
		clear(d.waiting)
	}
	d.outcome = webhooks.DeliveryExchange{}
	d.idle, d.idleUntil = !due.Endpoints, now.Add(pollInterval)
	for _, behind := range due.Behind {
		d.waiting[behind] = true
	}
	for _, lost := range due.Lost {
		d.o.Logger.WarnContext(ctx, "events were removed before they were delivered to a webhook endpoint",
			slog.String("subscription", lost.String()))
	}
	for i := range due.FirstAttempts {
		first := &due.FirstAttempts[i]
		d.running++
		d.busy[first.SubscriptionID]++
		// There may be more than the limits allow.
		d.waiting[first.SubscriptionID] = true
		d.ofTenants[first.TenantID]++
		go d.attempt(lasting, first)
	}
	for _, failed := range due.Handovers {
		d.handing++
		go d.handOver(lasting, failed)
	}
	switch {
	case due.FannedOut > 0 || len(due.FirstAttempts) > 0 || len(due.Behind) > 0:
		d.pause = soon
	case d.pause < pollInterval:
		d.pause = min(2*d.pause, pollInterval)
	}
}

// full returns the tenants that have as many deliveries under way as slots are
// left for all others. So one tenant can take a half, two a third each, and some
// slots always stay free.
func (d *Dispatcher) full() []uuid.UUID {
	var full []uuid.UUID
	for tenant, n := range d.ofTenants {
		if n >= deliveriesAtOnce-d.running {
			full = append(full, tenant)
		}
	}
	return full
}

func (d *Dispatcher) attempt(ctx context.Context, due *webhooks.DueDelivery) {
	r := deliveryResult{delivery: due.WebhookDelivery}
	r.attempt, r.err = d.o.Attempt(ctx, due)
	d.results <- r
}

func (d *Dispatcher) handOver(ctx context.Context, delivery domain.WebhookDelivery) {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	d.results <- deliveryResult{delivery: delivery, handover: true, err: d.o.Retry(ctx, delivery)}
}

// note keeps an outcome for the next exchange. A delivery that could not be
// attempted is due again when its lease ends.
func (d *Dispatcher) note(ctx context.Context, r deliveryResult) {
	if now := d.o.Clock(); r.err != nil && ctx.Err() == nil && now.Sub(d.warnedAt) > warnInterval {
		d.warnedAt = now
		d.o.Logger.WarnContext(ctx, "webhook delivery is held up", slog.String("delivery", r.delivery.ID.String()),
			slog.Bool("handover", r.handover), slog.Any("error", r.err))
	}
	if r.handover {
		d.handing--
		if r.err == nil {
			d.outcome.HandedOver = append(d.outcome.HandedOver, r.delivery)
		}
		return
	}
	d.running--
	d.waiting[r.delivery.SubscriptionID] = true
	release(d.busy, r.delivery.SubscriptionID)
	release(d.ofTenants, r.delivery.TenantID)
	switch {
	case r.err == nil:
		d.outcome.Attempted = append(d.outcome.Attempted, r.attempt)
	case ctx.Err() != nil:
		// Other deliveries need not wait for it.
		d.outcome.Released = append(d.outcome.Released, r.delivery.ID)
	}
}

func release(counts map[uuid.UUID]int, id uuid.UUID) {
	counts[id]--
	if counts[id] <= 0 {
		delete(counts, id)
	}
}

// finish waits for attempts under way and records their outcomes.
func (d *Dispatcher) finish(ctx context.Context) {
	for d.running+d.handing > 0 {
		d.note(ctx, <-d.results)
	}
	lasting, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishTime)
	defer cancel()
	d.outcome.FanOut, d.outcome.Limit, d.outcome.Handovers, d.outcome.Now = 0, 0, 0, d.o.Clock()
	if _, err := webhooks.ExchangeDeliveries(lasting, d.o.DB, d.outcome); err != nil {
		// Nothing is lost: the deliveries are attempted again when their leases end.
		d.o.Logger.ErrorContext(ctx, "webhook dispatcher could not record its last outcomes", slog.Any("error", err))
	}
}
