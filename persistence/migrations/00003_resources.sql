-- +goose Up

-- Configuration ------------------------------------------------------------

-- A tenant is called by its code in documents.
ALTER TABLE tenants
    ADD COLUMN code                 text CHECK (code ~ '^[a-z][a-z0-9-]{0,62}$'),
    ADD COLUMN user_metadata_schema json;
UPDATE tenants SET code = namespace;
ALTER TABLE tenants
    ALTER COLUMN code SET NOT NULL,
    ADD UNIQUE (code);

-- An application has one tenant, and so one role; an operator may make tenants.
ALTER TABLE principals
    ADD COLUMN role     text CHECK (role IN ('OWNER', 'ADMINISTRATOR', 'MEMBER')),
    ADD COLUMN operator boolean NOT NULL DEFAULT false;
UPDATE principals SET role = 'MEMBER' WHERE type = 'APPLICATION';
ALTER TABLE principals
    ADD CHECK ((type = 'APPLICATION') = (role IS NOT NULL)),
    ADD CHECK (NOT operator OR type = 'USER');

-- A credential with a tenant proves its principal in that tenant only. A declared one comes from a document.
ALTER TABLE credentials
    ADD COLUMN tenant_id uuid REFERENCES tenants,
    ADD COLUMN name      text NOT NULL DEFAULT '' CHECK (length(name) <= 50),
    ADD COLUMN declared  boolean NOT NULL DEFAULT false,
    DROP CONSTRAINT credentials_secret_sha256_principal_id_key,
    ADD UNIQUE NULLS NOT DISTINCT (secret_sha256, principal_id, tenant_id);

-- What administrators said how things are to be. The other tables of identities and definitions follow from it.
CREATE TABLE resources (
    tenant_id        uuid NOT NULL REFERENCES tenants,
    kind             text NOT NULL CHECK (kind IN ('Tenant', 'User', 'Application', 'Group', 'DataStructure',
                     'ProcessDefinition', 'BusinessArtifactDefinition', 'WebhookSubscription', 'Robot')),
    code             text NOT NULL CHECK (length(code) BETWEEN 1 AND 63),
    id               uuid NOT NULL,
    labels           jsonb NOT NULL,
    spec             json NOT NULL,
    created_by       uuid NOT NULL,
    created_at       timestamptz NOT NULL,
    last_modified_by uuid NOT NULL,
    last_modified_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, kind, code),
    UNIQUE (tenant_id, kind, id)
);

-- The digest is that of everything a process is pinned to: the same again makes no new version.
ALTER TABLE process_definition_versions
    ADD COLUMN number     integer NOT NULL DEFAULT 1 CHECK (number > 0),
    ADD COLUMN digest     bytea NOT NULL DEFAULT '',
    ADD COLUMN created_by uuid NOT NULL DEFAULT '01970000-0000-7000-8000-000000000001',
    ADD UNIQUE (process_definition_id, number);
ALTER TABLE process_definition_versions
    ALTER COLUMN number DROP DEFAULT,
    ALTER COLUMN digest DROP DEFAULT,
    ALTER COLUMN created_by DROP DEFAULT;
CREATE INDEX process_definition_versions_number ON process_definition_versions (process_definition_id, number DESC);

-- Secrets that webhooks are signed with, sealed with a key that is not in the database.
CREATE TABLE webhook_secrets (
    id              uuid PRIMARY KEY,
    tenant_id       uuid NOT NULL REFERENCES tenants,
    subscription_id uuid NOT NULL,
    name            text NOT NULL CHECK (length(name) BETWEEN 1 AND 50),
    sealed          bytea NOT NULL,
    created_at      timestamptz NOT NULL,
    expires_at      timestamptz
);
CREATE INDEX webhook_secrets_subscription ON webhook_secrets (subscription_id, created_at);
