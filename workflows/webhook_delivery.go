package workflows

import (
	"fmt"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/procession-dev/procession/activities"
)

const (
	// WebhookDeliveryName is the workflow type of WebhookDelivery in Temporal.
	WebhookDeliveryName = "WebhookDelivery"
	// WebhookExpiryName is the workflow type of WebhookExpiry in Temporal.
	WebhookExpiryName = "WebhookExpiry"
	// WebhookExpiryInterval is the time between two searches for expired deliveries.
	WebhookExpiryInterval = time.Hour

	// deliveryAttemptLost is the time after which another worker repeats an unrecorded
	// attempt. It exceeds the timeout of a receiver.
	deliveryAttemptLost = time.Minute
)

// WebhookDeliveryInput identifies a delivery after its failed first attempt and
// contains the time of the second attempt.
type WebhookDeliveryInput struct {
	DeliveryID uuid.UUID `json:"deliveryId"`
	Round      int       `json:"round"`
	NextAt     time.Time `json:"nextAt"`
}

// WebhookDeliveryID returns the id of the workflow that retries a delivery: one
// for each round.
func WebhookDeliveryID(delivery uuid.UUID, round int) string {
	return fmt.Sprintf("webhook-delivery-%s-%d", delivery, round)
}

// WebhookDelivery retries a delivery with increasing delays until an attempt succeeds
// or all have failed. Each attempt returns the time of the next one.
func WebhookDelivery(ctx workflow.Context, in WebhookDeliveryInput) error {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: deliveryAttemptLost,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: time.Minute,
		},
	})
	next := activities.RetryDeliveryResult{Attempts: 1, NextAt: &in.NextAt}
	for next.NextAt != nil {
		if err := workflow.Sleep(ctx, next.NextAt.Sub(workflow.Now(ctx))); err != nil {
			return err
		}
		attempt := activities.RetryDeliveryInput{DeliveryID: in.DeliveryID, Round: in.Round, Number: next.Attempts + 1}
		next = activities.RetryDeliveryResult{}
		if err := workflow.ExecuteActivity(ctx, activities.RetryDeliveryName, attempt).Get(ctx, &next); err != nil {
			return err
		}
	}
	return nil
}

// WebhookExpiry drops expired deliveries and deletes old finished ones, once.
func WebhookExpiry(ctx workflow.Context) error {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		ScheduleToCloseTimeout: WebhookExpiryInterval,
		HeartbeatTimeout:       deliveryAttemptLost,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: time.Minute,
		},
	})
	return workflow.ExecuteActivity(ctx, activities.ExpireDeliveriesName).Get(ctx, nil)
}
