package engine

import (
	"context"
	"errors"
	"fmt"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	taskqueuepb "go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"

	"github.com/procession-dev/procession/domain"
)

// The signals about an item (engine contract, section 5).
const (
	signalOfShapeA = "KuFlow_Engine_Signal_Completed_Task"
	signalOfShapeB = "KuFlow_Engine_Signal_Process_Item"
)

// signalOfMove tells a workflow that its process has moved to another version of its definition (docs/workers.md).
const signalOfMove = "Procession_Signal_Definition_Version"

// signalOfOverdue tells a workflow that a task of its process is overdue (docs/workers.md).
const signalOfOverdue = "Procession_Signal_Task_Overdue"

// Execute executes a command. It is idempotent: Temporal recognises a repetition by the
// command's id, a started workflow is not started again, and signals, cancellations and
// completed activities of an ended workflow are dropped. A foreign workflow with the
// same id is neither signalled nor cancelled, and is terminated by a start. For
// commands that start a workflow Execute returns the
// run id that Temporal assigned. Unavailable and NamespaceMissing classify its errors.
func (e *Engine) Execute(ctx context.Context, c domain.DueCommand) (engineRun string, err error) {
	ctx, cancel := context.WithTimeout(ctx, CallTimeout)
	defer cancel()
	switch c.Kind {
	case domain.CommandStart:
		engineRun, err = e.startWorkflow(ctx, c, enumspb.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE)
	case domain.CommandRestart:
		engineRun, err = e.startWorkflow(ctx, c, enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE_FAILED_ONLY)
	case domain.CommandReplace:
		engineRun, err = e.replaceWorkflow(ctx, c)
	case domain.CommandReset:
		engineRun, err = e.resetWorkflow(ctx, c)
	case domain.CommandCompleteStep:
		err = e.completeStep(ctx, c)
	case domain.CommandSignal:
		err = e.signalItem(ctx, c)
	case domain.CommandSignalAction:
		err = e.signalWorkflow(ctx, c, c.SignalName, signalUserAction{
			DefinitionCode: c.ActionCode, Input: c.ActionInput,
			RequestTime: requestTime(c), RequestInstant: requestTime(c), RequestTimeZone: c.TimeZone,
		})
	case domain.CommandSignalMove:
		err = e.signalMove(ctx, c)
	case domain.CommandSignalOverdue:
		err = e.signalOverdue(ctx, c)
	case domain.CommandCancel:
		err = e.requestCancel(ctx, c)
	case domain.CommandTerminate:
		err = e.terminateWorkflow(ctx, c)
	case domain.CommandCompleteActivity:
		err = e.completeActivity(ctx, c)
	default:
		err = errors.New("unknown kind of command")
	}
	if err != nil {
		return "", e.router.attribute(ctx, c.Run.Namespace, fmt.Errorf("executing the engine command %s: %w", c.Kind, err))
	}
	return engineRun, nil
}

func (e *Engine) startWorkflow(ctx context.Context, c domain.DueCommand, reuse enumspb.WorkflowIdReusePolicy) (string, error) {
	request, err := e.startRequest(ctx, c, reuse)
	if err != nil {
		return "", err
	}
	started, err := e.workflows.StartWorkflowExecution(ctx, request)
	if already, ok := errors.AsType[*serviceerror.WorkflowExecutionAlreadyStarted](err); ok {
		first, own, err := e.firstRun(ctx, c.Run, already.RunId)
		if err != nil || own {
			return first, err
		}
		return e.startInstead(ctx, request)
	}
	return started.GetRunId(), err
}

// replaceWorkflow starts the workflow in place of its running or ended one.
func (e *Engine) replaceWorkflow(ctx context.Context, c domain.DueCommand) (string, error) {
	request, err := e.startRequest(ctx, c, enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE)
	if err != nil {
		return "", err
	}
	return e.startInstead(ctx, request)
}

// startInstead starts a workflow and terminates a running one with its id.
func (e *Engine) startInstead(ctx context.Context, request *workflowservice.StartWorkflowExecutionRequest) (string, error) {
	request.WorkflowIdReusePolicy = enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE
	request.WorkflowIdConflictPolicy = enumspb.WORKFLOW_ID_CONFLICT_POLICY_TERMINATE_EXISTING
	started, err := e.workflows.StartWorkflowExecution(ctx, request)
	return started.GetRunId(), err
}

func (e *Engine) startRequest(
	ctx context.Context, c domain.DueCommand, reuse enumspb.WorkflowIdReusePolicy,
) (*workflowservice.StartWorkflowExecutionRequest, error) {
	input, err := e.commandInput(ctx, c)
	if err != nil {
		return nil, err
	}
	header, err := encryptionHeader(c.Run)
	if err != nil {
		return nil, err
	}
	return &workflowservice.StartWorkflowExecutionRequest{
		Namespace:                c.Run.Namespace,
		WorkflowId:               c.Run.WorkflowID,
		WorkflowType:             &commonpb.WorkflowType{Name: c.Run.WorkflowType},
		TaskQueue:                &taskqueuepb.TaskQueue{Name: c.Run.TaskQueue},
		Input:                    input,
		Header:                   header,
		Identity:                 identity,
		RequestId:                c.ID.String(),
		WorkflowIdReusePolicy:    reuse,
		WorkflowIdConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_FAIL,
	}, nil
}

// commandInput returns the arguments of the workflow of the command's run, encrypted if
// the run has a key. The service's own workflow has one encrypted argument, the request
// that it passes on.
func (e *Engine) commandInput(ctx context.Context, c domain.DueCommand) (*commonpb.Payloads, error) {
	if c.Run.Kind != domain.RunKindDataSource {
		input, err := commandArgument(c)
		if err != nil {
			return nil, err
		}
		return e.encryptPayloads(ctx, c.Run, input)
	}
	if c.Run.DataSource == nil {
		return nil, errors.New("the run has no data source")
	}
	input, err := toPayloads(domain.DataSourceInput{
		Run: c.Run.OwnerID, Tenant: c.Run.TenantID, Activity: c.Run.DataSource.Activity,
		TaskQueue: c.Run.DataSource.TaskQueue, Deadline: c.Run.DataSource.Deadline, Attempts: c.Run.DataSource.Attempts,
	})
	if err != nil {
		return nil, err
	}
	request, err := toPayloads(c.Run.DataSource.Request)
	if err != nil {
		return nil, err
	}
	request, err = e.encryptPayloads(ctx, c.Run, request)
	if err != nil {
		return nil, err
	}
	input.Payloads = append(input.Payloads, request.GetPayloads()...)
	return input, nil
}

// firstRun returns the first run in the chain of run, because an earlier start may have
// continued as new. own reports whether the service started it; it is true if Temporal
// no longer has the first run.
func (e *Engine) firstRun(ctx context.Context, r domain.EngineRun, run string) (first string, own bool, err error) {
	described, err := e.describeRun(ctx, r.Namespace, r.WorkflowID, run)
	if err != nil {
		return "", false, err
	}
	first = described.firstRunID()
	history, err := e.workflows.GetWorkflowExecutionHistory(ctx, &workflowservice.GetWorkflowExecutionHistoryRequest{
		Namespace: r.Namespace, MaximumPageSize: 1,
		Execution: &commonpb.WorkflowExecution{WorkflowId: r.WorkflowID, RunId: first},
	})
	if isGone(err) {
		return first, true, nil
	}
	if err != nil {
		return "", false, fmt.Errorf("reading the start of a workflow: %w", err)
	}
	events := history.GetHistory().GetEvents()
	if len(events) == 0 {
		return "", false, errors.New("the history of a workflow is empty")
	}
	started := events[0].GetWorkflowExecutionStartedEventAttributes()
	return first, started.GetParentWorkflowExecution() == nil && started.GetIdentity() == identity, nil
}

// signalItem signals the workflow of a process about an item.
func (e *Engine) signalItem(ctx context.Context, c domain.DueCommand) error {
	if c.ItemID == nil {
		return errors.New("the signal has no item")
	}
	name, value := signalOfShapeB, any(signalProcessItem{
		ID: *c.ItemID, Type: c.ItemType,
		Payload: signalItemPayload{
			ProcessItemDefinitionCode: c.ItemCode, DataStructureDefinitionCode: c.DataCode,
		},
		RequestTime: requestTime(c), RequestTimeZone: c.TimeZone,
	})
	if c.Shape == domain.SignalShapeA {
		name, value = signalOfShapeA, c.ItemID.String()
	}
	return e.signalWorkflow(ctx, c, name, value)
}

// signalOverdue tells a workflow that a task of its process is overdue.
func (e *Engine) signalOverdue(ctx context.Context, c domain.DueCommand) error {
	if c.ItemID == nil || c.Parameters == nil || c.Parameters.DueAt == nil {
		return errors.New("the signal has no task and due date")
	}
	return e.signalWorkflow(ctx, c, signalOfOverdue, signalTaskOverdue{
		ID: *c.ItemID, DefinitionCode: c.ItemCode, DueAt: c.Parameters.DueAt.UTC(), Step: c.Parameters.Step,
		RequestTime: requestTime(c), RequestTimeZone: c.TimeZone,
	})
}

func (e *Engine) signalWorkflow(ctx context.Context, c domain.DueCommand, name string, value any) error {
	input, err := toPayloads(value)
	if err != nil {
		return err
	}
	input, err = e.encryptPayloads(ctx, c.Run, input)
	if err != nil {
		return err
	}
	request := &workflowservice.SignalWorkflowExecutionRequest{
		Namespace:         c.Run.Namespace,
		WorkflowExecution: executionOf(c.Run),
		SignalName:        name,
		Input:             input,
		Identity:          identity,
		RequestId:         c.ID.String(),
	}
	if c.Run.State != domain.RunPending {
		request.WorkflowExecution.RunId = c.Run.RunID
	}
	_, err = e.workflows.SignalWorkflowExecution(ctx, request)
	if !isGone(err) || c.Run.State == domain.RunPending {
		return ignoreGone(err)
	}
	current, err := e.describeRun(ctx, c.Run.Namespace, c.Run.WorkflowID, "")
	if err != nil || !current.isContinuationOf(c.Run) {
		return ignoreGone(err)
	}
	// After an error the command is repeated, because this run may have ended too.
	request.WorkflowExecution.RunId = current.info.GetExecution().GetRunId()
	_, err = e.workflows.SignalWorkflowExecution(ctx, request)
	return err
}

func (e *Engine) requestCancel(ctx context.Context, c domain.DueCommand) error {
	_, err := e.workflows.RequestCancelWorkflowExecution(ctx, &workflowservice.RequestCancelWorkflowExecutionRequest{
		Namespace:           c.Run.Namespace,
		WorkflowExecution:   executionOf(c.Run),
		FirstExecutionRunId: c.Run.RunID,
		Identity:            identity,
		RequestId:           c.ID.String(),
		Reason:              stopReason(c.Run),
	})
	if _, ok := errors.AsType[*serviceerror.CancellationAlreadyRequested](err); ok {
		return nil
	}
	return ignoreGone(err)
}

func (e *Engine) terminateWorkflow(ctx context.Context, c domain.DueCommand) error {
	if c.Run.State == domain.RunPending {
		return errNotStarted
	}
	_, err := e.workflows.TerminateWorkflowExecution(ctx, &workflowservice.TerminateWorkflowExecutionRequest{
		Namespace:           c.Run.Namespace,
		WorkflowExecution:   executionOf(c.Run),
		FirstExecutionRunId: c.Run.RunID,
		Identity:            identity,
		Reason:              stopReason(c.Run) + " and the workflow did not end by itself",
	})
	return ignoreGone(err)
}

// stopReason returns the reason of a cancellation or termination, as Temporal shows it.
func stopReason(r domain.EngineRun) string {
	switch r.Kind {
	case domain.RunKindDataSource:
		return "the answer is no longer needed"
	case domain.RunKindTaskRobot:
		return "the task is cancelled"
	case domain.RunKindArtifactAction, domain.RunKindProcessAction:
		return "the action is canceled"
	case domain.RunKindProcess:
	}
	return "the process is finished"
}

// executionOf names the workflow without a run, because it may have continued as new.
func executionOf(r domain.EngineRun) *commonpb.WorkflowExecution {
	return &commonpb.WorkflowExecution{WorkflowId: r.WorkflowID}
}

func ignoreGone(err error) error {
	if isGone(err) {
		return nil
	}
	return err
}
