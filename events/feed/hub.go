package feed

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/internal/loop"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/events"
)

const (
	// DefaultPerPrincipal is the default limit of concurrent subscriptions of a
	// principal at a replica.
	DefaultPerPrincipal = 10
	// pollInterval is how soon new events are found without a notification.
	pollInterval = time.Second
	// pendingInterval is the pause before the next look for events that wait for
	// other transactions to end; it doubles each time up to pollInterval.
	pendingInterval = 10 * time.Millisecond
	// lookInterval is the least time between two looks, of which the first is made at
	// once.
	lookInterval = 20 * time.Millisecond
	// newsInterval is the least time between two wake-ups of one follower, of which the
	// first comes at once. It bounds how often a stream reads the log.
	newsInterval = 250 * time.Millisecond
	// lookAt is how many new events are read at a time.
	lookAt = 1000
)

// Options configure a Hub.
type Options struct {
	DB     *persistence.DB
	Logger *slog.Logger
	// Heard is called when a replica, which may be this one, notifies of new events. It
	// must not block, and may be nil.
	Heard func()
	// PerPrincipal limits the concurrent subscriptions of a principal; 0 is
	// DefaultPerPrincipal.
	PerPrincipal int
}

// Hub watches the event log for all followers at this replica. It listens on one
// connection, reads the log once for all subscriptions, and wakes those whose
// tenants have new public events. Without subscriptions it does not read. It is safe
// for concurrent use.
type Hub struct {
	o    Options
	wake loop.Signal

	mu            sync.Mutex
	draining      chan struct{}
	drained       bool
	subscriptions map[*Subscription]struct{}
	perPrincipal  map[uuid.UUID]int
}

// NewHub returns a Hub that is started with Run.
func NewHub(o Options) *Hub {
	if o.PerPrincipal == 0 {
		o.PerPrincipal = DefaultPerPrincipal
	}
	return &Hub{
		o: o, wake: loop.NewSignal(), draining: make(chan struct{}),
		subscriptions: map[*Subscription]struct{}{}, perPrincipal: map[uuid.UUID]int{},
	}
}

// Subscription delivers wake-ups to one follower of the event log.
type Subscription struct {
	hub       *Hub
	principal uuid.UUID
	tenants   map[uuid.UUID]bool
	news      loop.Signal
	// resting is set while the follower may not be woken again, late when it is to be
	// woken afterwards.
	resting, late bool
}

// Subscribe returns a subscription that is woken by new public events of the
// tenants, until Close. It fails with RATE_LIMITED when the principal has as many
// subscriptions as it may have, and with UNAVAILABLE after Drain.
func (h *Hub) Subscribe(principal uuid.UUID, tenants []uuid.UUID) (*Subscription, error) {
	of := make(map[uuid.UUID]bool, len(tenants))
	for _, id := range tenants {
		of[id] = true
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.drained {
		return nil, &domain.Error{
			Kind: domain.KindUnavailable, Code: domain.CodeUnavailable, Message: "the service is stopping",
		}
	}
	if h.perPrincipal[principal] >= h.o.PerPrincipal {
		return nil, &domain.Error{
			Kind: domain.KindRateLimited, Code: domain.CodeRateLimited,
			Message: fmt.Sprintf("too many open event streams (at most %d)", h.o.PerPrincipal),
		}
	}
	h.perPrincipal[principal]++
	s := &Subscription{hub: h, principal: principal, tenants: of, news: loop.NewSignal()}
	h.subscriptions[s] = struct{}{}
	// The hub may not be reading.
	h.wake.Wake()
	return s, nil
}

// News returns a channel that receives a value when there may be new events;
// several wake-ups may be merged into one.
func (s *Subscription) News() <-chan struct{} { return s.news }

// Draining returns a channel that is closed when the replica is about to stop.
func (s *Subscription) Draining() <-chan struct{} { return s.hub.draining }

// Close ends the subscription. It must be called once.
func (s *Subscription) Close() {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	delete(s.hub.subscriptions, s)
	if s.hub.perPrincipal[s.principal]--; s.hub.perPrincipal[s.principal] == 0 {
		delete(s.hub.perPrincipal, s.principal)
	}
}

// Count returns the number of open subscriptions.
func (h *Hub) Count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.subscriptions)
}

// Drain ends all subscriptions and refuses new ones.
func (h *Hub) Drain() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.drained {
		h.drained = true
		close(h.draining)
	}
}

// Wake notifies the hub that there are new events. It never blocks.
func (h *Hub) Wake() { h.wake.Wake() }

// Run watches the event log until ctx ends. Without it, and while the database
// cannot be used, no subscriber is woken.
func (h *Hub) Run(ctx context.Context) {
	var listening sync.WaitGroup
	listening.Go(func() { h.listen(ctx) })
	defer listening.Wait()
	w := watch{hub: h, pending: pendingInterval}
	// Events that are recorded during the pause are found by the next look.
	l := loop.Loop[struct{}]{Step: w.look, Wake: h.wake, Rest: lookInterval}
	l.Run(ctx)
}

// listen wakes the watch when a replica notifies of new events. While LISTEN
// fails, the watch finds them by polling.
func (h *Hub) listen(ctx context.Context) {
	for ctx.Err() == nil {
		err := h.o.DB.ReceiveEventSignals(ctx, h.heard, h.heard)
		if ctx.Err() != nil {
			return
		}
		h.o.Logger.WarnContext(ctx, "LISTEN failed; new events are found by polling", slog.Any("error", err))
		loop.Sleep(ctx, reconnectAfter)
	}
}

// heard follows a notification, of which one may be lost before listening begins.
func (h *Hub) heard() {
	h.Wake()
	if h.o.Heard != nil {
		h.o.Heard()
	}
}

// watch is the position up to which the event log has been read.
type watch struct {
	hub     *Hub
	at      domain.EventCursor
	placed  bool
	pending time.Duration
}

// look wakes the subscriptions that have new events and returns the time until
// the next look, unless it is woken earlier.
func (w *watch) look(ctx context.Context) time.Duration {
	if w.hub.Count() == 0 {
		w.placed = false
		return pollInterval
	}
	var found events.News
	var err error
	if w.placed {
		found, err = events.ListNew(ctx, w.hub.o.DB.Background().Reader(), w.at, lookAt)
	} else {
		found.Next, err = events.End(ctx, w.hub.o.DB.Background().Reader())
	}
	if err != nil {
		if ctx.Err() == nil {
			w.hub.o.Logger.WarnContext(ctx, "reading new events failed", slog.Any("error", err))
		}
		return pollInterval
	}
	w.at = found.Next
	if !w.placed {
		// Earlier subscribers may not have read this far.
		w.placed = true
		w.hub.notify(nil)
		return pollInterval
	}
	w.hub.notify(found.Tenants)
	switch {
	case found.More:
		return 0
	case !found.Pending:
		w.pending = pendingInterval
		return pollInterval
	case len(found.Tenants) > 0:
		w.pending = pendingInterval
	default:
		w.pending = min(2*w.pending, pollInterval)
	}
	return w.pending
}

// notify wakes the subscriptions to one of the tenants; nil is every tenant.
func (h *Hub) notify(tenants map[uuid.UUID]bool) {
	if tenants != nil && len(tenants) == 0 {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.subscriptions {
		if s.concerned(tenants) {
			s.notify()
		}
	}
}

// notify wakes the follower, now or when it may be woken again. The hub is locked.
func (s *Subscription) notify() {
	if s.resting {
		s.late = true
		return
	}
	s.resting = true
	s.news.Wake()
	time.AfterFunc(newsInterval, func() {
		s.hub.mu.Lock()
		defer s.hub.mu.Unlock()
		s.resting = false
		if s.late {
			s.late = false
			s.notify()
		}
	})
}

func (s *Subscription) concerned(tenants map[uuid.UUID]bool) bool {
	if tenants == nil {
		return true
	}
	for tenant := range tenants {
		if s.tenants[tenant] {
			return true
		}
	}
	return false
}
