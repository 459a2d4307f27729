-- +goose Up

-- The delegation of a task to its owner. The previous release leaves the columns when it gives the task another owner.
ALTER TABLE process_items
    ADD COLUMN delegator_id uuid,
    ADD COLUMN delegated_at timestamptz,
    ADD COLUMN delegation_note text,
    DROP CONSTRAINT process_items_valid;
ALTER TABLE process_items ADD CONSTRAINT process_items_valid CHECK (
    item_is_valid(
        type, task_state, owner_id, item_definition_id, item_version, item_definition_code, task_data, task_data_valid,
        context_data, context_data_valid, message_text, message_data, message_data_valid, message_data_code,
        claimed_at, completed_at, cancelled_at, deleted_at, deleted_by, element_values, activity_token, thread_id)
    AND num_nulls(delegator_id, delegated_at) IN (0, 2) AND (delegator_id IS NOT NULL OR delegation_note IS NULL)) NOT VALID;
ALTER TABLE process_items VALIDATE CONSTRAINT process_items_valid;

CREATE INDEX process_items_delegated ON process_items (delegator_id, created_at, id) WHERE delegator_id IS NOT NULL;
