package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"

	"github.com/procession-dev/procession/domain"
)

// completeTimeout bounds one attempt to complete an activity. Without an answer, the
// rest of CallTimeout is used to find out whether the token or Temporal causes the
// failure.
const completeTimeout = 3 * time.Second

// completeActivity completes an activity without a result. It succeeds when the
// activity or its workflow has already ended or timed out.
//
// The token came from a worker, so an invalid one must not affect other commands: a
// refused token is dropped, and a failure to process a token does not count as
// unavailability of Temporal.
func (e *Engine) completeActivity(ctx context.Context, c domain.DueCommand) error {
	attempt, cancel := context.WithTimeout(ctx, completeTimeout)
	defer cancel()
	// The namespace prevents the use of another tenant's token.
	_, err := e.workflows.RespondActivityTaskCompleted(attempt, &workflowservice.RespondActivityTaskCompletedRequest{
		Namespace: c.Run.Namespace, TaskToken: c.ActivityToken, Identity: identity,
	})
	switch {
	case err == nil || isGone(err):
		return nil
	case isRefusedToken(err):
		e.logger.WarnContext(ctx, "activity token was refused",
			slog.String("namespace", c.Run.Namespace), slog.String("workflow", c.Run.WorkflowID), slog.Any("error", err))
		return nil
	case Unavailable(err) && e.Ping(ctx) == nil:
		return fmt.Errorf("completing an activity by its token: %s", err.Error())
	}
	return fmt.Errorf("completing an activity by its token: %w", err)
}

// isRefusedToken reports whether err means that a token is permanently invalid in the
// namespace.
func isRefusedToken(err error) bool {
	var invalid *serviceerror.InvalidArgument
	return errors.As(err, &invalid) || NamespaceMissing(err)
}
