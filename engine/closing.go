package engine

import (
	"context"
	"fmt"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"

	"github.com/procession-dev/procession/domain"
)

// closedPageSize is the most Temporal lists at once. Pages are big because
// listings, unlike other calls, are few by Temporal's default limits: ten a
// second and namespace.
const closedPageSize = 1000

// Closed is a workflow run that has ended, as Temporal lists it.
type Closed struct {
	WorkflowID string
	RunID      string
	// Completed is set when the workflow returned a result; otherwise Outcome
	// returns the details.
	Completed bool
	// Continued is set when the workflow continued as new.
	Continued bool
	ClosedAt  time.Time
}

// ListClosed returns a page of the runs of a namespace that ended at since or
// later, in no particular order, and the token of the next page, empty after the
// last. The zero time lists all.
func (e *Engine) ListClosed(
	ctx context.Context, namespace string, since time.Time, pageToken []byte,
) (runs []Closed, nextPageToken []byte, err error) {
	ctx, cancel := context.WithTimeout(ctx, CallTimeout)
	defer cancel()
	query := `ExecutionStatus != "Running"`
	if !since.IsZero() {
		query = fmt.Sprintf(`CloseTime >= %q`, since.UTC().Format(time.RFC3339Nano))
	}
	page, err := e.workflows.ListWorkflowExecutions(ctx, &workflowservice.ListWorkflowExecutionsRequest{
		Namespace: namespace, PageSize: closedPageSize, NextPageToken: pageToken, Query: query,
	})
	if err != nil {
		return nil, nil, fmt.Errorf("listing closed workflows: %w", err)
	}
	for _, info := range page.GetExecutions() {
		runs = append(runs, Closed{
			WorkflowID: info.GetExecution().GetWorkflowId(),
			RunID:      info.GetExecution().GetRunId(),
			Completed:  info.GetStatus() == enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED,
			Continued:  info.GetStatus() == enumspb.WORKFLOW_EXECUTION_STATUS_CONTINUED_AS_NEW,
			ClosedAt:   info.GetCloseTime().AsTime(),
		})
	}
	return runs, page.GetNextPageToken(), nil
}

// Outcome returns how the workflow of a run ended, with its result where that
// matters, or nil while it is running. Of a workflow that was started again only
// the last start counts. A workflow that Temporal does not know has failed at the
// time now.
func (e *Engine) Outcome(ctx context.Context, r domain.EngineRun, now time.Time) (*domain.Closing, error) {
	ctx, cancel := context.WithTimeout(ctx, CallTimeout)
	defer cancel()
	described, err := e.describe(ctx, r.Namespace, r.WorkflowID, "")
	if gone(err) {
		return &domain.Closing{
			Namespace: r.Namespace, WorkflowID: r.WorkflowID, RunID: r.RunID, Status: domain.RunFailed,
			Message: "Temporal does not know the workflow", ClosedAt: now,
		}, nil
	}
	if err != nil {
		return nil, err
	}
	closing := domain.Closing{
		Namespace: r.Namespace, WorkflowID: r.WorkflowID, RunID: described.chain(),
		ClosedAt: described.info.GetCloseTime().AsTime(),
	}
	switch described.info.GetStatus() {
	case enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED:
		closing.Status = domain.RunCompleted
		if r.HasResult() {
			closing.Result, closing.Message, err = e.result(ctx, r, described.info.GetExecution())
		}
	case enumspb.WORKFLOW_EXECUTION_STATUS_CANCELED, enumspb.WORKFLOW_EXECUTION_STATUS_TERMINATED:
		closing.Status = domain.RunCancelled
	case enumspb.WORKFLOW_EXECUTION_STATUS_FAILED, enumspb.WORKFLOW_EXECUTION_STATUS_TIMED_OUT:
		closing.Status = domain.RunFailed
		closing.Message, closing.Failure, err = e.failure(ctx, r.Namespace, described.info.GetExecution())
	case enumspb.WORKFLOW_EXECUTION_STATUS_UNSPECIFIED, enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING,
		enumspb.WORKFLOW_EXECUTION_STATUS_CONTINUED_AS_NEW, enumspb.WORKFLOW_EXECUTION_STATUS_PAUSED:
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &closing, nil
}

type description struct {
	info *workflowpb.WorkflowExecutionInfo
}

// chain is the first run of the chain of runs.
func (d description) chain() string {
	if first := d.info.GetFirstRunId(); first != "" {
		return first
	}
	return d.info.GetExecution().GetRunId()
}

// describe describes a run of a workflow, or the last one when run is empty.
func (e *Engine) describe(ctx context.Context, namespace, workflow, run string) (description, error) {
	response, err := e.workflows.DescribeWorkflowExecution(ctx, &workflowservice.DescribeWorkflowExecutionRequest{
		Namespace: namespace, Execution: &commonpb.WorkflowExecution{WorkflowId: workflow, RunId: run},
	})
	if err != nil {
		return description{}, fmt.Errorf("describing a workflow: %w", err)
	}
	return description{info: response.GetWorkflowExecutionInfo()}, nil
}
