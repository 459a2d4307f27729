package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/procession-dev/procession/domain"
)

const (
	// viewTime bounds a view in all, and historyTime each read of events.
	viewTime    = 5 * time.Second
	historyTime = 2 * time.Second
	// maxHistoryPage bounds an answer with events, in bytes: they carry what workers sent.
	maxHistoryPage = 8 << 20
	// maxName bounds, in bytes, a name that a worker chose.
	maxName = 200
	// maxWaits is how many things of a kind are listed that a workflow waits for.
	maxWaits = 50
)

// historyPages returns the sizes of pages of events, the next where a page is too large.
func historyPages() []int32 { return []int32{100, 10, 1} }

// View returns what Temporal knows of a workflow, nil where it knows nothing (any more) or the workflow is not among those
// asked for. It takes at most five seconds and 8 MiB.
func (e *Engine) View(ctx context.Context, q domain.WorkflowQuestion) (*domain.WorkflowView, error) {
	ctx, cancel := context.WithTimeout(ctx, viewTime)
	defer cancel()
	described, err := e.workflows.DescribeWorkflowExecution(ctx, &workflowservice.DescribeWorkflowExecutionRequest{
		Namespace: q.Namespace, Execution: &commonpb.WorkflowExecution{WorkflowId: q.WorkflowID, RunId: q.RunID},
	})
	if gone(err) || NamespaceMissing(err) {
		return nil, nil //nolint:nilnil // there need not be one
	}
	if err != nil {
		return nil, fmt.Errorf("describing a workflow: %w", err)
	}
	info := described.GetWorkflowExecutionInfo()
	if !slices.Contains(q.Among, q.WorkflowID) && !slices.Contains(q.Among, info.GetRootExecution().GetWorkflowId()) {
		return nil, nil //nolint:nilnil // as above
	}
	view := viewed(info)
	history, err := e.historyBefore(ctx, q, info.GetExecution())
	if err != nil {
		return nil, fmt.Errorf("reading the history of a workflow: %w", err)
	}
	view.Older = history.GetNextPageToken()
	read := newReader(e, q.TenantID, history.GetHistory().GetEvents())
	if view.Events, err = read.events(ctx); err != nil {
		return nil, fmt.Errorf("reading the history of a workflow: %w", err)
	}
	if view.ClosedAt == nil {
		view.Waits = slices.Concat(pendingActivities(described.GetPendingActivities()), pendingChildren(described.GetPendingChildren()),
			pendingStep(described.GetPendingWorkflowTask(), view.TaskQueue), read.timers())
	}
	return view, nil
}

// historyBefore returns a page of events, the newest first.
func (e *Engine) historyBefore(
	ctx context.Context, q domain.WorkflowQuestion, run *commonpb.WorkflowExecution,
) (history *workflowservice.GetWorkflowExecutionHistoryReverseResponse, err error) {
	for _, size := range historyPages() {
		limited, cancel := context.WithTimeout(ctx, historyTime)
		history, err = e.workflows.GetWorkflowExecutionHistoryReverse(limited, &workflowservice.GetWorkflowExecutionHistoryReverseRequest{
			Namespace: q.Namespace, Execution: run, MaximumPageSize: size, NextPageToken: q.After,
		}, grpc.MaxCallRecvMsgSize(maxHistoryPage))
		cancel()
		if err == nil || gone(err) {
			return history, err
		}
	}
	return nil, err
}

func viewed(info *workflowpb.WorkflowExecutionInfo) *domain.WorkflowView {
	return &domain.WorkflowView{
		WorkflowID: info.GetExecution().GetWorkflowId(), RunID: info.GetExecution().GetRunId(),
		Type: cut(info.GetType().GetName(), maxName), TaskQueue: cut(info.GetTaskQueue(), maxName),
		Status: info.GetStatus().String(), StartedAt: info.GetStartTime().AsTime(), ClosedAt: timeOf(info.GetCloseTime()),
		Length: info.GetHistoryLength(), Parent: info.GetParentExecution().GetWorkflowId(),
	}
}

// timeOf returns a time that may be missing.
func timeOf(t *timestamppb.Timestamp) *time.Time {
	if t == nil {
		return nil
	}
	return new(t.AsTime())
}

func pendingActivities(pending []*workflowpb.PendingActivityInfo) []domain.WorkflowWait {
	var waits []domain.WorkflowWait
	for _, a := range pending[:min(len(pending), maxWaits)] {
		wait := domain.WorkflowWait{
			Kind: domain.WaitActivity, Name: cut(a.GetActivityType().GetName(), maxName), Attempt: int(a.GetAttempt()),
			Since: a.GetScheduledTime().AsTime(), Until: timeOf(a.GetNextAttemptScheduleTime()),
		}
		if a.GetLastFailure() != nil {
			wait.Message = rootMessage(a.GetLastFailure())
		}
		if started := a.GetLastStartedTime(); a.GetScheduledTime() == nil && started != nil {
			wait.Since = started.AsTime()
		}
		waits = append(waits, wait)
	}
	return waits
}

func pendingChildren(pending []*workflowpb.PendingChildExecutionInfo) []domain.WorkflowWait {
	var waits []domain.WorkflowWait
	for _, c := range pending[:min(len(pending), maxWaits)] {
		waits = append(waits, domain.WorkflowWait{
			Kind: domain.WaitChild, Name: cut(c.GetWorkflowTypeName(), maxName), WorkflowID: c.GetWorkflowId(),
		})
	}
	return waits
}

// pendingStep returns the wait for a worker of the queue, if one has to continue the workflow.
func pendingStep(pending *workflowpb.PendingWorkflowTaskInfo, queue string) []domain.WorkflowWait {
	if pending == nil || pending.GetState() != enumspb.PENDING_WORKFLOW_TASK_STATE_SCHEDULED {
		return nil
	}
	return []domain.WorkflowWait{{
		Kind: domain.WaitWorker, Name: queue, Attempt: int(pending.GetAttempt()), Since: pending.GetOriginalScheduledTime().AsTime(),
	}}
}

// itemOf returns the definition of the item that a signal of the service is about, "" for other signals and for those that
// cannot be read. An error means that a key could not be looked up.
func (r *historyReader) itemOf(ctx context.Context, input *commonpb.Payloads) (string, error) {
	if len(input.GetPayloads()) != 1 {
		return "", nil
	}
	text, _, err := r.engine.ReadResult(ctx, r.tenant, input.GetPayloads()[0])
	if err != nil {
		return "", err
	}
	var signal signalProcessItem
	if err := json.Unmarshal(text, &signal); err != nil || text == nil {
		return "", nil //nolint:nilerr // it is not a signal of the service
	}
	return cut(signal.Payload.ProcessItemDefinitionCode, maxName), nil
}
