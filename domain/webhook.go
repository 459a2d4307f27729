package domain

import (
	"fmt"
	"strconv"
	"time"

	"github.com/google/uuid"
)

// WebhookDeliveryState is the state of the delivery of an event.
type WebhookDeliveryState string

// The delivery states.
const (
	// DeliveryPending waits for its first attempt.
	DeliveryPending WebhookDeliveryState = "PENDING"
	// DeliveryRetrying has failed and is retried.
	DeliveryRetrying WebhookDeliveryState = "RETRYING"
	// DeliveryDelivered was accepted by the receiver.
	DeliveryDelivered WebhookDeliveryState = "DELIVERED"
	// DeliveryDead has failed the maximum number of times.
	DeliveryDead WebhookDeliveryState = "DEAD"
	// DeliveryDropped was given up: the endpoint was disabled, or the delivery waited
	// for longer than WebhookRetention.
	DeliveryDropped WebhookDeliveryState = "DROPPED"
)

// WebhookDisabledReason is the reason why an endpoint is disabled.
type WebhookDisabledReason string

// The reasons.
const (
	// DisabledGone: the receiver answered 410.
	DisabledGone WebhookDisabledReason = "GONE"
	// DisabledFailing: no attempt has succeeded for WebhookFailureTimeout.
	DisabledFailing WebhookDisabledReason = "FAILING"
)

const (
	// WebhookFailureTimeout is the time after which a failing endpoint is disabled.
	WebhookFailureTimeout = 5 * 24 * time.Hour
	// WebhookRetention is how long a delivery may wait to be attempted, and how long it is kept after it has
	// finished.
	WebhookRetention = 30 * 24 * time.Hour
	// WebhookPingType is the type of a test event in every payload version.
	WebhookPingType = "PING"
)

// The event types of webhooks, recorded for administrators. Only the ping is delivered to the endpoint itself.
const (
	EventWebhookPinged   EventType = "WEBHOOK_SUBSCRIPTION.PINGED"
	EventWebhookEnabled  EventType = "WEBHOOK_SUBSCRIPTION.ENABLED"
	EventWebhookDisabled EventType = "WEBHOOK_SUBSCRIPTION.DISABLED"
	// EventWebhookReplayed is recorded for a replay of many deliveries to an endpoint.
	EventWebhookReplayed         EventType = "WEBHOOK_SUBSCRIPTION.REPLAYED"
	EventWebhookDeliveryReplayed EventType = "WEBHOOK_DELIVERY.REPLAYED"
)

// The kinds of resource that webhooks add.
const (
	ResourceWebhookSubscription EventResource = "WEBHOOK_SUBSCRIPTION"
	ResourceWebhookDelivery     EventResource = "WEBHOOK_DELIVERY"
)

// WebhookEndpointState is the state of an endpoint.
type WebhookEndpointState string

// The endpoint states.
const (
	EndpointActive WebhookEndpointState = "ACTIVE"
	// EndpointFailing has failed since its last successful delivery.
	EndpointFailing WebhookEndpointState = "FAILING"
	// EndpointPaused is paused in its manifest. New events wait.
	EndpointPaused WebhookEndpointState = "PAUSED"
	// EndpointNoSecret has no valid secret to sign with. New events wait.
	EndpointNoSecret WebhookEndpointState = "NO_SECRET"
	// EndpointDisabled gets no deliveries until it is enabled.
	EndpointDisabled WebhookEndpointState = "DISABLED"
)

// WebhookEndpoint is the receiver of a webhook subscription. FailingSince, Failures, HeldUntil and Disabled* are
// its recorded health: since when and how often in a row it has failed, and until when it gets no first
// attempts. The rest is from the subscription's manifest. Nil EventTypes select all of the payload version.
type WebhookEndpoint struct {
	SubscriptionID      uuid.UUID
	TenantID            uuid.UUID
	Code                string
	URL                 string
	PayloadVersion      PayloadVersion
	EventTypes          []string
	ProcessDefinitionID *uuid.UUID
	Paused              bool
	FailingSince        *time.Time
	Failures            int
	HeldUntil           *time.Time
	DisabledAt          *time.Time
	DisabledReason      WebhookDisabledReason
	// EventsLostAt is the time at which events were found to be removed before they were delivered to the endpoint.
	EventsLostAt *time.Time
}

// State returns the state of an endpoint with or without a valid secret.
func (w *WebhookEndpoint) State(hasSecret bool) WebhookEndpointState {
	switch {
	case w.DisabledAt != nil:
		return EndpointDisabled
	case w.Paused:
		return EndpointPaused
	case !hasSecret:
		return EndpointNoSecret
	case w.FailingSince != nil:
		return EndpointFailing
	default:
		return EndpointActive
	}
}

// WebhookDelivery is the delivery of one event to one endpoint. EventType is the name of the type in the payload
// version. A replay begins a new Round; Attempts counts the attempts of the round. NextAttemptAt is set while it is
// retried, FinishedAt when it has ended.
type WebhookDelivery struct {
	ID             uuid.UUID
	SubscriptionID uuid.UUID
	TenantID       uuid.UUID
	EventID        uuid.UUID
	EventType      string
	PayloadVersion PayloadVersion
	ProcessID      *uuid.UUID
	State          WebhookDeliveryState
	Round          int
	Attempts       int
	CreatedAt      time.Time
	LastAttemptAt  *time.Time
	NextAttemptAt  *time.Time
	FinishedAt     *time.Time
}

// Version returns the version of the delivery, which changes with every round, attempt and state.
func (d *WebhookDelivery) Version() Version {
	return Version(fmt.Sprintf("%d-%d-%s", d.Round, d.Attempts, d.State))
}

// WebhookDisabledEvent returns the event of an endpoint that the service disabled.
func WebhookDisabledEvent(w *WebhookEndpoint) Event {
	return WebhookEvent(EventWebhookDisabled, w, SystemPrincipalID(), *w.DisabledAt).
		With("reason", string(w.DisabledReason))
}

// WebhookEvent returns an event of an endpoint.
func WebhookEvent(t EventType, w *WebhookEndpoint, by uuid.UUID, now time.Time) Event {
	e := Event{
		TenantID: w.TenantID, Type: t, ResourceKind: ResourceWebhookSubscription, ResourceID: w.SubscriptionID,
		ActorID: by, OccurredAt: now,
	}
	return e.With("code", w.Code)
}

// WebhookReplayedEvent returns the event of a replay of count failed deliveries to an endpoint that were made
// since the given time.
func WebhookReplayedEvent(w *WebhookEndpoint, since time.Time, count int, by uuid.UUID, now time.Time) Event {
	return WebhookEvent(EventWebhookReplayed, w, by, now).
		With("since", since.UTC().Format(time.RFC3339Nano)).With("count", strconv.Itoa(count))
}

// WebhookDeliveryReplayedEvent returns the event of a replayed delivery.
func WebhookDeliveryReplayedEvent(d *WebhookDelivery, by uuid.UUID, now time.Time) Event {
	e := Event{
		TenantID: d.TenantID, Type: EventWebhookDeliveryReplayed, ResourceKind: ResourceWebhookDelivery, ResourceID: d.ID,
		PreviousState: string(d.State), State: string(DeliveryPending), ActorID: by, OccurredAt: now,
	}
	return e.With("eventId", d.EventID.String()).With("subscriptionId", d.SubscriptionID.String())
}

// WebhookHealth is an endpoint with the counts of its deliveries. Pending wait for their first attempt, those in the
// backlog of an endpoint that is held included, Retrying for another; Dead and Dropped were given up and are kept for
// WebhookRetention.
type WebhookHealth struct {
	WebhookEndpoint
	TenantCode, Name  string
	ProcessDefinition string
	HasSecret         bool
	// ModifiedAt is the time at which the subscription was applied last.
	ModifiedAt        time.Time
	Pending, Retrying int64
	Dead, Dropped     int64
	// AtLeast reports that Pending, or Dropped of a disabled endpoint, is a lower bound.
	AtLeast bool
	// PendingSince is the time since which the oldest of Pending waits.
	PendingSince *time.Time
}

// State returns the state of the endpoint.
func (h *WebhookHealth) State() WebhookEndpointState {
	return h.WebhookEndpoint.State(h.HasSecret)
}

// WebhookOutcome is the state of a delivery.
type WebhookOutcome struct {
	State     WebhookDeliveryState
	Attempts  int
	CreatedAt time.Time
}

// WebhookDeliveryInfo is a delivery with the names that identify it and the outcome of its last attempt:
// LastStatus is 0 without an answer, LastFailure "" without a failure.
type WebhookDeliveryInfo struct {
	WebhookDelivery
	TenantCode, SubscriptionCode string
	LastStatus                   int
	LastFailure                  string
}
