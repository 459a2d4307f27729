package domain_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// Every state of a delivery with every outcome, for the expected attempt and for others.
func TestNoteAttemptAtDelivery(t *testing.T) {
	t.Parallel()
	next := noon.Add(time.Minute)
	outcomes := map[domain.WebhookDeliveryState]domain.WebhookAttempt{
		domain.DeliveryDelivered: {},
		domain.DeliveryRetrying:  {Failure: "STATUS", NextAt: next},
		domain.DeliveryDead:      {Failure: "STATUS"},
		domain.DeliveryDropped:   {Failure: "STATUS", Gone: true},
	}
	for _, from := range []domain.WebhookDeliveryState{
		domain.DeliveryPending, domain.DeliveryRetrying, domain.DeliveryDelivered, domain.DeliveryDead, domain.DeliveryDropped,
	} {
		for to, a := range outcomes {
			for name, key := range map[string]struct{ round, number int }{
				"awaited": {2, 4}, "repeated": {2, 3}, "ahead": {2, 5}, "round before": {1, 4}, "round after": {3, 4},
			} {
				before := domain.WebhookDelivery{State: from, Round: 2, Attempts: 3}
				d := before
				a.Round, a.Number, a.At = key.round, key.number, noon
				counts := name == "awaited" && (from == domain.DeliveryPending || from == domain.DeliveryRetrying)
				require.Equal(t, counts, d.Note(&a), "%s %s %s", from, to, name)
				if !counts {
					require.Equal(t, before, d)
					continue
				}
				want := domain.WebhookDelivery{State: to, Round: 2, Attempts: 4, LastAttemptAt: &noon, FinishedAt: &noon}
				if to == domain.DeliveryRetrying {
					want.NextAttemptAt, want.FinishedAt = &next, nil
					require.Equal(t, next.Add(15*time.Minute), *d.WorkflowUntil())
				} else {
					require.Nil(t, d.WorkflowUntil())
				}
				require.Equal(t, want, d)
			}
		}
	}
	first := domain.WebhookDelivery{State: domain.DeliveryPending, Round: 1}
	require.True(t, first.Note(&domain.WebhookAttempt{Round: 1, Number: 1, At: noon, Failure: "TLS", NextAt: next}))
	require.Nil(t, first.WorkflowUntil(), "a workflow is still to be started")
}

func TestReplayDelivery(t *testing.T) {
	t.Parallel()
	for _, from := range []domain.WebhookDeliveryState{
		domain.DeliveryRetrying, domain.DeliveryDelivered, domain.DeliveryDead, domain.DeliveryDropped,
	} {
		d := domain.WebhookDelivery{State: from, Round: 2, Attempts: 3, NextAttemptAt: &noon, FinishedAt: &noon}
		d.Replay()
		require.Equal(t, domain.WebhookDelivery{State: domain.DeliveryPending, Round: 3}, d)
	}
	d := domain.WebhookDelivery{State: domain.DeliveryPending, Round: 2}
	d.Replay()
	require.Equal(t, 2, d.Round)
}

func TestNoteAttemptsAtEndpoint(t *testing.T) { //nolint:funlen // most of it is a table
	t.Parallel()
	success := domain.WebhookAttempt{At: noon, Latency: time.Second}
	failure := domain.WebhookAttempt{At: noon, Latency: time.Second, Failure: "STATUS"}
	earlier := domain.WebhookAttempt{At: noon.Add(-time.Minute), Latency: 2 * time.Second, Failure: "TIMEOUT"}
	attempt := domain.WebhookAttempt{At: noon, Failure: "STATUS", Gone: true}
	hour, timedOut := noon.Add(-time.Hour), noon.Add(-domain.WebhookFailureTimeout)
	tooLong := timedOut.Add(-time.Microsecond)
	held := noon.Add(time.Second)
	for name, c := range map[string]struct {
		before   domain.WebhookEndpoint
		attempts []domain.WebhookAttempt
		after    domain.WebhookEndpoint
	}{
		"nothing":             {},
		"success":             {attempts: []domain.WebhookAttempt{success}},
		"first failure":       {attempts: []domain.WebhookAttempt{failure}, after: domain.WebhookEndpoint{FailingSince: &noon, Failures: 1}},
		"failures of a batch": {attempts: []domain.WebhookAttempt{failure, earlier}, after: domain.WebhookEndpoint{FailingSince: &noon, Failures: 2}},
		"success beside failures": {
			before:   domain.WebhookEndpoint{FailingSince: &hour, Failures: 5, HeldUntil: &held},
			attempts: []domain.WebhookAttempt{failure, success, earlier},
		},
		"third failure": {
			before: domain.WebhookEndpoint{FailingSince: &hour, Failures: 2}, attempts: []domain.WebhookAttempt{failure},
			after: domain.WebhookEndpoint{FailingSince: &hour, Failures: 3},
		},
		"fourth failure": {
			before: domain.WebhookEndpoint{FailingSince: &hour, Failures: 3}, attempts: []domain.WebhookAttempt{earlier, failure},
			after: domain.WebhookEndpoint{FailingSince: &hour, Failures: 5, HeldUntil: new(noon.Add(time.Second + 2*time.Second))},
		},
		"gone": {
			attempts: []domain.WebhookAttempt{attempt},
			after: domain.WebhookEndpoint{
				FailingSince: &noon, Failures: 1, DisabledAt: &noon, DisabledReason: domain.DisabledGone,
			},
		},
		"gone beside a success": {
			before: domain.WebhookEndpoint{FailingSince: &tooLong, Failures: 9}, attempts: []domain.WebhookAttempt{success, attempt},
			after: domain.WebhookEndpoint{DisabledAt: &noon, DisabledReason: domain.DisabledGone},
		},
		"at the failure timeout": {
			before: domain.WebhookEndpoint{FailingSince: &timedOut, Failures: 1}, attempts: []domain.WebhookAttempt{failure},
			after: domain.WebhookEndpoint{FailingSince: &timedOut, Failures: 2},
		},
		"after the failure timeout": {
			before: domain.WebhookEndpoint{FailingSince: &tooLong, Failures: 1}, attempts: []domain.WebhookAttempt{failure},
			after: domain.WebhookEndpoint{
				FailingSince: &tooLong, Failures: 2, DisabledAt: &noon, DisabledReason: domain.DisabledFailing,
			},
		},
		"success after the failure timeout": {
			before: domain.WebhookEndpoint{FailingSince: &tooLong, Failures: 1}, attempts: []domain.WebhookAttempt{success},
		},
		"disabled": {
			before:   domain.WebhookEndpoint{DisabledAt: &hour, DisabledReason: domain.DisabledGone},
			attempts: []domain.WebhookAttempt{attempt, failure, success},
			after:    domain.WebhookEndpoint{DisabledAt: &hour, DisabledReason: domain.DisabledGone},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := c.before
			changed := w.Note(c.attempts, 0.5)
			require.Equal(t, c.after, w)
			require.Equal(t, fmt.Sprint(c.before) != fmt.Sprint(c.after), changed)
		})
	}
}

// From the fourth failure in a row on an endpoint is held, for 1 s to 1 min, give or take a fifth.
func TestEndpointIsHeld(t *testing.T) {
	t.Parallel()
	for failures, want := range []time.Duration{0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 60, 60, 60} {
		for jitter, factor := range map[float64]float64{0: 0.8, 0.5: 1, 0.75: 1.1} {
			w := domain.WebhookEndpoint{SubscriptionID: uuid.New(), FailingSince: &noon, Failures: failures - 1}
			require.True(t, w.Note([]domain.WebhookAttempt{{At: noon, Failure: "TLS"}}, jitter))
			if want == 0 {
				require.Nil(t, w.HeldUntil)
				continue
			}
			require.InDelta(t, float64(want)*factor, w.HeldUntil.Sub(noon).Seconds(), 1e-6, "%d failures", failures)
		}
	}
	many := domain.WebhookEndpoint{FailingSince: &noon, Failures: 1_000_000}
	require.True(t, many.Note([]domain.WebhookAttempt{{At: noon, Failure: "TLS"}}, 0.5))
	require.Equal(t, noon.Add(time.Minute), *many.HeldUntil)
}
