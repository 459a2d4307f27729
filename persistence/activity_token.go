package persistence

import (
	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
)

const (
	replaceActivityToken = `
UPDATE process_items
   SET activity_token = $2
 WHERE id = $1`

	// The token moves from the task to the command, so that no copy of it remains after the command was carried
	// out. A workflow that has ended needs no command.
	finishActivity = `
WITH finished AS (
    SELECT i.id, i.activity_token
      FROM process_items i
     WHERE i.id = $1
       AND i.activity_token IS NOT NULL
       AND i.task_state IN ('COMPLETED', 'CANCELLED')
), moved AS (
    UPDATE process_items i
       SET activity_token = NULL
      FROM finished f
     WHERE i.id = f.id
)
INSERT INTO engine_commands (id, engine_run_id, tenant_id, cluster, order_key, kind, activity_token, created_at, not_before)
SELECT $2, $3, r.tenant_id, t.cluster, $4, 'COMPLETE_ACTIVITY', f.activity_token, $5, $6
  FROM finished f
  JOIN engine_runs r ON r.id = $3 AND r.state IN ('PENDING', 'RUNNING')
  JOIN tenants t ON t.id = r.tenant_id`
)

// FinishActivity stages c, a command of kind CommandCompleteActivity, with the token of the activity that waits
// for the task. It stages no command if no activity waits, if the task is not finished in or before this
// transaction, or if the workflow has ended. The task must be under lock.
func (tx *Tx) FinishActivity(task uuid.UUID, c domain.EngineCommand) {
	tx.staged = true
	tx.queue(finishActivity, task, c.ID, c.RunID, c.OrderKey, c.CreatedAt, c.NotBefore)
}

// ReplaceActivityToken stores the token of the activity that waits for a task, replacing an earlier one. It
// locks the task, so that FinishActivity may follow.
func (tx *Tx) ReplaceActivityToken(task uuid.UUID, token domain.ActivityToken) {
	tx.queue(replaceActivityToken, task, []byte(token))
}
