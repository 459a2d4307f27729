-- +goose Up

-- The delegation of a task to its owner. The previous release leaves the columns when it gives the task another owner.
ALTER TABLE process_items
    ADD COLUMN delegator_id uuid,
    ADD COLUMN delegated_at timestamptz,
    ADD COLUMN delegation_note text,
    ADD CONSTRAINT process_items_delegation CHECK (
        num_nulls(delegator_id, delegated_at) IN (0, 2) AND (delegator_id IS NOT NULL OR delegation_note IS NULL));

CREATE INDEX process_items_delegated ON process_items (delegator_id, created_at, id) WHERE delegator_id IS NOT NULL;
