-- AI assistance with items.

-- The latest run of assistance with an item. A new run replaces the row.
CREATE TABLE item_assistance (
    item_id              uuid PRIMARY KEY REFERENCES process_items,
    tenant_id            uuid NOT NULL,
    run                  integer NOT NULL CHECK (run > 0),
    request_id           uuid NOT NULL,
    requested_by         uuid NOT NULL,
    state                text NOT NULL CHECK (state IN ('PENDING', 'COMPLETED', 'FAILED')),
    answer               text NOT NULL CHECK (answer IN ('SUGGESTION', 'DRAFT')),
    -- The draft fields at the start of the run.
    baseline             json CHECK (json_typeof(baseline) = 'object'),
    embedding_pending    integer NOT NULL DEFAULT 0 CHECK (embedding_pending >= 0),
    embedding_processing integer NOT NULL DEFAULT 0 CHECK (embedding_processing >= 0),
    model                text,
    finish_reason        text,
    -- The error of the last attempt while the run is pending.
    error_code           text,
    error_message        text,
    answer_text          text,
    answer_value         json CHECK (json_typeof(answer_value) = 'object'),
    drafted              text[],
    documents            json CHECK (json_typeof(documents) = 'array'),
    started_at           timestamptz NOT NULL,
    deadline             timestamptz NOT NULL,
    finished_at          timestamptz,
    -- Temporal has the workflow of the run; otherwise it is started at dispatch_at.
    dispatched           boolean NOT NULL DEFAULT false,
    dispatch_at          timestamptz NOT NULL,
    CHECK ((state = 'PENDING') = (finished_at IS NULL)),
    CHECK (state <> 'COMPLETED' OR (num_nulls(model, finish_reason, answer_text) = 0 AND error_code IS NULL)),
    CHECK (state <> 'FAILED' OR (error_code IS NOT NULL AND model IS NULL))
);
CREATE INDEX item_assistance_waiting ON item_assistance (dispatch_at) WHERE state = 'PENDING' AND NOT dispatched;
CREATE INDEX item_assistance_deadline ON item_assistance (deadline) WHERE state = 'PENDING';
CREATE INDEX item_assistance_pending ON item_assistance (tenant_id) WHERE state = 'PENDING';

-- The request to the model and its answer, for every run.
CREATE TABLE assistance_calls (
    item_id       uuid NOT NULL REFERENCES process_items,
    run           integer NOT NULL CHECK (run > 0),
    tenant_id     uuid NOT NULL,
    request_id    uuid NOT NULL,
    requested_by  uuid NOT NULL,
    -- The request until it is answered.
    request       json,
    messages      json NOT NULL CHECK (json_typeof(messages) = 'array'),
    asked_at      timestamptz NOT NULL,
    answer_text   text,
    answer_value  json CHECK (json_typeof(answer_value) = 'object'),
    model         text,
    finish_reason text,
    answered_at   timestamptz,
    PRIMARY KEY (item_id, run),
    CHECK ((answered_at IS NULL) = (answer_text IS NULL)),
    CHECK ((answered_at IS NULL) = (request IS NOT NULL))
);
CREATE INDEX assistance_calls_tenant ON assistance_calls (tenant_id, asked_at);

-- The number of runs of a tenant on the latest day (UTC) with any.
CREATE TABLE assistance_usage (
    tenant_id uuid PRIMARY KEY REFERENCES tenants,
    day       date NOT NULL,
    runs      integer NOT NULL CHECK (runs > 0)
);
