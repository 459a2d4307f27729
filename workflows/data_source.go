package workflows

import (
	"errors"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/procession-dev/procession/activities"
	"github.com/procession-dev/procession/domain"
)

const (
	// dataSourceAttempt bounds one attempt of a worker.
	dataSourceAttempt = 10 * time.Second
	// dataSourceEnd bounds the recording of an answer.
	dataSourceEnd = 10 * time.Minute
)

// DataSource sends a request to a data source and records the answer. It runs in the
// namespace of the tenant. Request and answer pass through unchanged, possibly
// encrypted.
func DataSource(ctx workflow.Context, in domain.DataSourceInput, request converter.RawValue) error {
	answer, code := askDataSource(ctx, in, request)
	// The end is recorded even when the workflow is cancelled.
	ctx, _ = workflow.NewDisconnectedContext(ctx)
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		ScheduleToCloseTimeout: dataSourceEnd, StartToCloseTimeout: time.Minute, RetryPolicy: dataSourceRetries(0),
	})
	if code != "" {
		return workflow.ExecuteActivity(ctx, activities.FailDataSourceRunName,
			activities.FailDataSourceRunInput{Run: in.Run, Code: code}).Get(ctx, nil)
	}
	return workflow.ExecuteActivity(ctx, activities.FinishDataSourceRunName,
		activities.FinishDataSourceRunInput{Run: in.Run, Tenant: in.Tenant}, answer).Get(ctx, nil)
}

// askDataSource returns the answer, or an error code.
func askDataSource(
	ctx workflow.Context, in domain.DataSourceInput, request converter.RawValue,
) (answer converter.RawValue, code string) {
	left := in.Deadline.Sub(workflow.Now(ctx))
	if left <= 0 {
		return answer, domain.DataSourceTimedOut
	}
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue: in.TaskQueue, ScheduleToCloseTimeout: left, StartToCloseTimeout: min(left, dataSourceAttempt),
		RetryPolicy: dataSourceRetries(in.Attempts),
	})
	return answer, dataSourceCode(workflow.ExecuteActivity(ctx, in.Activity, request).Get(ctx, &answer))
}

func dataSourceRetries(attempts int) *temporal.RetryPolicy {
	return &temporal.RetryPolicy{
		InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: 30 * time.Second,
		MaximumAttempts: int32(attempts), //nolint:gosec // they are few
	}
}

// dataSourceCode returns the error code for an error of the activity, "" for nil.
func dataSourceCode(err error) string {
	var late *temporal.TimeoutError
	var step *temporal.ActivityError
	switch {
	case err == nil:
		return ""
	case errors.As(err, &late),
		errors.As(err, &step) && step.RetryState() == enumspb.RETRY_STATE_TIMEOUT:
		return domain.DataSourceTimedOut
	}
	return domain.DataSourceBroken
}

// RegisterDataSources registers DataSource with a worker.
func RegisterDataSources(r worker.WorkflowRegistry) {
	r.RegisterWorkflowWithOptions(DataSource, workflow.RegisterOptions{Name: domain.DataSourceWorkflow})
}
