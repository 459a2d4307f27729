package workflows

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/procession-dev/procession/activities"
)

const (
	// DocumentExpiryName is the name under which Temporal knows DocumentExpiry.
	DocumentExpiryName = "DocumentExpiry"
	// DocumentSweepName is the name under which Temporal knows DocumentSweep.
	DocumentSweepName = "DocumentSweep"

	// DocumentExpiryInterval is how often documents are looked for that have
	// expired. Nobody gets those any more, whether they were found or not.
	DocumentExpiryInterval = 10 * time.Minute
	// DocumentSweepInterval is how often the storage is compared with the documents.
	DocumentSweepInterval = time.Hour

	// A batch that takes longer than this is given to another worker.
	documentsLost = time.Minute
)

// DocumentExpiry deletes the documents that have expired, once.
func DocumentExpiry(ctx workflow.Context) error {
	ctx = withDocumentActivity(ctx, DocumentExpiryInterval)
	return workflow.ExecuteActivity(ctx, activities.ExpireDocumentsName).Get(ctx, nil)
}

// DocumentSweep compares the storage with the documents, once. It goes on where
// the run of the schedule before it left off.
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

// withDocumentActivity lets an activity be tried for so long. What it did not get
// done is done by the next run.
func withDocumentActivity(ctx workflow.Context, limit time.Duration) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		ScheduleToCloseTimeout: limit,
		HeartbeatTimeout:       documentsLost,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: time.Minute,
		},
	})
}
