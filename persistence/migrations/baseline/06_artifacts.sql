-- Business artifacts.

-- A right on a definition of business artifacts.
CREATE TABLE business_artifact_definition_grants (
    business_artifact_definition_id uuid NOT NULL,
    permission                      text NOT NULL CHECK (permission IN ('VIEWER', 'EDITOR', 'MANAGER')),
    grantee_id                      uuid NOT NULL,
    PRIMARY KEY (grantee_id, permission, business_artifact_definition_id)
);
CREATE INDEX business_artifact_definition_grants_definition
    ON business_artifact_definition_grants (business_artifact_definition_id);

-- A business artifact.
CREATE TABLE business_artifacts (
    id               uuid PRIMARY KEY,
    tenant_id        uuid NOT NULL,
    definition_id    uuid NOT NULL,
    definition_code  text NOT NULL,
    data             json CHECK (json_typeof(data) = 'object'),
    data_valid       boolean,
    data_errors      json,
    created_by       uuid NOT NULL,
    created_at       timestamptz NOT NULL,
    last_modified_by uuid NOT NULL,
    last_modified_at timestamptz NOT NULL,
    deleted_at       timestamptz,
    deleted_by       uuid,
    UNIQUE (id, tenant_id),
    CHECK ((data IS NULL) = (data_valid IS NULL)),
    CONSTRAINT business_artifacts_deleted_check CHECK ((deleted_at IS NULL) = (deleted_by IS NULL))
);
CREATE INDEX business_artifacts_created ON business_artifacts (tenant_id, created_at, id) INCLUDE (definition_id);
CREATE INDEX business_artifacts_definition ON business_artifacts (tenant_id, definition_id, created_at, id);
CREATE INDEX business_artifacts_modified ON business_artifacts (tenant_id, definition_id, last_modified_at, id);
CREATE INDEX business_artifacts_deleted ON business_artifacts (id) WHERE deleted_at IS NOT NULL;
CREATE INDEX business_artifacts_deleted_at ON business_artifacts (tenant_id, deleted_at, id) WHERE deleted_at IS NOT NULL;

-- Members of the data of an artifact that the definition indexes, each in the column of its type. The indexes include the
-- time of creation, so that lists are found, sorted and counted without reading the artifacts.
CREATE TABLE business_artifact_index (
    business_artifact_id uuid NOT NULL REFERENCES business_artifacts ON DELETE CASCADE,
    definition_id        uuid NOT NULL,
    created_at           timestamptz NOT NULL,
    field                text COLLATE "C" NOT NULL,
    -- The first 200 characters; index entries have a limited size.
    text_value           text COLLATE "C" CHECK (length(text_value) <= 200),
    text_rest            text COLLATE "C",
    -- See process_index.
    text_folded          text COLLATE "C",
    number_value         numeric,
    date_value           date,
    time_value           timestamptz,
    PRIMARY KEY (business_artifact_id, field),
    CHECK (text_rest IS NULL OR length(text_value) = 200),
    CHECK (num_nonnulls(text_value, number_value, date_value) = 1),
    CHECK (time_value IS NULL OR date_value IS NOT NULL)
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

-- Searches for artifacts that contain a text.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE INDEX business_artifact_index_words ON business_artifact_index USING gin ((
    coalesce(text_folded, text_value || coalesce(text_rest, ''), number_value::text,
       lpad(extract(year FROM date_value)::text, 4, '0') || '-' || lpad(extract(month FROM date_value)::text, 2, '0')
       || '-' || lpad(extract(day FROM date_value)::text, 2, '0'))) gin_trgm_ops);
