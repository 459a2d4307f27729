-- Tenants, principals, groups, and the credentials and sessions of principals.

-- A tenant owns definitions, processes, items, artifacts and documents. Manifests name it by its code.
CREATE TABLE tenants (
    id                   uuid PRIMARY KEY,
    name                 text NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
    plan                 text NOT NULL CHECK (plan IN ('FREE', 'PREMIUM', 'UNLIMITED')),
    -- The Temporal namespace of its workflows.
    namespace            text NOT NULL UNIQUE
                         CHECK (namespace ~ '^[a-z][a-z0-9-]{0,62}$' AND namespace NOT IN ('procession', 'temporal-system')),
    time_zone            text NOT NULL DEFAULT 'Etc/UTC',
    created_by           uuid NOT NULL,
    created_at           timestamptz NOT NULL,
    last_modified_by     uuid NOT NULL,
    last_modified_at     timestamptz NOT NULL,
    code                 text NOT NULL UNIQUE CHECK (code ~ '^[a-z][a-z0-9-]{0,62}$'),
    user_metadata_schema json
);

-- A user, an application, or the service itself. Users may be members of several tenants; an application belongs to one.
CREATE TABLE principals (
    id          uuid PRIMARY KEY,
    type        text NOT NULL CHECK (type IN ('USER', 'APPLICATION', 'SYSTEM')),
    -- The user's own name; person_names has the name within a tenant.
    name        text NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
    email       text CHECK (email LIKE '%_@_%'),
    tenant_id   uuid REFERENCES tenants,
    -- Disables the principal in every tenant.
    disabled_at timestamptz,
    created_at  timestamptz NOT NULL,
    -- The role of an application; roles of users are in tenant_users.
    role        text CHECK (role IN ('OWNER', 'ADMINISTRATOR', 'MEMBER')),
    -- Operators create tenants.
    operator    boolean NOT NULL DEFAULT false,
    CHECK ((type = 'USER') = (email IS NOT NULL)),
    CHECK ((type = 'APPLICATION') = (tenant_id IS NOT NULL)),
    CHECK ((type = 'APPLICATION') = (role IS NOT NULL)),
    CHECK (NOT operator OR type = 'USER')
);
CREATE UNIQUE INDEX principals_email ON principals (lower(email));
CREATE INDEX principals_tenant ON principals (tenant_id) WHERE tenant_id IS NOT NULL;

INSERT INTO principals (id, type, name, created_at)
VALUES ('01970000-0000-7000-8000-000000000001', 'SYSTEM', 'Procession', now());

-- A membership of a user in a tenant.
CREATE TABLE tenant_users (
    id               uuid PRIMARY KEY,
    tenant_id        uuid NOT NULL REFERENCES tenants,
    principal_id     uuid NOT NULL REFERENCES principals,
    role             text NOT NULL CHECK (role IN ('OWNER', 'ADMINISTRATOR', 'MEMBER')),
    metadata         json,
    metadata_valid   boolean,
    metadata_errors  json,
    created_by       uuid NOT NULL,
    created_at       timestamptz NOT NULL,
    last_modified_by uuid NOT NULL,
    last_modified_at timestamptz NOT NULL,
    -- Disables the user in this tenant; rights and tasks remain.
    disabled_at      timestamptz,
    UNIQUE (tenant_id, principal_id),
    CHECK ((metadata IS NULL) = (metadata_valid IS NULL))
);
CREATE INDEX tenant_users_principal ON tenant_users (principal_id);

-- The name of a person within a tenant. It outlives the membership, because events and tasks still refer to the person.
CREATE TABLE person_names (
    tenant_id    uuid NOT NULL REFERENCES tenants,
    principal_id uuid NOT NULL REFERENCES principals,
    name         text NOT NULL,
    PRIMARY KEY (tenant_id, principal_id)
);
CREATE INDEX person_names_principal ON person_names (principal_id);

-- A group of principals of one tenant.
CREATE TABLE groups (
    id        uuid PRIMARY KEY,
    tenant_id uuid NOT NULL REFERENCES tenants,
    code      text NOT NULL CHECK (length(code) BETWEEN 1 AND 50),
    name      text NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
    UNIQUE (tenant_id, code)
);

-- A membership of a principal in a group.
CREATE TABLE group_members (
    group_id     uuid NOT NULL REFERENCES groups,
    principal_id uuid NOT NULL REFERENCES principals,
    PRIMARY KEY (principal_id, group_id)
);

-- A secret of a principal: 256 random bits, stored as their SHA-256.
CREATE TABLE credentials (
    id            uuid PRIMARY KEY,
    principal_id  uuid NOT NULL REFERENCES principals,
    kind          text NOT NULL CHECK (kind IN ('APPLICATION_SECRET', 'PERSONAL_ACCESS_TOKEN')),
    secret_sha256 bytea NOT NULL CHECK (length(secret_sha256) = 32),
    created_at    timestamptz NOT NULL,
    expires_at    timestamptz,
    -- Restricts the credential to one tenant.
    tenant_id     uuid REFERENCES tenants,
    name          text NOT NULL DEFAULT '' CHECK (length(name) <= 50),
    -- The credential comes from a manifest.
    declared      boolean NOT NULL DEFAULT false,
    -- The user who issued the token for another user; NULL otherwise.
    issued_by     uuid,
    seen_at       timestamptz,
    last_used_at  timestamptz,
    UNIQUE NULLS NOT DISTINCT (secret_sha256, principal_id, tenant_id)
);
CREATE INDEX credentials_principal ON credentials (principal_id);

-- Links a subject of an OpenID Connect issuer to a user. A user has at most one subject per issuer, so that an e-mail
-- address that the issuer reassigns does not open the account.
CREATE TABLE oidc_subjects (
    issuer       text NOT NULL CHECK (length(issuer) BETWEEN 1 AND 2048),
    subject      text NOT NULL CHECK (length(subject) BETWEEN 1 AND 255),
    principal_id uuid NOT NULL REFERENCES principals,
    linked_at    timestamptz NOT NULL,
    PRIMARY KEY (issuer, subject),
    UNIQUE (principal_id, issuer)
);

-- A session of a browser. It lasts as long as the credential or the OpenID Connect subject that opened it. Secret and
-- credential are stored as their SHA-256.
CREATE TABLE console_sessions (
    id                uuid PRIMARY KEY,
    secret_sha256     bytea NOT NULL UNIQUE CHECK (octet_length(secret_sha256) = 32),
    principal_id      uuid NOT NULL REFERENCES principals ON DELETE CASCADE,
    credential_sha256 bytea CHECK (octet_length(credential_sha256) = 32),
    issuer            text,
    subject           text,
    user_agent        text NOT NULL,
    created_at        timestamptz NOT NULL,
    last_used_at      timestamptz NOT NULL,
    expires_at        timestamptz NOT NULL,
    -- When the user last signed in or confirmed their identity; NULL in older sessions, where created_at counts.
    authenticated_at  timestamptz,
    CHECK (num_nonnulls(credential_sha256, issuer) = 1),
    CHECK ((issuer IS NULL) = (subject IS NULL))
);
CREATE INDEX console_sessions_principal ON console_sessions (principal_id, last_used_at DESC);
CREATE INDEX console_sessions_expiry ON console_sessions (expires_at);
