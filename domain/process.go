package domain

import (
	"time"

	"github.com/google/uuid"
)

// ProcessState is the state of a process (specification section 3.1).
type ProcessState string

// The process states.
const (
	ProcessRunning   ProcessState = "RUNNING"
	ProcessCompleted ProcessState = "COMPLETED"
	ProcessCancelled ProcessState = "CANCELLED"
)

type processAction string

const (
	completeProcess processAction = "complete"
	cancelProcess   processAction = "cancel"
)

//nolint:gochecknoglobals // a constant table: Go has no constant maps
var processTransitions = transitions[ProcessState, processAction]{
	{ProcessRunning, completeProcess}:   {to: ProcessCompleted},
	{ProcessCompleted, completeProcess}: {to: ProcessCompleted},
	{ProcessCancelled, completeProcess}: {refusal: "the process is cancelled"},

	{ProcessRunning, cancelProcess}:   {to: ProcessCancelled},
	{ProcessCompleted, cancelProcess}: {refusal: "the process is completed"},
	{ProcessCancelled, cancelProcess}: {to: ProcessCancelled},
}

// Process is a running or finished instance of a process definition.
type Process struct {
	ID          uuid.UUID
	TenantID    uuid.UUID
	Definition  DefinitionRef
	State       ProcessState
	InitiatorID uuid.UUID
	// Subject is the display name of the process, 1..255 characters.
	Subject  string
	Metadata *JSONValue
	Entity   *JSONValue
	Related  RelatedProcesses
	Elements ElementValues
	// DueAt is the due date of the process, nil for none.
	DueAt *time.Time
	// Names are the names of the initiator and the definition, nil unless requested.
	Names *Names
	// Condition is set by reads of callers, with the message and the incident if the caller may see them.
	Condition *Condition
	Audit
	Deletion
}

// RelatedProcesses are the visible ancestors and descendants of a process, the oldest first.
type RelatedProcesses struct {
	Incoming  []uuid.UUID
	Outcoming []uuid.UUID
}

// Finished reports whether the process is in a final state.
func (p *Process) Finished() bool { return p.State != ProcessRunning }

// Complete moves the process to COMPLETED and reports whether that changed it.
// A cancelled process is refused with INVALID_STATE.
func (p *Process) Complete(by uuid.UUID, now time.Time) (bool, error) {
	return p.act(completeProcess, by, now)
}

// Cancel moves the process to CANCELLED and reports whether that changed it. A
// completed process is refused with INVALID_STATE. Its open tasks are to be
// cancelled with it.
func (p *Process) Cancel(by uuid.UUID, now time.Time) (bool, error) {
	return p.act(cancelProcess, by, now)
}

func (p *Process) act(action processAction, by uuid.UUID, now time.Time) (bool, error) {
	to, err := processTransitions.next(p.State, action)
	if err != nil || to == p.State {
		return false, err
	}
	p.State = to
	p.touch(by, now)
	return true, nil
}

// CheckMayManage refuses callers without the Manager permission with ACCESS_DENIED, and a deleted process with
// INVALID_STATE.
func (p *Process) CheckMayManage(rights ProcessRights) error {
	if err := rights.requireManager(); err != nil {
		return err
	}
	return p.RequireKept("process")
}

// Delete deletes a finished process and reports whether it was not deleted before. It requires the Manager
// permission. It returns INVALID_STATE if the process is not finished, or has an open task or a running action. The
// caller must delete its items too.
func (p *Process) Delete(rights ProcessRights, inProgress bool, by uuid.UUID, now time.Time) (bool, error) {
	if err := rights.requireManager(); err != nil || p.Deleted() {
		return false, err
	}
	if !p.Finished() {
		return false, Conflict(CodeInvalidState, "the process is not finished")
	}
	if inProgress {
		return false, Conflict(CodeInvalidState, "the process has open tasks, or actions that are not finished")
	}
	p.set(by, now)
	p.touch(by, now)
	return true, nil
}

// CheckMayWrite refuses callers without the Manager permission with ACCESS_DENIED, and
// any write on a finished process with PROCESS_FINISHED.
func (p *Process) CheckMayWrite(rights ProcessRights) error {
	if err := rights.requireManager(); err != nil {
		return err
	}
	if p.Finished() {
		return ProcessFinished()
	}
	return nil
}

// ChangeInitiator changes the initiator of a process that may be written to and reports whether that changed it.
func (p *Process) ChangeInitiator(initiator, by uuid.UUID, now time.Time) bool {
	if p.InitiatorID == initiator {
		return false
	}
	p.InitiatorID = initiator
	p.touch(by, now)
	return true
}

// Move pins the process to another version of its definition.
func (p *Process) Move(version, by uuid.UUID, now time.Time) {
	p.Definition.Version = version
	p.touch(by, now)
}

// SetMetadata replaces the metadata of a process that may be written to.
func (p *Process) SetMetadata(value JSONValue, by uuid.UUID, now time.Time) {
	p.Metadata = &value
	p.touch(by, now)
}

// SetElement replaces the values of an element of a process that may be written
// to.
func (p *Process) SetElement(code string, values []ElementValue, by uuid.UUID, now time.Time) {
	p.Elements = p.Elements.With(code, values)
	p.touch(by, now)
}

// SetEntity replaces the entity of a process that may be written to.
func (p *Process) SetEntity(value JSONValue, by uuid.UUID, now time.Time) {
	p.Entity = &value
	p.touch(by, now)
}
