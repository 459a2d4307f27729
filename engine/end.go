package engine

import (
	"context"
	"fmt"
	"strings"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"

	"github.com/procession-dev/procession/domain"
)

// EndKind is a final status of a workflow run in Temporal's visibility store.
type EndKind string

// EndCompleted is the end of a workflow that returned.
const EndCompleted EndKind = "Completed"

// OtherEnds returns the other kinds of ends. A run that continued as new has not ended.
func OtherEnds() []EndKind { return []EndKind{"Failed", "TimedOut", "Canceled", "Terminated"} }

const (
	// Most scans find few ends. Further pages are as large as Temporal allows, because
	// it permits only ten list calls per second and namespace by default.
	firstPageSize = 50
	pageSize      = 1000
)

// Closed is an ended workflow run in Temporal's list.
type Closed struct {
	WorkflowID string
	RunID      string
	// Completed is set when the workflow returned a result; otherwise Outcome
	// returns the details.
	Completed bool
	// ClosedAt has the precision of PostgreSQL, whatever store Temporal's list is in.
	ClosedAt time.Time
}

// ListClosed returns a page of the runs of a namespace that ended in one way, the
// latest end first, and the token of the next page, empty after the last.
//
// An index of Temporal's visibility store serves this condition and order, so that the
// cost of a page is independent of the number of runs. A condition on the time of the
// end has no index.
func (e *Engine) ListClosed(
	ctx context.Context, namespace string, kind EndKind, pageToken []byte,
) (runs []Closed, nextPageToken []byte, err error) {
	size := int32(pageSize)
	if len(pageToken) == 0 {
		size = firstPageSize
	}
	page, err := e.listExecutions(ctx, &workflowservice.ListWorkflowExecutionsRequest{
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
			ClosedAt:   info.GetCloseTime().AsTime().Truncate(time.Microsecond),
		})
	}
	return runs, page.GetNextPageToken(), nil
}

// ListRunning reports for each workflow, at most a thousand, whether Temporal lists it
// as running. The list may be outdated.
func (e *Engine) ListRunning(ctx context.Context, namespace string, workflowIDs []string) (map[string]bool, error) {
	running := make(map[string]bool, len(workflowIDs))
	if len(workflowIDs) == 0 {
		return running, nil
	}
	quoted := make([]string, len(workflowIDs))
	for i, id := range workflowIDs {
		quoted[i] = quoteValue(id)
	}
	page, err := e.listExecutions(ctx, &workflowservice.ListWorkflowExecutionsRequest{
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

// quoteValue returns a text as a value of a list query. Temporal reads the escapes of MySQL. It removes apostrophes at both ends of a value, and
// escapes quotation marks and backslashes for MySQL in PostgreSQL and SQLite as well, where they are then not found. No id of the
// service has any of them.
func quoteValue(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}

func (e *Engine) listExecutions(
	ctx context.Context, request *workflowservice.ListWorkflowExecutionsRequest,
) (*workflowservice.ListWorkflowExecutionsResponse, error) {
	ctx, cancel := context.WithTimeout(ctx, CallTimeout)
	defer cancel()
	return e.workflows.ListWorkflowExecutions(ctx, request)
}

// Outcome returns the end of a run's workflow, with its result if the run has one, or
// nil while it is running. For a restarted workflow the last start counts. A workflow
// unknown to Temporal has failed at the time now, and so has a RUNNING one with an id
// that another run, not recorded by the service, has taken.
func (e *Engine) Outcome(ctx context.Context, r domain.EngineRun, now time.Time) (*domain.RunEnd, error) {
	ctx, cancel := context.WithTimeout(ctx, CallTimeout)
	defer cancel()
	described, err := e.describeRun(ctx, r.Namespace, r.WorkflowID, "")
	if isGone(err) {
		return &domain.RunEnd{
			Namespace: r.Namespace, WorkflowID: r.WorkflowID, RunID: r.RunID, Status: domain.RunFailed,
			Message: "Temporal does not know the workflow", ClosedAt: now,
		}, nil
	}
	if err != nil {
		return nil, err
	}
	if r.State == domain.RunRunning && described.firstRunID() != r.RunID {
		return &domain.RunEnd{
			Namespace: r.Namespace, WorkflowID: r.WorkflowID, RunID: r.RunID, Status: domain.RunFailed, ClosedAt: now,
			Message: "run " + described.firstRunID() + " of Temporal, which the service did not start, has the id of the workflow",
		}, nil
	}
	if r.State == domain.RunPending && described.info.GetParentExecution() != nil {
		return nil, nil
	}
	end := domain.RunEnd{
		Namespace: r.Namespace, WorkflowID: r.WorkflowID, RunID: described.firstRunID(),
		ClosedAt: described.info.GetCloseTime().AsTime(),
	}
	switch described.info.GetStatus() {
	case enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED:
		end.Status = domain.RunCompleted
		if r.HasResult() {
			end.Result, end.Message, err = e.readRunResult(ctx, r, described.info.GetExecution())
		}
	case enumspb.WORKFLOW_EXECUTION_STATUS_CANCELED, enumspb.WORKFLOW_EXECUTION_STATUS_TERMINATED:
		end.Status = domain.RunCancelled
	case enumspb.WORKFLOW_EXECUTION_STATUS_FAILED, enumspb.WORKFLOW_EXECUTION_STATUS_TIMED_OUT:
		end.Status = domain.RunFailed
		end.Message, end.Failure, err = e.readFailure(ctx, r.Namespace, described.info.GetExecution())
	case enumspb.WORKFLOW_EXECUTION_STATUS_UNSPECIFIED, enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING,
		enumspb.WORKFLOW_EXECUTION_STATUS_CONTINUED_AS_NEW, enumspb.WORKFLOW_EXECUTION_STATUS_PAUSED:
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &end, nil
}

type description struct {
	info *workflowpb.WorkflowExecutionInfo
	// resetRun is the last run that continued the run from an earlier event, "" for none.
	resetRun string
}

// firstRunID returns the first run in the chain of the run.
func (d description) firstRunID() string {
	if first := d.info.GetFirstRunId(); first != "" {
		return first
	}
	return d.info.GetExecution().GetRunId()
}

// isContinuationOf reports whether the description is of an open later run in the chain
// of r.
func (d description) isContinuationOf(r domain.EngineRun) bool {
	status := d.info.GetStatus()
	return d.firstRunID() == r.RunID && d.info.GetExecution().GetRunId() != r.RunID &&
		(status == enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING || status == enumspb.WORKFLOW_EXECUTION_STATUS_PAUSED)
}

// describeRun describes a run of a workflow, or the last one when run is empty.
func (e *Engine) describeRun(ctx context.Context, namespace, workflow, run string) (description, error) {
	response, err := e.workflows.DescribeWorkflowExecution(ctx, &workflowservice.DescribeWorkflowExecutionRequest{
		Namespace: namespace, Execution: &commonpb.WorkflowExecution{WorkflowId: workflow, RunId: run},
	})
	if err != nil {
		return description{}, fmt.Errorf("describing a workflow: %w", err)
	}
	return description{
		info: response.GetWorkflowExecutionInfo(), resetRun: response.GetWorkflowExtendedInfo().GetResetRunId(),
	}, nil
}
