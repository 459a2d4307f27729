// Package workflows contains the service's own workflows. They are deterministic and
// run in the service's namespace; tests replay committed histories to find changes that
// break running workflows.
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
	r.RegisterWorkflowWithOptions(BulkOperation, workflow.RegisterOptions{Name: BulkOperationName})
}
