package workflows

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/procession-dev/procession/activities"
)

const (
	// RegistrationExpiryName is the workflow type of RegistrationExpiry in Temporal.
	RegistrationExpiryName = "RegistrationExpiry"
	// RegistrationExpiryInterval is the time between two searches for expired
	// registrations.
	RegistrationExpiryInterval = time.Hour
)

// RegistrationExpiry deletes the registrations of workers that have expired, once.
func RegistrationExpiry(ctx workflow.Context) error {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		ScheduleToCloseTimeout: RegistrationExpiryInterval,
		HeartbeatTimeout:       time.Minute,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: time.Minute,
		},
	})
	return workflow.ExecuteActivity(ctx, activities.ExpireRegistrationsName).Get(ctx, nil)
}
