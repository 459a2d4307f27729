package activities

import (
	"context"

	"go.temporal.io/sdk/activity"
)

// inBatches calls step until it processes fewer than size items or fails, with a
// heartbeat after each call.
func inBatches(ctx context.Context, size int, step func() (int, error)) error {
	for {
		n, err := step()
		if err != nil || n < size {
			return err
		}
		activity.RecordHeartbeat(ctx)
	}
}
