package persistence

import "github.com/procession-dev/procession/domain"

const insertEngineCommand = `
INSERT INTO engine_commands (id, engine_run_id, order_key, kind, item_id, item_type, item_code, data_code,
                             signal_shape, created_at, not_before)
VALUES ($1, $2, $3, $4, $5, nullif($6, ''), nullif($7, ''), nullif($8, ''), nullif($9, ''), $10, $11)`

// Enqueue stages a command for Temporal, to be carried out once the transaction
// has committed.
func (tx *Tx) Enqueue(c domain.EngineCommand) {
	tx.staged = true
	tx.queue(insertEngineCommand, c.ID, c.RunID, c.OrderKey, c.Kind, c.ItemID, c.ItemType, c.ItemCode, c.DataCode,
		c.Shape, c.CreatedAt, c.NotBefore)
}
