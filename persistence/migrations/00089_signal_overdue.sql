-- +goose Up

-- SIGNAL_OVERDUE has the due date and the step of the escalation in its parameters.
ALTER TABLE engine_commands
    DROP CONSTRAINT engine_commands_kind_check,
    ADD CONSTRAINT engine_commands_kind_check
        CHECK (kind IN ('START', 'RESTART', 'SIGNAL', 'SIGNAL_ACTION', 'CANCEL', 'TERMINATE', 'COMPLETE_ACTIVITY',
                        'REPLACE', 'RESET', 'COMPLETE_STEP', 'SIGNAL_MOVE', 'SIGNAL_OVERDUE')),
    DROP CONSTRAINT engine_commands_parameters_check,
    ADD CONSTRAINT engine_commands_parameters_check
        CHECK ((kind IN ('RESET', 'COMPLETE_STEP', 'SIGNAL_MOVE', 'SIGNAL_OVERDUE')) = (parameters IS NOT NULL));
