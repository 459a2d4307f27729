-- Manifests.

-- The manifests that administrators applied. The other tables of identities and definitions are derived from them.
CREATE TABLE resources (
    tenant_id        uuid NOT NULL REFERENCES tenants,
    kind             text NOT NULL
                     CHECK (kind IN ('Tenant', 'User', 'Application', 'Group', 'DataStructure', 'EncryptionKey',
                                     'DataSource', 'ProcessDefinition', 'BusinessArtifactDefinition', 'WebhookSubscription',
                                     'Robot')),
    code             text NOT NULL CHECK (length(code) BETWEEN 1 AND 63),
    id               uuid NOT NULL,
    labels           jsonb NOT NULL,
    spec             json NOT NULL,
    created_by       uuid NOT NULL,
    created_at       timestamptz NOT NULL,
    last_modified_by uuid NOT NULL,
    last_modified_at timestamptz NOT NULL,
    -- The text that lists are searched by. Extracting it from spec for each row takes twenty times as long.
    words            text NOT NULL GENERATED ALWAYS AS (
        lower(code || E'\n' || coalesce(spec ->> 'name', '') || E'\n' || coalesce(spec ->> 'email', ''))) STORED,
    PRIMARY KEY (tenant_id, kind, code),
    UNIQUE (tenant_id, kind, id)
);
