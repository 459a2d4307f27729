package persistence

import (
	"time"

	"github.com/procession-dev/procession/domain"
)

const insertEngineRun = `
INSERT INTO engine_runs (id, tenant_id, kind, owner_id, namespace, workflow_id, workflow_type, task_queue,
                         state, created_at, last_active_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10)`

// InsertEngineRun stores a run that is still to be started.
func (tx *Tx) InsertEngineRun(run domain.EngineRun, now time.Time) {
	tx.queue(insertEngineRun, run.ID, run.TenantID, run.Kind, run.OwnerID, run.Namespace, run.WorkflowID,
		run.WorkflowType, run.TaskQueue, run.State, now)
}
