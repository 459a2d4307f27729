// Command encrypted is a worker for the process FINDING with payloads that Temporal cannot read. The definition
// names an encryptionKey; the code of the worker is the same as without.
package main

import (
	"go.temporal.io/sdk/workflow"

	"github.com/procession-dev/procession/sdk"
)

func main() {
	procession.Program{Name: "encrypted", TaskQueue: "QUEUE_FINDINGS", Register: registerWorkflow}.Main()
}

func registerWorkflow(w *procession.Worker) error {
	procession.RegisterWorkflow(w, "FindingWorkflow", findWorkflow)
	return nil
}

// finding is the data of the tasks.
type finding struct {
	Patient   string `json:"PATIENT"`
	Diagnosis string `json:"DIAGNOSIS"`
}

// findWorkflow asks one person to write a finding and another person to read it. Arguments and results of activities
// and the history of the workflow are encrypted. Metadata, logs and failures are not and must not contain the
// finding.
func findWorkflow(ctx workflow.Context, _ procession.WorkflowRequest) (procession.WorkflowResponse, error) {
	written, err := procession.AwaitTask[finding](ctx, "WRITE")
	if err != nil {
		return procession.WorkflowResponse{}, err
	}
	_, err = procession.AwaitTask[finding](ctx, "READ", procession.WithData(written.Data))
	return procession.WorkflowResponse{Message: "The finding of " + written.Data.Patient + " was read"}, err
}
