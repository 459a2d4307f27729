// Package workflows holds the workflows that the service owns. They run in the
// service's own namespace and are deterministic; tests replay committed
// histories, so that a change that would break running workflows is noticed.
package workflows

import (
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/procession-dev/procession/activities"
)

// EngineObserverName is the workflow type of EngineObserver in Temporal.
const EngineObserverName = "EngineObserver"

const (
	// One observation adds six events to the history, so that it stays far below
	// Temporal's limit for a day.
	observationTime = 5 * time.Minute
	observations    = 250

	// observerLost is how long an observation may be silent before Temporal gives
	// it to another worker.
	observerLost = 8 * time.Second

	afterFault = 10 * time.Second
)

// EngineObserverInput is the argument of EngineObserver.
type EngineObserverInput struct {
	Namespace  string    `json:"namespace"`
	SweepAfter uuid.UUID `json:"sweepAfter"`
}

// observation is the argument of an observation.
type observation struct {
	Namespace  string        `json:"namespace"`
	Duration   time.Duration `json:"duration"`
	SweepAfter uuid.UUID     `json:"sweepAfter"`
}

// observed is the result of an observation: where the next one continues.
type observed struct {
	SweepAfter uuid.UUID `json:"sweepAfter"`
}

// EngineObserver is how the release before watched for workflows of a namespace
// that end. Those that still run are ended by their next observation, which
// activities.EndObserver answers. It goes with the release after this one.
func EngineObserver(ctx workflow.Context, in EngineObserverInput) error {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: 2 * observationTime,
		HeartbeatTimeout:    observerLost,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: 200 * time.Millisecond, BackoffCoefficient: 2, MaximumInterval: 5 * time.Second,
		},
	})
	for range observations {
		var seen observed
		err := workflow.ExecuteActivity(ctx, activities.ObserveClosingsName, observation{
			Namespace: in.Namespace, Duration: observationTime, SweepAfter: in.SweepAfter,
		}).Get(ctx, &seen)
		if temporal.IsCanceledError(err) {
			return err
		}
		if err != nil {
			// Observing continues after any error.
			if err := workflow.Sleep(ctx, afterFault); err != nil {
				return err
			}
			continue
		}
		in.SweepAfter = seen.SweepAfter
		if workflow.GetInfo(ctx).GetContinueAsNewSuggested() {
			break
		}
	}
	return workflow.NewContinueAsNewError(ctx, EngineObserver, in)
}

// Register registers the workflows with a worker.
func Register(r worker.WorkflowRegistry) {
	r.RegisterWorkflowWithOptions(EngineObserver, workflow.RegisterOptions{Name: EngineObserverName})
	r.RegisterWorkflowWithOptions(DocumentExpiry, workflow.RegisterOptions{Name: DocumentExpiryName})
	r.RegisterWorkflowWithOptions(DocumentSweep, workflow.RegisterOptions{Name: DocumentSweepName})
	r.RegisterWorkflowWithOptions(WebhookDelivery, workflow.RegisterOptions{Name: WebhookDeliveryName})
	r.RegisterWorkflowWithOptions(WebhookExpiry, workflow.RegisterOptions{Name: WebhookExpiryName})
	r.RegisterWorkflowWithOptions(RegistrationExpiry, workflow.RegisterOptions{Name: RegistrationExpiryName})
	r.RegisterWorkflowWithOptions(Assistance, workflow.RegisterOptions{Name: AssistanceName})
}
