-- $1 = "01970000-0000-7000-8000-00000000a001"
-- $2 = "OPEN"
-- $3 = ["01970000-0000-7000-8000-000000000001","01970000-0000-7000-8000-000000000002"]
-- $4 = ["north"]
-- $5 = 25
SELECT i.id, i.tenant_id, i.engine_run_id, i.run_id, i.kind, i.activity, i.attempts, i.worker, i.message, i.failure,
       i.fingerprint, i.state, i.acknowledged_at, i.acknowledged_by, i.muted_until, i.assignee_id, i.created_at, i.resolved_at,
       r.id, r.tenant_id, r.kind, r.owner_id, r.namespace, r.workflow_id, r.run_id,
       r.workflow_type, r.task_queue, r.state, r.action, r.robot, r.data_source, coalesce(r.encryption_key_id, ''),
       coalesce(r.finding, '')
  FROM (SELECT i.*
  FROM incidents i
 WHERE i.tenant_id = $1
   AND i.state = $2
   AND i.process_id = ANY($3)
   AND i.tenant_id IN (SELECT t.id FROM tenants t WHERE t.code = ANY($4))
 ORDER BY i.created_at DESC, i.id DESC
 LIMIT $5::bigint) i JOIN engine_runs r ON r.id = i.engine_run_id
 ORDER BY i.created_at DESC, i.id DESC;

-- $1 = "01970000-0000-7000-8000-00000000a001"
-- $2 = "OPEN"
-- $3 = ["01970000-0000-7000-8000-000000000001","01970000-0000-7000-8000-000000000002"]
-- $4 = ["north"]
SELECT count(*)
  FROM incidents i
 WHERE i.tenant_id = $1
   AND i.state = $2
   AND i.process_id = ANY($3)
   AND i.tenant_id IN (SELECT t.id FROM tenants t WHERE t.code = ANY($4));
