-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = "01970000-0000-7000-8000-00000000a001"
-- $3 = "01970000-0000-7000-8000-00000000a001"
-- $4 = ["01970000-0000-7000-8000-000000000001","01970000-0000-7000-8000-000000000002"]
-- $5 = "D"
-- $6 = "RUNNING"
-- $7 = 25
SELECT p.id, p.tenant_id, p.process_definition_id, p.process_version, p.process_definition_code,
       p.state, p.initiator_id, p.created_by, p.created_at, p.last_modified_by, p.last_modified_at,
       p.deleted_at, p.deleted_by, p.due_at, (SELECT jsonb_build_object('code', CASE WHEN r.state = 'PENDING' THEN 'STARTING'
            WHEN r.state = 'FAILED' THEN 'FAILED'
            WHEN r.finding = 'STUCK' THEN 'STUCK'
            WHEN r.finding = 'UNSERVED' OR w.failing_since IS NOT NULL THEN 'UNKNOWN'
            ELSE coalesce(r.finding, 'RUNNING') END,
               'since', CASE WHEN r.state = 'PENDING' THEN r.last_active_at
                             WHEN r.state = 'FAILED' THEN r.closed_at
                             WHEN r.finding IS NULL AND w.failing_since IS NOT NULL THEN w.failing_since
                             ELSE coalesce(r.finding_at, r.created_at, p.created_at) END,
               'unserved', CASE WHEN r.finding = 'UNSERVED' THEN coalesce(r.unserved_queue, r.task_queue) ELSE '' END,
               'message', i.message, 'kind', coalesce(i.kind, ''), 'incidentId', CASE WHEN i.state = 'OPEN' THEN i.id END)
          FROM (VALUES (p.id)) one (id)
          LEFT JOIN engine_runs r ON r.owner_id = one.id AND r.kind = 'PROCESS'
          LEFT JOIN engine_watermarks w ON w.namespace = r.namespace
          LEFT JOIN LATERAL (SELECT i.id, i.state, i.kind, i.message FROM incidents i
                              WHERE i.process_id = one.id
                                AND (i.state = 'OPEN' OR i.state = 'DISMISSED' AND i.engine_run_id = r.id
                                                         AND (r.state = 'FAILED' OR r.finding = 'STUCK'))
                              ORDER BY i.engine_run_id = r.id DESC NULLS LAST, i.created_at DESC LIMIT 1) i ON true
         WHERE p.state = 'RUNNING' AND (r.id IS NOT NULL OR i.id IS NOT NULL)), {access.ManagesProcess}, p.process_definition_id = ANY(ARRAY(SELECT g.process_definition_id FROM process_definition_grants g
      WHERE g.permission = 'ADMINISTRATOR' AND {access.CallerIsGrantee}))
  FROM processes p
 WHERE p.tenant_id = $2
   AND p.deleted_at IS NULL
   AND {access.VisibleProcess}
   AND p.tenant_id = $3
   AND p.process_definition_id = ANY($4)
   AND p.process_definition_code = $5
   AND p.state = $6
 ORDER BY p.created_at DESC, p.id
 LIMIT $7::bigint;

-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = "01970000-0000-7000-8000-00000000a001"
-- $3 = "01970000-0000-7000-8000-00000000a001"
-- $4 = ["01970000-0000-7000-8000-000000000001","01970000-0000-7000-8000-000000000002"]
-- $5 = "D"
-- $6 = "RUNNING"
SELECT coalesce((SELECT sum(n)
  FROM process_counts_now(ARRAY[$2]::uuid[]) p
 WHERE p.tenant_id = $2
   AND p.tenant_id = $3
   AND p.process_definition_id = ANY($4)
   AND p.process_definition_code = $5
   AND p.state = $6
   AND (p.process_definition_id = ANY({access.ReadableProcessDefinitions})
    OR p.process_version = ANY({access.RunVersions}) OR p.item_definition_ids && {access.CandidateItemDefinitions})), 0)::bigint
     + (SELECT count(*)
  FROM (
SELECT x.id FROM processes x
 WHERE EXISTS (SELECT 1 FROM process_definitions f WHERE f.tenant_id = $2 AND f.id <> ALL({access.ReadableProcessDefinitions})
         AND EXISTS (SELECT 1 FROM process_definition_versions v
                      WHERE v.process_definition_id = f.id AND v.runner_id IS DISTINCT FROM $1)) AND (SELECT q.created_at FROM processes q WHERE q.initiator_id = $1 ORDER BY q.created_at LIMIT 1) IS NOT NULL AND x.initiator_id = $1
   AND x.process_definition_id = ANY(ARRAY(SELECT f.id FROM process_definitions f WHERE f.tenant_id = $2 AND f.id <> ALL({access.ReadableProcessDefinitions})
         AND EXISTS (SELECT 1 FROM process_definition_versions v
                      WHERE v.process_definition_id = f.id AND v.runner_id IS DISTINCT FROM $1)))
 UNION
SELECT x.process_id FROM process_items x
 WHERE EXISTS (SELECT 1 FROM process_definitions f WHERE f.tenant_id = $2 AND f.id <> ALL({access.ReadableProcessDefinitions})
         AND EXISTS (SELECT 1 FROM process_definition_versions v
                      WHERE v.process_definition_id = f.id AND v.runner_id IS DISTINCT FROM $1)) AND x.owner_id = $1
   AND (x.item_definition_id IS NULL
        OR x.item_definition_id = ANY(ARRAY(SELECT d.id FROM process_definitions f JOIN item_definitions d ON d.process_definition_id = f.id
                    WHERE f.tenant_id = $2 AND f.id <> ALL({access.ReadableProcessDefinitions})
         AND EXISTS (SELECT 1 FROM process_definition_versions v
                      WHERE v.process_definition_id = f.id AND v.runner_id IS DISTINCT FROM $1) AND d.id <> ALL({access.CandidateItemDefinitions}))))
 UNION
SELECT x.process_id FROM process_items x
 WHERE EXISTS (SELECT 1 FROM process_definitions f WHERE f.tenant_id = $2 AND f.id <> ALL({access.ReadableProcessDefinitions})
         AND EXISTS (SELECT 1 FROM process_definition_versions v
                      WHERE v.process_definition_id = f.id AND v.runner_id IS DISTINCT FROM $1)) AND x.delegator_id = $1
   AND (x.item_definition_id IS NULL
        OR x.item_definition_id = ANY(ARRAY(SELECT d.id FROM process_definitions f JOIN item_definitions d ON d.process_definition_id = f.id
                    WHERE f.tenant_id = $2 AND f.id <> ALL({access.ReadableProcessDefinitions})
         AND EXISTS (SELECT 1 FROM process_definition_versions v
                      WHERE v.process_definition_id = f.id AND v.runner_id IS DISTINCT FROM $1) AND d.id <> ALL({access.CandidateItemDefinitions}))))
 UNION
SELECT i.process_id FROM process_items i
 WHERE EXISTS (SELECT 1 FROM process_definitions f WHERE f.tenant_id = $2 AND f.id <> ALL({access.ReadableProcessDefinitions})
         AND EXISTS (SELECT 1 FROM process_definition_versions v
                      WHERE v.process_definition_id = f.id AND v.runner_id IS DISTINCT FROM $1)) AND (i.owner_id = ANY(ARRAY(SELECT away.principal_id FROM absences away WHERE away.substitute_id = $1 AND away.starts_at <= statement_timestamp() AND away.ends_at > statement_timestamp()))
    AND (i.task_state = 'CLAIMED' OR i.task_state = 'COMPLETED' AND i.substitute_id = $1)
    AND EXISTS (SELECT 1 FROM absences away
                 WHERE away.substitute_id = $1 AND away.tenant_id = i.tenant_id AND away.principal_id = i.owner_id AND away.starts_at <= statement_timestamp() AND away.ends_at > statement_timestamp()))
   AND i.item_definition_id = ANY(ARRAY(SELECT d.id FROM process_definitions f JOIN item_definitions d ON d.process_definition_id = f.id
                    WHERE f.tenant_id = $2 AND f.id <> ALL({access.ReadableProcessDefinitions})
         AND EXISTS (SELECT 1 FROM process_definition_versions v
                      WHERE v.process_definition_id = f.id AND v.runner_id IS DISTINCT FROM $1) AND d.id <> ALL({access.CandidateItemDefinitions})))) others
 CROSS JOIN LATERAL (SELECT * FROM processes x WHERE x.id = others.id OFFSET 0) p
 WHERE p.tenant_id = $2
   AND p.deleted_at IS NULL
   AND {access.VisibleProcess}
   AND p.tenant_id = $3
   AND p.process_definition_id = ANY($4)
   AND p.process_definition_code = $5
   AND p.state = $6
   AND (p.process_definition_id = ANY({access.ReadableProcessDefinitions})
    OR p.process_version = ANY({access.RunVersions})
    OR EXISTS (SELECT 1 FROM process_items i
                WHERE i.process_id = p.id AND i.item_definition_id = ANY({access.CandidateItemDefinitions}))) IS NOT TRUE);
