package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"
	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/grpc"

	"github.com/procession-dev/procession/domain"
)

// maxRepairPages bounds the pages of a history that are read for its repair points, of at most a thousand events each.
const maxRepairPages = 5

// maxResetEvents bounds the newest events of a run that are read to find its reset.
const maxResetEvents = 1000

// resetWorkflow continues a workflow from an earlier event of its history and returns the first run of its chain. Signals
// after the event are lost if the workflow is to wait again for the end of an item. A repetition of the command makes no second run:
// the reason of the reset names the command, because Temporal ignores the request id of resets.
func (e *Engine) resetWorkflow(ctx context.Context, c domain.DueCommand) (string, error) {
	p := c.Parameters
	if p == nil {
		return "", errors.New("the reset has no parameters")
	}
	current, err := e.describeRun(ctx, c.Run.Namespace, c.Run.WorkflowID, p.EngineRun)
	if err != nil {
		return "", err
	}
	reason := "repair of the process by the command " + c.ID.String()
	runs := []string{""}
	if current.resetRun != "" {
		runs = append(runs, current.resetRun)
	}
	for _, run := range runs {
		if made, err := e.isResetFor(ctx, c.Run, run, reason); err != nil || made {
			return current.firstRunID(), err
		}
	}
	execution, event := current.info.GetExecution(), p.EventID
	var exclude []enumspb.ResetReapplyExcludeType
	if p.Before != nil {
		if !p.Signals {
			exclude = []enumspb.ResetReapplyExcludeType{enumspb.RESET_REAPPLY_EXCLUDE_TYPE_SIGNAL}
		}
		if event, err = e.eventBefore(ctx, c.Run, execution, *p.Before); err != nil {
			return "", err
		}
	}
	_, err = e.workflows.ResetWorkflowExecution(ctx, &workflowservice.ResetWorkflowExecutionRequest{
		Namespace: c.Run.Namespace, WorkflowExecution: execution, WorkflowTaskFinishEventId: event,
		Reason: reason, RequestId: c.ID.String(), ResetReapplyExcludeTypes: exclude, Identity: identity,
	})
	if err != nil {
		return "", fmt.Errorf("resetting a workflow: %w", err)
	}
	return current.firstRunID(), nil
}

// isResetFor reports whether a run, the last one of its workflow for "", began by a reset with the reason.
func (e *Engine) isResetFor(ctx context.Context, r domain.EngineRun, run, reason string) (bool, error) {
	page, err := e.workflows.GetWorkflowExecutionHistoryReverse(ctx, &workflowservice.GetWorkflowExecutionHistoryReverseRequest{
		Namespace: r.Namespace, Execution: &commonpb.WorkflowExecution{WorkflowId: r.WorkflowID, RunId: run}, MaximumPageSize: maxResetEvents,
	}, grpc.MaxCallRecvMsgSize(maxHistoryPage))
	if err != nil {
		return false, fmt.Errorf("reading the history of a workflow: %w", err)
	}
	return slices.ContainsFunc(page.GetHistory().GetEvents(), func(event *historypb.HistoryEvent) bool {
		failed := event.GetWorkflowTaskFailedEventAttributes()
		return failed.GetCause() == enumspb.WORKFLOW_TASK_FAILED_CAUSE_RESET_WORKFLOW && failed.GetFailure().GetMessage() == reason
	}), nil
}

// completeStep completes an activity by its id.
func (e *Engine) completeStep(ctx context.Context, c domain.DueCommand) error {
	p := c.Parameters
	if p == nil {
		return errors.New("the step has no parameters")
	}
	request := &workflowservice.RespondActivityTaskCompletedByIdRequest{
		Namespace: c.Run.Namespace, WorkflowId: c.Run.WorkflowID, ActivityId: p.Activity, Identity: identity,
	}
	if p.Result != nil {
		payloads, err := toPayloads(p.Result)
		if err != nil {
			return err
		}
		if request.Result, err = e.encryptPayloads(ctx, c.Run, payloads); err != nil {
			return err
		}
	}
	_, err := e.workflows.RespondActivityTaskCompletedById(ctx, request)
	return ignoreGone(err)
}

// signalMove tells a workflow the former and the new version of its process.
func (e *Engine) signalMove(ctx context.Context, c domain.DueCommand) error {
	if c.Parameters == nil || c.Parameters.Move == nil {
		return errors.New("the signal has no move")
	}
	return e.signalWorkflow(ctx, c, signalOfMove, signalVersionMove{
		VersionMove: *c.Parameters.Move, RequestTime: requestTime(c), RequestTimeZone: c.TimeZone,
	})
}

// eventBefore returns the end of the last workflow task before the workflow learnt that an item has ended. Without such an
// event in the newest events of the history, it is the end of the first workflow task.
func (e *Engine) eventBefore(
	ctx context.Context, r domain.EngineRun, execution *commonpb.WorkflowExecution, item uuid.UUID,
) (int64, error) {
	first, before, found := int64(0), int64(0), false
	err := e.eachEvent(ctx, r.Namespace, execution, func(event *historypb.HistoryEvent) (bool, error) {
		if event.GetEventType() == enumspb.EVENT_TYPE_WORKFLOW_TASK_COMPLETED {
			before = event.GetEventId()
			if first == 0 {
				first = before
			}
		}
		signal := event.GetWorkflowExecutionSignaledEventAttributes()
		if signal == nil || before == 0 {
			return true, nil
		}
		about, err := e.signalledItemID(ctx, r.TenantID, signal)
		found = about == item
		return !found, err
	})
	if err != nil {
		return 0, err
	}
	if first == 0 {
		return 0, errors.New("no workflow task of the workflow has completed")
	}
	if !found {
		return first, nil
	}
	return before, nil
}

// signalledItemID returns the item that a signal of the service is about, the zero id for other signals.
func (e *Engine) signalledItemID(
	ctx context.Context, tenant uuid.UUID, signal *historypb.WorkflowExecutionSignaledEventAttributes,
) (uuid.UUID, error) {
	payloads := signal.GetInput().GetPayloads()
	if len(payloads) != 1 {
		return uuid.Nil, nil
	}
	text, _, err := e.ReadResult(ctx, tenant, payloads[0])
	if err != nil || text == nil {
		return uuid.Nil, err
	}
	var ofShapeB signalProcessItem
	var ofShapeA uuid.UUID
	switch signal.GetSignalName() {
	case signalOfShapeA:
		err = json.Unmarshal(text, &ofShapeA)
	case signalOfShapeB:
		err = json.Unmarshal(text, &ofShapeB)
		ofShapeA = ofShapeB.ID
	}
	if err != nil {
		return uuid.Nil, nil //nolint:nilerr // it is not a signal of the service
	}
	return ofShapeA, nil
}

// eachEvent calls do with the events of a run, the oldest first, until it returns false, at most with the events of
// maxRepairPages pages.
func (e *Engine) eachEvent(
	ctx context.Context, namespace string, execution *commonpb.WorkflowExecution, do func(*historypb.HistoryEvent) (bool, error),
) error {
	var token []byte
	for range maxRepairPages {
		page, err := e.workflows.GetWorkflowExecutionHistory(ctx, &workflowservice.GetWorkflowExecutionHistoryRequest{
			Namespace: namespace, Execution: execution, NextPageToken: token,
		}, grpc.MaxCallRecvMsgSize(maxHistoryPage))
		if err != nil {
			return fmt.Errorf("reading the history of a workflow: %w", err)
		}
		for _, event := range page.GetHistory().GetEvents() {
			if next, err := do(event); err != nil || !next {
				return err
			}
		}
		if token = page.GetNextPageToken(); len(token) == 0 {
			return nil
		}
	}
	return nil
}
