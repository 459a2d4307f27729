-- Robots.

-- A robot.
CREATE TABLE robots (
    id               uuid PRIMARY KEY,
    tenant_id        uuid NOT NULL REFERENCES tenants,
    code             text NOT NULL CHECK (length(code) BETWEEN 1 AND 50),
    name             text NOT NULL CHECK (length(name) BETWEEN 1 AND 50),
    description      text CHECK (length(description) BETWEEN 1 AND 4000),
    source_type      text NOT NULL CHECK (source_type IN ('PACKAGE', 'ROBOT_FRAMEWORK_PYTHON_WHEEL')),
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

-- A right to read and download a robot. The runner of the robot has it without a grant.
CREATE TABLE robot_grants (
    robot_id   uuid NOT NULL REFERENCES robots ON DELETE CASCADE,
    grantee_id uuid NOT NULL,
    PRIMARY KEY (grantee_id, robot_id)
);
CREATE INDEX robot_grants_robot ON robot_grants (robot_id);

-- The source package of a robot (without asset type) and its assets. Their documents do not expire.
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

-- Environment variables of a robot, sealed.
CREATE TABLE robot_environment (
    robot_id         uuid NOT NULL REFERENCES robots ON DELETE CASCADE,
    name             text COLLATE "C" NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
    sealed           bytea NOT NULL,
    last_modified_by uuid NOT NULL,
    last_modified_at timestamptz NOT NULL,
    PRIMARY KEY (robot_id, name)
);
