package administration

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// RetryIncident restarts the failed workflow of a process, or of a robot for its task, from its beginning and under the
// same workflow id. The caller must be an owner or an administrator of the tenant, or an administrator of the
// process definition; for others the incident is NOT_FOUND. A retried incident is returned unchanged. PROCESS_FINISHED refuses the workflow of a finished process;
// INVALID_STATE refuses the problem of a running workflow, a workflow that was started again, a robot with a finished task, and an action, which must be invoked again.
func (s *Service) RetryIncident(ctx context.Context, call domain.Call, id uuid.UUID) (*domain.Incident, error) {
	var incident *domain.Incident
	now := s.now()
	err := s.write(ctx, call, func(tx *persistence.Tx) (domain.Events, error) {
		locked, err := tx.LockIncident(ctx, persistence.AdministrationOf(call.Caller), id)
		if err != nil {
			return nil, err
		}
		incident = &locked.Incident
		before := incident.State
		changed, err := ApplyRetry(locked, now)
		if err != nil || !changed {
			return nil, err
		}
		run := locked.Run
		tx.UpdateIncident(*incident)
		tx.UpdateEngineRun(run, nil, now)
		tx.BindRun(run.ID)
		tx.Enqueue(domain.EngineCommand{
			ID: domain.NewID(), RunID: run.ID, OrderKey: run.ID, Kind: domain.CommandRestart, CreatedAt: now, NotBefore: now,
		})
		events := domain.Events{domain.IncidentEvent(domain.EventIncidentStateChanged, incident, call.PrincipalID, now).From(string(before))}
		if run.Kind == domain.RunKindProcess {
			events = append(events, domain.ConditionEvent(locked.Process, domain.ConditionFailed, domain.ConditionStarting, call.PrincipalID, now))
		}
		return events, nil
	})
	return incident, err
}

// ApplyRetry marks an incident as retried and its run as PENDING, and reports whether that changed them. It has the refusals of
// RetryIncident.
func ApplyRetry(locked *persistence.LockedIncident, now time.Time) (bool, error) {
	incident, run := &locked.Incident, &locked.Run
	if incident.ActionID != nil {
		return false, domain.Conflict(domain.CodeInvalidState, "a failed action cannot be retried; invoke it again")
	}
	if incident.Kind != domain.IncidentFailure {
		return false, domain.Conflict(domain.CodeInvalidState, "the workflow is running: it continues when its problem is fixed")
	}
	changed, err := incident.Retry(now)
	if err != nil || !changed {
		return false, err
	}
	if locked.Process.Finished() {
		return false, domain.ProcessFinished()
	}
	if locked.TaskState != nil && !locked.TaskState.Open() {
		return false, domain.Conflict(domain.CodeInvalidState, "the task is finished: it needs no robot")
	}
	if run.RunID != incident.EngineRun || !run.Restart() {
		return false, domain.Conflict(domain.CodeInvalidState, "the workflow was started again since")
	}
	return true, nil
}
