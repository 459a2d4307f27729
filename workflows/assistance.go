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

// AssistanceName is the name under which Temporal knows Assistance.
const AssistanceName = "Assistance"

const (
	// assistanceLost is how long a step may be silent before Temporal gives it to
	// another worker.
	assistanceLost = 10 * time.Second
	// assistanceEnd bounds the noting of a failure.
	assistanceEnd = 10 * time.Minute
)

// errAssistanceTime says that a run is out of time.
var errAssistanceTime = errors.New("the run is out of time")

// AssistanceInput is the argument of Assistance.
type AssistanceInput struct {
	Key      domain.AssistanceKey `json:"key"`
	Deadline time.Time            `json:"deadline"`
}

// Assistance carries out a run of AI assistance, step by step: each keeps what it
// did, so that none is done again. What can be tried again is, until the
// deadline. It ends without an error, whatever becomes of the run.
func Assistance(ctx workflow.Context, in AssistanceInput) error {
	err := assist(ctx, in)
	if err == nil || assistanceOver(err) {
		return nil
	}
	// The failure is noted even when the workflow is cancelled.
	ctx, _ = workflow.NewDisconnectedContext(ctx)
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		ScheduleToCloseTimeout: assistanceEnd, StartToCloseTimeout: time.Minute, RetryPolicy: assistanceRetries(),
	})
	return workflow.ExecuteActivity(ctx, activities.FailAssistanceName,
		activities.FailAssistanceInput{Key: in.Key, Code: assistanceCode(err)}).Get(ctx, nil)
}

func assist(ctx workflow.Context, in AssistanceInput) error {
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

// assistanceOver reports whether a step found that its run needs no end.
func assistanceOver(err error) bool {
	var fault *temporal.ApplicationError
	return errors.As(err, &fault) && fault.Type() == activities.AssistanceOverType
}

// assistanceCode is the error code of a run that ended with err, "" where the
// provider's fault is kept with the run.
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
