package outbox

import (
	"context"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/internal/loop"
	"github.com/procession-dev/procession/persistence"
)

const (
	// DefaultPerEndpoint is how many deliveries are on their way to one endpoint at
	// once.
	DefaultPerEndpoint = 4

	// deliveriesAtOnce bounds all that is under way.
	deliveriesAtOnce = 2048
	// deliveryBatch bounds what is taken out at a time, which is how far a tenant can
	// get beyond its share.
	deliveryBatch = 256
	// handoversAtOnce bounds the workflows that are being started: many deliveries can
	// fail at the same moment, and first attempts go on meanwhile.
	handoversAtOnce = 4
	// handoverInterval is how often deliveries are looked for that a workflow is to
	// take over. It is well below the first step of the retries.
	handoverInterval = 250 * time.Millisecond
	// tellInterval is how often the log is told that something is held up: when one
	// thing is, many are.
	tellInterval = 5 * time.Second
	// fanOutBatch is how many events are made deliveries of in one transaction.
	fanOutBatch = 500
	// deliveryLease outlasts an attempt and the time until it is recorded. A
	// dispatcher that died lets go of its deliveries by then.
	deliveryLease = 30 * time.Second
	// soon is when to look again after something was committed: transactions that
	// began before may hold back what it recorded for a moment. Each look that finds
	// nothing doubles it, up to pollInterval.
	soon = 5 * time.Millisecond
)

// DeliveryOptions are what a Dispatcher is made of.
type DeliveryOptions struct {
	DB *persistence.DB
	// Attempt makes the first attempt at a delivery. An error means that there was
	// none to speak of, which says nothing about the receiver.
	Attempt func(ctx context.Context, d *persistence.DueDelivery) (domain.WebhookAttempt, error)
	// Retry has a workflow take over a delivery whose first attempt failed. It may
	// be called again for the same one.
	Retry  func(ctx context.Context, d domain.WebhookDelivery) error
	Clock  func() time.Time
	Logger *slog.Logger
	// PerEndpoint is how many deliveries are on their way to one endpoint at once;
	// 0 is DefaultPerEndpoint.
	PerEndpoint int
	// Drain is how long attempts that are under way may take to end when the
	// dispatcher is to stop.
	Drain time.Duration
}

// Dispatcher makes deliveries of the events in the ledger and makes the first
// attempt at each: of one process and endpoint one after the other in the order
// of the ledger, others at the same time. What fails is handed over to a
// workflow.
//
// An endpoint that is failing has one attempt under way at a time, and after some
// failures in a row pauses between them. However slow
// the receivers of some tenants are, there is room for those of others: a tenant
// gets no more than is left free.
//
// Several dispatchers may work on one database.
type Dispatcher struct {
	o       DeliveryOptions
	wake    loop.Signal
	results chan deliveryResult

	// Of the loop alone.
	busy       map[uuid.UUID]int
	ofTenants  map[uuid.UUID]int
	running    int
	handing    int
	handoverAt time.Time
	toldAt     time.Time
	pause      time.Duration
	outcome    persistence.DeliveryExchange
}

// deliveryResult is what came of an attempt or of a handover.
type deliveryResult struct {
	delivery domain.WebhookDelivery
	attempt  domain.WebhookAttempt
	handover bool
	err      error
}

// NewDispatcher makes a Dispatcher. Run makes it work.
func NewDispatcher(o DeliveryOptions) *Dispatcher {
	if o.PerEndpoint == 0 {
		o.PerEndpoint = DefaultPerEndpoint
	}
	o.DB = o.DB.Background()
	return &Dispatcher{
		o: o, wake: loop.NewSignal(), results: make(chan deliveryResult, deliveriesAtOnce+handoversAtOnce),
		busy: map[uuid.UUID]int{}, ofTenants: map[uuid.UUID]int{}, pause: pollInterval,
	}
}

// Wake tells the dispatcher that events were recorded, or deliveries are to be
// made again. It never blocks.
func (d *Dispatcher) Wake() { d.wake.Wake() }

// Run works until ctx ends and all attempts that were begun have ended and are
// recorded. It must not be called twice.
func (d *Dispatcher) Run(ctx context.Context) {
	// What was begun is finished even when the dispatcher is to stop, if it can be
	// in time.
	lasting, giveUp := context.WithCancel(context.WithoutCancel(ctx))
	defer giveUp()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(d.o.Drain, giveUp) })()
	l := loop.Loop[deliveryResult]{
		Step: func(ctx context.Context) time.Duration {
			d.exchange(ctx, lasting)
			return d.pause
		},
		Wake: d.wake, Woken: func() { d.pause = soon },
		Results: d.results, Note: func(r deliveryResult) { d.note(ctx, r) },
		Gather: func() time.Duration { return gatherFor },
	}
	l.Run(ctx)
	d.finish(ctx)
}

// exchange records what was done and begins what is to be done next. When the
// database cannot be used, the outcomes are kept for the next time.
func (d *Dispatcher) exchange(ctx, lasting context.Context) {
	now := d.o.Clock()
	d.outcome.Now, d.outcome.LeaseUntil = now, now.Add(deliveryLease)
	d.outcome.FanOut, d.outcome.PerEndpoint = fanOutBatch, d.o.PerEndpoint
	d.outcome.Limit = min(deliveriesAtOnce-d.running, deliveryBatch)
	d.outcome.Busy, d.outcome.Full = d.busy, d.full()
	d.outcome.Handovers = 0
	if !now.Before(d.handoverAt) {
		d.outcome.Handovers = handoversAtOnce - d.handing
	}
	due, err := d.o.DB.ExchangeDeliveries(ctx, d.outcome)
	if err != nil {
		if ctx.Err() == nil {
			d.o.Logger.ErrorContext(ctx, "webhook deliveries cannot use the database", slog.Any("error", err))
		}
		d.pause = pollInterval
		return
	}
	if len(due.Handovers) < d.outcome.Handovers {
		d.handoverAt = now.Add(handoverInterval)
	}
	d.outcome = persistence.DeliveryExchange{}
	for i := range due.FirstAttempts {
		first := &due.FirstAttempts[i]
		d.running++
		d.busy[first.SubscriptionID]++
		d.ofTenants[first.TenantID]++
		go d.attempt(lasting, first)
	}
	for _, failed := range due.Handovers {
		d.handing++
		go d.handOver(lasting, failed)
	}
	switch {
	case due.FannedOut > 0 || len(due.FirstAttempts) > 0:
		d.pause = soon
	case d.pause < pollInterval:
		d.pause = min(2*d.pause, pollInterval)
	}
}

// full are the tenants that have as much under way as is left for all others. So
// one tenant can take a half, two a third each, and there is always some left.
func (d *Dispatcher) full() []uuid.UUID {
	var full []uuid.UUID
	for tenant, n := range d.ofTenants {
		if n >= deliveriesAtOnce-d.running {
			full = append(full, tenant)
		}
	}
	return full
}

func (d *Dispatcher) attempt(ctx context.Context, due *persistence.DueDelivery) {
	r := deliveryResult{delivery: due.WebhookDelivery}
	r.attempt, r.err = d.o.Attempt(ctx, due)
	d.results <- r
}

func (d *Dispatcher) handOver(ctx context.Context, delivery domain.WebhookDelivery) {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	d.results <- deliveryResult{delivery: delivery, handover: true, err: d.o.Retry(ctx, delivery)}
}

// note keeps an outcome for the next exchange. What came to nothing is tried again
// when the lease ends.
func (d *Dispatcher) note(ctx context.Context, r deliveryResult) {
	if now := d.o.Clock(); r.err != nil && ctx.Err() == nil && now.Sub(d.toldAt) > tellInterval {
		d.toldAt = now
		d.o.Logger.WarnContext(ctx, "a webhook delivery is held up", slog.String("delivery", r.delivery.ID.String()),
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
	release(d.busy, r.delivery.SubscriptionID)
	release(d.ofTenants, r.delivery.TenantID)
	switch {
	case r.err == nil:
		d.outcome.Attempted = append(d.outcome.Attempted, r.attempt)
	case ctx.Err() != nil:
		// Others need not wait for it.
		d.outcome.Released = append(d.outcome.Released, r.delivery.ID)
	}
}

func release(counts map[uuid.UUID]int, id uuid.UUID) {
	counts[id]--
	if counts[id] <= 0 {
		delete(counts, id)
	}
}

// finish waits for what was begun and records it.
func (d *Dispatcher) finish(ctx context.Context) {
	for d.running+d.handing > 0 {
		d.note(ctx, <-d.results)
	}
	lasting, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishTime)
	defer cancel()
	d.outcome.FanOut, d.outcome.Limit, d.outcome.Handovers, d.outcome.Now = 0, 0, 0, d.o.Clock()
	if _, err := d.o.DB.ExchangeDeliveries(lasting, d.outcome); err != nil {
		// Nothing is lost: the deliveries are attempted again when their leases end.
		d.o.Logger.ErrorContext(ctx, "webhook deliveries could not record what they did last", slog.Any("error", err))
	}
}
