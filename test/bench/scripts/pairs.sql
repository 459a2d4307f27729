-- Statements to claim and to complete a task: each pipeline is a round trip.
\set i :i + 1
\set n :base + (:client_id + :lane) * :stride + :i
\startpipeline
BEGIN;
SELECT i.id, i.tenant_id, i.process_id, i.process_definition_id, i.type,
       i.item_definition_id, i.item_version, i.item_definition_code, i.thread_id, i.owner_id,
       i.task_state, i.claimed_at, i.completed_at, i.cancelled_at, i.message_text, i.message_data_code,
       i.created_by, i.created_at, i.last_modified_by, i.last_modified_at, i.deleted_at, i.deleted_by,
       i.task_data, i.task_data_valid, i.task_data_errors, i.context_data, i.context_data_valid, i.context_data_errors,
       i.message_data, i.message_data_valid, i.message_data_errors, i.element_values,
       (p.process_definition_id = ANY(ARRAY(SELECT g.process_definition_id FROM process_definition_grants g
      WHERE g.permission = 'MANAGER' AND g.grantee_id = ANY(ARRAY(SELECT :alice::uuid
                                         UNION ALL
                                        SELECT m.group_id FROM group_members m WHERE m.principal_id = :alice))))
    OR p.process_version = ANY(ARRAY(SELECT v.version FROM process_definition_versions v WHERE v.runner_id = :alice))), coalesce(i.item_definition_id = ANY(ARRAY(SELECT g.item_definition_id FROM item_definition_grants g
      WHERE g.permission = 'CANDIDATE' AND g.grantee_id = ANY(ARRAY(SELECT :alice::uuid
                                         UNION ALL
                                        SELECT m.group_id FROM group_members m WHERE m.principal_id = :alice))))
    OR (p.initiator_id = :alice AND i.item_definition_id = ANY(ARRAY(SELECT g.item_definition_id FROM item_definition_grants g
      WHERE g.permission = 'CANDIDATE' AND g.grantee_id IS NULL))), false),
       p.state, p.process_version, coalesce(v.signal_shape, ''),
       (SELECT r.id FROM engine_runs r
         WHERE r.kind = 'PROCESS' AND r.owner_id = p.id AND r.state IN ('PENDING', 'RUNNING')),
       i.activity_token IS NOT NULL
  FROM process_items i
  JOIN processes p ON p.id = i.process_id
  JOIN process_definition_versions v ON v.version = p.process_version
 WHERE i.id = (:item::text || :n::text)::uuid AND i.tenant_id = ANY(:tenants) AND (i.owner_id = :alice
    OR i.process_definition_id = ANY(ARRAY(SELECT g.process_definition_id FROM process_definition_grants g
      WHERE g.permission IN ('VIEWER', 'MANAGER') AND g.grantee_id = ANY(ARRAY(SELECT :alice::uuid
                                         UNION ALL
                                        SELECT m.group_id FROM group_members m WHERE m.principal_id = :alice))))
    OR i.item_definition_id = ANY(ARRAY(SELECT g.item_definition_id FROM item_definition_grants g
      WHERE g.grantee_id = ANY(ARRAY(SELECT :alice::uuid
                                         UNION ALL
                                        SELECT m.group_id FROM group_members m WHERE m.principal_id = :alice))))
    OR (i.item_definition_id = ANY(ARRAY(SELECT g.item_definition_id FROM item_definition_grants g
      WHERE g.grantee_id IS NULL))
        AND EXISTS (SELECT 1 FROM processes q WHERE q.id = i.process_id AND q.initiator_id = :alice))
    OR (cardinality(ARRAY(SELECT v.version FROM process_definition_versions v WHERE v.runner_id = :alice)) > 0
        AND EXISTS (SELECT 1 FROM processes q
                     WHERE q.id = i.process_id AND q.process_version = ANY(ARRAY(SELECT v.version FROM process_definition_versions v WHERE v.runner_id = :alice)))))
   FOR UPDATE OF i;
SELECT l.id, l.logged_at, l.message, l.level
  FROM task_logs l
 WHERE l.process_item_id = (:item::text || :n::text)::uuid
 ORDER BY l.position;
SELECT b.id, b.workflow_type, b.task_queue, b.runner_id, v.robot_operation, coalesce(pv.encryption_key, '')
  FROM process_items i
  JOIN item_definition_versions v ON v.version = i.item_version
  JOIN process_definition_versions pv ON pv.version = v.process_version
  JOIN robots b ON b.tenant_id = i.tenant_id AND b.code = v.robot_code AND b.workflow_type IS NOT NULL
 WHERE i.id = (:item::text || :n::text)::uuid;
\endpipeline
\startpipeline
UPDATE process_items
   SET task_state = 'CLAIMED', owner_id = :alice, claimed_at = :now, completed_at = NULL, cancelled_at = NULL,
       last_modified_by = :alice, last_modified_at = :now
 WHERE id = (:item::text || :n::text)::uuid;
INSERT INTO events (id, tenant_id, process_id, type, resource_kind, resource_id, previous_state, state, details,
                    process_state, process_item_id, item_type, item_definition_code, task_state,
                    actor_id, request_id, occurred_at)
VALUES ((:fresh1::text || :n::text)::uuid, :tenant, (:task_process::text || :n::text)::uuid, 'PROCESS_ITEM.TASK_STATE_CHANGED', 'PROCESS_ITEM', (:item::text || :n::text)::uuid, nullif('READY'::text, ''), nullif('CLAIMED'::text, ''), '{"ownerId":"01970000-0000-7000-8000-00000000c001"}',
        nullif(''::text, ''), (:item::text || :n::text)::uuid, nullif('TASK'::text, ''), nullif('CHECKLIST'::text, ''), nullif('CLAIMED'::text, ''), :alice, nullif((:fresh2::text || :n::text)::uuid::text, ''), :now);
COMMIT;
\endpipeline
\startpipeline
BEGIN;
SELECT i.id, i.tenant_id, i.process_id, i.process_definition_id, i.type,
       i.item_definition_id, i.item_version, i.item_definition_code, i.thread_id, i.owner_id,
       i.task_state, i.claimed_at, i.completed_at, i.cancelled_at, i.message_text, i.message_data_code,
       i.created_by, i.created_at, i.last_modified_by, i.last_modified_at, i.deleted_at, i.deleted_by,
       i.task_data, i.task_data_valid, i.task_data_errors, i.context_data, i.context_data_valid, i.context_data_errors,
       i.message_data, i.message_data_valid, i.message_data_errors, i.element_values,
       (p.process_definition_id = ANY(ARRAY(SELECT g.process_definition_id FROM process_definition_grants g
      WHERE g.permission = 'MANAGER' AND g.grantee_id = ANY(ARRAY(SELECT :alice::uuid
                                         UNION ALL
                                        SELECT m.group_id FROM group_members m WHERE m.principal_id = :alice))))
    OR p.process_version = ANY(ARRAY(SELECT v.version FROM process_definition_versions v WHERE v.runner_id = :alice))), coalesce(i.item_definition_id = ANY(ARRAY(SELECT g.item_definition_id FROM item_definition_grants g
      WHERE g.permission = 'CANDIDATE' AND g.grantee_id = ANY(ARRAY(SELECT :alice::uuid
                                         UNION ALL
                                        SELECT m.group_id FROM group_members m WHERE m.principal_id = :alice))))
    OR (p.initiator_id = :alice AND i.item_definition_id = ANY(ARRAY(SELECT g.item_definition_id FROM item_definition_grants g
      WHERE g.permission = 'CANDIDATE' AND g.grantee_id IS NULL))), false),
       p.state, p.process_version, coalesce(v.signal_shape, ''),
       (SELECT r.id FROM engine_runs r
         WHERE r.kind = 'PROCESS' AND r.owner_id = p.id AND r.state IN ('PENDING', 'RUNNING')),
       i.activity_token IS NOT NULL
  FROM process_items i
  JOIN processes p ON p.id = i.process_id
  JOIN process_definition_versions v ON v.version = p.process_version
 WHERE i.id = (:item::text || :n::text)::uuid AND i.tenant_id = ANY(:tenants) AND (i.owner_id = :alice
    OR i.process_definition_id = ANY(ARRAY(SELECT g.process_definition_id FROM process_definition_grants g
      WHERE g.permission IN ('VIEWER', 'MANAGER') AND g.grantee_id = ANY(ARRAY(SELECT :alice::uuid
                                         UNION ALL
                                        SELECT m.group_id FROM group_members m WHERE m.principal_id = :alice))))
    OR i.item_definition_id = ANY(ARRAY(SELECT g.item_definition_id FROM item_definition_grants g
      WHERE g.grantee_id = ANY(ARRAY(SELECT :alice::uuid
                                         UNION ALL
                                        SELECT m.group_id FROM group_members m WHERE m.principal_id = :alice))))
    OR (i.item_definition_id = ANY(ARRAY(SELECT g.item_definition_id FROM item_definition_grants g
      WHERE g.grantee_id IS NULL))
        AND EXISTS (SELECT 1 FROM processes q WHERE q.id = i.process_id AND q.initiator_id = :alice))
    OR (cardinality(ARRAY(SELECT v.version FROM process_definition_versions v WHERE v.runner_id = :alice)) > 0
        AND EXISTS (SELECT 1 FROM processes q
                     WHERE q.id = i.process_id AND q.process_version = ANY(ARRAY(SELECT v.version FROM process_definition_versions v WHERE v.runner_id = :alice)))))
   FOR UPDATE OF i;
SELECT l.id, l.logged_at, l.message, l.level
  FROM task_logs l
 WHERE l.process_item_id = (:item::text || :n::text)::uuid
 ORDER BY l.position;
\endpipeline
\startpipeline
UPDATE process_items
   SET task_state = 'COMPLETED', owner_id = :alice, claimed_at = :now, completed_at = :now, cancelled_at = NULL,
       last_modified_by = :alice, last_modified_at = :now
 WHERE id = (:item::text || :n::text)::uuid;
INSERT INTO events (id, tenant_id, process_id, type, resource_kind, resource_id, previous_state, state, details,
                    process_state, process_item_id, item_type, item_definition_code, task_state,
                    actor_id, request_id, occurred_at)
VALUES ((:fresh3::text || :n::text)::uuid, :tenant, (:task_process::text || :n::text)::uuid, 'PROCESS_ITEM.TASK_STATE_CHANGED', 'PROCESS_ITEM', (:item::text || :n::text)::uuid, nullif('CLAIMED'::text, ''), nullif('COMPLETED'::text, ''), '{"ownerId":"01970000-0000-7000-8000-00000000c001"}',
        nullif(''::text, ''), (:item::text || :n::text)::uuid, nullif('TASK'::text, ''), nullif('CHECKLIST'::text, ''), nullif('COMPLETED'::text, ''), :alice, nullif((:fresh4::text || :n::text)::uuid::text, ''), :now);
COMMIT;
\endpipeline
