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

	// An attempt that is not recorded by then is made by another worker. It outlasts
	// the timeout of a receiver.
	deliveryAttemptLost = time.Minute
)

// WebhookDeliveryInput is a delivery whose first attempt failed, and when the
// second is due.
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

// WebhookDelivery retries a delivery, at ever longer intervals, until it succeeds
// or all attempts have failed. Each attempt returns when the next is due.
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

// WebhookExpiry drops the deliveries that have waited too long and deletes those
// that finished long ago, once.
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
