package domain

import (
	"fmt"
	"strconv"
	"time"

	"github.com/google/uuid"
)

// WebhookDeliveryState is how far the delivery of an event has got.
type WebhookDeliveryState string

// The delivery states.
const (
	// DeliveryPending waits for its first attempt.
	DeliveryPending WebhookDeliveryState = "PENDING"
	// DeliveryRetrying has failed and is attempted again.
	DeliveryRetrying WebhookDeliveryState = "RETRYING"
	// DeliveryDelivered was taken by the receiver.
	DeliveryDelivered WebhookDeliveryState = "DELIVERED"
	// DeliveryDead has failed as often as may be.
	DeliveryDead WebhookDeliveryState = "DEAD"
	// DeliveryDropped was given up: the endpoint was disabled, or the delivery waited
	// for longer than WebhookRetention.
	DeliveryDropped WebhookDeliveryState = "DROPPED"
)

// WebhookDisabledReason says why the service sends an endpoint nothing more.
type WebhookDisabledReason string

// The reasons.
const (
	// DisabledGone: the receiver answered 410.
	DisabledGone WebhookDisabledReason = "GONE"
	// DisabledFailing: no attempt has succeeded for WebhookPatience.
	DisabledFailing WebhookDisabledReason = "FAILING"
)

const (
	// WebhookPatience is how long an endpoint may fail before it is disabled.
	WebhookPatience = 5 * 24 * time.Hour
	// WebhookRetention is how long a delivery may wait to be attempted, and how long
	// it is kept after it has finished.
	WebhookRetention = 30 * 24 * time.Hour
	// WebhookPingType is what every payload version calls a test event.
	WebhookPingType = "PING"
)

// The event types of webhooks, recorded for administrators. Of these the endpoint
// itself is told that it was pinged.
const (
	EventWebhookPinged   EventType = "WEBHOOK_SUBSCRIPTION.PINGED"
	EventWebhookEnabled  EventType = "WEBHOOK_SUBSCRIPTION.ENABLED"
	EventWebhookDisabled EventType = "WEBHOOK_SUBSCRIPTION.DISABLED"
	// EventWebhookReplayed is of many deliveries to an endpoint.
	EventWebhookReplayed         EventType = "WEBHOOK_SUBSCRIPTION.REPLAYED"
	EventWebhookDeliveryReplayed EventType = "WEBHOOK_DELIVERY.REPLAYED"
)

// The kinds of resource that webhooks add.
const (
	ResourceWebhookSubscription EventResource = "WEBHOOK_SUBSCRIPTION"
	ResourceWebhookDelivery     EventResource = "WEBHOOK_DELIVERY"
)

// WebhookEndpointState is what an endpoint gets, told in one word.
type WebhookEndpointState string

// The endpoint states.
const (
	EndpointActive WebhookEndpointState = "ACTIVE"
	// EndpointFailing has failed since it was last delivered to.
	EndpointFailing WebhookEndpointState = "FAILING"
	// EndpointPaused was paused by its document. What happens meanwhile waits.
	EndpointPaused WebhookEndpointState = "PAUSED"
	// EndpointNoSecret has no valid secret to sign with. What happens waits.
	EndpointNoSecret WebhookEndpointState = "NO_SECRET"
	// EndpointDisabled is told nothing until somebody enables it.
	EndpointDisabled WebhookEndpointState = "DISABLED"
)

// WebhookEndpoint is the receiver of a webhook subscription. FailingSince,
// Failures, HeldUntil and Disabled* are what the service found out about it: since
// when and how often in a row it has failed, and until when it gets no first
// attempts. The rest is from the subscription's document. Nil EventTypes are all
// that the payload version has.
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
}

// State is the state of an endpoint that has or has no valid secret.
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

// WebhookDelivery is one event on its way to one endpoint. EventType is what the
// payload version calls it. A replay begins a new Round; Attempts are those of the
// round. NextAttemptAt is set while it is retried, FinishedAt when nothing more
// will happen.
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

// Version changes with every round, attempt and state.
func (d *WebhookDelivery) Version() Version {
	return Version(fmt.Sprintf("%d-%d-%s", d.Round, d.Attempts, d.State))
}

// WebhookDisabledEvent reports that the service disabled an endpoint.
func WebhookDisabledEvent(w *WebhookEndpoint) Event {
	return WebhookEvent(EventWebhookDisabled, w, SystemPrincipalID(), *w.DisabledAt).
		With("reason", string(w.DisabledReason))
}

// WebhookEvent tells of what by did to an endpoint now.
func WebhookEvent(t EventType, w *WebhookEndpoint, by uuid.UUID, now time.Time) Event {
	e := Event{
		TenantID: w.TenantID, Type: t, ResourceKind: ResourceWebhookSubscription, ResourceID: w.SubscriptionID,
		ActorID: by, OccurredAt: now,
	}
	return e.With("code", w.Code)
}

// WebhookReplayedEvent tells that by has count failed deliveries to an endpoint
// made again, those that were made since.
func WebhookReplayedEvent(w *WebhookEndpoint, since time.Time, count int, by uuid.UUID, now time.Time) Event {
	return WebhookEvent(EventWebhookReplayed, w, by, now).
		With("since", since.UTC().Format(time.RFC3339Nano)).With("count", strconv.Itoa(count))
}

// WebhookDeliveryReplayedEvent tells that by has a delivery made again.
func WebhookDeliveryReplayedEvent(d *WebhookDelivery, by uuid.UUID, now time.Time) Event {
	e := Event{
		TenantID: d.TenantID, Type: EventWebhookDeliveryReplayed, ResourceKind: ResourceWebhookDelivery, ResourceID: d.ID,
		PreviousState: string(d.State), State: string(DeliveryPending), ActorID: by, OccurredAt: now,
	}
	return e.With("eventId", d.EventID.String()).With("subscriptionId", d.SubscriptionID.String())
}
