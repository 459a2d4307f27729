package domain

import "time"

// WebhookBacklogs contains what waits for the receivers of webhooks in some tenants.
type WebhookBacklogs struct {
	// Deliveries wait for their first attempt, RetriedDeliveries for another one. The oldest of the first waits at an
	// endpoint that nothing is wrong with since DeliveriesSince, the zero time if none waits. Of endpoints that are behind no
	// more is counted than WebhookBacklogCounted says.
	Deliveries        int64
	RetriedDeliveries int64
	DeliveriesSince   time.Time
	// DisabledEndpoints get no webhooks until they are enabled, EndpointsBehind are yet to catch up with the event log.
	DisabledEndpoints int64
	EndpointsBehind   int64
}

const (
	// WebhookBacklogCounted is how many events of the tenant are read at most to count what waits in a backlog: a count that
	// has read as many is a lower bound.
	WebhookBacklogCounted = 250

	// An endpoint catches up with catchUpAtOnce events at a time, while fewer than catchUpBelow deliveries wait. One that
	// fails gets catchUpFailing events when nothing waits: it has one attempt at a time.
	catchUpAtOnce  = 500
	catchUpBelow   = 50
	catchUpFailing = 50
)

// Held reports whether events for the endpoint are left in its backlog, with or without a valid secret: it would be sent
// nothing, or pauses between attempts because it has failed too often.
func (w *WebhookEndpoint) Held(hasSecret bool) bool {
	return w.Paused || !hasSecret || w.Failures >= WebhookHoldFrom
}

// CatchUp returns for how many events of its backlog an endpoint is given deliveries now, when so many deliveries wait for
// their first attempt: 0 while it would be sent nothing. What a disabled endpoint has missed is dropped as fast as others
// catch up.
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
