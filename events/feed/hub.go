package feed

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
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
	// pollInterval is the time between two scans without a notification.
	pollInterval = time.Second
	// pendingInterval is the pause before the next scan while events wait for other
	// transactions. It doubles each time, up to pollInterval.
	pendingInterval = 10 * time.Millisecond
	// scanInterval is the minimum time between two scans.
	scanInterval = 20 * time.Millisecond
	// wakeInterval is the minimum time between two wake-ups of one follower. It bounds
	// the reads of a stream.
	wakeInterval = 250 * time.Millisecond
	// scanBatch is the number of events that one scan reads.
	scanBatch = 1000
	// maxSubjects bounds the processes that a subscription remembers until its follower takes them.
	maxSubjects = 64
)

// Options configure a Hub.
type Options struct {
	DB     *persistence.DB
	Logger *slog.Logger
	// OnNotification is called when any replica notifies of new events. It must not
	// block, and may be nil.
	OnNotification func()
	// PerPrincipal limits the concurrent subscriptions of a principal; 0 is
	// DefaultPerPrincipal.
	PerPrincipal int
}

// Hub watches the event log for all followers at this replica. It listens on one
// connection, reads the log once for all subscriptions, and wakes the subscriptions to
// tenants with new events of domain.NewsEventTypes. Without subscriptions it does not read. It is safe
// for concurrent use.
type Hub struct {
	o     Options
	wake  loop.Signal
	bells loop.Signal

	mu            sync.Mutex
	draining      chan struct{}
	drained       bool
	subscriptions map[*Subscription]struct{}
	// byTenant contains the subscriptions of each tenant.
	byTenant     map[uuid.UUID]map[*Subscription]struct{}
	perPrincipal map[uuid.UUID]int
}

// NewHub returns a Hub that is started with Run.
func NewHub(o Options) *Hub {
	if o.PerPrincipal == 0 {
		o.PerPrincipal = DefaultPerPrincipal
	}
	return &Hub{
		o: o, wake: loop.NewSignal(), bells: loop.NewSignal(), draining: make(chan struct{}),
		subscriptions: map[*Subscription]struct{}{}, byTenant: map[uuid.UUID]map[*Subscription]struct{}{},
		perPrincipal: map[uuid.UUID]int{},
	}
}

// Subscription delivers wake-ups to a follower of the event log.
type Subscription struct {
	hub       *Hub
	principal uuid.UUID
	tenants   []uuid.UUID
	wake      loop.Signal
	bell      loop.Signal
	// subjects are the processes with news, uuid.Nil for news about none. It is nil if there may be news about any.
	subjects map[uuid.UUID]bool
	// resting is set for wakeInterval after a wake-up, wakePending when another one is
	// due then.
	resting, wakePending bool
}

// Subscribe returns a subscription that is woken by new events of the tenants, of
// domain.NewsEventTypes, until Close. It returns RATE_LIMITED when the principal has reached its
// limit, and UNAVAILABLE after Drain.
func (h *Hub) Subscribe(principal uuid.UUID, tenants []uuid.UUID) (*Subscription, error) {
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
	s := &Subscription{
		hub: h, principal: principal, tenants: tenants, wake: loop.NewSignal(), bell: loop.NewSignal(), subjects: map[uuid.UUID]bool{},
	}
	h.subscriptions[s] = struct{}{}
	for _, tenant := range tenants {
		if h.byTenant[tenant] == nil {
			h.byTenant[tenant] = map[*Subscription]struct{}{}
		}
		h.byTenant[tenant][s] = struct{}{}
	}
	// The hub does not scan without subscriptions.
	h.Wake()
	return s, nil
}

// News returns a channel that receives a value when there may be new events. Wake-ups
// may be merged.
func (s *Subscription) News() <-chan struct{} { return s.wake }

// TakeSubjects returns the processes with news since the last call, with uuid.Nil for news about none. It returns false if
// there may be news about any process.
func (s *Subscription) TakeSubjects() (processes map[uuid.UUID]bool, complete bool) {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	processes, s.subjects = s.subjects, map[uuid.UUID]bool{}
	return processes, processes != nil
}

// addSubjects remembers the processes with news; nil stands for any process.
func (s *Subscription) addSubjects(processes map[uuid.UUID]bool) {
	if processes == nil || s.subjects == nil || len(s.subjects)+len(processes) > maxSubjects {
		s.subjects = nil
		return
	}
	maps.Copy(s.subjects, processes)
}

// Draining returns a channel that is closed when the replica is about to stop.
func (s *Subscription) Draining() <-chan struct{} { return s.hub.draining }

// Close ends the subscription. It must be called once.
func (s *Subscription) Close() {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	delete(s.hub.subscriptions, s)
	for _, tenant := range s.tenants {
		if delete(s.hub.byTenant[tenant], s); len(s.hub.byTenant[tenant]) == 0 {
			delete(s.hub.byTenant, tenant)
		}
	}
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

// Wake notifies the hub that there are new events or notifications. It never blocks.
func (h *Hub) Wake() {
	h.wake.Wake()
	h.bells.Wake()
}

// Run scans the event log until ctx ends. While the database is unavailable, no
// subscription is woken.
func (h *Hub) Run(ctx context.Context) {
	var listening sync.WaitGroup
	listening.Go(func() { h.receiveNotifications(ctx) })
	listening.Go(func() { h.runBells(ctx) })
	defer listening.Wait()
	s := scanner{hub: h, pendingPause: pendingInterval}
	// The next scan finds events that are recorded during the pause.
	l := loop.Loop[struct{}]{Step: s.scanEvents, Wake: h.wake, MinInterval: scanInterval}
	l.Run(ctx)
}

// receiveNotifications wakes the scanner when a replica notifies of new events. While
// LISTEN fails, it polls.
func (h *Hub) receiveNotifications(ctx context.Context) {
	for ctx.Err() == nil {
		err := h.o.DB.ReceiveEventSignals(ctx, h.handleNotification, h.handleNotification)
		if ctx.Err() != nil {
			return
		}
		h.o.Logger.WarnContext(ctx, "LISTEN failed; new events are found by polling", slog.Any("error", err))
		loop.Sleep(ctx, reconnectAfter)
	}
}

// handleNotification handles a notification. It is also called when LISTEN begins, because earlier notifications may be lost.
func (h *Hub) handleNotification() {
	h.Wake()
	if h.o.OnNotification != nil {
		h.o.OnNotification()
	}
}

// scanner scans the event log from the cursor onwards.
type scanner struct {
	hub          *Hub
	cursor       domain.EventCursor
	started      bool
	pendingPause time.Duration
}

// scanEvents wakes the subscriptions with new events and returns the pause before the
// next scan.
func (s *scanner) scanEvents(ctx context.Context) time.Duration {
	if s.hub.Count() == 0 {
		s.started = false
		return pollInterval
	}
	var found events.News
	var err error
	if s.started {
		found, err = events.ListNew(ctx, s.hub.o.DB.Background().Reader(), s.cursor, scanBatch)
	} else {
		found.Next, err = events.End(ctx, s.hub.o.DB.Background().Reader())
	}
	if err != nil {
		if ctx.Err() == nil {
			s.hub.o.Logger.WarnContext(ctx, "reading new events failed", slog.Any("error", err))
		}
		return pollInterval
	}
	s.cursor = found.Next
	if !s.started {
		// Earlier subscribers may be behind this cursor.
		s.started = true
		s.hub.wakeSubscriptions(nil)
		return pollInterval
	}
	s.hub.wakeSubscriptions(found.Tenants)
	switch {
	case found.More:
		return 0
	case !found.Pending:
		s.pendingPause = pendingInterval
		return pollInterval
	case len(found.Tenants) > 0:
		s.pendingPause = pendingInterval
	default:
		s.pendingPause = min(2*s.pendingPause, pollInterval)
	}
	return s.pendingPause
}

// wakeSubscriptions wakes the subscriptions to any of the tenants, with the processes that have news; nil stands for all
// tenants. Its cost depends on these subscriptions alone.
func (h *Hub) wakeSubscriptions(tenants map[uuid.UUID]map[uuid.UUID]bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if tenants == nil {
		for s := range h.subscriptions {
			s.addSubjects(nil)
			s.wakeFollower()
		}
		return
	}
	for tenant, processes := range tenants {
		for s := range h.byTenant[tenant] {
			s.addSubjects(processes)
			s.wakeFollower()
		}
	}
}

// wakeFollower wakes the follower, at once or after wakeInterval. The caller holds the hub's lock.
func (s *Subscription) wakeFollower() {
	if s.resting {
		s.wakePending = true
		return
	}
	s.resting = true
	s.wake.Wake()
	time.AfterFunc(wakeInterval, func() {
		s.hub.mu.Lock()
		defer s.hub.mu.Unlock()
		s.resting = false
		if s.wakePending {
			s.wakePending = false
			s.wakeFollower()
		}
	})
}
