-- Temporal: runs, commands, ends, incidents, workers, and access.

-- A workflow run. owner_id is the process, action, task or data source run that it belongs to; action, robot and
-- data_source contain the input of the workflow.
CREATE TABLE engine_runs (
    id                uuid PRIMARY KEY,
    tenant_id         uuid NOT NULL,
    kind              text NOT NULL
                      CHECK (kind IN ('PROCESS', 'BUSINESS_ARTIFACT_ACTION', 'PROCESS_ACTION', 'TASK_ROBOT', 'DATA_SOURCE')),
    owner_id          uuid NOT NULL,
    namespace         text NOT NULL,
    workflow_id       text NOT NULL,
    run_id            text NOT NULL DEFAULT '',
    workflow_type     text NOT NULL,
    task_queue        text NOT NULL,
    state             text NOT NULL CHECK (state IN ('PENDING', 'RUNNING', 'COMPLETED', 'CANCELLED', 'FAILED')),
    created_at        timestamptz NOT NULL,
    last_active_at    timestamptz NOT NULL,
    closed_at         timestamptz,
    action            json,
    -- The key that the run began with and keeps.
    encryption_key_id text,
    robot             json,
    data_source       json,
    UNIQUE (namespace, workflow_id),
    FOREIGN KEY (tenant_id, encryption_key_id) REFERENCES encryption_keys (tenant_id, key_id),
    CHECK (state = 'PENDING' OR run_id <> '' OR closed_at IS NOT NULL),
    CHECK ((closed_at IS NOT NULL) = (state IN ('COMPLETED', 'CANCELLED', 'FAILED'))),
    CONSTRAINT engine_runs_action_check
        CHECK ((kind IN ('BUSINESS_ARTIFACT_ACTION', 'PROCESS_ACTION')) = (action IS NOT NULL)),
    CONSTRAINT engine_runs_data_source_check CHECK ((kind = 'DATA_SOURCE') = (data_source IS NOT NULL)),
    CONSTRAINT engine_runs_robot_check CHECK ((kind = 'TASK_ROBOT') = (robot IS NOT NULL))
);
CREATE INDEX engine_runs_encryption_key ON engine_runs (tenant_id, encryption_key_id) WHERE encryption_key_id IS NOT NULL;
CREATE UNIQUE INDEX engine_runs_owner ON engine_runs (owner_id, kind) WHERE kind <> 'TASK_ROBOT';
CREATE INDEX engine_runs_task ON engine_runs (owner_id) WHERE kind = 'TASK_ROBOT';
-- The sweep reads the running runs of a namespace by id.
CREATE INDEX engine_runs_running ON engine_runs (namespace, id) WHERE state = 'RUNNING';

-- A command for Temporal. It is written in the transaction that requires it, and deleted after it was executed.
CREATE TABLE engine_commands (
    position       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id             uuid NOT NULL UNIQUE,
    engine_run_id  uuid NOT NULL REFERENCES engine_runs,
    order_key      uuid NOT NULL,
    kind           text NOT NULL
                   CHECK (kind IN ('START', 'RESTART', 'SIGNAL', 'SIGNAL_ACTION', 'CANCEL', 'TERMINATE',
                                   'COMPLETE_ACTIVITY')),
    item_id        uuid,
    item_type      text,
    item_code      text,
    data_code      text,
    signal_shape   text,
    created_at     timestamptz NOT NULL,
    not_before     timestamptz NOT NULL,
    -- A relay has leased the command until then.
    leased_until   timestamptz NOT NULL DEFAULT '-infinity',
    attempts       integer NOT NULL DEFAULT 0,
    last_error     text,
    activity_token bytea CHECK (length(activity_token) BETWEEN 1 AND 16384),
    signal_name    text,
    action_code    text,
    signal_input   json,
    CHECK (kind <> 'SIGNAL' OR num_nulls(item_id, item_type, signal_shape) = 0),
    CHECK ((kind = 'COMPLETE_ACTIVITY') = (activity_token IS NOT NULL)),
    CONSTRAINT engine_commands_signal_action_check
        CHECK (num_nonnulls(signal_name, action_code) = CASE kind WHEN 'SIGNAL_ACTION' THEN 2 ELSE 0 END)
);
CREATE INDEX engine_commands_order ON engine_commands (order_key, position);
CREATE INDEX engine_commands_due ON engine_commands (not_before, position);

-- A workflow run that failed.
CREATE TABLE incidents (
    id            uuid PRIMARY KEY,
    tenant_id     uuid NOT NULL,
    process_id    uuid REFERENCES processes,
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
CREATE INDEX incidents_tenant ON incidents (tenant_id, state, created_at, id);
CREATE INDEX incidents_process ON incidents (process_id);

-- The state of scanning a namespace for ended workflows. A row is leased for one scan. due_at is infinity while the
-- namespace has no running workflow. closed_at is the latest end seen; ends_at is the same at the last scan for ends of
-- every kind (full_at); far_at and swept_at are the times of the last deep scan and of the last sweep, which read the runs
-- up to sweep_after.
CREATE TABLE engine_watermarks (
    namespace    text PRIMARY KEY,
    closed_at    timestamptz NOT NULL,
    due_at       timestamptz NOT NULL DEFAULT 'epoch',
    leased_until timestamptz NOT NULL DEFAULT 'epoch',
    active_at    timestamptz NOT NULL DEFAULT 'epoch',
    ends_at      timestamptz NOT NULL DEFAULT 'epoch',
    full_at      timestamptz NOT NULL DEFAULT 'epoch',
    far_at       timestamptz NOT NULL DEFAULT 'epoch',
    swept_at     timestamptz NOT NULL DEFAULT 'epoch',
    sweep_after  uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000'
);
CREATE INDEX engine_watermarks_due ON engine_watermarks (due_at) WHERE due_at < 'infinity';

-- A worker that registered itself.
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
CREATE INDEX workers_seen ON workers (tenant_id, last_seen_at, id);
-- The number of workers of an application is limited.
CREATE INDEX workers_principal ON workers (principal_id, last_seen_at);

-- A task queue that a worker polls. It belongs to the application that registered it, so that another application that
-- uses the same identity gets none of its queues.
CREATE TABLE worker_queues (
    worker_id      uuid NOT NULL REFERENCES workers ON DELETE CASCADE,
    principal_id   uuid NOT NULL REFERENCES principals,
    task_queue     text NOT NULL CHECK (length(task_queue) BETWEEN 1 AND 255),
    last_seen_at   timestamptz NOT NULL,
    workflow_types text[] NOT NULL DEFAULT '{}',
    activity_types text[] NOT NULL DEFAULT '{}',
    -- Since when the worker has polled the queue without interruption; NULL if unknown.
    live_since     timestamptz,
    PRIMARY KEY (principal_id, task_queue, worker_id)
);
CREATE INDEX worker_queues_worker ON worker_queues (worker_id);
CREATE INDEX worker_queues_seen ON worker_queues (last_seen_at);

-- The last observation of a task queue in Temporal. A failed attempt changes failed_at and failure only.
CREATE TABLE task_queue_observations (
    tenant_id      uuid NOT NULL REFERENCES tenants ON DELETE CASCADE,
    task_queue     text NOT NULL CHECK (length(task_queue) BETWEEN 1 AND 255),
    -- When a replica may observe the queue again; moved forward by the replica that does.
    due_at         timestamptz NOT NULL,
    observed_at    timestamptz,
    pollers        jsonb NOT NULL DEFAULT '[]',
    workflow_count bigint NOT NULL DEFAULT 0,
    workflow_age   interval NOT NULL DEFAULT '0',
    activity_count bigint NOT NULL DEFAULT 0,
    activity_age   interval NOT NULL DEFAULT '0',
    failed_at      timestamptz,
    failure        text NOT NULL DEFAULT '',
    PRIMARY KEY (tenant_id, task_queue),
    CHECK ((failed_at IS NULL) = (failure = ''))
);
CREATE INDEX task_queue_observations_due ON task_queue_observations (due_at);

-- Tokens and certificates issued for the engine, without secret parts, so that they can be revoked. Rows are deleted some
-- time after the expiry.
CREATE TABLE engine_grants (
    id           uuid PRIMARY KEY,
    tenant_id    uuid NOT NULL REFERENCES tenants,
    principal_id uuid NOT NULL REFERENCES principals,
    kind         text NOT NULL CHECK (kind IN ('ENGINE_TOKEN', 'ENGINE_CERTIFICATE')),
    -- The jti of a token, or the serial number of a certificate in hexadecimal.
    identifier   text NOT NULL UNIQUE CHECK (length(identifier) BETWEEN 1 AND 64),
    issued_at    timestamptz NOT NULL,
    expires_at   timestamptz NOT NULL,
    revoked_at   timestamptz,
    revoked_by   uuid REFERENCES principals,
    -- Issued to an operator for reading the namespace.
    read_only    boolean NOT NULL DEFAULT false,
    CHECK (expires_at > issued_at),
    CHECK (num_nulls(revoked_at, revoked_by) IN (0, 2))
);
CREATE INDEX engine_grants_tenant ON engine_grants (tenant_id, issued_at, id);
CREATE INDEX engine_grants_principal ON engine_grants (principal_id, issued_at);
CREATE INDEX engine_grants_expiry ON engine_grants (expires_at);
CREATE INDEX engine_grants_revoked ON engine_grants (expires_at) WHERE revoked_at IS NOT NULL;
