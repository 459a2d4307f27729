-- +goose Up

-- The thread of the same process that an item is attached to. Those that user actions created know it already.
ALTER TABLE process_items
    ADD COLUMN thread_id uuid REFERENCES process_items,
    ADD CONSTRAINT process_items_thread_check CHECK (thread_id IS NULL OR type <> 'THREAD');
UPDATE process_items i SET thread_id = x.thread_id
  FROM process_actions x
 WHERE x.item_id = i.id AND x.thread_id IS NOT NULL;
CREATE INDEX process_items_thread ON process_items (thread_id, created_at, id) WHERE thread_id IS NOT NULL;

-- What SEND_WORKFLOW_SIGNAL is invoked with, and passes on.
ALTER TABLE process_actions
    ADD COLUMN input json,
    ADD COLUMN input_valid boolean,
    ADD COLUMN input_errors json,
    ADD CONSTRAINT process_actions_input_check
        CHECK ((input IS NULL) = (input_valid IS NULL) AND (input IS NULL OR type = 'SEND_WORKFLOW_SIGNAL'));
ALTER TABLE engine_commands
    ADD COLUMN signal_input json;

-- When a finished process or an artifact was deleted, and by whom. Items follow their process.
ALTER TABLE processes
    ADD COLUMN deleted_at timestamptz,
    ADD COLUMN deleted_by uuid,
    ADD CONSTRAINT processes_deleted_check
        CHECK ((deleted_at IS NULL) = (deleted_by IS NULL) AND (deleted_at IS NULL OR state <> 'RUNNING'));
ALTER TABLE process_items
    ADD COLUMN deleted_at timestamptz,
    ADD COLUMN deleted_by uuid,
    ADD CONSTRAINT process_items_deleted_check
        CHECK ((deleted_at IS NULL) = (deleted_by IS NULL)
               AND (deleted_at IS NULL OR task_state IS NULL OR task_state IN ('COMPLETED', 'CANCELLED')));
ALTER TABLE business_artifacts
    ADD COLUMN deleted_at timestamptz,
    ADD COLUMN deleted_by uuid,
    ADD CONSTRAINT business_artifacts_deleted_check CHECK ((deleted_at IS NULL) = (deleted_by IS NULL));
-- Lists leave these out, and look for them in an index that is small.
CREATE INDEX business_artifacts_deleted ON business_artifacts (id) WHERE deleted_at IS NOT NULL;
