-- +goose Up

-- The workflows that a version of a process definition needs workers for, its own and those of its user actions: a row for
-- each, so that the needs of some task queues are found without reading all versions. It replaces two columns of the
-- versions. A version never changes, so its rows are made with it.
CREATE TABLE version_needs (
    version               uuid NOT NULL,
    number                integer NOT NULL,
    process_definition_id uuid NOT NULL,
    tenant_id             uuid NOT NULL REFERENCES tenants,
    task_queue            text NOT NULL,
    kind                  text NOT NULL CHECK (kind IN ('PROCESS', 'USER_ACTION')),
    action                text NOT NULL,
    workflow_type         text NOT NULL,
    FOREIGN KEY (version, process_definition_id) REFERENCES process_definition_versions (version, process_definition_id)
            ON DELETE CASCADE
);
CREATE INDEX version_needs_version ON version_needs (version);
CREATE INDEX version_needs_queue ON version_needs (tenant_id, task_queue);

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

INSERT INTO version_needs (version, number, process_definition_id, tenant_id, task_queue, kind, action, workflow_type)
SELECT n.* FROM needs_of_versions n;

-- +goose StatementBegin
CREATE FUNCTION record_version_needs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO version_needs (version, number, process_definition_id, tenant_id, task_queue, kind, action, workflow_type)
    SELECT n.* FROM needs_of_versions n WHERE n.version = NEW.version;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER record_version_needs AFTER INSERT ON process_definition_versions
    FOR EACH ROW EXECUTE FUNCTION record_version_needs();

ALTER TABLE process_definition_versions
    DROP COLUMN task_queues,
    DROP COLUMN action_queues;
DROP FUNCTION version_queues(text, json);
DROP FUNCTION user_action_queues(json);
