package domain

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"
)

// EngineRunState is the state of a workflow that the service started on a worker's task queue.
type EngineRunState string

// The engine run states. A PENDING run is committed but not yet started in Temporal.
const (
	RunPending   EngineRunState = "PENDING"
	RunRunning   EngineRunState = "RUNNING"
	RunCompleted EngineRunState = "COMPLETED"
	RunCancelled EngineRunState = "CANCELLED"
	RunFailed    EngineRunState = "FAILED"
)

type runAction string

const (
	startRun    runAction = "Temporal started it"
	completeRun runAction = "returned"
	cancelRun   runAction = "cancelled or terminated"
	failRun     runAction = "failed or timed out"
	restartRun  runAction = "incident of a process or a robot retried"
	replaceRun  runAction = "process started anew"
)

//nolint:gochecknoglobals // a constant table: Go has no constant maps
var runTransitions = transitions[EngineRunState, runAction]{
	{RunPending, startRun}:   {to: RunRunning},
	{RunRunning, startRun}:   {to: RunRunning},
	{RunCompleted, startRun}: {refusal: "the run has ended"},
	{RunCancelled, startRun}: {refusal: "the run has ended"},
	{RunFailed, startRun}:    {refusal: "the run has ended"},

	// A workflow may end before the service records that it was started.
	{RunPending, completeRun}:   {to: RunCompleted},
	{RunRunning, completeRun}:   {to: RunCompleted},
	{RunCompleted, completeRun}: {refusal: "the run has ended"},
	{RunCancelled, completeRun}: {refusal: "the run has ended"},
	{RunFailed, completeRun}:    {refusal: "the run has ended"},

	{RunPending, cancelRun}:   {to: RunCancelled},
	{RunRunning, cancelRun}:   {to: RunCancelled},
	{RunCompleted, cancelRun}: {refusal: "the run has ended"},
	{RunCancelled, cancelRun}: {refusal: "the run has ended"},
	{RunFailed, cancelRun}:    {refusal: "the run has ended"},

	{RunPending, failRun}:   {to: RunFailed},
	{RunRunning, failRun}:   {to: RunFailed},
	{RunCompleted, failRun}: {refusal: "the run has ended"},
	{RunCancelled, failRun}: {refusal: "the run has ended"},
	{RunFailed, failRun}:    {refusal: "the run has ended"},

	{RunPending, restartRun}:   {refusal: "the run has not failed"},
	{RunRunning, restartRun}:   {refusal: "the run has not failed"},
	{RunCompleted, restartRun}: {refusal: "the run has not failed"},
	{RunCancelled, restartRun}: {refusal: "the run has not failed"},
	{RunFailed, restartRun}:    {to: RunPending},

	{RunPending, replaceRun}:   {to: RunPending},
	{RunRunning, replaceRun}:   {to: RunPending},
	{RunCompleted, replaceRun}: {refusal: "the run has ended"},
	{RunCancelled, replaceRun}: {refusal: "the run has ended"},
	{RunFailed, replaceRun}:    {to: RunPending},
}

// StartedRun returns the state after from once Temporal has started the workflow.
func StartedRun(from EngineRunState) EngineRunState {
	to, _ := runTransitions.next(from, startRun)
	return to
}

// EngineRunKind is the purpose of a run. It determines the type of OwnerID.
type EngineRunKind string

// The kinds of run.
const (
	// RunKindProcess is the run of a process's own workflow.
	RunKindProcess EngineRunKind = "PROCESS"
	// RunKindArtifactAction is the run of an action on a business artifact.
	RunKindArtifactAction EngineRunKind = "BUSINESS_ARTIFACT_ACTION"
	// RunKindProcessAction is the run of a user action on a process.
	RunKindProcessAction EngineRunKind = "PROCESS_ACTION"
	// RunKindTaskRobot is the run of a robot that assists with a task.
	RunKindTaskRobot EngineRunKind = "TASK_ROBOT"
	// RunKindDataSource is the run of the service's own workflow that asks a data
	// source.
	RunKindDataSource EngineRunKind = "DATA_SOURCE"
)

// EngineRun is a workflow that the service starts on a worker's task queue. RunID is Temporal's id of the first run
// of a chain: empty before the start, and the previous attempt's while the run is PENDING again. Action is set for
// the runs of actions. EncryptionKeyID is the key that encrypts the payloads in all attempts; empty for plain
// payloads.
type EngineRun struct {
	ID           uuid.UUID
	TenantID     uuid.UUID
	Kind         EngineRunKind
	OwnerID      uuid.UUID
	Namespace    string
	WorkflowID   string
	RunID        string
	WorkflowType string
	TaskQueue    string
	State        EngineRunState
	Action       *ActionRequest
	// Robot is set for RunKindTaskRobot.
	Robot *TaskRobotRequest
	// DataSource is set for RunKindDataSource.
	DataSource *DataSourceRequest
	// Extras are data of the client for the workflow of a process, nil for none: a JSON object.
	Extras json.RawMessage
	// EncryptionKeyID is chosen when the run is stored.
	EncryptionKeyID string
	// Finding is the finding of the last inspection, "" for none.
	Finding RunFinding
}

// ActionRequest is the input of the workflow of an action on ArtifactID or ProcessID. It is stored with the run, so
// that the workflow can be started even if the action was deleted together with its artifact.
type ActionRequest struct {
	ArtifactID  uuid.UUID `json:"artifactId,omitzero"`
	ProcessID   uuid.UUID `json:"processId,omitzero"`
	Type        string    `json:"type"`
	Code        string    `json:"code"`
	RequestorID uuid.UUID `json:"requestorId"`
}

// NewProcessRun returns the run of the workflow of a process. The workflow id is derived from the process id, so
// that a start can be repeated safely.
func NewProcessRun(id uuid.UUID, p *Process, namespace string, binding EngineBinding) EngineRun {
	return EngineRun{
		ID: id, TenantID: p.TenantID, Kind: RunKindProcess, OwnerID: p.ID, Namespace: namespace,
		WorkflowID: processWorkflowID(p.ID), WorkflowType: binding.WorkflowType,
		TaskQueue: binding.TaskQueue, State: RunPending,
	}
}

// Prefixes of the ids of workflows that the service starts for tenants.
const (
	processPrefix        = "process-"
	processActionPrefix  = "process-action-"
	artifactActionPrefix = "business-artifact-action-"
	taskRobotPrefix      = "task-robot-"
	dataSourcePrefix     = "data-source-"
)

// WorkflowIDPrefixes returns the prefixes of workflow ids that temporal-server reserves for the service, also after a dot.
func WorkflowIDPrefixes() []string {
	return []string{processPrefix, processActionPrefix, artifactActionPrefix, taskRobotPrefix, dataSourcePrefix}
}

// processWorkflowID returns the workflow id of a process.
func processWorkflowID(process uuid.UUID) string { return processPrefix + process.String() }

// ActionWorkflow identifies the workflow that executes an action, the task queue its workers serve, and the
// namespace of both.
type ActionWorkflow struct {
	Namespace string
	Type      string
	TaskQueue string
}

// NewArtifactActionRun returns the run of the workflow that executes an action on a business artifact.
func NewArtifactActionRun(id uuid.UUID, a *BusinessArtifactAction, by ActionWorkflow) EngineRun {
	return newActionRun(id, RunKindArtifactAction, &a.Action, by, artifactActionPrefix,
		ActionRequest{ArtifactID: a.ArtifactID, Type: string(a.Type)})
}

// NewProcessActionRun returns the run of the workflow that executes a user action on a process.
func NewProcessActionRun(id uuid.UUID, a *ProcessAction, by ActionWorkflow) EngineRun {
	return newActionRun(id, RunKindProcessAction, &a.Action, by, processActionPrefix,
		ActionRequest{ProcessID: a.ProcessID, Type: string(a.Type)})
}

// newActionRun derives the workflow id from the action's id.
func newActionRun(
	id uuid.UUID, kind EngineRunKind, a *Action, by ActionWorkflow, prefix string, request ActionRequest,
) EngineRun {
	request.Code, request.RequestorID = a.Definition.Code, a.CreatedBy
	return EngineRun{
		ID: id, TenantID: a.TenantID, Kind: kind, OwnerID: a.ID, Namespace: by.Namespace,
		WorkflowID: prefix + a.ID.String(), WorkflowType: by.Type, TaskQueue: by.TaskQueue,
		State: RunPending, Action: &request,
	}
}

// HasResult reports whether the result of the workflow is used.
func (r *EngineRun) HasResult() bool { return r.Kind == RunKindArtifactAction }

// EndedBy reports whether c is the end of the run. For a PENDING run the end of the previous attempt is not.
func (r *EngineRun) EndedBy(c RunEnd) bool {
	if _, err := runTransitions.next(r.State, c.endAction()); err != nil {
		return false
	}
	return (c.RunID == r.RunID) == (r.State == RunRunning)
}

// Close moves a run that is EndedBy c to its final state.
func (r *EngineRun) Close(c RunEnd) {
	r.State, _ = runTransitions.next(r.State, c.endAction())
	r.RunID, r.Finding = c.RunID, ""
}

// Restart makes a failed run PENDING again and reports whether it was failed.
func (r *EngineRun) Restart() bool {
	to, err := runTransitions.next(r.State, restartRun)
	r.State = to
	return err == nil
}

// Replace makes a run PENDING again that is running or has failed, and reports whether it is.
func (r *EngineRun) Replace() bool {
	to, err := runTransitions.next(r.State, replaceRun)
	r.State = to
	return err == nil
}

// CommandKind is the kind of request that an engine command makes to Temporal.
type CommandKind string

// The engine commands.
const (
	CommandStart   CommandKind = "START"
	CommandRestart CommandKind = "RESTART"
	CommandSignal  CommandKind = "SIGNAL"
	// CommandSignalAction signals the workflow of a process that a user action was invoked.
	CommandSignalAction CommandKind = "SIGNAL_ACTION"
	CommandCancel       CommandKind = "CANCEL"
	CommandTerminate    CommandKind = "TERMINATE"
	// CommandCompleteActivity completes an activity of any workflow of the run's namespace without a result.
	CommandCompleteActivity CommandKind = "COMPLETE_ACTIVITY"
	// CommandReplace is CommandRestart for a workflow that may be running, which is terminated.
	CommandReplace CommandKind = "REPLACE"
	// CommandReset continues the workflow from an earlier event.
	CommandReset CommandKind = "RESET"
	// CommandCompleteStep completes a pending activity of the workflow by its id.
	CommandCompleteStep CommandKind = "COMPLETE_STEP"
	// CommandSignalMove signals the workflow that its process has moved to another version of its definition.
	CommandSignalMove CommandKind = "SIGNAL_MOVE"
	// CommandSignalOverdue signals the workflow of a process that a task of it is overdue.
	CommandSignalOverdue CommandKind = "SIGNAL_OVERDUE"
)

// DueCommand is a due engine command with its run, the time zone passed to the tenant's workflows, the number of
// failed attempts, and the name of the additional cluster of its namespace, "" for the default one.
type DueCommand struct {
	EngineCommand
	Run      EngineRun
	TimeZone string
	Attempts int
	Cluster  string
}

// EngineCommand is a request to Temporal that is made once the transaction that wrote it has committed. Commands
// with the same OrderKey are carried out one after the other in the order they were written. ID is also the
// request id by which Temporal recognises a repetition. Item fields are set for CommandSignal and
// CommandSignalOverdue; SignalName, ActionCode and ActionInput, nil for none, for CommandSignalAction; ActivityToken for
// CommandCompleteActivity.
type EngineCommand struct {
	ID            uuid.UUID
	RunID         uuid.UUID
	OrderKey      uuid.UUID
	Kind          CommandKind
	ItemID        *uuid.UUID
	ItemType      ItemType
	ItemCode      string
	DataCode      string
	Shape         SignalShape
	SignalName    string
	ActionCode    string
	ActionInput   json.RawMessage
	ActivityToken ActivityToken
	// Parameters are set for CommandReset, CommandCompleteStep, CommandSignalMove and CommandSignalOverdue.
	Parameters *CommandParameters
	CreatedAt  time.Time
	NotBefore  time.Time
}

// RunEnd is the end of a workflow as Temporal reports it. RunID is the first run of the chain that ended: a
// workflow that continues as new, is retried or is reset keeps it. Status is one of RunCompleted, RunCancelled
// and RunFailed; Message and Failure are the reason why a run failed, Activity is the type of the failed activity, "" if
// another part failed, and Worker the build id of the last worker, "" if unknown. Result is the JSON that a completed run
// returned, nil when it is not used or not available; Message is the reason when it cannot be read.
type RunEnd struct {
	Namespace  string
	WorkflowID string
	RunID      string
	Status     EngineRunState
	Message    string
	Failure    string
	Activity   string
	Worker     string
	Result     json.RawMessage
	ClosedAt   time.Time
}

// endAction returns the transition of the run for the end.
func (c *RunEnd) endAction() runAction {
	switch c.Status {
	case RunCompleted:
		return completeRun
	case RunCancelled:
		return cancelRun
	case RunFailed:
		return failRun
	case RunPending, RunRunning:
	}
	return ""
}
