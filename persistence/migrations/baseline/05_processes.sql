-- Processes and their items. JSON values are json, not jsonb: digits, order of keys and escapes are returned as received.
--
-- A foreign key locks the parent row for each child that is written, and logs the lock. Tables that grow with the work
-- therefore have no foreign keys to tenants, principals and definitions. procession doctor finds children without parents.

-- A process, pinned to a version of its definition.
CREATE TABLE processes (
    id                      uuid PRIMARY KEY,
    tenant_id               uuid NOT NULL,
    process_definition_id   uuid NOT NULL,
    process_version         uuid NOT NULL,
    process_definition_code text NOT NULL,
    state                   text NOT NULL CHECK (state IN ('RUNNING', 'COMPLETED', 'CANCELLED')),
    initiator_id            uuid NOT NULL,
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
    -- Shown by API version 2022-10-08.
    subject                 text NOT NULL CHECK (length(subject) BETWEEN 1 AND 255),
    -- The values of elements by code (API version 2022-10-08); NULL without values.
    element_values          json CHECK (json_typeof(element_values) = 'object'),
    deleted_at              timestamptz,
    deleted_by              uuid,
    UNIQUE (id, tenant_id),
    CHECK ((metadata IS NULL) = (metadata_valid IS NULL)),
    CHECK ((entity IS NULL) = (entity_valid IS NULL)),
    CONSTRAINT processes_deleted_check
        CHECK (((deleted_at IS NULL) = (deleted_by IS NULL)) AND (deleted_at IS NULL OR state <> 'RUNNING'))
);
CREATE INDEX processes_created ON processes (tenant_id, created_at, id);
CREATE INDEX processes_definition ON processes (process_definition_id, created_at, id);
CREATE INDEX processes_initiator ON processes (initiator_id, created_at, id);
-- The versions that running processes are pinned to.
CREATE INDEX processes_running ON processes (process_version) WHERE state = 'RUNNING';
CREATE INDEX processes_deleted_created ON processes (tenant_id, created_at, id) WHERE deleted_at IS NOT NULL;
CREATE INDEX processes_deleted_at ON processes (tenant_id, deleted_at, id) WHERE deleted_at IS NOT NULL;
-- Lists by time of change read these indexes for each visible definition.
CREATE INDEX processes_modified ON processes (process_definition_id, last_modified_at, id);

-- Process from_id started process to_id.
CREATE TABLE process_relations (
    tenant_id uuid NOT NULL,
    from_id   uuid NOT NULL,
    to_id     uuid NOT NULL,
    PRIMARY KEY (from_id, to_id),
    FOREIGN KEY (from_id, tenant_id) REFERENCES processes (id, tenant_id),
    FOREIGN KEY (to_id, tenant_id) REFERENCES processes (id, tenant_id),
    CHECK (from_id <> to_id)
);
CREATE INDEX process_relations_to ON process_relations (to_id);

-- Members of metadata that the definition indexes, each in the column of its type.
CREATE TABLE process_index (
    process_id            uuid NOT NULL REFERENCES processes ON DELETE CASCADE,
    process_definition_id uuid NOT NULL,
    field                 text COLLATE "C" NOT NULL,
    -- The first 200 characters; index entries have a limited size.
    text_value            text COLLATE "C" CHECK (length(text_value) <= 200),
    text_rest             text COLLATE "C",
    -- The whole text in lower case, NULL if equal to the text. For a date with a time: the date as received, in upper case.
    text_folded           text COLLATE "C",
    number_value          numeric,
    date_value            date,
    -- The instant, if the date has a time; date_value is then the day as written.
    time_value            timestamptz,
    PRIMARY KEY (process_id, field),
    CHECK (text_rest IS NULL OR length(text_value) = 200),
    CHECK (num_nonnulls(text_value, number_value, date_value) = 1),
    CHECK (time_value IS NULL OR date_value IS NOT NULL)
);
CREATE INDEX process_index_text ON process_index (process_definition_id, field, text_value);
CREATE INDEX process_index_number ON process_index (process_definition_id, field, number_value);
CREATE INDEX process_index_date ON process_index (process_definition_id, field, date_value);

-- A task, message or thread of a process.
CREATE TABLE process_items (
    id                    uuid PRIMARY KEY,
    tenant_id             uuid NOT NULL,
    process_id            uuid NOT NULL,
    process_definition_id uuid NOT NULL,
    type                  text NOT NULL CHECK (type IN ('TASK', 'MESSAGE', 'THREAD')),
    item_definition_id    uuid,
    item_version          uuid,
    item_definition_code  text,
    owner_id              uuid,
    task_state            text CHECK (task_state IN ('READY', 'CLAIMED', 'COMPLETED', 'CANCELLED')),
    task_data             json CHECK (json_typeof(task_data) = 'object'),
    task_data_valid       boolean,
    task_data_errors      json,
    context_data          json CHECK (json_typeof(context_data) = 'object'),
    context_data_valid    boolean,
    context_data_errors   json,
    message_text          text,
    message_data          json CHECK (json_typeof(message_data) = 'object'),
    message_data_valid    boolean,
    message_data_errors   json,
    message_data_code     text,
    claimed_at            timestamptz,
    completed_at          timestamptz,
    cancelled_at          timestamptz,
    created_by            uuid NOT NULL,
    created_at            timestamptz NOT NULL,
    last_modified_by      uuid NOT NULL,
    last_modified_at      timestamptz NOT NULL,
    element_values        json CHECK (json_typeof(element_values) = 'object'),
    -- The activity to complete with the task.
    activity_token        bytea CHECK (length(activity_token) > 0),
    thread_id             uuid REFERENCES process_items,
    deleted_at            timestamptz,
    deleted_by            uuid,
    FOREIGN KEY (process_id, tenant_id) REFERENCES processes (id, tenant_id),
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
    CHECK ((message_data IS NULL) = (message_data_code IS NULL)),
    CHECK (type = 'TASK' OR num_nonnulls(element_values, activity_token) = 0),
    CONSTRAINT process_items_activity_token_size CHECK (length(activity_token) <= 16384),
    CONSTRAINT process_items_deleted_check
        CHECK ((deleted_at IS NULL) = (deleted_by IS NULL)
               AND (deleted_at IS NULL OR task_state IS NULL OR task_state IN ('COMPLETED', 'CANCELLED'))),
    CONSTRAINT process_items_thread_check CHECK (thread_id IS NULL OR type <> 'THREAD')
);
CREATE INDEX process_items_created ON process_items (tenant_id, created_at, id);
CREATE INDEX process_items_process ON process_items (process_id, created_at, id);
CREATE INDEX process_items_definition ON process_items (item_definition_id, created_at, id);
CREATE INDEX process_items_thread ON process_items (thread_id, created_at, id) WHERE thread_id IS NOT NULL;
-- Lists of open tasks; these are few compared with all tasks.
CREATE INDEX process_items_open ON process_items (tenant_id, created_at, id) WHERE task_state IN ('READY', 'CLAIMED');
CREATE INDEX process_items_own
    ON process_items (owner_id, task_state, created_at, id) INCLUDE (item_definition_id, process_id)
 WHERE owner_id IS NOT NULL;
-- Messages and threads without item definition are found by process definition.
CREATE INDEX process_items_undefined ON process_items (process_definition_id, created_at, id)
 WHERE item_definition_id IS NULL;
CREATE INDEX process_items_deleted ON process_items (tenant_id, created_at, id) WHERE deleted_at IS NOT NULL;
-- Lists by time of change read these indexes for each visible definition.
CREATE INDEX process_items_modified ON process_items (item_definition_id, last_modified_at, id);
CREATE INDEX process_items_undefined_modified ON process_items (process_definition_id, last_modified_at, id)
 WHERE item_definition_id IS NULL;
-- Tasks without the time are listed in the order of creation.
CREATE INDEX process_items_claimed ON process_items (item_definition_id, claimed_at, id) WHERE claimed_at IS NOT NULL;
CREATE INDEX process_items_completed ON process_items (item_definition_id, completed_at, id) WHERE completed_at IS NOT NULL;
CREATE INDEX process_items_cancelled ON process_items (item_definition_id, cancelled_at, id) WHERE cancelled_at IS NOT NULL;

-- Log entries of tasks.
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
