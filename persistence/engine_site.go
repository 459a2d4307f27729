package persistence

import (
	"context"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

// EngineSite is a process with the workflows that were started for it.
type EngineSite struct {
	ActionableProcess

	// Runs are the workflow of the process and, the newest first, the workflows of its user actions and of the robots of its
	// tasks, at most a hundred.
	Runs []domain.EngineRun
	// RepairGranted is set if the caller is a repairer of the definition.
	RepairGranted bool
}

const selectProcessRuns = `
SELECT ` + engineRunColumns + `
  FROM engine_runs r
 WHERE r.kind = 'PROCESS' AND r.owner_id = $1
    OR r.kind = 'PROCESS_ACTION' AND r.owner_id IN (SELECT a.id FROM process_actions a WHERE a.process_id = $1)
    OR r.kind = 'TASK_ROBOT' AND r.owner_id IN (SELECT i.id FROM process_items i WHERE i.process_id = $1)
 ORDER BY r.kind <> 'PROCESS', r.created_at DESC, r.id DESC
 LIMIT 100`

// GetEngineSite returns a process visible to the caller with its workflows, or NOT_FOUND.
func (r *Reader) GetEngineSite(ctx context.Context, caller domain.Caller, id uuid.UUID) (*EngineSite, error) {
	var s EngineSite
	queries := append(s.queries(selectActionableProcess, caller.PrincipalID, memberScope(caller), id),
		pg.Q(selectProcessRuns, []any{id}, scanEngineRuns(&s.Runs)),
		pg.Q(repairGranted, []any{caller.PrincipalID, id}, pg.One(&s.RepairGranted)))
	err := r.Read(ctx, queries...)
	if err == nil && !s.Relations.Sees {
		err = domain.NotFound("process")
	}
	if err != nil {
		return nil, pg.Translate("reading the workflows of a process", err)
	}
	return &s, nil
}
