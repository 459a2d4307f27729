// Command encrypted is a worker for the process FINDING, whose payloads Temporal cannot read. The definition names an
// encryptionKey; the worker is written like any other.
package main

import (
	"go.temporal.io/sdk/workflow"

	"github.com/procession-dev/procession/sdk"
)

func main() {
	procession.Program{Name: "encrypted", TaskQueue: "QUEUE_FINDINGS", Register: register}.Main()
}

func register(w *procession.Worker) error {
	procession.RegisterWorkflow(w, "FindingWorkflow", find)
	return nil
}

// finding is the data of the tasks.
type finding struct {
	Patient   string `json:"PATIENT"`
	Diagnosis string `json:"DIAGNOSIS"`
}

// find lets one person write down a finding and another person read it. Arguments and results of the activities hold it, and so
// does the history of the workflow, encrypted. Metadata, logs and failures are not: nothing of it belongs there.
func find(ctx workflow.Context, _ procession.WorkflowRequest) (procession.WorkflowResponse, error) {
	written, err := procession.AwaitTask[finding](ctx, "WRITE")
	if err != nil {
		return procession.WorkflowResponse{}, err
	}
	_, err = procession.AwaitTask[finding](ctx, "READ", procession.WithData(written.Data))
	return procession.WorkflowResponse{Message: "The finding of " + written.Data.Patient + " was read"}, err
}
