-- +goose Up

-- The due queue of tasks: next_at is the next time at which the service acts on an open task. overdue_at is the due date that was
-- reported as passed, escalated the number of steps of the escalation that were taken.
ALTER TABLE task_times ADD next_at timestamptz, ADD overdue_at timestamptz, ADD escalated smallint NOT NULL DEFAULT 0;
UPDATE task_times SET next_at = due_at WHERE open;
CREATE INDEX task_times_next ON task_times (next_at, item_id) WHERE next_at IS NOT NULL;
