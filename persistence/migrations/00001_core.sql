-- +goose Up

-- Identities ---------------------------------------------------------------

CREATE TABLE tenants (
    id               uuid PRIMARY KEY,
    name             text NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
    plan             text NOT NULL CHECK (plan IN ('FREE', 'PREMIUM', 'UNLIMITED')),
    namespace        text NOT NULL UNIQUE
                     CHECK (namespace ~ '^[a-z][a-z0-9-]{0,62}$' AND namespace NOT IN ('procession', 'temporal-system')),
    time_zone        text NOT NULL DEFAULT 'Etc/UTC',
    created_by       uuid NOT NULL,
    created_at       timestamptz NOT NULL,
    last_modified_by uuid NOT NULL,
    last_modified_at timestamptz NOT NULL
);

-- Users are known in every tenant they are a member of, an application in the one it belongs to.
CREATE TABLE principals (
    id          uuid PRIMARY KEY,
    type        text NOT NULL CHECK (type IN ('USER', 'APPLICATION', 'SYSTEM')),
    name        text NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
    email       text CHECK (email LIKE '%_@_%'),
    tenant_id   uuid REFERENCES tenants,
    disabled_at timestamptz,
    created_at  timestamptz NOT NULL,
    CHECK ((type = 'USER') = (email IS NOT NULL)),
    CHECK ((type = 'APPLICATION') = (tenant_id IS NOT NULL))
);
CREATE UNIQUE INDEX principals_email ON principals (lower(email));
CREATE INDEX principals_tenant ON principals (tenant_id) WHERE tenant_id IS NOT NULL;

INSERT INTO principals (id, type, name, created_at)
VALUES ('01970000-0000-7000-8000-000000000001', 'SYSTEM', 'Procession', now());

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
    UNIQUE (tenant_id, principal_id),
    CHECK ((metadata IS NULL) = (metadata_valid IS NULL))
);
CREATE INDEX tenant_users_principal ON tenant_users (principal_id);

CREATE TABLE groups (
    id        uuid PRIMARY KEY,
    tenant_id uuid NOT NULL REFERENCES tenants,
    code      text NOT NULL CHECK (length(code) BETWEEN 1 AND 50),
    name      text NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
    UNIQUE (tenant_id, code)
);

CREATE TABLE group_members (
    group_id     uuid NOT NULL REFERENCES groups,
    principal_id uuid NOT NULL REFERENCES principals,
    PRIMARY KEY (principal_id, group_id)
);

-- A secret is 256 random bits; only its SHA-256 is kept, so nothing here lets anyone in.
CREATE TABLE credentials (
    id            uuid PRIMARY KEY,
    principal_id  uuid NOT NULL REFERENCES principals,
    kind          text NOT NULL CHECK (kind IN ('APPLICATION_SECRET', 'PERSONAL_ACCESS_TOKEN')),
    secret_sha256 bytea NOT NULL CHECK (length(secret_sha256) = 32),
    created_at    timestamptz NOT NULL,
    expires_at    timestamptz,
    UNIQUE (secret_sha256, principal_id)
);
CREATE INDEX credentials_principal ON credentials (principal_id);

-- Keys the service signs with. The private half is sealed with a key that is not in the database.
CREATE TABLE signing_keys (
    id             text PRIMARY KEY,
    purpose        text NOT NULL CHECK (purpose IN ('ENGINE_TOKEN', 'CERTIFICATE_AUTHORITY')),
    public_pem     text NOT NULL,
    sealed_private bytea NOT NULL,
    created_at     timestamptz NOT NULL,
    retired_at     timestamptz
);
CREATE UNIQUE INDEX signing_keys_active ON signing_keys (purpose) WHERE retired_at IS NULL;

-- Definitions --------------------------------------------------------------

CREATE TABLE process_definitions (
    id                uuid PRIMARY KEY,
    tenant_id         uuid NOT NULL REFERENCES tenants,
    code              text NOT NULL CHECK (length(code) BETWEEN 1 AND 50),
    published_version uuid,
    UNIQUE (tenant_id, code)
);

-- A version is never changed once it is published: running processes are pinned to it.
CREATE TABLE process_definition_versions (
    version               uuid PRIMARY KEY,
    process_definition_id uuid NOT NULL REFERENCES process_definitions,
    name                  text NOT NULL CHECK (length(name) BETWEEN 1 AND 50),
    workflow_type         text CHECK (length(workflow_type) BETWEEN 1 AND 255),
    task_queue            text CHECK (length(task_queue) BETWEEN 1 AND 255),
    signal_shape          text CHECK (signal_shape IN ('A', 'B')),
    runner_id             uuid REFERENCES principals,
    spec                  json NOT NULL,
    created_at            timestamptz NOT NULL,
    UNIQUE (version, process_definition_id),
    CHECK (num_nulls(workflow_type, task_queue, signal_shape, runner_id) IN (0, 4))
);
CREATE INDEX process_definition_versions_runner ON process_definition_versions (runner_id);
CREATE INDEX process_definition_versions_queue ON process_definition_versions (task_queue);

ALTER TABLE process_definitions
    ADD FOREIGN KEY (published_version, id) REFERENCES process_definition_versions (version, process_definition_id);

CREATE TABLE item_definitions (
    id                    uuid PRIMARY KEY,
    process_definition_id uuid NOT NULL REFERENCES process_definitions,
    code                  text NOT NULL CHECK (length(code) BETWEEN 1 AND 50),
    UNIQUE (process_definition_id, code)
);

CREATE TABLE item_definition_versions (
    version            uuid PRIMARY KEY,
    item_definition_id uuid NOT NULL REFERENCES item_definitions,
    process_version    uuid NOT NULL REFERENCES process_definition_versions,
    type               text NOT NULL CHECK (type IN ('TASK', 'MESSAGE', 'THREAD')),
    name               text NOT NULL CHECK (length(name) BETWEEN 1 AND 50),
    spec               json NOT NULL,
    UNIQUE (process_version, item_definition_id),
    UNIQUE (version, item_definition_id)
);

-- Rights. A grantee is a principal or a group; NULL stands for the initiator of the process in question.
CREATE TABLE process_definition_grants (
    process_definition_id uuid NOT NULL REFERENCES process_definitions,
    permission            text NOT NULL CHECK (permission IN ('INITIATOR', 'VIEWER', 'MANAGER', 'ADMINISTRATOR')),
    grantee_id            uuid NOT NULL,
    PRIMARY KEY (grantee_id, permission, process_definition_id)
);

CREATE TABLE item_definition_grants (
    item_definition_id uuid NOT NULL REFERENCES item_definitions,
    permission         text NOT NULL CHECK (permission IN ('CANDIDATE', 'VIEWER')),
    grantee_id         uuid,
    UNIQUE NULLS NOT DISTINCT (grantee_id, permission, item_definition_id)
);

-- Processes ----------------------------------------------------------------

-- JSON values are json, not jsonb: digits, key order and escapes come back as they were sent.
CREATE TABLE processes (
    id                      uuid PRIMARY KEY,
    tenant_id               uuid NOT NULL REFERENCES tenants,
    process_definition_id   uuid NOT NULL,
    process_version         uuid NOT NULL,
    process_definition_code text NOT NULL,
    state                   text NOT NULL CHECK (state IN ('RUNNING', 'COMPLETED', 'CANCELLED')),
    initiator_id            uuid NOT NULL REFERENCES principals,
    metadata                json CHECK (json_typeof(metadata) = 'object'),
    metadata_valid          boolean,
    metadata_errors         json,
    entity                  json CHECK (json_typeof(entity) = 'object'),
    entity_valid            boolean,
    entity_errors           json,
    created_by              uuid NOT NULL,
    created_at              timestamptz NOT NULL,
    last_modified_by        uuid NOT NULL,
    last_modified_at        timestamptz NOT NULL,
    UNIQUE (id, tenant_id),
    FOREIGN KEY (process_version, process_definition_id)
        REFERENCES process_definition_versions (version, process_definition_id),
    CHECK ((metadata IS NULL) = (metadata_valid IS NULL)),
    CHECK ((entity IS NULL) = (entity_valid IS NULL))
);
CREATE INDEX processes_created ON processes (tenant_id, created_at, id);
CREATE INDEX processes_definition ON processes (process_definition_id, created_at, id);
CREATE INDEX processes_initiator ON processes (initiator_id, created_at, id);

CREATE TABLE process_items (
    id                      uuid PRIMARY KEY,
    tenant_id               uuid NOT NULL,
    process_id              uuid NOT NULL,
    process_definition_id   uuid NOT NULL REFERENCES process_definitions,
    type                    text NOT NULL CHECK (type IN ('TASK', 'MESSAGE', 'THREAD')),
    item_definition_id      uuid,
    item_version            uuid,
    item_definition_code    text,
    owner_id                uuid REFERENCES principals,
    task_state              text CHECK (task_state IN ('READY', 'CLAIMED', 'COMPLETED', 'CANCELLED')),
    task_data               json CHECK (json_typeof(task_data) = 'object'),
    task_data_valid         boolean,
    task_data_errors        json,
    context_data            json CHECK (json_typeof(context_data) = 'object'),
    context_data_valid      boolean,
    context_data_errors     json,
    message_text            text,
    message_data            json CHECK (json_typeof(message_data) = 'object'),
    message_data_valid      boolean,
    message_data_errors     json,
    message_data_code       text,
    claimed_at              timestamptz,
    completed_at            timestamptz,
    cancelled_at            timestamptz,
    created_by              uuid NOT NULL,
    created_at              timestamptz NOT NULL,
    last_modified_by        uuid NOT NULL,
    last_modified_at        timestamptz NOT NULL,
    FOREIGN KEY (process_id, tenant_id) REFERENCES processes (id, tenant_id),
    FOREIGN KEY (item_version, item_definition_id) REFERENCES item_definition_versions (version, item_definition_id),
    CHECK ((type = 'TASK') = (task_state IS NOT NULL)),
    CHECK (type = 'MESSAGE' OR item_definition_id IS NOT NULL),
    CHECK (num_nulls(item_definition_id, item_version, item_definition_code) IN (0, 3)),
    CHECK (type = 'TASK' OR num_nonnulls(task_data, context_data, claimed_at, completed_at, cancelled_at) = 0),
    CHECK (type = 'MESSAGE' OR num_nonnulls(message_text, message_data, message_data_code) = 0),
    CHECK (type <> 'MESSAGE' OR num_nonnulls(message_text, message_data) > 0),
    CHECK (task_state IS DISTINCT FROM 'READY' OR owner_id IS NULL),
    CHECK (task_state NOT IN ('CLAIMED', 'COMPLETED') OR owner_id IS NOT NULL),
    CHECK (task_state IS DISTINCT FROM 'COMPLETED' OR completed_at IS NOT NULL),
    CHECK (task_state IS DISTINCT FROM 'CANCELLED' OR cancelled_at IS NOT NULL),
    CHECK ((task_data IS NULL) = (task_data_valid IS NULL)),
    CHECK ((context_data IS NULL) = (context_data_valid IS NULL)),
    CHECK ((message_data IS NULL) = (message_data_valid IS NULL)),
    CHECK ((message_data IS NULL) = (message_data_code IS NULL))
);
CREATE INDEX process_items_created ON process_items (tenant_id, created_at, id);
CREATE INDEX process_items_process ON process_items (process_id, created_at, id);
CREATE INDEX process_items_owner ON process_items (owner_id, created_at, id) WHERE owner_id IS NOT NULL;
CREATE INDEX process_items_definition ON process_items (item_definition_id, created_at, id);

CREATE TABLE task_logs (
    process_item_id uuid NOT NULL REFERENCES process_items,
    position        bigint GENERATED ALWAYS AS IDENTITY,
    id              uuid NOT NULL,
    logged_at       timestamptz NOT NULL,
    message         text NOT NULL CHECK (length(message) BETWEEN 1 AND 4000),
    level           text NOT NULL CHECK (level IN ('INFO', 'WARN', 'ERROR')),
    PRIMARY KEY (process_item_id, position),
    UNIQUE (process_item_id, id)
);

-- What happened, kept for good: the audit log and the source of webhook deliveries.
CREATE TABLE events (
    position             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id                   uuid NOT NULL UNIQUE,
    tenant_id            uuid NOT NULL,
    process_id           uuid NOT NULL,
    type                 text NOT NULL,
    process_state        text,
    process_item_id      uuid,
    item_type            text,
    item_definition_code text,
    task_state           text,
    actor_id             uuid NOT NULL,
    occurred_at          timestamptz NOT NULL
);
CREATE INDEX events_process ON events (process_id, position);

-- Engine -------------------------------------------------------------------

CREATE TABLE engine_runs (
    id             uuid PRIMARY KEY,
    tenant_id      uuid NOT NULL REFERENCES tenants,
    kind           text NOT NULL CHECK (kind IN ('PROCESS')),
    owner_id       uuid NOT NULL,
    namespace      text NOT NULL,
    workflow_id    text NOT NULL,
    run_id         text NOT NULL DEFAULT '',
    workflow_type  text NOT NULL,
    task_queue     text NOT NULL,
    state          text NOT NULL CHECK (state IN ('PENDING', 'RUNNING', 'COMPLETED', 'CANCELLED', 'FAILED')),
    created_at     timestamptz NOT NULL,
    last_active_at timestamptz NOT NULL,
    closed_at      timestamptz,
    UNIQUE (namespace, workflow_id),
    UNIQUE (owner_id, kind),
    CHECK (state = 'PENDING' OR run_id <> '' OR closed_at IS NOT NULL),
    CHECK ((closed_at IS NOT NULL) = (state IN ('COMPLETED', 'CANCELLED', 'FAILED')))
);
-- The observer of a namespace asks every second for the latest activity, however many runs are open.
CREATE INDEX engine_runs_open ON engine_runs (namespace, last_active_at) WHERE state = 'RUNNING';

-- Commands for Temporal, written in the transaction that makes them necessary and deleted when carried out.
CREATE TABLE engine_commands (
    position      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id            uuid NOT NULL UNIQUE,
    engine_run_id uuid NOT NULL REFERENCES engine_runs,
    order_key     uuid NOT NULL,
    kind          text NOT NULL CHECK (kind IN ('START', 'RESTART', 'SIGNAL', 'CANCEL', 'TERMINATE')),
    item_id       uuid,
    item_type     text,
    item_code     text,
    data_code     text,
    signal_shape  text,
    created_at    timestamptz NOT NULL,
    not_before    timestamptz NOT NULL,
    -- Until then a relay is at work on the command. A relay that died lets go of it by not renewing this.
    leased_until  timestamptz NOT NULL DEFAULT '-infinity',
    attempts      integer NOT NULL DEFAULT 0,
    last_error    text,
    CHECK (kind <> 'SIGNAL' OR num_nulls(item_id, item_type, signal_shape) = 0)
);
CREATE INDEX engine_commands_order ON engine_commands (order_key, position);
CREATE INDEX engine_commands_due ON engine_commands (not_before, position);

CREATE TABLE incidents (
    id            uuid PRIMARY KEY,
    tenant_id     uuid NOT NULL REFERENCES tenants,
    process_id    uuid NOT NULL REFERENCES processes,
    engine_run_id uuid NOT NULL REFERENCES engine_runs,
    run_id        text NOT NULL,
    message       text NOT NULL,
    failure       text NOT NULL,
    state         text NOT NULL CHECK (state IN ('OPEN', 'RETRIED', 'DISMISSED')),
    created_at    timestamptz NOT NULL,
    resolved_at   timestamptz,
    UNIQUE (engine_run_id, run_id),
    CHECK ((state = 'OPEN') = (resolved_at IS NULL))
);
CREATE INDEX incidents_state ON incidents (state, created_at, id);

-- Up to where the closings of a namespace have been read from Temporal.
CREATE TABLE engine_watermarks (
    namespace text PRIMARY KEY,
    closed_at timestamptz NOT NULL
);

-- Workers ------------------------------------------------------------------

CREATE TABLE workers (
    id               uuid PRIMARY KEY,
    tenant_id        uuid NOT NULL REFERENCES tenants,
    principal_id     uuid NOT NULL REFERENCES principals,
    identity         text NOT NULL CHECK (length(identity) BETWEEN 1 AND 255),
    hostname         text NOT NULL CHECK (length(hostname) BETWEEN 1 AND 255),
    ip               text NOT NULL CHECK (length(ip) BETWEEN 7 AND 40),
    installation_id  uuid,
    workflow_types   text[] NOT NULL,
    activity_types   text[] NOT NULL,
    robot_ids        uuid[] NOT NULL,
    last_seen_at     timestamptz NOT NULL,
    created_by       uuid NOT NULL,
    created_at       timestamptz NOT NULL,
    last_modified_by uuid NOT NULL,
    last_modified_at timestamptz NOT NULL,
    UNIQUE (tenant_id, identity)
);

-- A queue belongs to whoever registered it: taking over the identity of another's worker gives none of its queues.
CREATE TABLE worker_queues (
    worker_id    uuid NOT NULL REFERENCES workers,
    principal_id uuid NOT NULL REFERENCES principals,
    task_queue   text NOT NULL CHECK (length(task_queue) BETWEEN 1 AND 255),
    last_seen_at timestamptz NOT NULL,
    PRIMARY KEY (principal_id, task_queue, worker_id)
);
