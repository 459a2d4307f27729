-- $1 = "00000000-0000-0000-0000-000000000000"
-- $2 = ["01970000-0000-7000-8000-00000000a001"]
-- $3 = false
-- $4 = null
-- $5 = "north"
-- $6 = ["Q"]
-- $7 = "2026-01-02T02:49:05Z"
-- $8 = ["ONLINE"]
-- $9 = 25
SELECT w.id, w.tenant_id, t.code, w.principal_id, w.identity, w.hostname, w.ip, w.installation_id,
       w.workflow_types, w.activity_types, w.robot_ids, w.last_seen_at,
       w.created_by, w.created_at, w.last_modified_by, w.last_modified_at,
       (SELECT json_agg(json_build_object(
                 'TaskQueue', q.task_queue, 'WorkflowTypes', q.workflow_types, 'ActivityTypes', q.activity_types,
                 'LiveSince', coalesce(q.live_since, q.last_seen_at), 'LastSeenAt', q.last_seen_at,
                 'PolledAt', (SELECT max((p ->> 'lastAccessAt')::timestamptz)
                                FROM task_queue_observations o
                               CROSS JOIN jsonb_array_elements(o.pollers) p
                               WHERE o.tenant_id = w.tenant_id AND o.task_queue = q.task_queue
                                 AND p ->> 'identity' = w.identity))
               ORDER BY q.task_queue)
          FROM worker_queues q
         WHERE q.worker_id = w.id AND q.principal_id = w.principal_id AND ($3 OR w.tenant_id = ANY($2) OR w.tenant_id = ANY($4) AND (w.tenant_id, q.task_queue) IN (SELECT n.tenant_id, n.task_queue FROM version_needs n WHERE n.process_definition_id = ANY(ARRAY(SELECT g.process_definition_id FROM process_definition_grants g
      WHERE g.permission = 'ADMINISTRATOR' AND {access.CallerIsGrantee})))))
  FROM workers w JOIN tenants t ON t.id = w.tenant_id
 WHERE ($3 OR w.tenant_id = ANY($2) OR w.tenant_id = ANY($4) AND EXISTS (SELECT 1 FROM worker_queues q
                 WHERE q.worker_id = w.id AND q.principal_id = w.principal_id AND (w.tenant_id, q.task_queue) IN (SELECT n.tenant_id, n.task_queue FROM version_needs n WHERE n.process_definition_id = ANY(ARRAY(SELECT g.process_definition_id FROM process_definition_grants g
      WHERE g.permission = 'ADMINISTRATOR' AND {access.CallerIsGrantee})))))
   AND t.code = $5
   AND EXISTS (SELECT 1 FROM worker_queues q
                WHERE q.worker_id = w.id AND q.principal_id = w.principal_id AND q.task_queue = ANY($6))
   AND CASE WHEN w.last_seen_at < $7
                  THEN 'OFFLINE' ELSE 'ONLINE' END = ANY($8)
 ORDER BY w.last_seen_at DESC, w.id
 LIMIT $9::bigint;

-- $1 = "00000000-0000-0000-0000-000000000000"
-- $2 = ["01970000-0000-7000-8000-00000000a001"]
-- $3 = false
-- $4 = null
-- $5 = "north"
-- $6 = ["Q"]
-- $7 = "2026-01-02T02:49:05Z"
-- $8 = ["ONLINE"]
SELECT count(*)
  FROM workers w JOIN tenants t ON t.id = w.tenant_id
 WHERE ($3 OR w.tenant_id = ANY($2) OR w.tenant_id = ANY($4) AND EXISTS (SELECT 1 FROM worker_queues q
                 WHERE q.worker_id = w.id AND q.principal_id = w.principal_id AND (w.tenant_id, q.task_queue) IN (SELECT n.tenant_id, n.task_queue FROM version_needs n WHERE n.process_definition_id = ANY(ARRAY(SELECT g.process_definition_id FROM process_definition_grants g
      WHERE g.permission = 'ADMINISTRATOR' AND {access.CallerIsGrantee})))))
   AND t.code = $5
   AND EXISTS (SELECT 1 FROM worker_queues q
                WHERE q.worker_id = w.id AND q.principal_id = w.principal_id AND q.task_queue = ANY($6))
   AND CASE WHEN w.last_seen_at < $7
                  THEN 'OFFLINE' ELSE 'ONLINE' END = ANY($8);
