package domain

import (
	"time"

	"github.com/google/uuid"
)

// IncidentState is whether somebody has dealt with an incident.
type IncidentState string

// The incident states.
const (
	IncidentOpen      IncidentState = "OPEN"
	IncidentRetried   IncidentState = "RETRIED"
	IncidentDismissed IncidentState = "DISMISSED"
)

type incidentAction string

const (
	retryIncident   incidentAction = "retry"
	dismissIncident incidentAction = "dismiss"
)

//nolint:gochecknoglobals // a constant table: Go has no constant maps
var incidentTransitions = transitions[IncidentState, incidentAction]{
	{IncidentOpen, retryIncident}:      {to: IncidentRetried},
	{IncidentRetried, retryIncident}:   {to: IncidentRetried},
	{IncidentDismissed, retryIncident}: {to: IncidentRetried},

	{IncidentOpen, dismissIncident}:      {to: IncidentDismissed},
	{IncidentRetried, dismissIncident}:   {refused: "the workflow was retried"},
	{IncidentDismissed, dismissIncident}: {to: IncidentDismissed},
}

// Incident records that the workflow of a process failed or timed out. The
// process stays RUNNING until an operator retries the workflow or the process
// is cancelled. RunID is the engine run's, EngineRun the id that Temporal gave
// the attempt that failed.
type Incident struct {
	ID         uuid.UUID
	TenantID   uuid.UUID
	ProcessID  uuid.UUID
	RunID      uuid.UUID
	Message    string
	Failure    string
	EngineRun  string
	State      IncidentState
	CreatedAt  time.Time
	ResolvedAt *time.Time
}

// NewIncident tells of the failure c of the workflow of a process.
func NewIncident(id uuid.UUID, run EngineRun, c Closing, now time.Time) Incident {
	return Incident{
		ID: id, TenantID: run.TenantID, ProcessID: run.OwnerID, RunID: run.ID, EngineRun: c.RunID,
		Message: c.Message, Failure: c.Failure, State: IncidentOpen, CreatedAt: now,
	}
}

// Retry marks the incident as retried and reports whether that changed it. A
// dismissed incident can still be retried.
func (i *Incident) Retry(now time.Time) (bool, error) { return i.act(retryIncident, now) }

// Dismiss marks the incident as dealt with and reports whether that changed it.
// A retried one is refused with INVALID_STATE.
func (i *Incident) Dismiss(now time.Time) (bool, error) { return i.act(dismissIncident, now) }

func (i *Incident) act(action incidentAction, now time.Time) (bool, error) {
	to, err := incidentTransitions.next(i.State, action)
	if err != nil || to == i.State {
		return false, err
	}
	i.State, i.ResolvedAt = to, &now
	return true, nil
}
