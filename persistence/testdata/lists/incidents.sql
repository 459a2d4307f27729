-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = "01970000-0000-7000-8000-00000000a001"
-- $3 = "OPEN"
-- $4 = ["ACTIVITY","FAILURE"]
-- $5 = ["01970000-0000-7000-8000-000000000001","01970000-0000-7000-8000-000000000002"]
-- $6 = ["north"]
-- $7 = "build-7"
-- $8 = "01970000-0000-7000-8000-000000000001"
-- $9 = true
-- $10 = false
-- $11 = "2026-01-02T03:04:05Z"
-- $12 = false
-- $13 = "01970000-0000-7000-8000-000000000001"
-- $14 = 25
SELECT i.id, i.tenant_id, i.engine_run_id, i.run_id, i.kind, i.activity, i.attempts, i.worker, i.message, i.failure,
       i.fingerprint, i.state, i.acknowledged_at, i.acknowledged_by, i.muted_until, i.assignee_id, i.created_at, i.resolved_at, i.changed_at,
       r.id, r.tenant_id, r.kind, r.owner_id, r.namespace, r.workflow_id, r.run_id,
       r.workflow_type, r.task_queue, r.state, r.action, r.robot, r.data_source, coalesce(r.encryption_key_id, ''),
       coalesce(r.finding, '')
  FROM (SELECT i.*
  FROM incidents i
 WHERE i.tenant_id = $2
   AND i.state = $3
   AND i.kind = ANY($4)
   AND i.process_id = ANY($5)
   AND i.tenant_id IN (SELECT t.id FROM tenants t WHERE t.code = ANY($6))
   AND i.worker = $7
   AND i.assignee_id = $8
   AND (i.assignee_id IS NOT NULL) = $9
   AND (i.acknowledged_at IS NOT NULL) = $10
   AND (coalesce(i.muted_until, '-infinity') > $11) = $12
   AND (i.created_at, i.id) < (SELECT a.created_at, a.id FROM incidents a WHERE a.id = $13)
   AND $1::uuid IS NOT NULL
 ORDER BY i.created_at DESC, i.id DESC
 LIMIT $14::bigint) i JOIN engine_runs r ON r.id = i.engine_run_id
 ORDER BY i.created_at DESC, i.id DESC;

-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = "01970000-0000-7000-8000-00000000a001"
-- $3 = "OPEN"
-- $4 = ["ACTIVITY","FAILURE"]
-- $5 = ["01970000-0000-7000-8000-000000000001","01970000-0000-7000-8000-000000000002"]
-- $6 = ["north"]
-- $7 = "build-7"
-- $8 = "01970000-0000-7000-8000-000000000001"
-- $9 = true
-- $10 = false
-- $11 = "2026-01-02T03:04:05Z"
-- $12 = false
-- $13 = "01970000-0000-7000-8000-000000000001"
SELECT count(*)
  FROM incidents i
 WHERE i.tenant_id = $2
   AND i.state = $3
   AND i.kind = ANY($4)
   AND i.process_id = ANY($5)
   AND i.tenant_id IN (SELECT t.id FROM tenants t WHERE t.code = ANY($6))
   AND i.worker = $7
   AND i.assignee_id = $8
   AND (i.assignee_id IS NOT NULL) = $9
   AND (i.acknowledged_at IS NOT NULL) = $10
   AND (coalesce(i.muted_until, '-infinity') > $11) = $12
   AND (i.created_at, i.id) < (SELECT a.created_at, a.id FROM incidents a WHERE a.id = $13)
   AND $1::uuid IS NOT NULL;
