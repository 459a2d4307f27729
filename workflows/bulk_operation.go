package workflows

import (
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/procession-dev/procession/activities"
	"github.com/procession-dev/procession/app/bulk"
)

const (
	// BulkOperationName is the workflow type of BulkOperation in Temporal.
	BulkOperationName = "BulkOperation"
	// bulkBatchesPerRun is the number of batches after which the workflow continues as new, so that its history stays short.
	bulkBatchesPerRun = 200
	// bulkWorkerLost is the time without a heartbeat after which another worker continues a batch.
	bulkWorkerLost = 5 * time.Second
	// bulkBatchTime bounds a batch.
	bulkBatchTime = 5 * time.Minute
)

// BulkOperationInput is a bulk operation and the position of its next resources.
type BulkOperationInput struct {
	OperationID uuid.UUID `json:"operationId"`
	After       uuid.UUID `json:"after"`
}

// BulkOperation handles the resources of a bulk operation batch by batch, one after the other, until none is left or the operation was
// stopped.
func BulkOperation(ctx workflow.Context, in BulkOperationInput) error {
	steps := workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: bulkBatchTime,
		HeartbeatTimeout:    bulkWorkerLost,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: 500 * time.Millisecond, BackoffCoefficient: 2, MaximumInterval: 30 * time.Second,
		},
	})
	for range bulkBatchesPerRun {
		var next bulk.Position
		batch := activities.RunBulkBatchInput{OperationID: in.OperationID, After: in.After}
		if err := workflow.ExecuteActivity(steps, activities.RunBulkBatchName, batch).Get(ctx, &next); err != nil {
			return err
		}
		if next.Ended {
			return nil
		}
		in.After = next.After
	}
	return workflow.NewContinueAsNewError(ctx, BulkOperationName, in)
}
