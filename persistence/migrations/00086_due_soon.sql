-- +goose Up

-- soon_at is the due date that was reported as near.
ALTER TABLE task_times ADD soon_at timestamptz;
