-- Data sources.

-- A data source.
CREATE TABLE data_sources (
    id             uuid PRIMARY KEY,
    tenant_id      uuid NOT NULL REFERENCES tenants,
    code           text NOT NULL CHECK (length(code) BETWEEN 1 AND 50),
    task_queue     text NOT NULL CHECK (length(task_queue) BETWEEN 1 AND 255),
    runner_id      uuid NOT NULL REFERENCES principals,
    -- The code of the key that encrypts the payloads of its activities.
    encryption_key text CHECK (length(encryption_key) BETWEEN 1 AND 50),
    UNIQUE (tenant_id, code)
);

-- A right to query a data source.
CREATE TABLE data_source_grants (
    data_source_id uuid NOT NULL REFERENCES data_sources ON DELETE CASCADE,
    grantee_id     uuid NOT NULL,
    PRIMARY KEY (grantee_id, data_source_id)
);
CREATE INDEX data_source_grants_source ON data_source_grants (data_source_id);

-- A query of a data source, or a check of references. A run that is PENDING after its deadline has failed.
CREATE TABLE data_source_runs (
    id               uuid PRIMARY KEY,
    tenant_id        uuid NOT NULL,
    data_source_code text NOT NULL,
    requested_by     uuid NOT NULL,
    state            text NOT NULL CHECK (state IN ('PENDING', 'COMPLETED', 'FAILED')),
    -- The page found by a query.
    result           json CHECK (json_typeof(result) = 'object'),
    error_code       text,
    error_message    text,
    created_at       timestamptz NOT NULL,
    deadline         timestamptz NOT NULL,
    finished_at      timestamptz,
    -- The references to check; NULL for queries.
    checked          json CHECK (json_typeof(checked) = 'object'),
    CHECK ((state = 'PENDING') = (finished_at IS NULL)),
    CHECK ((state = 'FAILED') = (error_code IS NOT NULL)),
    CONSTRAINT data_source_runs_result_of_query_check
        CHECK (CASE WHEN checked IS NULL THEN (state = 'COMPLETED') = (result IS NOT NULL)
                    ELSE state = 'COMPLETED' OR result IS NULL END)
);
CREATE INDEX data_source_runs_of ON data_source_runs (requested_by, created_at);
CREATE INDEX data_source_runs_created ON data_source_runs (created_at);
