package activities

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"go.temporal.io/sdk/activity"

	"github.com/procession-dev/procession/app/bulk"
)

// RunBulkBatchName is the activity type of RunBulkBatch in Temporal.
const RunBulkBatchName = "RunBulkBatch"

// bulkAttempts is the number of attempts at a batch after which an unexpected error is a refusal of its resource.
const bulkAttempts = 5

// RunBulkBatchInput is a bulk operation and the position of its next resources.
type RunBulkBatchInput struct {
	OperationID uuid.UUID `json:"operationId"`
	After       uuid.UUID `json:"after"`
}

// RunBulkBatch handles the next resources of a bulk operation, each once, and returns the next position.
func (a *Activities) RunBulkBatch(ctx context.Context, in RunBulkBatchInput) (bulk.Position, error) {
	position, err := a.o.Bulk.RunBatch(ctx, in.OperationID, in.After, activity.GetInfo(ctx).Attempt >= bulkAttempts,
		func() { activity.RecordHeartbeat(ctx) })
	if err != nil {
		return position, fmt.Errorf("running a batch of a bulk operation: %w", err)
	}
	return position, nil
}
