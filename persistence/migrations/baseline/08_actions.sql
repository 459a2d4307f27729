-- Invocations of user actions, and faults of their availability expressions.

-- An invocation of a user action on a process.
CREATE TABLE process_actions (
    id                    uuid PRIMARY KEY,
    tenant_id             uuid NOT NULL,
    process_id            uuid NOT NULL REFERENCES processes,
    type                  text NOT NULL
                          CHECK (type IN ('DOWNLOADABLE', 'START_WORKFLOW', 'START_RELATED_PROCESS', 'CREATE_TASK',
                                          'CREATE_PROCESS_ITEM_MESSAGE', 'CREATE_PROCESS_ITEM_THREAD',
                                          'SEND_WORKFLOW_SIGNAL')),
    status                text NOT NULL CHECK (status IN ('REQUESTED', 'COMPLETED', 'CANCELED', 'ERROR')),
    -- Stays after the document has expired.
    document_id           uuid,
    created_by            uuid NOT NULL,
    created_at            timestamptz NOT NULL,
    last_modified_by      uuid NOT NULL,
    last_modified_at      timestamptz NOT NULL,
    finished_at           timestamptz,
    action_id             uuid NOT NULL,
    action_code           text NOT NULL,
    -- The process that the action started.
    started_definition_id uuid,
    started_process_id    uuid,
    item_id               uuid REFERENCES process_items,
    -- The thread that the new item is attached to.
    thread_id             uuid REFERENCES process_items,
    signal_name           text,
    document_uri          text,
    -- Visible to administrators only.
    error                 text,
    -- The input of SEND_WORKFLOW_SIGNAL.
    input                 json,
    input_valid           boolean,
    input_errors          json,
    -- Visible to the caller.
    errors                json,
    FOREIGN KEY (process_id, tenant_id) REFERENCES processes (id, tenant_id),
    FOREIGN KEY (started_process_id, tenant_id) REFERENCES processes (id, tenant_id),
    CHECK ((status = 'REQUESTED') = (finished_at IS NULL)),
    CHECK (status <> 'REQUESTED' OR type IN ('DOWNLOADABLE', 'START_WORKFLOW')),
    CHECK ((document_id IS NULL) = (document_uri IS NULL)),
    CHECK (document_id IS NULL OR type = 'DOWNLOADABLE'),
    CHECK ((started_definition_id IS NULL) = (started_process_id IS NULL)),
    CHECK (thread_id IS NULL OR item_id IS NOT NULL),
    CHECK (error IS NULL OR status = 'ERROR'),
    CONSTRAINT process_actions_errors_check CHECK (errors IS NULL OR status = 'ERROR'),
    CONSTRAINT process_actions_input_check
        CHECK (((input IS NULL) = (input_valid IS NULL)) AND (input IS NULL OR type = 'SEND_WORKFLOW_SIGNAL'))
);
CREATE INDEX process_actions_process ON process_actions (process_id, created_at, id);
CREATE INDEX process_actions_started ON process_actions (started_process_id) WHERE started_process_id IS NOT NULL;
CREATE INDEX process_actions_item ON process_actions (item_id) WHERE item_id IS NOT NULL;
CREATE INDEX process_actions_thread ON process_actions (thread_id) WHERE thread_id IS NOT NULL;

-- An invocation of a user action on a business artifact.
CREATE TABLE business_artifact_actions (
    id                      uuid PRIMARY KEY,
    tenant_id               uuid NOT NULL,
    business_artifact_id    uuid NOT NULL,
    action_id               uuid NOT NULL,
    action_code             text NOT NULL,
    type                    text NOT NULL
                            CHECK (type IN ('START_WORKFLOW', 'DOWNLOADABLE', 'START_PROCESS', 'CREATE_BUSINESS_ARTIFACT')),
    status                  text NOT NULL CHECK (status IN ('REQUESTED', 'COMPLETED', 'CANCELED', 'ERROR')),
    input                   json CHECK (json_typeof(input) = 'object'),
    process_definition_id   uuid,
    process_id              uuid REFERENCES processes,
    created_definition_id   uuid,
    created_definition_code text,
    created_artifact_id     uuid,
    value                   json CHECK (json_typeof(value) = 'object'),
    -- The document may have expired.
    document_id             uuid,
    document_uri            text,
    -- Visible to administrators only.
    error                   text,
    created_by              uuid NOT NULL,
    created_at              timestamptz NOT NULL,
    last_modified_by        uuid NOT NULL,
    last_modified_at        timestamptz NOT NULL,
    finished_at             timestamptz,
    -- Visible to the caller.
    errors                  json,
    input_valid             boolean,
    input_errors            json,
    FOREIGN KEY (business_artifact_id, tenant_id) REFERENCES business_artifacts (id, tenant_id) ON DELETE CASCADE,
    CHECK ((status = 'REQUESTED') = (finished_at IS NULL)),
    CHECK (status <> 'REQUESTED' OR type IN ('START_WORKFLOW', 'DOWNLOADABLE')),
    CHECK ((document_id IS NULL) = (document_uri IS NULL)),
    CHECK (error IS NULL OR status = 'ERROR'),
    CONSTRAINT business_artifact_actions_errors_check CHECK (errors IS NULL OR status = 'ERROR')
);
CREATE INDEX business_artifact_actions_artifact ON business_artifact_actions (business_artifact_id);
CREATE INDEX business_artifact_actions_started ON business_artifact_actions (process_id) WHERE process_id IS NOT NULL;

-- Availability expressions that failed: one row per version and action, with the first and the last failure.
CREATE TABLE availability_faults (
    process_version uuid NOT NULL REFERENCES process_definition_versions ON DELETE CASCADE,
    action_code     text NOT NULL,
    tenant_id       uuid NOT NULL REFERENCES tenants,
    -- The process of the last failure.
    process_id      uuid NOT NULL REFERENCES processes,
    message         text NOT NULL,
    first_at        timestamptz NOT NULL,
    last_at         timestamptz NOT NULL,
    PRIMARY KEY (process_version, action_code)
);
CREATE INDEX availability_faults_last ON availability_faults (tenant_id, last_at);
CREATE INDEX availability_faults_process ON availability_faults (process_id);
