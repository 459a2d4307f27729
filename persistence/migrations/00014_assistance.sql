-- +goose Up

-- The latest run of assistance with an item. A new one takes the place of the one before.
CREATE TABLE item_assistance (
    item_id              uuid PRIMARY KEY REFERENCES process_items,
    tenant_id            uuid NOT NULL REFERENCES tenants,
    run                  integer NOT NULL CHECK (run > 0),
    request_id           uuid NOT NULL,
    requested_by         uuid NOT NULL REFERENCES principals,
    state                text NOT NULL CHECK (state IN ('PENDING', 'COMPLETED', 'FAILED')),
    answer               text NOT NULL CHECK (answer IN ('SUGGESTION', 'DRAFT')),
    -- What the draft fields held when the run began.
    baseline             json CHECK (json_typeof(baseline) = 'object'),
    embedding_pending    integer NOT NULL DEFAULT 0 CHECK (embedding_pending >= 0),
    embedding_processing integer NOT NULL DEFAULT 0 CHECK (embedding_processing >= 0),
    model                text,
    finish_reason        text,
    -- Of the last attempt while the run is pending.
    error_code           text,
    error_message        text,
    answer_text          text,
    answer_value         json CHECK (json_typeof(answer_value) = 'object'),
    drafted              text[],
    documents            json CHECK (json_typeof(documents) = 'array'),
    started_at           timestamptz NOT NULL,
    deadline             timestamptz NOT NULL,
    finished_at          timestamptz,
    -- Whether Temporal has the workflow of the run, and when it is to be given to it otherwise.
    dispatched           boolean NOT NULL DEFAULT false,
    dispatch_at          timestamptz NOT NULL,
    CHECK ((state = 'PENDING') = (finished_at IS NULL)),
    CHECK (state <> 'COMPLETED' OR num_nulls(model, finish_reason, answer_text) = 0 AND error_code IS NULL),
    CHECK (state <> 'FAILED' OR error_code IS NOT NULL AND model IS NULL)
);
CREATE INDEX item_assistance_waiting ON item_assistance (dispatch_at) WHERE state = 'PENDING' AND NOT dispatched;
CREATE INDEX item_assistance_deadline ON item_assistance (deadline) WHERE state = 'PENDING';

-- What models were asked and what they answered, in every run.
CREATE TABLE assistance_calls (
    item_id       uuid NOT NULL REFERENCES process_items,
    run           integer NOT NULL CHECK (run > 0),
    tenant_id     uuid NOT NULL REFERENCES tenants,
    request_id    uuid NOT NULL,
    requested_by  uuid NOT NULL REFERENCES principals,
    -- What is to be asked, until it is answered.
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

-- Passages of documents and their embeddings, for all documents of a tenant with the same content. The vector is NULL
-- until the passage is embedded.
CREATE TABLE document_embeddings (
    tenant_id uuid NOT NULL REFERENCES tenants,
    sha256    bytea NOT NULL CHECK (length(sha256) = 32),
    model     text NOT NULL,
    position  integer NOT NULL CHECK (position >= 0),
    passage   text NOT NULL CHECK (passage <> ''),
    vector    bytea,
    -- The same for all passages of a content: there was more text than these.
    truncated boolean NOT NULL,
    PRIMARY KEY (tenant_id, sha256, model, position)
);
CREATE INDEX document_embeddings_missing ON document_embeddings (tenant_id, sha256, model, position) WHERE vector IS NULL;
CREATE INDEX documents_content ON documents (tenant_id, sha256);
