package persistence

import "github.com/procession-dev/procession/domain"

const insertEvent = `
INSERT INTO events (id, tenant_id, process_id, type, process_state, process_item_id, item_type,
                    item_definition_code, task_state, actor_id, occurred_at)
VALUES ($1, $2, $3, $4, nullif($5, ''), $6, nullif($7, ''), nullif($8, ''), nullif($9, ''), $10, $11)`

// InsertEvent records what happened, in the transaction in which it happens.
func (tx *Tx) InsertEvent(e domain.Event) {
	tx.queue(insertEvent, e.ID, e.TenantID, e.ProcessID, e.Type, e.ProcessState, e.ItemID, e.ItemType,
		e.ItemDefinitionCode, e.TaskState, e.ActorID, e.OccurredAt)
}
