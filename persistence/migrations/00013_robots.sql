-- +goose Up

CREATE TABLE robots (
    id               uuid PRIMARY KEY,
    tenant_id        uuid NOT NULL REFERENCES tenants,
    code             text NOT NULL CHECK (length(code) BETWEEN 1 AND 50),
    name             text NOT NULL CHECK (length(name) BETWEEN 1 AND 50),
    description      text CHECK (length(description) BETWEEN 1 AND 4000),
    source_type      text NOT NULL CHECK (source_type IN ('PACKAGE')),
    workflow_type    text CHECK (length(workflow_type) BETWEEN 1 AND 255),
    task_queue       text CHECK (length(task_queue) BETWEEN 1 AND 255),
    runner_id        uuid REFERENCES principals,
    created_by       uuid NOT NULL,
    created_at       timestamptz NOT NULL,
    last_modified_by uuid NOT NULL,
    last_modified_at timestamptz NOT NULL,
    UNIQUE (tenant_id, code),
    CHECK (workflow_type IS NULL OR num_nulls(task_queue, runner_id) = 0)
);
CREATE INDEX robots_created ON robots (tenant_id, created_at, id);

-- Documents described robots before this.
INSERT INTO robots (id, tenant_id, code, name, description, source_type, task_queue,
                    created_by, created_at, last_modified_by, last_modified_at)
SELECT r.id, r.tenant_id, r.code, r.spec ->> 'name', nullif(r.spec ->> 'description', ''), 'PACKAGE', r.spec ->> 'taskQueue',
       r.created_by, r.created_at, r.last_modified_by, r.last_modified_at
  FROM resources r
 WHERE r.kind = 'Robot';

-- Who sees a robot and downloads it, beside its runner.
CREATE TABLE robot_grants (
    robot_id   uuid NOT NULL REFERENCES robots ON DELETE CASCADE,
    grantee_id uuid NOT NULL,
    PRIMARY KEY (grantee_id, robot_id)
);
CREATE INDEX robot_grants_robot ON robot_grants (robot_id);

ALTER TABLE documents
    DROP CONSTRAINT documents_owner_kind_check,
    ADD CONSTRAINT documents_owner_kind_check
        CHECK (owner_kind IN ('PROCESS', 'BUSINESS_ARTIFACT', 'PROCESS_ACTION', 'BUSINESS_ARTIFACT_ACTION', 'ROBOT'));

-- The source package of a robot, which has no asset type, and its assets. Their documents do not expire while they are
-- here.
CREATE TABLE robot_files (
    robot_id     uuid NOT NULL REFERENCES robots ON DELETE CASCADE,
    document_id  uuid NOT NULL UNIQUE REFERENCES documents,
    asset_type   text CHECK (asset_type IN ('PYTHON', 'PYTHON_PIP', 'NODEJS')),
    version      text CHECK (length(version) BETWEEN 1 AND 50),
    platform     text CHECK (platform IN ('WINDOWS', 'MAC_OS', 'LINUX')),
    architecture text CHECK (architecture IN ('X86_32', 'X86_64')),
    UNIQUE NULLS NOT DISTINCT (robot_id, asset_type, version, platform, architecture),
    CHECK (num_nulls(asset_type, version, platform, architecture) IN (0, 4))
);

-- Values are sealed with a key that is not in the database.
CREATE TABLE robot_environment (
    robot_id         uuid NOT NULL REFERENCES robots ON DELETE CASCADE,
    name             text COLLATE "C" NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
    sealed           bytea NOT NULL,
    last_modified_by uuid NOT NULL,
    last_modified_at timestamptz NOT NULL,
    PRIMARY KEY (robot_id, name)
);

-- The robot that assists whoever works on a task of the definition.
ALTER TABLE item_definition_versions
    ADD COLUMN robot_code      text CHECK (length(robot_code) BETWEEN 1 AND 50),
    ADD COLUMN robot_operation text CHECK (length(robot_operation) BETWEEN 1 AND 255),
    ADD CHECK (num_nulls(robot_code, robot_operation) IN (0, 2)),
    ADD CHECK (robot_code IS NULL OR type = 'TASK');

-- Runs of robots: a task has one each time it is claimed. robot is what the workflow is told when it starts.
ALTER TABLE engine_runs
    ADD COLUMN robot json,
    DROP CONSTRAINT engine_runs_kind_check,
    ADD CONSTRAINT engine_runs_kind_check
        CHECK (kind IN ('PROCESS', 'BUSINESS_ARTIFACT_ACTION', 'PROCESS_ACTION', 'TASK_ROBOT')),
    DROP CONSTRAINT IF EXISTS engine_runs_check2,
    DROP CONSTRAINT IF EXISTS engine_runs_action_check,
    ADD CONSTRAINT engine_runs_action_check
        CHECK ((kind IN ('BUSINESS_ARTIFACT_ACTION', 'PROCESS_ACTION')) = (action IS NOT NULL)),
    ADD CONSTRAINT engine_runs_robot_check CHECK ((kind = 'TASK_ROBOT') = (robot IS NOT NULL)),
    DROP CONSTRAINT engine_runs_owner_id_kind_key;
CREATE UNIQUE INDEX engine_runs_owner ON engine_runs (owner_id, kind) WHERE kind <> 'TASK_ROBOT';
CREATE INDEX engine_runs_task ON engine_runs (owner_id) WHERE kind = 'TASK_ROBOT';
