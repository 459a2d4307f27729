-- +goose Up

-- SIGNAL_MOVE has the move in its parameters.
ALTER TABLE engine_commands
    DROP CONSTRAINT engine_commands_kind_check,
    ADD CONSTRAINT engine_commands_kind_check
        CHECK (kind IN ('START', 'RESTART', 'SIGNAL', 'SIGNAL_ACTION', 'CANCEL', 'TERMINATE', 'COMPLETE_ACTIVITY',
                        'REPLACE', 'RESET', 'COMPLETE_STEP', 'SIGNAL_MOVE')),
    DROP CONSTRAINT engine_commands_parameters_check,
    ADD CONSTRAINT engine_commands_parameters_check
        CHECK ((kind IN ('RESET', 'COMPLETE_STEP', 'SIGNAL_MOVE')) = (parameters IS NOT NULL));

-- Repairs that move a process between versions of its definition.
ALTER TABLE repairs
    ADD from_version uuid,
    ADD to_version uuid,
    DROP CONSTRAINT repairs_kind_check,
    ADD CONSTRAINT repairs_kind_check
        CHECK (kind IN ('REOPEN_TASK', 'CHANGE_TASK_DATA', 'CHANGE_METADATA', 'CHANGE_ENTITY', 'COMPLETE_STEP', 'RESET', 'RESTART',
                        'TERMINATE', 'MOVE_TO_VERSION', 'UNDO_MOVE')),
    ADD CONSTRAINT repairs_versions_check
        CHECK (num_nulls(from_version, to_version) = CASE WHEN kind IN ('MOVE_TO_VERSION', 'UNDO_MOVE') THEN 0 ELSE 2 END);
