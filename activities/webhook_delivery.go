package activities

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
)

const (
	// RetryDeliveryName is the name under which Temporal knows RetryDelivery.
	RetryDeliveryName = "RetryDelivery"
	// ExpireDeliveriesName is the name under which Temporal knows ExpireDeliveries.
	ExpireDeliveriesName = "ExpireDeliveries"
)

// RetryDeliveryInput names an attempt at a webhook delivery. Number is that of
// the attempt in its round.
type RetryDeliveryInput struct {
	DeliveryID uuid.UUID `json:"deliveryId"`
	Round      int       `json:"round"`
	Number     int       `json:"number"`
}

// RetryDeliveryResult tells how many attempts the round has had, and when there is
// to be another: nil for never.
type RetryDeliveryResult struct {
	Attempts int        `json:"attempts"`
	NextAt   *time.Time `json:"nextAt,omitempty"`
}

// RetryDelivery makes one attempt at a webhook delivery and records it. When it
// is run again after that, it does nothing more than to tell what came of it.
func (a *Activities) RetryDelivery(ctx context.Context, in RetryDeliveryInput) (RetryDeliveryResult, error) {
	retried, err := a.o.App.RetryDelivery(ctx, in.DeliveryID, in.Round, in.Number)
	if err != nil {
		return RetryDeliveryResult{}, fmt.Errorf("retrying a webhook delivery: %w", err)
	}
	result := RetryDeliveryResult{Attempts: retried.Attempts}
	if !retried.NextAt.IsZero() {
		result.NextAt = &retried.NextAt
	}
	return result, nil
}

// deliveryBatch is how many deliveries expire between two heartbeats.
const deliveryBatch = 1000

// ExpireDeliveriesResult tells how many deliveries waited too long, and how many
// had been finished for long.
type ExpireDeliveriesResult struct {
	Dropped int `json:"dropped"`
	Deleted int `json:"deleted"`
}

// ExpireDeliveries drops all webhook deliveries that have waited too long and
// deletes all that finished long ago.
func (a *Activities) ExpireDeliveries(ctx context.Context) (ExpireDeliveriesResult, error) {
	var result ExpireDeliveriesResult
	err := inBatches(ctx, deliveryBatch, func() (int, error) {
		dropped, deleted, err := a.o.App.ExpireDeliveries(ctx, deliveryBatch)
		result.Dropped, result.Deleted = result.Dropped+dropped, result.Deleted+deleted
		return max(dropped, deleted), err
	})
	if err != nil {
		return result, fmt.Errorf("expiring webhook deliveries: %w", err)
	}
	return result, nil
}
