package activities

import (
	"context"
	"fmt"
)

// ExpireRegistrationsName is the activity type of ExpireRegistrations in
// Temporal.
const ExpireRegistrationsName = "ExpireRegistrations"

// registrationBatch is the number of registrations deleted between two heartbeats.
const registrationBatch = 1000

// ExpireRegistrationsResult is the number of deleted registrations.
type ExpireRegistrationsResult struct {
	Deleted int `json:"deleted"`
}

// ExpireRegistrations deletes all registrations of workers that have expired.
func (a *Activities) ExpireRegistrations(ctx context.Context) (ExpireRegistrationsResult, error) {
	var result ExpireRegistrationsResult
	err := runInBatches(ctx, func() (bool, error) {
		deleted, err := a.o.App.ExpireRegistrations(ctx, registrationBatch)
		result.Deleted += deleted
		return deleted >= registrationBatch, err
	})
	if err != nil {
		return result, fmt.Errorf("expiring registrations of workers: %w", err)
	}
	return result, nil
}
