// Package workflows holds the workflows that the service owns. They run in the
// service's own namespace and are deterministic; tests replay committed
// histories, so that a change that would break running workflows is noticed.
package workflows

import (
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

// Register registers the workflows with a worker.
func Register(r worker.WorkflowRegistry) {
	r.RegisterWorkflowWithOptions(DocumentExpiry, workflow.RegisterOptions{Name: DocumentExpiryName})
	r.RegisterWorkflowWithOptions(DocumentSweep, workflow.RegisterOptions{Name: DocumentSweepName})
	r.RegisterWorkflowWithOptions(WebhookDelivery, workflow.RegisterOptions{Name: WebhookDeliveryName})
	r.RegisterWorkflowWithOptions(WebhookExpiry, workflow.RegisterOptions{Name: WebhookExpiryName})
	r.RegisterWorkflowWithOptions(RegistrationExpiry, workflow.RegisterOptions{Name: RegistrationExpiryName})
	r.RegisterWorkflowWithOptions(Assistance, workflow.RegisterOptions{Name: AssistanceName})
}
