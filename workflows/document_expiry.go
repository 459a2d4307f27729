package workflows

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/procession-dev/procession/activities"
)

const (
	// DocumentExpiryName is the workflow type of DocumentExpiry in Temporal.
	DocumentExpiryName = "DocumentExpiry"
	// DocumentSweepName is the workflow type of DocumentSweep in Temporal.
	DocumentSweepName = "DocumentSweep"

	// DocumentExpiryInterval is the time between two searches for expired documents.
	// Expired documents are not served, even before they are deleted.
	DocumentExpiryInterval = 10 * time.Minute
	// DocumentSweepInterval is the time between two comparisons of the blob store
	// with the documents.
	DocumentSweepInterval = time.Hour

	// Another worker repeats a batch that takes longer.
	documentsLost = time.Minute
)

// DocumentExpiry deletes the documents that have expired, once.
func DocumentExpiry(ctx workflow.Context) error {
	ctx = withDocumentActivity(ctx, DocumentExpiryInterval)
	return workflow.ExecuteActivity(ctx, activities.ExpireDocumentsName).Get(ctx, nil)
}

// DocumentSweep compares the blob store with the documents, once. It continues
// where the previous run of the schedule stopped.
func DocumentSweep(ctx workflow.Context) (activities.SweepDocumentsResult, error) {
	var last, result activities.SweepDocumentsResult
	if workflow.HasLastCompletionResult(ctx) {
		if err := workflow.GetLastCompletionResult(ctx, &last); err != nil {
			return result, err
		}
	}
	ctx = withDocumentActivity(ctx, 24*time.Hour)
	err := workflow.ExecuteActivity(ctx, activities.SweepDocumentsName,
		activities.SweepDocumentsInput{CheckAfter: last.CheckAfter}).Get(ctx, &result)
	return result, err
}

// withDocumentActivity bounds the retries of an activity. The next run completes
// unfinished work.
func withDocumentActivity(ctx workflow.Context, limit time.Duration) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		ScheduleToCloseTimeout: limit,
		HeartbeatTimeout:       documentsLost,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: time.Minute,
		},
	})
}
