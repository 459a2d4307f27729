-- +goose Up

-- User actions that are invoked on processes. No row of process_actions is older than this.
ALTER TABLE process_actions
    ADD COLUMN action_id             uuid NOT NULL,
    ADD COLUMN action_code           text NOT NULL,
    -- What the action started or created.
    ADD COLUMN started_definition_id uuid,
    ADD COLUMN started_process_id    uuid,
    ADD COLUMN item_id               uuid REFERENCES process_items,
    -- The thread that the item is attached to.
    ADD COLUMN thread_id             uuid REFERENCES process_items,
    ADD COLUMN signal_name           text,
    ADD COLUMN document_uri          text,
    -- For administrators only.
    ADD COLUMN error                 text,
    ADD CONSTRAINT process_actions_type_check
        CHECK (type IN ('DOWNLOADABLE', 'START_WORKFLOW', 'START_RELATED_PROCESS', 'CREATE_TASK',
                        'CREATE_PROCESS_ITEM_MESSAGE', 'CREATE_PROCESS_ITEM_THREAD', 'SEND_WORKFLOW_SIGNAL')),
    ADD CHECK (status <> 'REQUESTED' OR type IN ('DOWNLOADABLE', 'START_WORKFLOW')),
    ADD CHECK ((document_id IS NULL) = (document_uri IS NULL)),
    ADD CHECK (document_id IS NULL OR type = 'DOWNLOADABLE'),
    ADD FOREIGN KEY (process_id, tenant_id) REFERENCES processes (id, tenant_id),
    ADD FOREIGN KEY (started_process_id, tenant_id) REFERENCES processes (id, tenant_id),
    ADD CHECK ((started_definition_id IS NULL) = (started_process_id IS NULL)),
    ADD CHECK (thread_id IS NULL OR item_id IS NOT NULL),
    ADD CHECK (error IS NULL OR status = 'ERROR');

ALTER TABLE engine_runs
    DROP CONSTRAINT engine_runs_kind_check,
    ADD CONSTRAINT engine_runs_kind_check CHECK (kind IN ('PROCESS', 'BUSINESS_ARTIFACT_ACTION', 'PROCESS_ACTION')),
    DROP CONSTRAINT engine_runs_check2,
    ADD CONSTRAINT engine_runs_action_check CHECK ((kind = 'PROCESS') = (action IS NULL));

-- Signals that tell the workflow of a process of an action.
ALTER TABLE engine_commands
    ADD COLUMN signal_name text,
    ADD COLUMN action_code text,
    DROP CONSTRAINT engine_commands_kind_check,
    ADD CONSTRAINT engine_commands_kind_check
        CHECK (kind IN ('START', 'RESTART', 'SIGNAL', 'SIGNAL_ACTION', 'CANCEL', 'TERMINATE', 'COMPLETE_ACTIVITY')),
    ADD CONSTRAINT engine_commands_signal_action_check
        CHECK (num_nonnulls(signal_name, action_code) = CASE kind WHEN 'SIGNAL_ACTION' THEN 2 ELSE 0 END);

-- Availability expressions that failed, for administrators: of each version and action the first and the last time.
CREATE TABLE availability_faults (
    process_version uuid NOT NULL REFERENCES process_definition_versions ON DELETE CASCADE,
    action_code     text NOT NULL,
    tenant_id       uuid NOT NULL REFERENCES tenants,
    -- The process of the last time.
    process_id      uuid NOT NULL REFERENCES processes,
    message         text NOT NULL,
    first_at        timestamptz NOT NULL,
    last_at         timestamptz NOT NULL,
    PRIMARY KEY (process_version, action_code)
);
CREATE INDEX availability_faults_last ON availability_faults (tenant_id, last_at);
