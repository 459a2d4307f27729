-- +goose Up

ALTER TABLE process_definition_grants
    DROP CONSTRAINT process_definition_grants_permission_check,
    ADD CONSTRAINT process_definition_grants_permission_check
        CHECK (permission IN ('INITIATOR', 'VIEWER', 'MANAGER', 'ADMINISTRATOR', 'REPAIRER'));

-- The parameters of the kinds RESET and COMPLETE_STEP.
ALTER TABLE engine_commands
    ADD parameters json,
    DROP CONSTRAINT engine_commands_kind_check,
    ADD CONSTRAINT engine_commands_kind_check
        CHECK (kind IN ('START', 'RESTART', 'SIGNAL', 'SIGNAL_ACTION', 'CANCEL', 'TERMINATE', 'COMPLETE_ACTIVITY',
                        'REPLACE', 'RESET', 'COMPLETE_STEP')),
    ADD CONSTRAINT engine_commands_parameters_check CHECK ((kind IN ('RESET', 'COMPLETE_STEP')) = (parameters IS NOT NULL));

-- A repair of a process by hand. created_by is a principal.
CREATE TABLE repairs (
    id         uuid NOT NULL,
    tenant_id  uuid NOT NULL,
    process_id uuid NOT NULL,
    item_id    uuid,
    kind       text NOT NULL CHECK (kind IN ('REOPEN_TASK', 'CHANGE_TASK_DATA', 'CHANGE_METADATA', 'CHANGE_ENTITY', 'COMPLETE_STEP',
                                             'RESET', 'RESTART', 'TERMINATE')),
    reason     text NOT NULL CHECK (length(reason) BETWEEN 1 AND 500),
    created_by uuid NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (id, tenant_id),
    FOREIGN KEY (process_id, tenant_id) REFERENCES processes (id, tenant_id) ON DELETE CASCADE
);
CREATE INDEX repairs_process ON repairs (process_id, created_at);
