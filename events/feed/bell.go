package feed

import (
	"context"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/internal/loop"
	"github.com/procession-dev/procession/persistence/notifications"
)

const (
	// bellInterval is the minimum time between two reads of new notifications.
	bellInterval = 200 * time.Millisecond
	// bellBatch is the number of notifications of one read.
	bellBatch = 2000
)

// Bell returns a channel that receives a value when the principal has new notifications. Wake-ups may be merged.
func (s *Subscription) Bell() <-chan struct{} { return s.bell }

// bellScanner wakes the subscriptions of people with new notifications.
type bellScanner struct {
	hub      *Hub
	position int64
	started  bool
}

// runBells scans until ctx ends.
func (h *Hub) runBells(ctx context.Context) {
	s := bellScanner{hub: h}
	l := loop.Loop[struct{}]{Step: s.scanNotifications, Wake: h.bells, MinInterval: bellInterval}
	l.Run(ctx)
}

// scanNotifications returns the pause before the next scan.
func (s *bellScanner) scanNotifications(ctx context.Context) time.Duration {
	if s.hub.Count() == 0 {
		s.started = false
		return pollInterval
	}
	reader := s.hub.o.DB.Background().Reader()
	if !s.started {
		last, err := notifications.LastPosition(ctx, reader)
		if err == nil {
			// Earlier subscribers may be behind this position.
			s.position, s.started = last, true
			s.hub.ring(nil)
		}
		return s.pauseAfter(ctx, err)
	}
	found, err := notifications.FindRecipients(ctx, reader, s.position, bellBatch)
	if err != nil {
		return s.pauseAfter(ctx, err)
	}
	s.position = found.Position
	people := make(map[uuid.UUID]bool, len(found.People))
	for _, id := range found.People {
		people[id] = true
	}
	if len(people) > 0 {
		s.hub.ring(people)
	}
	if len(found.People) == bellBatch {
		return 0
	}
	return pollInterval
}

func (s *bellScanner) pauseAfter(ctx context.Context, err error) time.Duration {
	if err != nil && ctx.Err() == nil {
		s.hub.o.Logger.WarnContext(ctx, "reading new notifications failed", slog.Any("error", err))
	}
	return pollInterval
}

// ring wakes the subscriptions of the people; nil stands for all.
func (h *Hub) ring(people map[uuid.UUID]bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.subscriptions {
		if people == nil || people[s.principal] {
			s.bell.Wake()
		}
	}
}
