package useractions

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

// LoanReport uploads a report on the loan. The upload completes the action; an action that is over by then needs none.
func LoanReport(ctx workflow.Context, request ActionRequest) (ActionResponse, error) {
	return carryOut(ctx, activityUploadReport, request)
}

// LoanNudge leaves a message in the process that names the tasks that are open.
func LoanNudge(ctx workflow.Context, request ActionRequest) (ActionResponse, error) {
	return carryOut(ctx, activityRemind, request)
}

// carryOut runs the activity that is all of an action. It is repeated without bound: an action outlives an outage of
// the service, and its caller can cancel it.
func carryOut(ctx workflow.Context, activityType string, request ActionRequest) (ActionResponse, error) {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: time.Minute,
		RetryPolicy:         &temporal.RetryPolicy{InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: time.Minute},
	})
	var response ActionResponse
	err := workflow.ExecuteActivity(ctx, activityType, request).Get(ctx, &response)
	return response, err
}
