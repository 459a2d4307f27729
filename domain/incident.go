package domain

import (
	"time"

	"github.com/google/uuid"
)

// IncidentState is the state of an incident.
type IncidentState string

// The incident states.
const (
	IncidentOpen      IncidentState = "OPEN"
	IncidentRetried   IncidentState = "RETRIED"
	IncidentDismissed IncidentState = "DISMISSED"
	// IncidentResolved is the state of a problem that has ended without an operator.
	IncidentResolved IncidentState = "RESOLVED"
)

// IncidentKind is the kind of fault that an incident records.
type IncidentKind string

// The kinds of incidents.
const (
	// IncidentFailure is a workflow that failed or timed out.
	IncidentFailure IncidentKind = "FAILURE"
	// IncidentWorkflowTask is a running workflow with a workflow task that fails repeatedly.
	IncidentWorkflowTask IncidentKind = "WORKFLOW_TASK"
	// IncidentActivity is a running workflow with an activity that fails repeatedly.
	IncidentActivity IncidentKind = "ACTIVITY"
	// IncidentNoWait is a running workflow without an open task, timer or activity that could continue it.
	IncidentNoWait IncidentKind = "NO_WAIT"
)

// IncidentKinds returns the kinds.
func IncidentKinds() []IncidentKind {
	return []IncidentKind{IncidentFailure, IncidentWorkflowTask, IncidentActivity, IncidentNoWait}
}

type incidentAction string

const (
	retryIncident   incidentAction = "retry"
	dismissIncident incidentAction = "dismiss"
	resolveIncident incidentAction = "the problem has ended"
)

//nolint:gochecknoglobals // a constant table: Go has no constant maps
var incidentTransitions = transitions[IncidentState, incidentAction]{
	{IncidentOpen, retryIncident}:      {to: IncidentRetried},
	{IncidentRetried, retryIncident}:   {to: IncidentRetried},
	{IncidentDismissed, retryIncident}: {to: IncidentRetried},
	{IncidentResolved, retryIncident}:  {refusal: "the workflow has recovered"},

	{IncidentOpen, dismissIncident}:      {to: IncidentDismissed},
	{IncidentRetried, dismissIncident}:   {refusal: "the workflow was retried"},
	{IncidentDismissed, dismissIncident}: {to: IncidentDismissed},
	{IncidentResolved, dismissIncident}:  {to: IncidentResolved},

	{IncidentOpen, resolveIncident}:      {to: IncidentResolved},
	{IncidentRetried, resolveIncident}:   {to: IncidentRetried},
	{IncidentDismissed, resolveIncident}: {to: IncidentDismissed},
	{IncidentResolved, resolveIncident}:  {to: IncidentResolved},
}

// Incident records that a workflow failed or timed out, or a problem of a running workflow. After a failure a process
// stays RUNNING until an operator retries its workflow or the process is cancelled; an action has the final status ERROR;
// a task continues without its robot. A problem ends by itself when the workflow recovers.
//
// ActionID is set for the workflow of an action, with ProcessID or ArtifactID as its resource; TaskID, with
// ProcessID, for the workflow of a task's robot; otherwise the workflow belongs to the process ProcessID. RunID is
// the id of the engine run, EngineRun Temporal's id of the attempt.
type Incident struct {
	ID         uuid.UUID
	TenantID   uuid.UUID
	ProcessID  *uuid.UUID
	ArtifactID *uuid.UUID
	ActionID   *uuid.UUID
	TaskID     *uuid.UUID
	RunID      uuid.UUID
	EngineRun  string
	Problem
	// Fingerprint is equal for incidents of the same cause.
	Fingerprint string
	State       IncidentState
	// AcknowledgedAt and AcknowledgedBy tell that a person has taken notice, nil if none has.
	AcknowledgedAt *time.Time
	AcknowledgedBy *uuid.UUID
	// MutedUntil is the end of the time without notifications of the incident.
	MutedUntil *time.Time
	// AssigneeID is the person who deals with the incident, nil for none.
	AssigneeID *uuid.UUID
	CreatedAt  time.Time
	ResolvedAt *time.Time
	// ChangedAt is the time of the last change by a person, nil for none.
	ChangedAt *time.Time
}

// NewIncident returns the incident of the failure c of a run.
func NewIncident(id uuid.UUID, run EngineRun, c RunEnd, now time.Time) Incident {
	return NewProblemIncident(id, run, c.RunID, Problem{
		Kind: IncidentFailure, Activity: c.Activity, Attempts: 1, Worker: c.Worker, Message: c.Message, Failure: c.Failure,
	}, now)
}

// NewProblemIncident returns the incident of a problem of a run in its attempt engineRun.
func NewProblemIncident(id uuid.UUID, run EngineRun, engineRun string, p Problem, now time.Time) Incident {
	incident := Incident{
		ID: id, TenantID: run.TenantID, RunID: run.ID, EngineRun: engineRun, Problem: p, Fingerprint: p.fingerprint(run),
		State: IncidentOpen, CreatedAt: now,
	}
	incident.Concern(run)
	return incident
}

// Concern sets the fields of the incident that identify the run.
func (i *Incident) Concern(run EngineRun) {
	i.ProcessID, i.ArtifactID, i.ActionID, i.TaskID = nil, nil, nil, nil
	if run.Robot != nil {
		i.ProcessID, i.TaskID = &run.Robot.ProcessID, &run.OwnerID
		return
	}
	if run.Action == nil {
		i.ProcessID = &run.OwnerID
		return
	}
	i.ActionID = &run.OwnerID
	if run.Kind == RunKindProcessAction {
		i.ProcessID = &run.Action.ProcessID
	} else {
		i.ArtifactID = &run.Action.ArtifactID
	}
}

// Retry marks the incident as retried and reports whether that changed it. A
// dismissed incident can still be retried.
func (i *Incident) Retry(now time.Time) (bool, error) { return i.act(retryIncident, now) }

// Dismiss marks the incident as handled and reports whether that changed it. A retried one is refused with
// INVALID_STATE.
func (i *Incident) Dismiss(now time.Time) (bool, error) { return i.act(dismissIncident, now) }

// Resolve marks an open incident as resolved and reports whether that changed it.
func (i *Incident) Resolve(now time.Time) bool {
	changed, _ := i.act(resolveIncident, now)
	return changed
}

// Version returns the version of the incident, which changes with the state and with each change by a person.
func (i *Incident) Version() Version {
	changed := i.CreatedAt
	for _, at := range []*time.Time{i.ChangedAt, i.ResolvedAt} {
		if at != nil && at.After(changed) {
			changed = *at
		}
	}
	return VersionAt(changed)
}

func (i *Incident) act(action incidentAction, now time.Time) (bool, error) {
	to, err := incidentTransitions.next(i.State, action)
	if err != nil || to == i.State {
		return false, err
	}
	i.State, i.ResolvedAt = to, &now
	return true, nil
}
