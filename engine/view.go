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
	// viewTimeout bounds a whole view, historyTimeout each read of events.
	viewTimeout    = 5 * time.Second
	historyTimeout = 2 * time.Second
	// maxHistoryPage bounds a page of events, in bytes: it contains the payloads of workers.
	maxHistoryPage = 8 << 20
	// maxName bounds, in bytes, a name that a worker chose.
	maxName = 200
	// maxWaits bounds the listed waits of a workflow of one kind.
	maxWaits = 50
)

// historyPages returns the sizes of pages of events, to be tried until a page is small enough.
func historyPages() []int32 { return []int32{100, 10, 1} }

// View returns the description and history of a workflow, or nil if Temporal does not
// have it or the question does not include it. It takes at most five seconds and 8 MiB.
func (e *Engine) View(ctx context.Context, q domain.WorkflowQuestion) (*domain.WorkflowView, error) {
	ctx, cancel := context.WithTimeout(ctx, viewTimeout)
	defer cancel()
	described, err := e.workflows.DescribeWorkflowExecution(ctx, &workflowservice.DescribeWorkflowExecutionRequest{
		Namespace: q.Namespace, Execution: &commonpb.WorkflowExecution{WorkflowId: q.WorkflowID, RunId: q.RunID},
	})
	if isGone(err) || NamespaceMissing(err) {
		return nil, nil //nolint:nilnil // there need not be one
	}
	if err != nil {
		return nil, fmt.Errorf("describing a workflow: %w", err)
	}
	info := described.GetWorkflowExecutionInfo()
	if !slices.Contains(q.Among, q.WorkflowID) && !slices.Contains(q.Among, info.GetRootExecution().GetWorkflowId()) {
		return nil, nil //nolint:nilnil // as above
	}
	view := newWorkflowView(info)
	history, err := e.historyBefore(ctx, q, info.GetExecution())
	if err != nil {
		return nil, fmt.Errorf("reading the history of a workflow: %w", err)
	}
	view.Older = history.GetNextPageToken()
	read := newHistoryReader(e, q.TenantID, history.GetHistory().GetEvents())
	if view.Events, err = read.readEvents(ctx); err != nil {
		return nil, fmt.Errorf("reading the history of a workflow: %w", err)
	}
	if view.ClosedAt == nil {
		view.Waits = slices.Concat(pendingActivities(described.GetPendingActivities()), pendingChildren(described.GetPendingChildren()),
			pendingWorkflowTask(described.GetPendingWorkflowTask(), view.TaskQueue), read.pendingTimers())
	}
	return view, nil
}

// historyBefore returns a page of events, the newest first.
func (e *Engine) historyBefore(
	ctx context.Context, q domain.WorkflowQuestion, run *commonpb.WorkflowExecution,
) (history *workflowservice.GetWorkflowExecutionHistoryReverseResponse, err error) {
	for _, size := range historyPages() {
		limited, cancel := context.WithTimeout(ctx, historyTimeout)
		history, err = e.workflows.GetWorkflowExecutionHistoryReverse(limited, &workflowservice.GetWorkflowExecutionHistoryReverseRequest{
			Namespace: q.Namespace, Execution: run, MaximumPageSize: size, NextPageToken: q.After,
		}, grpc.MaxCallRecvMsgSize(maxHistoryPage))
		cancel()
		if err == nil || isGone(err) {
			return history, err
		}
	}
	return nil, err
}

func newWorkflowView(info *workflowpb.WorkflowExecutionInfo) *domain.WorkflowView {
	return &domain.WorkflowView{
		WorkflowID: info.GetExecution().GetWorkflowId(), RunID: info.GetExecution().GetRunId(),
		Type: truncate(info.GetType().GetName(), maxName), TaskQueue: truncate(info.GetTaskQueue(), maxName),
		Status: info.GetStatus().String(), StartedAt: info.GetStartTime().AsTime(), ClosedAt: optionalTime(info.GetCloseTime()),
		Length: info.GetHistoryLength(), Parent: info.GetParentExecution().GetWorkflowId(),
	}
}

// optionalTime returns a time that may be missing.
func optionalTime(t *timestamppb.Timestamp) *time.Time {
	if t == nil {
		return nil
	}
	return new(t.AsTime())
}

func pendingActivities(pending []*workflowpb.PendingActivityInfo) []domain.WorkflowWait {
	var waits []domain.WorkflowWait
	for _, a := range pending[:min(len(pending), maxWaits)] {
		wait := domain.WorkflowWait{
			Kind: domain.WaitActivity, ActivityID: truncate(a.GetActivityId(), maxName), Name: truncate(a.GetActivityType().GetName(), maxName), Attempt: int(a.GetAttempt()),
			Since: a.GetScheduledTime().AsTime(), Until: optionalTime(a.GetNextAttemptScheduleTime()),
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
			Kind: domain.WaitChild, Name: truncate(c.GetWorkflowTypeName(), maxName), WorkflowID: c.GetWorkflowId(),
		})
	}
	return waits
}

// pendingWorkflowTask returns the wait for a worker of the queue to continue the workflow, if any.
func pendingWorkflowTask(pending *workflowpb.PendingWorkflowTaskInfo, queue string) []domain.WorkflowWait {
	if pending == nil || pending.GetState() != enumspb.PENDING_WORKFLOW_TASK_STATE_SCHEDULED {
		return nil
	}
	return []domain.WorkflowWait{{
		Kind: domain.WaitWorker, Name: queue, Attempt: int(pending.GetAttempt()), Since: pending.GetOriginalScheduledTime().AsTime(),
	}}
}

// signalledItem returns the definition of the item that a signal of the service is
// about, or "" for other and unreadable signals. An error means that the lookup of a
// key failed.
func (r *historyReader) signalledItem(ctx context.Context, input *commonpb.Payloads) (string, error) {
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
	return truncate(signal.Payload.ProcessItemDefinitionCode, maxName), nil
}
