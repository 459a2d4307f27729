-- +goose Up

-- What lists of manifests are searched for. Taking it out of each description takes twenty times as long as comparing.
ALTER TABLE resources
    ADD COLUMN words text NOT NULL GENERATED ALWAYS AS (
        lower(code || E'\n' || coalesce(spec ->> 'name', '') || E'\n' || coalesce(spec ->> 'email', ''))) STORED;

-- Events of types and about kinds that are rare among all. Those that every process and every task records are found
-- soon in the order of all events, and are not in these indexes, so that recording them costs no more than before.
CREATE INDEX events_type ON events (type, tenant_id, era, xid, position)
 WHERE type NOT IN ('PROCESS.CREATED', 'PROCESS.STATE_CHANGED', 'PROCESS_ITEM.CREATED', 'PROCESS_ITEM.TASK_STATE_CHANGED',
                    'PROCESS_ITEM.TASK_DATA_SAVED');
CREATE INDEX events_kind ON events (resource_kind, tenant_id, era, xid, position)
 WHERE resource_kind NOT IN ('PROCESS', 'PROCESS_ITEM');

-- The task queues that a version needs, to find the versions that need one without reading what their actions are.
-- +goose StatementBegin
CREATE FUNCTION version_queues(task_queue text, spec json) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
SELECT ARRAY(SELECT task_queue WHERE task_queue IS NOT NULL
              UNION
             SELECT a ->> 'taskQueue' FROM json_array_elements(user_action_queues(spec)) a)
$$;
-- +goose StatementEnd
ALTER TABLE process_definition_versions
    ADD COLUMN task_queues text[] NOT NULL GENERATED ALWAYS AS (version_queues(task_queue, spec)) STORED;
