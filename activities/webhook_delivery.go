package activities

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
)

const (
	// RetryDeliveryName is the activity type of RetryDelivery in Temporal.
	RetryDeliveryName = "RetryDelivery"
	// ExpireDeliveriesName is the activity type of ExpireDeliveries in Temporal.
	ExpireDeliveriesName = "ExpireDeliveries"
)

// RetryDeliveryInput identifies an attempt at a webhook delivery. Number is the
// number of the attempt in its round.
type RetryDeliveryInput struct {
	DeliveryID uuid.UUID `json:"deliveryId"`
	Round      int       `json:"round"`
	Number     int       `json:"number"`
}

// RetryDeliveryResult contains the number of attempts in the round and the time of the
// next one, nil for none.
type RetryDeliveryResult struct {
	Attempts int        `json:"attempts"`
	NextAt   *time.Time `json:"nextAt,omitempty"`
}

// RetryDelivery makes one attempt at a webhook delivery and records it. A repeated call
// returns the recorded outcome.
func (a *Activities) RetryDelivery(ctx context.Context, in RetryDeliveryInput) (RetryDeliveryResult, error) {
	retried, err := a.o.Webhooks.RetryDelivery(ctx, in.DeliveryID, in.Round, in.Number)
	if err != nil {
		return RetryDeliveryResult{}, fmt.Errorf("retrying a webhook delivery: %w", err)
	}
	result := RetryDeliveryResult{Attempts: retried.Attempts}
	if !retried.NextAt.IsZero() {
		result.NextAt = &retried.NextAt
	}
	return result, nil
}

// deliveryBatch is the number of deliveries expired between two heartbeats.
const deliveryBatch = 1000

// ExpireDeliveriesResult is the number of expired deliveries.
type ExpireDeliveriesResult struct {
	Dropped int `json:"dropped"`
}

// ExpireDeliveries drops all expired webhook deliveries.
func (a *Activities) ExpireDeliveries(ctx context.Context) (ExpireDeliveriesResult, error) {
	var result ExpireDeliveriesResult
	err := runInBatches(ctx, func() (bool, error) {
		expired, err := a.o.Webhooks.ExpireDeliveries(ctx, deliveryBatch)
		result.Dropped += expired.Dropped
		return expired.More, err
	})
	if err != nil {
		return result, fmt.Errorf("expiring webhook deliveries: %w", err)
	}
	return result, nil
}
