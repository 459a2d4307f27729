-- +goose Up

CREATE TABLE data_sources (
    id             uuid PRIMARY KEY,
    tenant_id      uuid NOT NULL REFERENCES tenants,
    code           text NOT NULL CHECK (length(code) BETWEEN 1 AND 50),
    task_queue     text NOT NULL CHECK (length(task_queue) BETWEEN 1 AND 255),
    runner_id      uuid NOT NULL REFERENCES principals,
    -- The code of the key that the payloads of its activities are encrypted with.
    encryption_key text CHECK (length(encryption_key) BETWEEN 1 AND 50),
    UNIQUE (tenant_id, code)
);

-- Who queries a data source.
CREATE TABLE data_source_grants (
    data_source_id uuid NOT NULL REFERENCES data_sources ON DELETE CASCADE,
    grantee_id     uuid NOT NULL,
    PRIMARY KEY (grantee_id, data_source_id)
);
CREATE INDEX data_source_grants_source ON data_source_grants (data_source_id);

-- What data sources are asked. A run that is PENDING after its deadline has failed.
CREATE TABLE data_source_runs (
    id               uuid PRIMARY KEY,
    tenant_id        uuid NOT NULL REFERENCES tenants,
    data_source_code text NOT NULL,
    requested_by     uuid NOT NULL REFERENCES principals,
    state            text NOT NULL CHECK (state IN ('PENDING', 'COMPLETED', 'FAILED')),
    -- The page that was found.
    result           json CHECK (json_typeof(result) = 'object'),
    error_code       text,
    error_message    text,
    created_at       timestamptz NOT NULL,
    deadline         timestamptz NOT NULL,
    finished_at      timestamptz,
    CHECK ((state = 'PENDING') = (finished_at IS NULL)),
    CHECK ((state = 'FAILED') = (error_code IS NOT NULL)),
    CHECK ((state = 'COMPLETED') = (result IS NOT NULL))
);
CREATE INDEX data_source_runs_of ON data_source_runs (requested_by, created_at);
CREATE INDEX data_source_runs_created ON data_source_runs (created_at);

-- Runs of the service's own workflow that asks data sources. data_source is the input that it starts with.
ALTER TABLE engine_runs
    ADD COLUMN data_source json,
    DROP CONSTRAINT engine_runs_kind_check,
    ADD CONSTRAINT engine_runs_kind_check
        CHECK (kind IN ('PROCESS', 'BUSINESS_ARTIFACT_ACTION', 'PROCESS_ACTION', 'TASK_ROBOT', 'DATA_SOURCE')),
    ADD CONSTRAINT engine_runs_data_source_check CHECK ((kind = 'DATA_SOURCE') = (data_source IS NOT NULL));

ALTER TABLE resources
    DROP CONSTRAINT resources_kind_check,
    ADD CONSTRAINT resources_kind_check
        CHECK (kind IN ('Tenant', 'User', 'Application', 'Group', 'DataStructure', 'EncryptionKey', 'DataSource',
                        'ProcessDefinition', 'BusinessArtifactDefinition', 'WebhookSubscription', 'Robot'));
