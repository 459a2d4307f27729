SELECT set_config('plan_cache_mode', 'force_generic_plan', true);

-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = ["01970000-0000-7000-8000-000000000001","01970000-0000-7000-8000-000000000002"]
-- $3 = "01970000-0000-7000-8000-000000000001"
-- $4 = "OPEN"
-- $5 = "01970000-0000-7000-8000-000000000001"
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
  FROM (SELECT w.id FROM (SELECT DISTINCT a.id FROM unnest(ARRAY(SELECT g.process_definition_id FROM process_definition_grants g
      WHERE g.permission = 'ADMINISTRATOR' AND g.grantee_id = ANY(ARRAY(SELECT $5::uuid
                                         UNION ALL
                                        SELECT m.group_id FROM group_members m WHERE m.principal_id = $5
                                         UNION ALL
                                        SELECT k.tenant_id FROM tenant_users k WHERE k.principal_id = $5 AND k.disabled_at IS NULL)))) a (id)) d
 CROSS JOIN LATERAL (SELECT i.id
  FROM incidents i
 WHERE i.process_definition_id = d.id
   AND i.tenant_id = ANY($2) AND i.process_definition_id = ANY(ARRAY(SELECT g.process_definition_id FROM process_definition_grants g
      WHERE g.permission = 'ADMINISTRATOR' AND g.grantee_id = ANY(ARRAY(SELECT $3::uuid
                                         UNION ALL
                                        SELECT m.group_id FROM group_members m WHERE m.principal_id = $3
                                         UNION ALL
                                        SELECT k.tenant_id FROM tenant_users k WHERE k.principal_id = $3 AND k.disabled_at IS NULL))))
   AND i.state = $4
   AND $1::uuid IS NOT NULL
 ORDER BY i.created_at DESC, i.id DESC
 LIMIT 25) w) others
 CROSS JOIN LATERAL (SELECT * FROM incidents x WHERE x.id = others.id OFFSET 0) i
 WHERE i.tenant_id = ANY($2) AND i.process_definition_id = ANY(ARRAY(SELECT g.process_definition_id FROM process_definition_grants g
      WHERE g.permission = 'ADMINISTRATOR' AND g.grantee_id = ANY(ARRAY(SELECT $3::uuid
                                         UNION ALL
                                        SELECT m.group_id FROM group_members m WHERE m.principal_id = $3
                                         UNION ALL
                                        SELECT k.tenant_id FROM tenant_users k WHERE k.principal_id = $3 AND k.disabled_at IS NULL))))
   AND i.state = $4
   AND $1::uuid IS NOT NULL
 ORDER BY i.created_at DESC, i.id DESC
 LIMIT 25) i JOIN engine_runs r ON r.id = i.engine_run_id
  JOIN tenants t ON t.id = i.tenant_id
  LEFT JOIN processes p ON p.id = i.process_id
  LEFT JOIN process_definition_versions v ON v.version = p.process_version
  LEFT JOIN business_artifacts a ON a.id = (r.action->>'artifactId')::uuid
 ORDER BY i.created_at DESC, i.id DESC;

-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = ["01970000-0000-7000-8000-000000000001","01970000-0000-7000-8000-000000000002"]
-- $3 = "01970000-0000-7000-8000-000000000001"
-- $4 = "OPEN"
SELECT count(*)
  FROM incidents i
 WHERE i.tenant_id = ANY($2) AND i.process_definition_id = ANY(ARRAY(SELECT g.process_definition_id FROM process_definition_grants g
      WHERE g.permission = 'ADMINISTRATOR' AND g.grantee_id = ANY(ARRAY(SELECT $3::uuid
                                         UNION ALL
                                        SELECT m.group_id FROM group_members m WHERE m.principal_id = $3
                                         UNION ALL
                                        SELECT k.tenant_id FROM tenant_users k WHERE k.principal_id = $3 AND k.disabled_at IS NULL))))
   AND i.state = $4
   AND $1::uuid IS NOT NULL;
