package workflows

import (
	"errors"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/procession-dev/procession/activities"
	"github.com/procession-dev/procession/domain"
)

// AssistanceName is the workflow type of Assistance in Temporal.
const AssistanceName = "Assistance"

const (
	// assistanceLost is the time without a heartbeat after which Temporal gives a step
	// to another worker.
	assistanceLost = 10 * time.Second
	// assistanceEnd bounds the recording of a failure.
	assistanceEnd = 10 * time.Minute
)

// errAssistanceTime means that the deadline of a run has passed.
var errAssistanceTime = errors.New("the deadline of the run has passed")

// AssistanceInput is the argument of Assistance.
type AssistanceInput struct {
	Key      domain.AssistanceKey `json:"key"`
	Deadline time.Time            `json:"deadline"`
}

// Assistance executes a run of AI assistance. Each step stores its result, so
// that none is repeated after it succeeded. Steps are retried until the deadline.
// The workflow completes without an error even if the run fails.
func Assistance(ctx workflow.Context, in AssistanceInput) error {
	err := runAssistanceSteps(ctx, in)
	if err == nil || isAssistanceOver(err) {
		return nil
	}
	// The failure is recorded even when the workflow is cancelled.
	ctx, _ = workflow.NewDisconnectedContext(ctx)
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		ScheduleToCloseTimeout: assistanceEnd, StartToCloseTimeout: time.Minute, RetryPolicy: assistanceRetries(),
	})
	return workflow.ExecuteActivity(ctx, activities.FailAssistanceName,
		activities.FailAssistanceInput{Key: in.Key, Code: assistanceCode(err)}).Get(ctx, nil)
}

func runAssistanceSteps(ctx workflow.Context, in AssistanceInput) error {
	for _, step := range []string{
		activities.ReadAssistanceDocumentsName, activities.EmbedAssistancePassagesName,
		activities.PrepareAssistancePromptName, activities.AskAssistanceModelName, activities.FinishAssistanceName,
	} {
		left := in.Deadline.Sub(workflow.Now(ctx))
		if left <= 0 {
			return errAssistanceTime
		}
		stepping := workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
			ScheduleToCloseTimeout: left, HeartbeatTimeout: assistanceLost, RetryPolicy: assistanceRetries(),
		})
		if err := workflow.ExecuteActivity(stepping, step, in.Key).Get(ctx, nil); err != nil {
			return err
		}
	}
	return nil
}

func assistanceRetries() *temporal.RetryPolicy {
	return &temporal.RetryPolicy{
		InitialInterval: 2 * time.Second, BackoffCoefficient: 2, MaximumInterval: 30 * time.Second,
	}
}

// isAssistanceOver reports whether a step found its run ended.
func isAssistanceOver(err error) bool {
	fault, ok := errors.AsType[*temporal.ApplicationError](err)
	return ok && fault.Type() == activities.AssistanceOverType
}

// assistanceCode returns the error code of a run that ended with err, or "" if the
// provider's fault is stored with the run.
func assistanceCode(err error) string {
	var fault *temporal.ApplicationError
	var late *temporal.TimeoutError
	var step *temporal.ActivityError
	switch {
	case errors.As(err, &fault) && fault.Type() == activities.AssistanceFaultType:
		return ""
	case errors.Is(err, errAssistanceTime), errors.As(err, &late),
		errors.As(err, &step) && step.RetryState() == enumspb.RETRY_STATE_TIMEOUT:
		return domain.AssistanceTimedOut
	default:
		return domain.AssistanceBroken
	}
}
