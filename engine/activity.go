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

// completeTime bounds one attempt to complete an activity. The rest of
// CallTimeout is left to find out whether the token or Temporal is at fault when
// there is no answer.
const completeTime = 3 * time.Second

// completeActivity completes an activity without a result. It succeeds when the
// activity or its workflow has already ended or timed out.
//
// The token came from a worker, so a bad token must not affect other commands:
// one that Temporal refuses is dropped, and one that Temporal fails to process is
// not taken for an unavailable Temporal.
func (e *Engine) completeActivity(ctx context.Context, c domain.DueCommand) error {
	attempt, cancel := context.WithTimeout(ctx, completeTime)
	defer cancel()
	// The namespace makes a token of another tenant useless.
	_, err := e.workflows.RespondActivityTaskCompleted(attempt, &workflowservice.RespondActivityTaskCompletedRequest{
		Namespace: c.Run.Namespace, TaskToken: c.ActivityToken, Identity: identity,
	})
	switch {
	case err == nil || gone(err):
		return nil
	case refusedToken(err):
		e.logger.WarnContext(ctx, "activity token was refused",
			slog.String("namespace", c.Run.Namespace), slog.String("workflow", c.Run.WorkflowID), slog.Any("error", err))
		return nil
	case Unavailable(err) && e.Ping(ctx) == nil:
		return fmt.Errorf("completing an activity by its token: %s", err.Error())
	}
	return fmt.Errorf("completing an activity by its token: %w", err)
}

// refusedToken reports whether err means that a token names no activity of the
// namespace and never will.
func refusedToken(err error) bool {
	var invalid *serviceerror.InvalidArgument
	return errors.As(err, &invalid) || NamespaceMissing(err)
}
