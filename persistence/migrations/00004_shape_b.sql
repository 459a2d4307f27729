-- +goose Up

-- Related processes --------------------------------------------------------

-- The process to_id came from the process from_id.
CREATE TABLE process_relations (
    tenant_id uuid NOT NULL,
    from_id   uuid NOT NULL,
    to_id     uuid NOT NULL,
    PRIMARY KEY (from_id, to_id),
    FOREIGN KEY (from_id, tenant_id) REFERENCES processes (id, tenant_id),
    FOREIGN KEY (to_id, tenant_id) REFERENCES processes (id, tenant_id),
    CHECK (from_id <> to_id)
);
CREATE INDEX process_relations_to ON process_relations (to_id);

-- What can be filtered by --------------------------------------------------

-- Members of metadata that a process definition indexes, in any of its versions.
CREATE TABLE process_definition_indexes (
    tenant_id             uuid NOT NULL REFERENCES tenants,
    field                 text NOT NULL,
    type                  text NOT NULL CHECK (type IN ('STRING', 'NUMBER', 'DATE')),
    process_definition_id uuid NOT NULL REFERENCES process_definitions ON DELETE CASCADE,
    PRIMARY KEY (tenant_id, field, type, process_definition_id)
);

-- Members of a process's metadata that its definition indexes, by the type they are compared as.
CREATE TABLE process_index (
    process_id            uuid NOT NULL REFERENCES processes ON DELETE CASCADE,
    process_definition_id uuid NOT NULL,
    field                 text COLLATE "C" NOT NULL,
    -- The first 200 characters, as an index can hold no longer texts.
    text_value            text COLLATE "C" CHECK (length(text_value) <= 200),
    text_rest             text COLLATE "C" CHECK (text_rest IS NULL OR length(text_value) = 200),
    -- The whole text without regard to case, NULL where that makes no difference.
    text_folded           text COLLATE "C",
    number_value          numeric,
    date_value            date,
    PRIMARY KEY (process_id, field),
    CHECK (num_nonnulls(text_value, number_value, date_value) = 1)
);
CREATE INDEX process_index_text ON process_index (process_definition_id, field, text_value);
CREATE INDEX process_index_number ON process_index (process_definition_id, field, number_value);
CREATE INDEX process_index_date ON process_index (process_definition_id, field, date_value);

-- Business artifacts -------------------------------------------------------

CREATE TABLE business_artifact_definition_grants (
    business_artifact_definition_id uuid NOT NULL,
    permission                      text NOT NULL CHECK (permission IN ('VIEWER', 'EDITOR', 'MANAGER')),
    grantee_id                      uuid NOT NULL,
    PRIMARY KEY (grantee_id, permission, business_artifact_definition_id)
);
CREATE INDEX business_artifact_definition_grants_definition
    ON business_artifact_definition_grants (business_artifact_definition_id);

CREATE TABLE business_artifacts (
    id               uuid PRIMARY KEY,
    tenant_id        uuid NOT NULL REFERENCES tenants,
    definition_id    uuid NOT NULL,
    definition_code  text NOT NULL,
    data             json CHECK (json_typeof(data) = 'object'),
    data_valid       boolean,
    data_errors      json,
    created_by       uuid NOT NULL,
    created_at       timestamptz NOT NULL,
    last_modified_by uuid NOT NULL,
    last_modified_at timestamptz NOT NULL,
    UNIQUE (id, tenant_id),
    CHECK ((data IS NULL) = (data_valid IS NULL))
);
CREATE INDEX business_artifacts_created ON business_artifacts (tenant_id, created_at, id) INCLUDE (definition_id);
CREATE INDEX business_artifacts_definition ON business_artifacts (tenant_id, definition_id, created_at, id);
CREATE INDEX business_artifacts_modified ON business_artifacts (tenant_id, definition_id, last_modified_at, id);

-- Members of an artifact's data that its definition indexes, by the type they are compared as. The time is that of the
-- artifact: with it the indexes find, order and count artifacts without looking at them.
CREATE TABLE business_artifact_index (
    business_artifact_id uuid NOT NULL REFERENCES business_artifacts ON DELETE CASCADE,
    definition_id        uuid NOT NULL,
    created_at           timestamptz NOT NULL,
    field                text COLLATE "C" NOT NULL,
    -- The first 200 characters, as an index can hold no longer texts.
    text_value           text COLLATE "C" CHECK (length(text_value) <= 200),
    text_rest            text COLLATE "C" CHECK (text_rest IS NULL OR length(text_value) = 200),
    -- The whole text without regard to case, NULL where that makes no difference.
    text_folded          text COLLATE "C",
    number_value         numeric,
    date_value           date,
    PRIMARY KEY (business_artifact_id, field),
    CHECK (num_nonnulls(text_value, number_value, date_value) = 1)
);
CREATE INDEX business_artifact_index_text
    ON business_artifact_index (definition_id, field, text_value, created_at, business_artifact_id)
    WHERE text_value IS NOT NULL;
CREATE INDEX business_artifact_index_number
    ON business_artifact_index (definition_id, field, number_value, created_at, business_artifact_id)
    WHERE number_value IS NOT NULL;
CREATE INDEX business_artifact_index_date
    ON business_artifact_index (definition_id, field, date_value, created_at, business_artifact_id)
    WHERE date_value IS NOT NULL;

-- Documents ----------------------------------------------------------------

-- Several documents may share a blob: a copy costs a row.
CREATE TABLE documents (
    id           uuid PRIMARY KEY,
    tenant_id    uuid NOT NULL REFERENCES tenants,
    owner_kind   text NOT NULL CHECK (owner_kind IN ('PROCESS', 'BUSINESS_ARTIFACT', 'PROCESS_ACTION', 'BUSINESS_ARTIFACT_ACTION')),
    owner_id     uuid NOT NULL,
    blob_id      uuid NOT NULL,
    name         text NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
    content_type text NOT NULL CHECK (length(content_type) BETWEEN 1 AND 255),
    size         bigint NOT NULL CHECK (size >= 0),
    sha256       bytea NOT NULL CHECK (length(sha256) = 32),
    -- NULL while a value refers to the document.
    expires_at   timestamptz,
    created_by   uuid NOT NULL,
    created_at   timestamptz NOT NULL
);
CREATE INDEX documents_owner ON documents (owner_id);
CREATE INDEX documents_blob ON documents (tenant_id, blob_id);
CREATE INDEX documents_expiry ON documents (expires_at, id) WHERE expires_at IS NOT NULL;

-- Which value refers to which document. A document that is linked does not expire.
CREATE TABLE document_links (
    holder_id   uuid NOT NULL,
    slot        text NOT NULL CHECK (slot IN ('METADATA', 'ENTITY', 'DATA', 'CONTEXT_DATA', 'MESSAGE_DATA')),
    document_id uuid NOT NULL REFERENCES documents ON DELETE CASCADE,
    PRIMARY KEY (holder_id, slot, document_id)
);
CREATE INDEX document_links_document ON document_links (document_id);

-- Actions ------------------------------------------------------------------

-- Actions that were invoked on processes.
CREATE TABLE process_actions (
    id               uuid PRIMARY KEY,
    tenant_id        uuid NOT NULL REFERENCES tenants,
    process_id       uuid NOT NULL REFERENCES processes,
    type             text NOT NULL,
    status           text NOT NULL CHECK (status IN ('REQUESTED', 'COMPLETED', 'CANCELED', 'ERROR')),
    -- Stays when the document is no longer kept.
    document_id      uuid,
    created_by       uuid NOT NULL,
    created_at       timestamptz NOT NULL,
    last_modified_by uuid NOT NULL,
    last_modified_at timestamptz NOT NULL,
    finished_at      timestamptz,
    CHECK ((status = 'REQUESTED') = (finished_at IS NULL))
);
CREATE INDEX process_actions_process ON process_actions (process_id, created_at, id);

CREATE TABLE business_artifact_actions (
    id                   uuid PRIMARY KEY,
    tenant_id            uuid NOT NULL,
    business_artifact_id uuid NOT NULL,
    action_id            uuid NOT NULL,
    action_code          text NOT NULL,
    type                 text NOT NULL
                         CHECK (type IN ('START_WORKFLOW', 'DOWNLOADABLE', 'START_PROCESS', 'CREATE_BUSINESS_ARTIFACT')),
    status               text NOT NULL CHECK (status IN ('REQUESTED', 'COMPLETED', 'CANCELED', 'ERROR')),
    input                json CHECK (json_typeof(input) = 'object'),
    process_definition_id uuid,
    process_id           uuid REFERENCES processes,
    created_definition_id uuid,
    created_definition_code text,
    created_artifact_id  uuid,
    value                json CHECK (json_typeof(value) = 'object'),
    -- The document may be gone: it is kept for some days only.
    document_id          uuid,
    document_uri         text,
    -- For administrators only.
    error                text,
    created_by           uuid NOT NULL,
    created_at           timestamptz NOT NULL,
    last_modified_by     uuid NOT NULL,
    last_modified_at     timestamptz NOT NULL,
    finished_at          timestamptz,
    FOREIGN KEY (business_artifact_id, tenant_id) REFERENCES business_artifacts (id, tenant_id) ON DELETE CASCADE,
    CHECK ((status = 'REQUESTED') = (finished_at IS NULL)),
    CHECK (status <> 'REQUESTED' OR type IN ('START_WORKFLOW', 'DOWNLOADABLE')),
    CHECK ((document_id IS NULL) = (document_uri IS NULL)),
    CHECK (error IS NULL OR status = 'ERROR')
);
CREATE INDEX business_artifact_actions_artifact ON business_artifact_actions (business_artifact_id);

-- What the workflow of an action is told when it starts, even if the action has been deleted by then.
ALTER TABLE engine_runs
    ADD COLUMN action json,
    DROP CONSTRAINT engine_runs_kind_check,
    ADD CONSTRAINT engine_runs_kind_check CHECK (kind IN ('PROCESS', 'BUSINESS_ARTIFACT_ACTION')),
    ADD CHECK ((kind = 'BUSINESS_ARTIFACT_ACTION') = (action IS NOT NULL));

-- An incident is of a run; whose, the run says.
ALTER TABLE incidents
    ALTER COLUMN process_id DROP NOT NULL;
