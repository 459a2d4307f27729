-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = "01970000-0000-7000-8000-00000000a001"
-- $3 = ["north"]
-- $4 = "%time%"
-- $5 = "01970000-0000-7000-8000-00000000a001"
-- $6 = "%time%"
-- $7 = "01970000-0000-7000-8000-00000000a001"
-- $8 = ["north"]
-- $9 = 1000
-- $10 = "%time%"
-- $11 = 25
SELECT i.id, i.tenant_id, i.engine_run_id, i.run_id, i.kind, i.activity, i.attempts, i.worker, i.message, i.failure,
       i.fingerprint, i.state, i.acknowledged_at, i.acknowledged_by, i.muted_until, i.assignee_id, i.created_at, i.resolved_at, i.changed_at,
       r.id, r.tenant_id, r.kind, r.owner_id, r.namespace, r.workflow_id, r.run_id,
       r.workflow_type, r.task_queue, r.state, r.action, r.robot, r.data_source, coalesce(r.encryption_key_id, ''),
       coalesce(r.finding, ''), t.code, coalesce(v.names, to_jsonb(coalesce(v.name, a.definition_code, ''))),
       CASE WHEN {access.VisibleProcess} THEN p.subject END,
       (SELECT count(*) FROM incidents o WHERE o.engine_run_id = i.engine_run_id),
       (SELECT min(o.created_at) FROM incidents o WHERE o.engine_run_id = i.engine_run_id),
       coalesce((SELECT coalesce(n.name, s.name)
          FROM principals s
          LEFT JOIN person_names n ON n.tenant_id = i.tenant_id AND n.principal_id = s.id
         WHERE s.id = i.assignee_id), ''), coalesce((SELECT coalesce(n.name, s.name)
          FROM principals s
          LEFT JOIN person_names n ON n.tenant_id = i.tenant_id AND n.principal_id = s.id
         WHERE s.id = i.acknowledged_by), '')
  FROM (SELECT i.*
  FROM incidents i
 WHERE i.tenant_id = $2
   AND i.tenant_id IN (SELECT t.id FROM tenants t WHERE t.code = ANY($3))
   AND $1::uuid IS NOT NULL
   AND (search_key(i.workflow_type || ' ' || i.message) LIKE search_key($4)
     OR i.process_definition_id = ANY(ARRAY(SELECT d.id
              FROM process_definitions d
              JOIN process_definition_versions v ON v.version = d.published_version
             WHERE d.tenant_id = $5 AND search_key(v.name) LIKE search_key($6)))
     OR i.process_id = ANY(ARRAY(SELECT p.id
              FROM (SELECT i.process_id
                      FROM incidents i
                     WHERE i.tenant_id = $7 AND i.tenant_id IN (SELECT t.id FROM tenants t WHERE t.code = ANY($8)) AND $1::uuid IS NOT NULL
                     ORDER BY i.created_at DESC, i.id DESC
                     LIMIT $9) n
              JOIN processes p ON p.id = n.process_id
             WHERE search_key(p.subject) LIKE search_key($10) AND {access.VisibleProcess})))
 ORDER BY i.created_at DESC, i.id DESC
 LIMIT $11::bigint) i JOIN engine_runs r ON r.id = i.engine_run_id
  JOIN tenants t ON t.id = i.tenant_id
  LEFT JOIN processes p ON p.id = i.process_id
  LEFT JOIN process_definition_versions v ON v.version = p.process_version
  LEFT JOIN business_artifacts a ON a.id = (r.action->>'artifactId')::uuid
 ORDER BY i.created_at DESC, i.id DESC;

-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = "01970000-0000-7000-8000-00000000a001"
-- $3 = ["north"]
-- $4 = "%time%"
-- $5 = "01970000-0000-7000-8000-00000000a001"
-- $6 = "%time%"
-- $7 = "01970000-0000-7000-8000-00000000a001"
-- $8 = ["north"]
-- $9 = 1000
-- $10 = "%time%"
SELECT count(*)
  FROM incidents i
 WHERE i.tenant_id = $2
   AND i.tenant_id IN (SELECT t.id FROM tenants t WHERE t.code = ANY($3))
   AND $1::uuid IS NOT NULL
   AND (search_key(i.workflow_type || ' ' || i.message) LIKE search_key($4)
     OR i.process_definition_id = ANY(ARRAY(SELECT d.id
              FROM process_definitions d
              JOIN process_definition_versions v ON v.version = d.published_version
             WHERE d.tenant_id = $5 AND search_key(v.name) LIKE search_key($6)))
     OR i.process_id = ANY(ARRAY(SELECT p.id
              FROM (SELECT i.process_id
                      FROM incidents i
                     WHERE i.tenant_id = $7 AND i.tenant_id IN (SELECT t.id FROM tenants t WHERE t.code = ANY($8)) AND $1::uuid IS NOT NULL
                     ORDER BY i.created_at DESC, i.id DESC
                     LIMIT $9) n
              JOIN processes p ON p.id = n.process_id
             WHERE search_key(p.subject) LIKE search_key($10) AND {access.VisibleProcess})));
