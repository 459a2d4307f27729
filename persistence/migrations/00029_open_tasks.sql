-- +goose Up

-- Open tasks are few among those of years: lists of what is to be done are read from them alone.
CREATE INDEX process_items_open ON process_items (tenant_id, created_at, id) WHERE task_state IN ('READY', 'CLAIMED');

-- The tasks of an owner in one state, in order, and a bounded number of them.
CREATE INDEX process_items_own ON process_items (owner_id, task_state, created_at, id)
 INCLUDE (item_definition_id, process_id) WHERE owner_id IS NOT NULL;
DROP INDEX process_items_owned;
