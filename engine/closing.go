package engine

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"

	"github.com/procession-dev/procession/domain"
)

// EndKind is a way in which a workflow run ends, as Temporal's visibility calls
// it.
type EndKind string

// EndCompleted is the end of a workflow that returned.
const EndCompleted EndKind = "Completed"

// OtherEnds returns the ends of workflows that did not return. A run that continued as
// new goes on in another one.
func OtherEnds() []EndKind { return []EndKind{"Failed", "TimedOut", "Canceled", "Terminated"} }

const (
	// Most looks find few ends. Further pages are as big as Temporal allows, because
	// listings, unlike other calls, are few by its default limits: ten a second and
	// namespace.
	firstPageSize = 50
	pageSize      = 1000
)

// Closed is a workflow run that has ended, as Temporal lists it.
type Closed struct {
	WorkflowID string
	RunID      string
	// Completed is set when the workflow returned a result; otherwise Outcome
	// returns the details.
	Completed bool
	ClosedAt  time.Time
}

// ListClosed returns a page of the runs of a namespace that ended in one way, the
// latest end first, and the token of the next page, empty after the last.
//
// The condition and the order are those of an index of Temporal's visibility
// store, so that a page costs the same however many runs are open or kept there.
// A condition on the time of the end has no index.
func (e *Engine) ListClosed(
	ctx context.Context, namespace string, kind EndKind, pageToken []byte,
) (runs []Closed, nextPageToken []byte, err error) {
	size := int32(pageSize)
	if len(pageToken) == 0 {
		size = firstPageSize
	}
	page, err := e.list(ctx, &workflowservice.ListWorkflowExecutionsRequest{
		Namespace: namespace, PageSize: size, NextPageToken: pageToken, Query: fmt.Sprintf("ExecutionStatus = %q", kind),
	})
	if err != nil {
		return nil, nil, fmt.Errorf("listing closed workflows: %w", err)
	}
	for _, info := range page.GetExecutions() {
		runs = append(runs, Closed{
			WorkflowID: info.GetExecution().GetWorkflowId(),
			RunID:      info.GetExecution().GetRunId(),
			Completed:  kind == EndCompleted,
			ClosedAt:   info.GetCloseTime().AsTime(),
		})
	}
	return runs, page.GetNextPageToken(), nil
}

// ListRunning returns which of the workflows, at most a thousand, Temporal lists as
// running. The list may be late.
func (e *Engine) ListRunning(ctx context.Context, namespace string, workflowIDs []string) (map[string]bool, error) {
	running := make(map[string]bool, len(workflowIDs))
	if len(workflowIDs) == 0 {
		return running, nil
	}
	quoted := make([]string, len(workflowIDs))
	for i, id := range workflowIDs {
		quoted[i] = strconv.Quote(id)
	}
	page, err := e.list(ctx, &workflowservice.ListWorkflowExecutionsRequest{
		Namespace: namespace, PageSize: pageSize,
		Query: `ExecutionStatus = "Running" AND WorkflowId IN (` + strings.Join(quoted, ", ") + `)`,
	})
	if err != nil {
		return nil, fmt.Errorf("listing running workflows: %w", err)
	}
	for _, info := range page.GetExecutions() {
		running[info.GetExecution().GetWorkflowId()] = true
	}
	return running, nil
}

func (e *Engine) list(
	ctx context.Context, request *workflowservice.ListWorkflowExecutionsRequest,
) (*workflowservice.ListWorkflowExecutionsResponse, error) {
	ctx, cancel := context.WithTimeout(ctx, CallTimeout)
	defer cancel()
	return e.workflows.ListWorkflowExecutions(ctx, request)
}

// Outcome returns how the workflow of a run ended, with its result where that
// matters, or nil while it is running. Of a workflow that was started again only
// the last start counts. A workflow that Temporal does not know has failed at the
// time now, and so has a RUNNING one that lost its id to a run that the service did
// not start or record.
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
	if r.State == domain.RunRunning && described.chain() != r.RunID {
		return &domain.Closing{
			Namespace: r.Namespace, WorkflowID: r.WorkflowID, RunID: r.RunID, Status: domain.RunFailed, ClosedAt: now,
			Message: "run " + described.chain() + " of Temporal, which the service did not start, has the id of the workflow",
		}, nil
	}
	if r.State == domain.RunPending && described.info.GetParentExecution() != nil {
		return nil, nil
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

// chain returns the first run of the chain of runs.
func (d description) chain() string {
	if first := d.info.GetFirstRunId(); first != "" {
		return first
	}
	return d.info.GetExecution().GetRunId()
}

// continues reports whether the description is of an open workflow in the chain of a
// run, though not of its first.
func (d description) continues(r domain.EngineRun) bool {
	status := d.info.GetStatus()
	return d.chain() == r.RunID && d.info.GetExecution().GetRunId() != r.RunID &&
		(status == enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING || status == enumspb.WORKFLOW_EXECUTION_STATUS_PAUSED)
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
