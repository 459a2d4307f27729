-- +goose Up

-- The author of the changes of directories, in all tenants.
INSERT INTO principals (id, type, name, created_at)
VALUES ('01970000-0000-7000-8000-000000000002', 'SYSTEM', 'Directory', now());

ALTER TABLE resources
    -- The origin of the resource. A user or a group of a directory that deleted it there and is needed here has DEPARTED.
    ADD source text NOT NULL DEFAULT 'MANIFEST' CHECK (source IN ('MANIFEST', 'DIRECTORY', 'DEPARTED')),
    -- The identifier that the directory has for it.
    ADD external_id text CHECK (length(external_id) BETWEEN 1 AND 255),
    -- The attributes as the directory sent them.
    ADD directory json;
CREATE UNIQUE INDEX resources_user_name ON resources (tenant_id, lower(directory ->> 'userName'))
    WHERE kind = 'User' AND directory ->> 'userName' IS NOT NULL;

-- The credentials of directories (RFC 7644, section 2). They are valid for provisioning only.
CREATE TABLE directory_tokens (
    id            uuid PRIMARY KEY,
    tenant_id     uuid NOT NULL REFERENCES tenants (id),
    name          text NOT NULL CHECK (length(name) BETWEEN 1 AND 50),
    secret_sha256 bytea NOT NULL UNIQUE CHECK (length(secret_sha256) = 32),
    issued_by     uuid NOT NULL,
    created_at    timestamptz NOT NULL,
    expires_at    timestamptz,
    last_used_at  timestamptz,
    UNIQUE (tenant_id, name)
);
