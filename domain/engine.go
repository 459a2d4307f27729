package domain

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"
)

// EngineRunState is how far a workflow that the service started on a worker's
// task queue has got.
type EngineRunState string

// The engine run states. A PENDING run is committed but not yet known to
// Temporal.
const (
	RunPending   EngineRunState = "PENDING"
	RunRunning   EngineRunState = "RUNNING"
	RunCompleted EngineRunState = "COMPLETED"
	RunCancelled EngineRunState = "CANCELLED"
	RunFailed    EngineRunState = "FAILED"
)

// EngineRunKind says what a run is for, and so what OwnerID is the id of.
type EngineRunKind string

// The kinds of run.
const (
	// RunKindProcess is the run of a process's own workflow.
	RunKindProcess EngineRunKind = "PROCESS"
	// RunKindArtifactAction is the run of an action on a business artifact.
	RunKindArtifactAction EngineRunKind = "BUSINESS_ARTIFACT_ACTION"
)

// EngineRun is a workflow that the service starts on a worker's task queue.
// RunID is Temporal's: of the first run of a chain, empty until the workflow
// was started, and while the run is PENDING again that of the attempt before.
// Action is set for RunKindArtifactAction. EncryptionKeyID is the key that the
// payloads are encrypted with, for as long as the run lives and however often it
// is started again; empty where they are plain.
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
	Action       *ArtifactActionRequest
	// EncryptionKeyID is chosen when the run is stored.
	EncryptionKeyID string
}

// ArtifactActionRequest is what the workflow of an action is told when it
// starts. It is kept with the run, so that it can be told even when the action
// has been deleted together with its artifact meanwhile.
type ArtifactActionRequest struct {
	ArtifactID  uuid.UUID          `json:"artifactId"`
	Type        ArtifactActionType `json:"type"`
	Code        string             `json:"code"`
	RequestorID uuid.UUID          `json:"requestorId"`
}

// NewProcessRun is the run of the workflow that is the process. The workflow id
// is derived from the process id, so that a start can be repeated safely.
func NewProcessRun(id uuid.UUID, p *Process, namespace string, binding EngineBinding) EngineRun {
	return EngineRun{
		ID: id, TenantID: p.TenantID, Kind: RunKindProcess, OwnerID: p.ID, Namespace: namespace,
		WorkflowID: "process-" + p.ID.String(), WorkflowType: binding.WorkflowType,
		TaskQueue: binding.TaskQueue, State: RunPending,
	}
}

// NewArtifactActionRun is the run of the workflow that carries out an action.
// The workflow id is derived from the action's id.
func NewArtifactActionRun(
	id uuid.UUID, a *BusinessArtifactAction, namespace, workflowType, taskQueue string,
) EngineRun {
	return EngineRun{
		ID: id, TenantID: a.TenantID, Kind: RunKindArtifactAction, OwnerID: a.ID, Namespace: namespace,
		WorkflowID: "business-artifact-action-" + a.ID.String(), WorkflowType: workflowType,
		TaskQueue: taskQueue, State: RunPending,
		Action: &ArtifactActionRequest{
			ArtifactID: a.ArtifactID, Type: a.Type, Code: a.Definition.Code, RequestorID: a.CreatedBy,
		},
	}
}

// HasResult reports whether what the workflow returns matters.
func (r *EngineRun) HasResult() bool { return r.Kind == RunKindArtifactAction }

// EndedBy reports whether c is the end of the run. A run that is PENDING can
// have ended already, for its workflow may be faster than the service can note
// that it was started; but then the end is not that of the attempt before.
func (r *EngineRun) EndedBy(c Closing) bool {
	switch r.State {
	case RunRunning:
		return c.RunID == r.RunID
	case RunPending:
		return c.RunID != r.RunID
	case RunCompleted, RunCancelled, RunFailed:
		return false
	}
	return false
}

// Close moves the run to the state in which c leaves it.
func (r *EngineRun) Close(c Closing) {
	r.State, r.RunID = c.Status, c.RunID
}

// Restart makes a failed run PENDING again and reports whether it was failed.
func (r *EngineRun) Restart() bool {
	if r.State != RunFailed {
		return false
	}
	r.State = RunPending
	return true
}

// CommandKind says what an engine command asks of Temporal.
type CommandKind string

// The engine commands.
const (
	CommandStart     CommandKind = "START"
	CommandRestart   CommandKind = "RESTART"
	CommandSignal    CommandKind = "SIGNAL"
	CommandCancel    CommandKind = "CANCEL"
	CommandTerminate CommandKind = "TERMINATE"
	// CommandCompleteActivity completes an activity, of whatever workflow of the
	// run's namespace, without a result.
	CommandCompleteActivity CommandKind = "COMPLETE_ACTIVITY"
)

// DueCommand is an engine command that is to be carried out now, with what
// carrying it out takes: the run it is about, the time zone that the tenant's
// workflows are told, and how often it has been tried in vain.
type DueCommand struct {
	EngineCommand
	Run      EngineRun
	TimeZone string
	Attempts int
}

// EngineCommand is something to be asked of Temporal once the transaction that
// wrote it has committed. Commands with the same OrderKey are carried out one
// after the other in the order they were written. ID is also the request id
// under which Temporal recognises a repetition. Item fields are set for signals,
// ActivityToken for CommandCompleteActivity.
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
	ActivityToken ActivityToken
	CreatedAt     time.Time
	NotBefore     time.Time
}

// Closing is the end of a workflow as Temporal reports it. RunID is the first
// run of the chain that ended: a workflow that continues as new, is retried or
// is reset keeps it. Status is one of RunCompleted, RunCancelled and RunFailed;
// Message and Failure tell why a run failed. Result is the JSON that a completed
// run returned, nil when it does not matter or is not to be had; Message tells
// why when it is there but cannot be read.
type Closing struct {
	Namespace  string
	WorkflowID string
	RunID      string
	Status     EngineRunState
	Message    string
	Failure    string
	Result     json.RawMessage
	ClosedAt   time.Time
}
