package activities

import (
	"context"

	"go.temporal.io/sdk/activity"
)

// runInBatches calls step until it fails or reports the end, with a heartbeat after
// each call.
func runInBatches(ctx context.Context, step func() (more bool, err error)) error {
	for {
		more, err := step()
		if err != nil || !more {
			return err
		}
		activity.RecordHeartbeat(ctx)
	}
}
