// Package dispatch turns events into deliveries of webhooks and makes the first attempt at each.
package dispatch

import (
	"cmp"
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

	// concurrentAttempts bounds the concurrent attempts at all endpoints.
	concurrentAttempts = 2048
	// claimBatch bounds the deliveries that one exchange leases, and so the excess of a
	// tenant over its share.
	claimBatch = 256
	// concurrentHandovers bounds the workflows that are started concurrently: many
	// deliveries can fail at the same moment, and first attempts continue meanwhile.
	concurrentHandovers = 4
	// handoverInterval is the time between two polls for deliveries to hand over. It is
	// well below the first retry delay.
	handoverInterval = 250 * time.Millisecond
	// warnInterval is the minimum time between two log messages about failed attempts
	// and handovers, which come in bursts.
	warnInterval = 5 * time.Second
	// fanOutBatch is the number of events that one transaction turns into deliveries,
	// idleFanOutBatch the number without endpoints and therefore without deliveries.
	fanOutBatch     = 500
	idleFanOutBatch = 50_000
	// deliveryLease exceeds an attempt and the time until it is recorded. The deliveries
	// of a dead dispatcher become due again at its end.
	deliveryLease = 30 * time.Second
	// minInterval is the minimum time between two exchanges.
	minInterval = 20 * time.Millisecond
	// retrySoon is the pause before the next exchange after a commit: open earlier
	// transactions may hold back the new events. Each exchange without a result doubles
	// the pause, up to pollInterval.
	retrySoon = minInterval
	// pollInterval is the time between two polls for events of other replicas.
	pollInterval = time.Second
	// Results are gathered for gatherTime before they are written, so that many attempts
	// share one transaction.
	gatherTime = 3 * time.Millisecond
	// callTimeout bounds the start of a workflow.
	callTimeout = 6 * time.Second
	// drainTimeout bounds the last transaction of a stopping dispatcher.
	drainTimeout = 5 * time.Second
)

// Options configure a Dispatcher.
type Options struct {
	DB *persistence.DB
	// Attempt makes the first attempt at a delivery. An error means that no request was
	// sent; it does not count against the receiver.
	Attempt func(ctx context.Context, d *webhooks.DueDelivery) (domain.WebhookAttempt, error)
	// Retry starts the workflow that retries a delivery after its failed first attempt.
	// It may be called again for the same delivery.
	Retry func(ctx context.Context, d domain.WebhookDelivery) error
	// Wake notifies the dispatcher that events were recorded; nil for a signal of its own.
	Wake   loop.Signal
	Clock  func() time.Time
	Logger *slog.Logger
	// PerEndpoint limits the concurrent attempts at one endpoint; 0 is
	// DefaultPerEndpoint.
	PerEndpoint int
	// Drain bounds the attempts in flight when the dispatcher stops.
	Drain time.Duration
}

// Dispatcher turns the events in the event log into deliveries and makes the first
// attempt at each. Deliveries of one process to one endpoint are attempted one after
// the other in the order of the event log, others concurrently. Failed deliveries
// are handed over to a workflow.
//
// A failing endpoint gets one attempt at a time, and pauses between attempts after
// consecutive failures. Slow receivers of one tenant cannot exhaust the capacity for
// other tenants: a tenant gets at most as many slots as remain free.
//
// Several dispatchers may work on one database.
type Dispatcher struct {
	o       Options
	results chan deliveryResult

	// Used by the loop only. byEndpoint and byTenant count attempts in flight.
	byEndpoint map[uuid.UUID]int
	byTenant   map[uuid.UUID]int
	running    int
	handovers  int
	handoverAt time.Time
	failures   loop.FailureLog
	pause      time.Duration
	// idle is set while there are no endpoints: wake-ups are ignored until idleUntil.
	idle      bool
	idleUntil time.Time
	// pending contains endpoints with deliveries that may be due. The exchange at
	// scanAllAt scans for others, after the endpoint scanAllAfter.
	pending      map[uuid.UUID]bool
	scanAllAt    time.Time
	scanAllAfter uuid.UUID
	done         outcomes
}

// outcomes contains results that are not recorded yet.
type outcomes struct {
	attempted  []domain.WebhookAttempt
	handedOver []domain.WebhookDelivery
	released   []uuid.UUID
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
	o.DB, o.Wake = o.DB.Background(), cmp.Or(o.Wake, loop.NewSignal())
	return &Dispatcher{
		o: o, results: make(chan deliveryResult, concurrentAttempts+concurrentHandovers),
		pending: map[uuid.UUID]bool{}, byEndpoint: map[uuid.UUID]int{}, byTenant: map[uuid.UUID]int{}, pause: pollInterval,
		failures: loop.FailureLog{Logger: o.Logger, Clock: o.Clock, Interval: warnInterval},
	}
}

// Wake notifies the dispatcher that events were recorded or deliveries have to be
// made again. It never blocks.
func (d *Dispatcher) Wake() { d.o.Wake.Wake() }

// Run works until ctx ends and all attempts in flight are recorded. It must not be
// called twice.
func (d *Dispatcher) Run(ctx context.Context) {
	// Attempts in flight outlive ctx, for at most the drain time.
	attempts, cancelAttempts := context.WithCancel(context.WithoutCancel(ctx))
	defer cancelAttempts()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(d.o.Drain, cancelAttempts) })()
	l := loop.Loop[deliveryResult]{
		Step: func(ctx context.Context) time.Duration {
			if d.idle && d.o.Clock().Before(d.idleUntil) {
				return d.idleUntil.Sub(d.o.Clock())
			}
			d.exchangeDeliveries(ctx, attempts)
			return d.pause
		},
		Wake: d.o.Wake, OnWake: func() { d.pause = retrySoon },
		Results: d.results, OnResult: func(r deliveryResult) { d.recordResult(ctx, r) },
		GatherTime: func() time.Duration { return gatherTime }, MinInterval: minInterval,
	}
	l.Run(ctx)
	d.finishAttempts(ctx)
}

// exchangeDeliveries records outcomes and starts the next deliveries. While the
// database is unavailable, it keeps the outcomes for the next exchange.
func (d *Dispatcher) exchangeDeliveries(ctx, attempts context.Context) {
	e := d.nextExchange()
	due, err := webhooks.ExchangeDeliveries(ctx, d.o.DB, e)
	if err != nil {
		if ctx.Err() == nil {
			d.o.Logger.ErrorContext(ctx, "exchanging webhook deliveries failed", slog.Any("error", err))
		}
		d.pause = pollInterval
		return
	}
	d.done = outcomes{}
	if len(due.Handovers) < e.Handovers {
		d.handoverAt = e.Now.Add(handoverInterval)
	}
	if e.ScanAll {
		d.scanAllAt, d.scanAllAfter = e.Now.Add(pollInterval), due.ScanAfter
	}
	if e.Limit > 0 {
		clear(d.pending)
	}
	d.idle, d.idleUntil = !due.Endpoints, e.Now.Add(pollInterval)
	for _, endpoint := range due.CatchingUp {
		d.pending[endpoint] = true
	}
	for _, lost := range due.Lost {
		d.o.Logger.WarnContext(ctx, "events were removed before they were delivered to a webhook endpoint",
			slog.String("subscription", lost.String()))
	}
	d.startDeliveries(attempts, due)
	switch {
	case due.FannedOut > 0 || len(due.FirstAttempts) > 0 || len(due.CatchingUp) > 0:
		d.pause = retrySoon
	case d.pause < pollInterval:
		d.pause = min(2*d.pause, pollInterval)
	}
}

// nextExchange returns the input of the next exchange.
func (d *Dispatcher) nextExchange() webhooks.DeliveryExchange {
	now := d.o.Clock()
	e := webhooks.DeliveryExchange{
		Attempted: d.done.attempted, HandedOver: d.done.handedOver, Released: d.done.released,
		FanOut: fanOutBatch, PerEndpoint: d.o.PerEndpoint, Limit: min(concurrentAttempts-d.running, claimBatch),
		InFlight: d.byEndpoint, SaturatedTenants: d.saturatedTenants(), Endpoints: slices.Collect(maps.Keys(d.pending)),
		ScanAll: !now.Before(d.scanAllAt), ScanAfter: d.scanAllAfter,
		Now: now, LeaseUntil: now.Add(deliveryLease),
	}
	if d.idle {
		e.FanOut = idleFanOutBatch
	}
	if !now.Before(d.handoverAt) {
		e.Handovers = concurrentHandovers - d.handovers
	}
	return e
}

// startDeliveries starts the leased first attempts and handovers.
func (d *Dispatcher) startDeliveries(ctx context.Context, due *webhooks.Deliveries) {
	for i := range due.FirstAttempts {
		first := &due.FirstAttempts[i]
		d.running++
		d.byEndpoint[first.SubscriptionID]++
		d.byTenant[first.TenantID]++
		// The limits may have left further deliveries.
		d.pending[first.SubscriptionID] = true
		go d.runAttempt(ctx, first)
	}
	for _, failed := range due.Handovers {
		d.handovers++
		go d.runHandover(ctx, failed)
	}
}

// saturatedTenants returns the tenants with as many deliveries in flight as there are free
// slots. So one tenant can use a half, two a third each, and some slots always stay
// free.
func (d *Dispatcher) saturatedTenants() []uuid.UUID {
	var saturated []uuid.UUID
	for tenant, n := range d.byTenant {
		if n >= concurrentAttempts-d.running {
			saturated = append(saturated, tenant)
		}
	}
	return saturated
}

func (d *Dispatcher) runAttempt(ctx context.Context, due *webhooks.DueDelivery) {
	r := deliveryResult{delivery: due.WebhookDelivery}
	r.attempt, r.err = d.o.Attempt(ctx, due)
	d.results <- r
}

func (d *Dispatcher) runHandover(ctx context.Context, delivery domain.WebhookDelivery) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	d.results <- deliveryResult{delivery: delivery, handover: true, err: d.o.Retry(ctx, delivery)}
}

// recordResult keeps an outcome for the next exchange. A delivery without an attempt is
// due again when its lease ends.
func (d *Dispatcher) recordResult(ctx context.Context, r deliveryResult) {
	if r.err != nil {
		d.failures.Record(ctx, "webhook delivery is delayed", r.err, slog.String("delivery", r.delivery.ID.String()),
			slog.Bool("handover", r.handover))
	}
	if r.handover {
		d.handovers--
		if r.err == nil {
			d.done.handedOver = append(d.done.handedOver, r.delivery)
		}
		return
	}
	d.running--
	d.pending[r.delivery.SubscriptionID] = true
	decrementCount(d.byEndpoint, r.delivery.SubscriptionID)
	decrementCount(d.byTenant, r.delivery.TenantID)
	switch {
	case r.err == nil:
		d.done.attempted = append(d.done.attempted, r.attempt)
	case ctx.Err() != nil:
		// Later deliveries of the process need not wait for the end of the lease.
		d.done.released = append(d.done.released, r.delivery.ID)
	}
}

func decrementCount(counts map[uuid.UUID]int, id uuid.UUID) {
	counts[id]--
	if counts[id] <= 0 {
		delete(counts, id)
	}
}

// finishAttempts waits for the attempts in flight and records their outcomes.
func (d *Dispatcher) finishAttempts(ctx context.Context) {
	for d.running+d.handovers > 0 {
		d.recordResult(ctx, <-d.results)
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTimeout)
	defer cancel()
	_, err := webhooks.ExchangeDeliveries(last, d.o.DB, webhooks.DeliveryExchange{
		Attempted: d.done.attempted, HandedOver: d.done.handedOver, Released: d.done.released, Now: d.o.Clock(),
	})
	if err != nil {
		// The deliveries are attempted again when their leases end.
		d.o.Logger.ErrorContext(ctx, "recording the last outcomes of webhook deliveries failed", slog.Any("error", err))
	}
}
