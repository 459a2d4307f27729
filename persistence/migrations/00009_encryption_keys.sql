-- +goose Up

-- Keys that the payloads of workflows are encrypted with, sealed with a key that is not in the database. A row
-- outlives its value: workers keep what they fetched, so a key id must never get another value.
CREATE TABLE encryption_keys (
    id           uuid PRIMARY KEY,
    tenant_id    uuid NOT NULL REFERENCES tenants,
    code         text NOT NULL CHECK (length(code) BETWEEN 1 AND 50),
    version      integer NOT NULL CHECK (version > 0),
    key_id       text NOT NULL,
    sealed_value bytea,
    created_by   uuid NOT NULL,
    created_at   timestamptz NOT NULL,
    deleted_at   timestamptz,
    UNIQUE (tenant_id, key_id),
    UNIQUE (tenant_id, code, version),
    CHECK (key_id = CASE version WHEN 1 THEN code ELSE code || '.' || version END),
    CHECK ((sealed_value IS NULL) = (deleted_at IS NOT NULL))
);

ALTER TABLE resources
    DROP CONSTRAINT resources_kind_check,
    ADD CONSTRAINT resources_kind_check
        CHECK (kind IN ('Tenant', 'User', 'Application', 'Group', 'DataStructure', 'EncryptionKey', 'ProcessDefinition',
                        'BusinessArtifactDefinition', 'WebhookSubscription', 'Robot'));

ALTER TABLE process_definition_versions
    ADD COLUMN encryption_key text CHECK (length(encryption_key) BETWEEN 1 AND 50),
    ADD CHECK (encryption_key IS NULL OR workflow_type IS NOT NULL);

-- The key that a run was begun with and keeps.
ALTER TABLE engine_runs
    ADD COLUMN encryption_key_id text,
    ADD FOREIGN KEY (tenant_id, encryption_key_id) REFERENCES encryption_keys (tenant_id, key_id);
CREATE INDEX engine_runs_encryption_key ON engine_runs (tenant_id, encryption_key_id)
    WHERE encryption_key_id IS NOT NULL;
