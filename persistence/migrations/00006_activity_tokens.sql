-- +goose Up

-- Activities that wait for a task and are completed with it. A token is kept until then and no longer.

ALTER TABLE process_items
    ADD CONSTRAINT process_items_activity_token_size CHECK (length(activity_token) <= 16384);

ALTER TABLE engine_commands
    ADD COLUMN activity_token bytea CHECK (length(activity_token) BETWEEN 1 AND 16384),
    DROP CONSTRAINT engine_commands_kind_check,
    ADD CONSTRAINT engine_commands_kind_check
        CHECK (kind IN ('START', 'RESTART', 'SIGNAL', 'CANCEL', 'TERMINATE', 'COMPLETE_ACTIVITY')),
    ADD CHECK ((kind = 'COMPLETE_ACTIVITY') = (activity_token IS NOT NULL));
