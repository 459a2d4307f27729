package domain

import (
	"time"

	"github.com/google/uuid"
)

const (
	// WebhookWorkflowGrace is how long after an attempt was due its workflow may still make it. Afterwards
	// another workflow is started unless it runs.
	WebhookWorkflowGrace = 15 * time.Minute

	// WebhookHoldFrom is how many failures in a row it takes for an endpoint to be held: it gets no first attempt for
	// firstHold, which doubles with each failure up to maxHold and varies by holdSpread, so that endpoints that failed
	// together are not retried together.
	WebhookHoldFrom = 4

	firstHold  = time.Second
	maxHold    = time.Minute
	holdSpread = 0.2
)

// deliveryAction is a transition of a delivery.
type deliveryAction string

const (
	deliverAction deliveryAction = "an attempt succeeds"
	failAction    deliveryAction = "an attempt fails"
	lastAction    deliveryAction = "the last attempt fails"
	goneAction    deliveryAction = "the receiver answers 410"
	// dropAction is carried out for many deliveries at once, by SQL.
	dropAction   deliveryAction = "its endpoint is disabled"
	replayAction deliveryAction = "replay"
)

//nolint:gochecknoglobals // a constant table: Go has no constant maps
var deliveryTransitions = transitions[WebhookDeliveryState, deliveryAction]{
	{DeliveryPending, deliverAction}:   {to: DeliveryDelivered},
	{DeliveryRetrying, deliverAction}:  {to: DeliveryDelivered},
	{DeliveryDelivered, deliverAction}: {refusal: "the delivery is over"},
	{DeliveryDead, deliverAction}:      {refusal: "the delivery is over"},
	{DeliveryDropped, deliverAction}:   {refusal: "the delivery is over"},

	{DeliveryPending, failAction}:   {to: DeliveryRetrying},
	{DeliveryRetrying, failAction}:  {to: DeliveryRetrying},
	{DeliveryDelivered, failAction}: {refusal: "the delivery is over"},
	{DeliveryDead, failAction}:      {refusal: "the delivery is over"},
	{DeliveryDropped, failAction}:   {refusal: "the delivery is over"},

	{DeliveryPending, lastAction}:   {to: DeliveryDead},
	{DeliveryRetrying, lastAction}:  {to: DeliveryDead},
	{DeliveryDelivered, lastAction}: {refusal: "the delivery is over"},
	{DeliveryDead, lastAction}:      {refusal: "the delivery is over"},
	{DeliveryDropped, lastAction}:   {refusal: "the delivery is over"},

	{DeliveryPending, goneAction}:   {to: DeliveryDropped},
	{DeliveryRetrying, goneAction}:  {to: DeliveryDropped},
	{DeliveryDelivered, goneAction}: {refusal: "the delivery is over"},
	{DeliveryDead, goneAction}:      {refusal: "the delivery is over"},
	{DeliveryDropped, goneAction}:   {refusal: "the delivery is over"},

	{DeliveryPending, dropAction}:   {to: DeliveryDropped},
	{DeliveryRetrying, dropAction}:  {to: DeliveryDropped},
	{DeliveryDelivered, dropAction}: {refusal: "the delivery is over"},
	{DeliveryDead, dropAction}:      {refusal: "the delivery is over"},
	{DeliveryDropped, dropAction}:   {refusal: "the delivery is over"},

	{DeliveryPending, replayAction}:   {to: DeliveryPending},
	{DeliveryRetrying, replayAction}:  {to: DeliveryPending},
	{DeliveryDelivered, replayAction}: {to: DeliveryPending},
	{DeliveryDead, replayAction}:      {to: DeliveryPending},
	{DeliveryDropped, replayAction}:   {to: DeliveryPending},
}

// WebhookAttempt is the outcome of one attempt at a delivery. Status is the status of the response, 0 when there
// was none. Failure is "" when the event was delivered, Detail describes the failure, Answer is the beginning of
// the response. Gone reports that the receiver wants no more events, NextAt is when to retry: zero for never.
type WebhookAttempt struct {
	DeliveryID     uuid.UUID
	SubscriptionID uuid.UUID
	Round          int
	Number         int
	At             time.Time
	Status         int
	Latency        time.Duration
	Failure        string
	Detail         string
	Answer         string
	Gone           bool
	NextAt         time.Time
}

// Delivered reports whether the receiver accepted the event.
func (a *WebhookAttempt) Delivered() bool { return a.Failure == "" }

func (a *WebhookAttempt) transitionAction() deliveryAction {
	switch {
	case a.Delivered():
		return deliverAction
	case a.Gone:
		return goneAction
	case a.NextAt.IsZero():
		return lastAction
	default:
		return failAction
	}
}

// Note moves the delivery to the state after an attempt and reports whether the attempt counts. An attempt of
// another round, one that was already recorded and one at a finished delivery do not count.
func (d *WebhookDelivery) Note(a *WebhookAttempt) bool {
	if d.Round != a.Round || d.Attempts != a.Number-1 {
		return false
	}
	to, err := deliveryTransitions.next(d.State, a.transitionAction())
	if err != nil {
		return false
	}
	d.State, d.Attempts, d.LastAttemptAt = to, a.Number, &a.At
	d.NextAttemptAt, d.FinishedAt = nil, nil
	if to == DeliveryRetrying {
		d.NextAttemptAt = &a.NextAt
	} else {
		d.FinishedAt = &a.At
	}
	return true
}

// WorkflowUntil returns until when the workflow that retries the delivery may do so, nil if none was started:
// after the first attempt one is yet to be started.
func (d *WebhookDelivery) WorkflowUntil() *time.Time {
	if d.State != DeliveryRetrying || d.Attempts < 2 {
		return nil
	}
	return new(d.NextAttemptAt.Add(WebhookWorkflowGrace))
}

// Replay begins a new round of a delivery. A delivery that waits for its first attempt stays unchanged.
func (d *WebhookDelivery) Replay() {
	to, err := deliveryTransitions.next(d.State, replayAction)
	if err != nil || to == d.State {
		return
	}
	d.State, d.Round, d.Attempts = to, d.Round+1, 0
	d.NextAttemptAt, d.FinishedAt = nil, nil
}

// Note records on the endpoint the result of attempts that ended together, and reports whether that changes the
// endpoint. One success ends a series of failures. An endpoint that fails is disabled when it answers 410, or
// has failed for longer than WebhookFailureTimeout. Jitter is a random number from 0 up to 1. A disabled endpoint
// stays unchanged.
func (w *WebhookEndpoint) Note(attempts []WebhookAttempt, jitter float64) bool {
	var delivered, isGone bool
	var at, ended time.Time
	for i := range attempts {
		a := &attempts[i]
		delivered, isGone = delivered || a.Delivered(), isGone || a.Gone
		at, ended = laterOf(at, a.At), laterOf(ended, a.At.Add(a.Latency))
	}
	if len(attempts) == 0 || w.DisabledAt != nil || delivered && !isGone && w.FailingSince == nil {
		return false
	}
	failing := !delivered && w.FailingSince != nil && w.FailingSince.Before(at.Add(-WebhookFailureTimeout))
	switch {
	case isGone:
		w.DisabledAt, w.DisabledReason = &at, DisabledGone
	case failing:
		w.DisabledAt, w.DisabledReason = &at, DisabledFailing
	}
	if delivered {
		w.FailingSince, w.Failures, w.HeldUntil = nil, 0, nil
		return true
	}
	if w.FailingSince == nil {
		w.FailingSince = &at
	}
	w.Failures += len(attempts)
	if pause := backoffDelay(w.Failures, jitter); pause > 0 {
		w.HeldUntil = new(ended.Add(pause))
	}
	return true
}

// backoffDelay returns how long an endpoint is held after so many failures in a row.
func backoffDelay(failures int, jitter float64) time.Duration {
	if failures < WebhookHoldFrom {
		return 0
	}
	const enough = 6 // doublings until maxHold
	pause := min(maxHold, firstHold<<min(failures-WebhookHoldFrom, enough))
	return time.Duration(float64(pause) * (1 - holdSpread + 2*holdSpread*jitter))
}

func laterOf(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
