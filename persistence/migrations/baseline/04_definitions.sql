-- Definitions of processes and items, their versions, and rights.

-- A process definition of a tenant.
CREATE TABLE process_definitions (
    id                uuid PRIMARY KEY,
    tenant_id         uuid NOT NULL REFERENCES tenants,
    code              text NOT NULL CHECK (length(code) BETWEEN 1 AND 50),
    published_version uuid,
    UNIQUE (tenant_id, code)
);

-- A published version never changes, because processes are pinned to it.
CREATE TABLE process_definition_versions (
    version               uuid PRIMARY KEY,
    process_definition_id uuid NOT NULL REFERENCES process_definitions,
    name                  text NOT NULL CHECK (length(name) BETWEEN 1 AND 50),
    workflow_type         text CHECK (length(workflow_type) BETWEEN 1 AND 255),
    task_queue            text CHECK (length(task_queue) BETWEEN 1 AND 255),
    signal_shape          text CHECK (signal_shape IN ('A', 'B')),
    -- The application that runs the workflow.
    runner_id             uuid REFERENCES principals,
    spec                  json NOT NULL,
    created_at            timestamptz NOT NULL,
    number                integer NOT NULL CHECK (number > 0),
    -- The digest of everything that a process is pinned to. Applying the same content again creates no version.
    digest                bytea NOT NULL,
    created_by            uuid NOT NULL,
    encryption_key        text CHECK (length(encryption_key) BETWEEN 1 AND 50),
    UNIQUE (process_definition_id, number),
    UNIQUE (version, process_definition_id),
    CHECK (num_nulls(workflow_type, task_queue, signal_shape, runner_id) IN (0, 4)),
    CHECK (encryption_key IS NULL OR workflow_type IS NOT NULL)
);
CREATE INDEX process_definition_versions_runner ON process_definition_versions (runner_id);
CREATE INDEX process_definition_versions_queue ON process_definition_versions (task_queue);
CREATE INDEX process_definition_versions_number ON process_definition_versions (process_definition_id, number DESC);

ALTER TABLE process_definitions
    ADD FOREIGN KEY (published_version, id) REFERENCES process_definition_versions (version, process_definition_id);

-- A definition of tasks, messages or threads within a process definition.
CREATE TABLE item_definitions (
    id                    uuid PRIMARY KEY,
    process_definition_id uuid NOT NULL REFERENCES process_definitions,
    code                  text NOT NULL CHECK (length(code) BETWEEN 1 AND 50),
    UNIQUE (process_definition_id, code)
);

-- An item definition as a version of the process definition describes it.
CREATE TABLE item_definition_versions (
    version            uuid PRIMARY KEY,
    item_definition_id uuid NOT NULL REFERENCES item_definitions,
    process_version    uuid NOT NULL REFERENCES process_definition_versions,
    type               text NOT NULL CHECK (type IN ('TASK', 'MESSAGE', 'THREAD')),
    name               text NOT NULL CHECK (length(name) BETWEEN 1 AND 50),
    spec               json NOT NULL,
    -- The robot that assists the owner of a task.
    robot_code         text CHECK (length(robot_code) BETWEEN 1 AND 50),
    robot_operation    text CHECK (length(robot_operation) BETWEEN 1 AND 255),
    UNIQUE (process_version, item_definition_id),
    UNIQUE (version, item_definition_id),
    CHECK (num_nulls(robot_code, robot_operation) IN (0, 2)),
    CHECK (robot_code IS NULL OR type = 'TASK')
);

-- A right on a process definition. The grantee is a principal or a group.
CREATE TABLE process_definition_grants (
    process_definition_id uuid NOT NULL REFERENCES process_definitions,
    permission            text NOT NULL CHECK (permission IN ('INITIATOR', 'VIEWER', 'MANAGER', 'ADMINISTRATOR')),
    grantee_id            uuid NOT NULL,
    PRIMARY KEY (grantee_id, permission, process_definition_id)
);

-- A right on an item definition. The grantee is a principal or a group; NULL is the initiator of the process.
CREATE TABLE item_definition_grants (
    item_definition_id uuid NOT NULL REFERENCES item_definitions,
    permission         text NOT NULL CHECK (permission IN ('CANDIDATE', 'VIEWER')),
    grantee_id         uuid,
    UNIQUE NULLS NOT DISTINCT (grantee_id, permission, item_definition_id)
);

-- The members of metadata that any version of a process definition indexes.
CREATE TABLE process_definition_indexes (
    tenant_id             uuid NOT NULL REFERENCES tenants,
    field                 text NOT NULL,
    type                  text NOT NULL CHECK (type IN ('STRING', 'NUMBER', 'DATE')),
    process_definition_id uuid NOT NULL REFERENCES process_definitions ON DELETE CASCADE,
    PRIMARY KEY (tenant_id, field, type, process_definition_id)
);

-- The workflows that a version needs workers for: its own and those started by user actions. The table makes it possible to
-- find the needs of some task queues without reading all versions.
CREATE TABLE version_needs (
    version               uuid NOT NULL,
    number                integer NOT NULL,
    process_definition_id uuid NOT NULL,
    tenant_id             uuid NOT NULL REFERENCES tenants,
    task_queue            text NOT NULL,
    kind                  text NOT NULL CHECK (kind IN ('PROCESS', 'USER_ACTION')),
    action                text NOT NULL,
    workflow_type         text NOT NULL,
    FOREIGN KEY (version, process_definition_id)
        REFERENCES process_definition_versions (version, process_definition_id) ON DELETE CASCADE
);
CREATE INDEX version_needs_version ON version_needs (version);
CREATE INDEX version_needs_queue ON version_needs (tenant_id, task_queue);

-- Computes version_needs from versions.
CREATE VIEW needs_of_versions AS
SELECT v.version, v.number, v.process_definition_id, d.tenant_id, n.task_queue, n.kind, n.action, n.workflow_type
  FROM process_definition_versions v
  JOIN process_definitions d ON d.id = v.process_definition_id
 CROSS JOIN LATERAL (
       SELECT v.task_queue, 'PROCESS' AS kind, '' AS action, v.workflow_type
        UNION ALL
       SELECT a ->> 'taskQueue', 'USER_ACTION', coalesce(a ->> 'code', ''), a ->> 'workflowType'
         FROM json_array_elements(CASE json_typeof(v.spec -> 'userActions') WHEN 'array' THEN v.spec -> 'userActions' END) a) n
 WHERE n.task_queue IS NOT NULL AND n.workflow_type IS NOT NULL;

-- Stores the needs of a new version. Versions never change, so the rows stay correct.
CREATE FUNCTION record_version_needs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO version_needs (version, number, process_definition_id, tenant_id, task_queue, kind, action, workflow_type)
    SELECT n.* FROM needs_of_versions n WHERE n.version = NEW.version;
    RETURN NULL;
END
$$;
CREATE TRIGGER record_version_needs AFTER INSERT ON process_definition_versions
    FOR EACH ROW EXECUTE FUNCTION record_version_needs();

-- Refuses to delete versions of a process definition that has processes. The lock waits for transactions that create
-- processes and blocks new ones until commit; these look up their version when they insert.
CREATE FUNCTION keep_used_versions() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    used uuid;
BEGIN
    LOCK TABLE processes IN SHARE ROW EXCLUSIVE MODE;
    SELECT g.process_definition_id INTO used
      FROM gone g
     WHERE EXISTS (SELECT 1 FROM processes p WHERE p.process_definition_id = g.process_definition_id)
     LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'process definition % has processes', used USING ERRCODE = 'foreign_key_violation';
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER keep_used_versions AFTER DELETE ON process_definition_versions
    REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION keep_used_versions();
