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

// completeTime bounds one attempt to complete an activity. It leaves some of
// CallTimeout to find out whose fault it is when Temporal does not answer.
const completeTime = 3 * time.Second

// completeActivity completes an activity without a result. One that has ended or
// timed out, or whose workflow has, needs it no more.
//
// The token came from a worker, so what is wrong with it must harm nobody else:
// one that Temporal refuses is dropped, and one that it cannot deal with is not
// taken for a Temporal that is down.
func (e *Engine) completeActivity(ctx context.Context, c domain.DueCommand) error {
	attempt, cancel := context.WithTimeout(ctx, completeTime)
	defer cancel()
	// The namespace keeps a token of another tenant's from being of any use.
	_, err := e.workflows.RespondActivityTaskCompleted(attempt, &workflowservice.RespondActivityTaskCompletedRequest{
		Namespace: c.Run.Namespace, TaskToken: c.ActivityToken, Identity: identity,
	})
	switch {
	case err == nil || gone(err):
		return nil
	case refusedToken(err):
		e.logger.WarnContext(ctx, "an activity token is of no use",
			slog.String("namespace", c.Run.Namespace), slog.String("workflow", c.Run.WorkflowID), slog.Any("error", err))
		return nil
	case Unavailable(err) && e.Ping(ctx) == nil:
		return fmt.Errorf("completing an activity by its token: %s", err.Error())
	}
	return fmt.Errorf("completing an activity by its token: %w", err)
}

// refusedToken reports whether err says that a token names no activity of the
// namespace and never will.
func refusedToken(err error) bool {
	var invalid *serviceerror.InvalidArgument
	return errors.As(err, &invalid) || NamespaceMissing(err)
}
