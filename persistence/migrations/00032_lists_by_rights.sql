-- +goose Up

-- Messages and threads, which have no item definition, are found by the process definition that a caller reads.
CREATE INDEX process_items_undefined ON process_items (process_definition_id, created_at, id) WHERE item_definition_id IS NULL;

-- Lists of what is deleted read that alone.
CREATE INDEX process_items_deleted ON process_items (tenant_id, created_at, id) WHERE deleted_at IS NOT NULL;
CREATE INDEX processes_deleted_created ON processes (tenant_id, created_at, id) WHERE deleted_at IS NOT NULL;
