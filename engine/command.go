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

// Execute carries out a command. It is idempotent: Temporal recognises a
// repetition by the command's id, a started workflow is not started again, and
// signals, cancellations and completed activities of an ended workflow are
// dropped. Another workflow that has the id is neither signalled nor cancelled, and
// is terminated by a start. For commands that start a workflow Execute returns the
// run id that Temporal assigned. Unavailable and NamespaceMissing classify its errors.
func (e *Engine) Execute(ctx context.Context, c domain.DueCommand) (engineRun string, err error) {
	ctx, cancel := context.WithTimeout(ctx, CallTimeout)
	defer cancel()
	switch c.Kind {
	case domain.CommandStart:
		engineRun, err = e.start(ctx, c, enumspb.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE)
	case domain.CommandRestart:
		engineRun, err = e.start(ctx, c, enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE_FAILED_ONLY)
	case domain.CommandSignal:
		err = e.signalItem(ctx, c)
	case domain.CommandSignalAction:
		err = e.signal(ctx, c, c.SignalName, signalUserAction{
			DefinitionCode: c.ActionCode, Input: c.ActionInput,
			RequestTime: requestTime(c), RequestInstant: requestTime(c), RequestTimeZone: c.TimeZone,
		})
	case domain.CommandCancel:
		err = e.requestCancel(ctx, c)
	case domain.CommandTerminate:
		err = e.terminate(ctx, c)
	case domain.CommandCompleteActivity:
		err = e.completeActivity(ctx, c)
	default:
		err = errors.New("the kind of command is unknown")
	}
	if err != nil {
		return "", fmt.Errorf("carrying out the engine command %s: %w", c.Kind, err)
	}
	return engineRun, nil
}

func (e *Engine) start(ctx context.Context, c domain.DueCommand, reuse enumspb.WorkflowIdReusePolicy) (string, error) {
	input, err := e.input(ctx, c)
	if err != nil {
		return "", err
	}
	header, err := encryptionHeader(c.Run)
	if err != nil {
		return "", err
	}
	request := &workflowservice.StartWorkflowExecutionRequest{
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
	}
	started, err := e.workflows.StartWorkflowExecution(ctx, request)
	if already, ok := errors.AsType[*serviceerror.WorkflowExecutionAlreadyStarted](err); ok {
		first, own, err := e.firstRun(ctx, c.Run, already.RunId)
		if err != nil || own {
			return first, err
		}
		request.WorkflowIdReusePolicy = enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE
		request.WorkflowIdConflictPolicy = enumspb.WORKFLOW_ID_CONFLICT_POLICY_TERMINATE_EXISTING
		started, err = e.workflows.StartWorkflowExecution(ctx, request)
		return started.GetRunId(), err
	}
	return started.GetRunId(), err
}

// input returns the arguments that the workflow of the command's run is started
// with, encrypted where the run has a key. Of the arguments of the service's own
// workflow only the request that it passes on is encrypted.
func (e *Engine) input(ctx context.Context, c domain.DueCommand) (*commonpb.Payloads, error) {
	if c.Run.Kind != domain.RunKindDataSource {
		input, err := argument(c)
		if err != nil {
			return nil, err
		}
		return e.encrypted(ctx, c.Run, input)
	}
	if c.Run.DataSource == nil {
		return nil, errors.New("the run has no data source")
	}
	input, err := payloads(domain.DataSourceInput{
		Run: c.Run.OwnerID, Tenant: c.Run.TenantID, Activity: c.Run.DataSource.Activity,
		TaskQueue: c.Run.DataSource.TaskQueue, Deadline: c.Run.DataSource.Deadline, Attempts: c.Run.DataSource.Attempts,
	})
	if err != nil {
		return nil, err
	}
	request, err := payloads(c.Run.DataSource.Request)
	if err != nil {
		return nil, err
	}
	request, err = e.encrypted(ctx, c.Run, request)
	if err != nil {
		return nil, err
	}
	input.Payloads = append(input.Payloads, request.GetPayloads()...)
	return input, nil
}

// firstRun returns the first run of the chain of run: a workflow that was started
// before may have continued as new since. own reports whether the service started
// it, also when Temporal has forgotten that.
func (e *Engine) firstRun(ctx context.Context, r domain.EngineRun, run string) (first string, own bool, err error) {
	described, err := e.describe(ctx, r.Namespace, r.WorkflowID, run)
	if err != nil {
		return "", false, err
	}
	first = described.chain()
	history, err := e.workflows.GetWorkflowExecutionHistory(ctx, &workflowservice.GetWorkflowExecutionHistoryRequest{
		Namespace: r.Namespace, MaximumPageSize: 1,
		Execution: &commonpb.WorkflowExecution{WorkflowId: r.WorkflowID, RunId: first},
	})
	if gone(err) {
		return first, true, nil
	}
	if err != nil {
		return "", false, fmt.Errorf("reading how a workflow was started: %w", err)
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
	return e.signal(ctx, c, name, value)
}

func (e *Engine) signal(ctx context.Context, c domain.DueCommand, name string, value any) error {
	input, err := payloads(value)
	if err != nil {
		return err
	}
	input, err = e.encrypted(ctx, c.Run, input)
	if err != nil {
		return err
	}
	request := &workflowservice.SignalWorkflowExecutionRequest{
		Namespace:         c.Run.Namespace,
		WorkflowExecution: execution(c.Run),
		SignalName:        name,
		Input:             input,
		Identity:          identity,
		RequestId:         c.ID.String(),
	}
	if c.Run.State != domain.RunPending {
		request.WorkflowExecution.RunId = c.Run.RunID
	}
	_, err = e.workflows.SignalWorkflowExecution(ctx, request)
	if !gone(err) || c.Run.State == domain.RunPending {
		return unlessGone(err)
	}
	current, err := e.describe(ctx, c.Run.Namespace, c.Run.WorkflowID, "")
	if err != nil || !current.continues(c.Run) {
		return unlessGone(err)
	}
	// After an error the command is repeated: this run may have ended meanwhile too.
	request.WorkflowExecution.RunId = current.info.GetExecution().GetRunId()
	_, err = e.workflows.SignalWorkflowExecution(ctx, request)
	return err
}

func (e *Engine) requestCancel(ctx context.Context, c domain.DueCommand) error {
	_, err := e.workflows.RequestCancelWorkflowExecution(ctx, &workflowservice.RequestCancelWorkflowExecutionRequest{
		Namespace:           c.Run.Namespace,
		WorkflowExecution:   execution(c.Run),
		FirstExecutionRunId: c.Run.RunID,
		Identity:            identity,
		RequestId:           c.ID.String(),
		Reason:              reason(c.Run),
	})
	if _, ok := errors.AsType[*serviceerror.CancellationAlreadyRequested](err); ok {
		return nil
	}
	return unlessGone(err)
}

func (e *Engine) terminate(ctx context.Context, c domain.DueCommand) error {
	if c.Run.State == domain.RunPending {
		return errNotStarted
	}
	_, err := e.workflows.TerminateWorkflowExecution(ctx, &workflowservice.TerminateWorkflowExecutionRequest{
		Namespace:           c.Run.Namespace,
		WorkflowExecution:   execution(c.Run),
		FirstExecutionRunId: c.Run.RunID,
		Identity:            identity,
		Reason:              reason(c.Run) + " and the workflow did not end by itself",
	})
	return unlessGone(err)
}

// reason returns the reason, shown in Temporal, why the workflow was stopped.
func reason(r domain.EngineRun) string {
	switch r.Kind {
	case domain.RunKindDataSource:
		return "nothing waits for the answer"
	case domain.RunKindTaskRobot:
		return "the task is cancelled"
	case domain.RunKindArtifactAction, domain.RunKindProcessAction:
		return "the action is canceled"
	case domain.RunKindProcess:
	}
	return "the process is finished"
}

// execution names the workflow without a run, which may have continued as new.
func execution(r domain.EngineRun) *commonpb.WorkflowExecution {
	return &commonpb.WorkflowExecution{WorkflowId: r.WorkflowID}
}

func unlessGone(err error) error {
	if gone(err) {
		return nil
	}
	return err
}
