package domain

import "time"

// WebhookBacklogs describes the backlogs of webhooks in some tenants.
type WebhookBacklogs struct {
	// Deliveries wait for their first attempt, RetriedDeliveries for another one. DeliveriesSince is the age of the
	// oldest of the first at a working endpoint, the zero time if none waits. Each backlog is counted up to
	// WebhookBacklogCounted events.
	Deliveries        int64
	RetriedDeliveries int64
	DeliveriesSince   time.Time
	// DisabledEndpoints get no webhooks until they are enabled, EndpointsBehind are yet to catch up with the event log.
	DisabledEndpoints int64
	EndpointsBehind   int64
}

const (
	// WebhookBacklogCounted is the maximum number of events read to count a backlog: a larger backlog has this lower
	// bound.
	WebhookBacklogCounted = 250

	// An endpoint catches up with catchUpAtOnce events at a time, while fewer than catchUpBelow deliveries wait. A
	// failing endpoint gets catchUpFailing events when its queue is empty: it has one attempt at a time.
	catchUpAtOnce  = 500
	catchUpBelow   = 50
	catchUpFailing = 50
)

// Held reports whether events for the endpoint stay in its backlog: it is disabled or has no valid secret, or pauses
// between attempts because it has failed too often.
func (w *WebhookEndpoint) Held(hasSecret bool) bool {
	return w.Paused || !hasSecret || w.Failures >= WebhookHoldFrom
}

// CatchUp returns the number of events of its backlog for which an endpoint gets deliveries now, given the number of
// deliveries waiting for their first attempt: 0 while it is held. The backlog of a disabled endpoint is dropped as
// fast as others catch up.
func (w *WebhookEndpoint) CatchUp(hasSecret bool, waiting int, now time.Time) int {
	switch {
	case w.DisabledAt != nil:
		return catchUpAtOnce
	case w.Paused, !hasSecret, w.HeldUntil != nil && w.HeldUntil.After(now), waiting >= catchUpBelow:
		return 0
	case w.FailingSince == nil:
		return catchUpAtOnce
	case waiting > 0:
		return 0
	default:
		return catchUpFailing
	}
}
