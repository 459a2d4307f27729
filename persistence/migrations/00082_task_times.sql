-- +goose Up

-- The planning of tasks that have any: a due date, a follow-up date or a priority other than NORMAL, 2 of 1 to 4. Other tasks have
-- no row. The indexes of lists are here, so that claims and saves of a task do not write them.
CREATE TABLE task_times (
    item_id            uuid NOT NULL,
    tenant_id          uuid NOT NULL,
    item_definition_id uuid NOT NULL,
    due_at             timestamptz,
    follow_up_at       timestamptz,
    priority           smallint NOT NULL CHECK (priority BETWEEN 1 AND 4),
    -- Whether the task is READY or CLAIMED.
    open               boolean NOT NULL,
    PRIMARY KEY (item_id, tenant_id),
    FOREIGN KEY (item_id, tenant_id) REFERENCES process_items (id, tenant_id) ON DELETE CASCADE,
    CHECK (due_at IS NOT NULL OR follow_up_at IS NOT NULL OR priority <> 2)
);
CREATE INDEX task_times_due ON task_times (item_definition_id, due_at, item_id) WHERE due_at IS NOT NULL;
CREATE INDEX task_times_follow_up ON task_times (item_definition_id, follow_up_at, item_id) WHERE follow_up_at IS NOT NULL;
CREATE INDEX task_times_open ON task_times (tenant_id, due_at, item_id) WHERE open;
CREATE INDEX task_times_priority ON task_times (tenant_id, priority, item_id) WHERE open AND priority <> 2;

ALTER TABLE processes ADD due_at timestamptz;
