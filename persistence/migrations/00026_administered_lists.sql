-- +goose Up

-- The workflows that the user actions of a version start, with their queues. They are kept beside the version because
-- reading them from its whole description takes longer than all else that is known of queues.
-- +goose StatementBegin
CREATE FUNCTION user_action_queues(spec json) RETURNS json LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
SELECT json_agg(json_build_object('code', a -> 'code', 'workflowType', a -> 'workflowType', 'taskQueue', a -> 'taskQueue'))
  FROM json_array_elements(CASE json_typeof(spec -> 'userActions') WHEN 'array' THEN spec -> 'userActions' END) a
 WHERE a ->> 'taskQueue' IS NOT NULL AND a ->> 'workflowType' IS NOT NULL
$$;
-- +goose StatementEnd
ALTER TABLE process_definition_versions
    ADD COLUMN action_queues json GENERATED ALWAYS AS (user_action_queues(spec)) STORED;

-- The newest incidents of a tenant.
CREATE INDEX incidents_tenant ON incidents (tenant_id, state, created_at, id);
