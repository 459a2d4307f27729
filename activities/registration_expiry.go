package activities

import (
	"context"
	"fmt"

	"go.temporal.io/sdk/activity"
)

// ExpireRegistrationsName is the name under which Temporal knows
// ExpireRegistrations.
const ExpireRegistrationsName = "ExpireRegistrations"

// registrationBatch is how many registrations are deleted between two heartbeats.
const registrationBatch = 1000

// ExpireRegistrationsResult says how many registrations were deleted.
type ExpireRegistrationsResult struct {
	Deleted int `json:"deleted"`
}

// ExpireRegistrations deletes all registrations of workers that have expired.
func (a *Activities) ExpireRegistrations(ctx context.Context) (ExpireRegistrationsResult, error) {
	var result ExpireRegistrationsResult
	for {
		deleted, err := a.o.App.ExpireRegistrations(ctx, registrationBatch)
		result.Deleted += deleted
		if err != nil {
			return result, fmt.Errorf("expiring registrations of workers: %w", err)
		}
		if deleted < registrationBatch {
			return result, nil
		}
		activity.RecordHeartbeat(ctx)
	}
}
