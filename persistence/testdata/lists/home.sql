SELECT set_config('plan_cache_mode', 'force_generic_plan', true);

-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = ["01970000-0000-7000-8000-00000000a001"]

SELECT false, false,
       EXISTS (SELECT 1 FROM processes p WHERE p.initiator_id = $1 AND p.tenant_id = ANY($2)),
       EXISTS (SELECT 1 FROM process_items i
                WHERE i.owner_id = $1 AND i.tenant_id = ANY($2) AND i.task_state = 'COMPLETED'),
       EXISTS (SELECT 1 FROM process_definitions d WHERE d.tenant_id = ANY($2) AND {access.StartableDefinition});

-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = ["01970000-0000-7000-8000-00000000a001"]
-- $3 = true
-- $4 = "2026-01-02T03:04:05Z"

SELECT count(*)
  FROM credentials c
 WHERE c.principal_id = $1 AND c.kind = 'PERSONAL_ACCESS_TOKEN'
   AND (c.tenant_id = ANY($2) OR c.tenant_id IS NULL AND $3) AND c.seen_at IS NULL AND c.issued_by IS NOT NULL AND c.issued_by <> c.principal_id AND (c.expires_at IS NULL OR c.expires_at > $4);

-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = "01970000-0000-7000-8000-00000000a001"
SELECT coalesce((SELECT sum(n)
  FROM item_counts_now(ARRAY[$2]::uuid[]) i
 WHERE i.tenant_id = $2
   AND i.type = 'TASK'
   AND i.task_state IN ('READY', 'CLAIMED')
   AND (i.process_definition_id = ANY({access.ReadableProcessDefinitions})
    OR i.item_definition_id = ANY({access.GrantedItemDefinitions}) OR i.process_version = ANY({access.RunVersions}))), 0)::bigint
     + (SELECT count(*)
  FROM (
SELECT x.id FROM process_items x
 WHERE EXISTS (SELECT 1 FROM process_definitions f WHERE f.tenant_id = $2 AND f.id <> ALL({access.ReadableProcessDefinitions})
         AND EXISTS (SELECT 1 FROM process_definition_versions v
                      WHERE v.process_definition_id = f.id AND v.runner_id IS DISTINCT FROM $1)) AND x.owner_id = $1
   AND (x.item_definition_id IS NULL
        OR x.item_definition_id = ANY(ARRAY(SELECT d.id FROM process_definitions f JOIN item_definitions d ON d.process_definition_id = f.id
                    WHERE f.tenant_id = $2 AND f.id <> ALL({access.ReadableProcessDefinitions})
         AND EXISTS (SELECT 1 FROM process_definition_versions v
                      WHERE v.process_definition_id = f.id AND v.runner_id IS DISTINCT FROM $1) AND d.id <> ALL({access.GrantedItemDefinitions}))))
 UNION
SELECT x.id FROM process_items x
 WHERE EXISTS (SELECT 1 FROM process_definitions f WHERE f.tenant_id = $2 AND f.id <> ALL({access.ReadableProcessDefinitions})
         AND EXISTS (SELECT 1 FROM process_definition_versions v
                      WHERE v.process_definition_id = f.id AND v.runner_id IS DISTINCT FROM $1)) AND x.delegator_id = $1
   AND (x.item_definition_id IS NULL
        OR x.item_definition_id = ANY(ARRAY(SELECT d.id FROM process_definitions f JOIN item_definitions d ON d.process_definition_id = f.id
                    WHERE f.tenant_id = $2 AND f.id <> ALL({access.ReadableProcessDefinitions})
         AND EXISTS (SELECT 1 FROM process_definition_versions v
                      WHERE v.process_definition_id = f.id AND v.runner_id IS DISTINCT FROM $1) AND d.id <> ALL({access.GrantedItemDefinitions}))))
 UNION
SELECT i.id FROM process_items i
 WHERE EXISTS (SELECT 1 FROM process_definitions f WHERE f.tenant_id = $2 AND f.id <> ALL({access.ReadableProcessDefinitions})
         AND EXISTS (SELECT 1 FROM process_definition_versions v
                      WHERE v.process_definition_id = f.id AND v.runner_id IS DISTINCT FROM $1)) AND (i.owner_id = ANY(ARRAY(SELECT away.principal_id FROM absences away WHERE away.substitute_id = $1 AND away.starts_at <= statement_timestamp() AND away.ends_at > statement_timestamp()))
    AND (i.task_state = 'CLAIMED' OR i.task_state = 'COMPLETED' AND i.substitute_id = $1)
    AND EXISTS (SELECT 1 FROM absences away
                 WHERE away.substitute_id = $1 AND away.tenant_id = i.tenant_id AND away.principal_id = i.owner_id AND away.starts_at <= statement_timestamp() AND away.ends_at > statement_timestamp()))
   AND i.item_definition_id = ANY(ARRAY(SELECT d.id FROM process_definitions f JOIN item_definitions d ON d.process_definition_id = f.id
                    WHERE f.tenant_id = $2 AND f.id <> ALL({access.ReadableProcessDefinitions})
         AND EXISTS (SELECT 1 FROM process_definition_versions v
                      WHERE v.process_definition_id = f.id AND v.runner_id IS DISTINCT FROM $1) AND d.id <> ALL({access.GrantedItemDefinitions})))
 UNION
SELECT x.id FROM (SELECT ARRAY(SELECT d.id FROM process_definitions f JOIN item_definitions d ON d.process_definition_id = f.id
                    WHERE f.tenant_id = $2 AND f.id <> ALL({access.ReadableProcessDefinitions})
         AND EXISTS (SELECT 1 FROM process_definition_versions v
                      WHERE v.process_definition_id = f.id AND v.runner_id IS DISTINCT FROM $1) AND d.id <> ALL({access.GrantedItemDefinitions})
                      AND d.id = ANY({access.InitiatorGrantedItemDefinitions})) AS ids OFFSET 0) o
 CROSS JOIN LATERAL (SELECT ARRAY(SELECT d.process_definition_id FROM item_definitions d WHERE d.id = ANY(o.ids)) AS ids OFFSET 0) f
 CROSS JOIN LATERAL (SELECT q.id FROM processes q
                      WHERE (SELECT q.created_at FROM processes q WHERE q.initiator_id = $1 ORDER BY q.created_at LIMIT 1) IS NOT NULL AND cardinality(o.ids) > 0 AND q.initiator_id = $1 AND q.process_definition_id = ANY(f.ids) OFFSET 0) q
 CROSS JOIN LATERAL (SELECT x.id FROM process_items x
                      WHERE x.process_id = q.id AND x.item_definition_id = ANY(o.ids) OFFSET 0) x) others
 CROSS JOIN LATERAL (SELECT * FROM process_items x WHERE x.id = others.id OFFSET 0) i
 WHERE i.tenant_id = $2
   AND i.deleted_at IS NULL
   AND {access.VisibleItem}
   AND i.type = 'TASK'
   AND i.task_state IN ('READY', 'CLAIMED')
   AND (i.process_definition_id = ANY({access.ReadableProcessDefinitions})
    OR i.item_definition_id = ANY({access.GrantedItemDefinitions})
    OR EXISTS (SELECT 1 FROM processes q WHERE q.id = i.process_id AND q.process_version = ANY({access.RunVersions}))) IS NOT TRUE);

-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = ["01970000-0000-7000-8000-00000000a001"]
-- $3 = 5

WITH waiting AS MATERIALIZED (
    SELECT i.*
      FROM unnest($2::uuid[]) t (id)
     CROSS JOIN LATERAL (SELECT o.* FROM process_items o
                          WHERE o.tenant_id = t.id AND o.task_state IN ('READY', 'CLAIMED') AND o.deleted_at IS NULL
                          ORDER BY o.created_at, o.id
                          LIMIT 1000) i
     WHERE i.type = 'TASK' AND i.owner_id IS DISTINCT FROM $1
       AND NOT (i.owner_id IS NULL AND coalesce(i.item_definition_id = ANY({access.CandidateItemDefinitions})
                OR (i.item_definition_id = ANY({access.InitiatorCandidateItemDefinitions})
                    AND EXISTS (SELECT 1 FROM processes q WHERE q.id = i.process_id AND q.initiator_id = $1)), false))
       AND {access.VisibleItem}
     ORDER BY i.created_at, i.id
     LIMIT $3)
SELECT i.id, coalesce(t.names, to_jsonb(t.name), '""') AS name, i.task_state AS state, i.process_id, coalesce(v.names, to_jsonb(v.name), '""') AS process_name, p.subject,
       coalesce(sname.name, s.name) AS initiator_name, coalesce(oname.name, o.name, '') AS owner_name,
       coalesce((i.owner_id = ANY(ARRAY(SELECT away.principal_id FROM absences away WHERE away.substitute_id = $1 AND away.starts_at <= statement_timestamp() AND away.ends_at > statement_timestamp()))
    AND (i.task_state = 'CLAIMED' OR i.task_state = 'COMPLETED' AND i.substitute_id = $1)
    AND EXISTS (SELECT 1 FROM absences away
                 WHERE away.substitute_id = $1 AND away.tenant_id = i.tenant_id AND away.principal_id = i.owner_id AND away.starts_at <= statement_timestamp() AND away.ends_at > statement_timestamp())), false) AS substitutes, i.created_at, i.last_modified_at,
       plan.due_at, plan.follow_up_at, coalesce(plan.priority, 2) AS priority_rank
  FROM waiting i
  JOIN processes p ON p.id = i.process_id
  JOIN process_definition_versions v ON v.version = p.process_version
  JOIN item_definition_versions t ON t.version = i.item_version
  JOIN principals s ON s.id = p.initiator_id
  LEFT JOIN person_names sname ON sname.tenant_id = p.tenant_id AND sname.principal_id = p.initiator_id
  LEFT JOIN task_times plan ON plan.item_id = i.id
  LEFT JOIN principals o ON o.id = i.owner_id
  LEFT JOIN person_names oname ON oname.tenant_id = i.tenant_id AND oname.principal_id = i.owner_id
 ORDER BY i.created_at, i.id;

-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = "01970000-0000-7000-8000-00000000a001"
SELECT i.id, coalesce(t.names, to_jsonb(t.name), '""') AS name, i.task_state AS state, i.process_id, coalesce(v.names, to_jsonb(v.name), '""') AS process_name, p.subject,
       coalesce(sname.name, s.name) AS initiator_name, coalesce(oname.name, o.name, '') AS owner_name,
       coalesce((i.owner_id = ANY(ARRAY(SELECT away.principal_id FROM absences away WHERE away.substitute_id = $1 AND away.starts_at <= statement_timestamp() AND away.ends_at > statement_timestamp()))
    AND (i.task_state = 'CLAIMED' OR i.task_state = 'COMPLETED' AND i.substitute_id = $1)
    AND EXISTS (SELECT 1 FROM absences away
                 WHERE away.substitute_id = $1 AND away.tenant_id = i.tenant_id AND away.principal_id = i.owner_id AND away.starts_at <= statement_timestamp() AND away.ends_at > statement_timestamp())), false) AS substitutes, i.created_at, i.last_modified_at,
       plan.due_at, plan.follow_up_at, coalesce(plan.priority, 2) AS priority_rank
  FROM (SELECT i.*
  FROM process_items i
 WHERE i.tenant_id = $2
   AND i.deleted_at IS NULL
   AND i.task_state = 'CLAIMED' AND i.owner_id = $1
 ORDER BY i.created_at, i.id
 LIMIT 5) i
  JOIN processes p ON p.id = i.process_id
  JOIN process_definition_versions v ON v.version = p.process_version
  JOIN item_definition_versions t ON t.version = i.item_version
  JOIN principals s ON s.id = p.initiator_id
  LEFT JOIN person_names sname ON sname.tenant_id = p.tenant_id AND sname.principal_id = p.initiator_id
  LEFT JOIN task_times plan ON plan.item_id = i.id
  LEFT JOIN principals o ON o.id = i.owner_id
  LEFT JOIN person_names oname ON oname.tenant_id = i.tenant_id AND oname.principal_id = i.owner_id
 ORDER BY i.created_at, i.id;

-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = "01970000-0000-7000-8000-00000000a001"
SELECT count(*)
  FROM process_items i
 WHERE i.tenant_id = $2
   AND i.deleted_at IS NULL
   AND i.task_state = 'CLAIMED' AND i.owner_id = $1;

-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = "01970000-0000-7000-8000-00000000a001"
SELECT i.id, coalesce(t.names, to_jsonb(t.name), '""') AS name, i.task_state AS state, i.process_id, coalesce(v.names, to_jsonb(v.name), '""') AS process_name, p.subject,
       coalesce(sname.name, s.name) AS initiator_name, coalesce(oname.name, o.name, '') AS owner_name,
       coalesce((i.owner_id = ANY(ARRAY(SELECT away.principal_id FROM absences away WHERE away.substitute_id = $1 AND away.starts_at <= statement_timestamp() AND away.ends_at > statement_timestamp()))
    AND (i.task_state = 'CLAIMED' OR i.task_state = 'COMPLETED' AND i.substitute_id = $1)
    AND EXISTS (SELECT 1 FROM absences away
                 WHERE away.substitute_id = $1 AND away.tenant_id = i.tenant_id AND away.principal_id = i.owner_id AND away.starts_at <= statement_timestamp() AND away.ends_at > statement_timestamp())), false) AS substitutes, i.created_at, i.last_modified_at,
       plan.due_at, plan.follow_up_at, coalesce(plan.priority, 2) AS priority_rank
  FROM (SELECT i.*
  FROM process_items i
  JOIN processes p ON p.id = i.process_id
 WHERE i.tenant_id = $2
   AND i.deleted_at IS NULL
   AND {access.CandidateOfItem}
   AND i.task_state = 'READY'
 ORDER BY i.created_at, i.id
 LIMIT 5) i
  JOIN processes p ON p.id = i.process_id
  JOIN process_definition_versions v ON v.version = p.process_version
  JOIN item_definition_versions t ON t.version = i.item_version
  JOIN principals s ON s.id = p.initiator_id
  LEFT JOIN person_names sname ON sname.tenant_id = p.tenant_id AND sname.principal_id = p.initiator_id
  LEFT JOIN task_times plan ON plan.item_id = i.id
  LEFT JOIN principals o ON o.id = i.owner_id
  LEFT JOIN person_names oname ON oname.tenant_id = i.tenant_id AND oname.principal_id = i.owner_id
 ORDER BY i.created_at, i.id;

-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = "01970000-0000-7000-8000-00000000a001"
SELECT coalesce((SELECT sum(n)
  FROM item_counts_now(ARRAY[$2]::uuid[]) i
 WHERE i.tenant_id = $2
   AND i.task_state = 'READY'
   AND (i.item_definition_id = ANY({access.CandidateItemDefinitions}))), 0)::bigint
     + (SELECT count(*)
  FROM (
SELECT x.id FROM (SELECT ARRAY(SELECT d.id FROM process_definitions f JOIN item_definitions d ON d.process_definition_id = f.id
                                WHERE f.tenant_id = $2 AND d.id <> ALL({access.CandidateItemDefinitions})
                                  AND d.id = ANY({access.InitiatorCandidateItemDefinitions})) AS ids OFFSET 0) o
 CROSS JOIN LATERAL (SELECT ARRAY(SELECT d.process_definition_id FROM item_definitions d WHERE d.id = ANY(o.ids)) AS ids OFFSET 0) f
 CROSS JOIN LATERAL (SELECT q.id FROM processes q
                      WHERE (SELECT q.created_at FROM processes q WHERE q.initiator_id = $1 ORDER BY q.created_at LIMIT 1) IS NOT NULL AND cardinality(o.ids) > 0 AND q.initiator_id = $1 AND q.process_definition_id = ANY(f.ids) OFFSET 0) q
 CROSS JOIN LATERAL (SELECT x.id FROM process_items x
                      WHERE x.process_id = q.id AND x.item_definition_id = ANY(o.ids) OFFSET 0) x) others
 CROSS JOIN LATERAL (SELECT * FROM process_items x WHERE x.id = others.id OFFSET 0) i
  JOIN processes p ON p.id = i.process_id
 WHERE i.tenant_id = $2
   AND i.deleted_at IS NULL
   AND {access.CandidateOfItem}
   AND i.task_state = 'READY'
   AND (i.item_definition_id = ANY({access.CandidateItemDefinitions})) IS NOT TRUE);

-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = "01970000-0000-7000-8000-00000000a001"
-- $3 = "RUNNING"
-- $4 = "01970000-0000-7000-8000-00000000c001"
SELECT p.id, p.subject, p.state, p.process_definition_id, coalesce(v.names, to_jsonb(v.name), '""'), coalesce(sname.name, s.name),
       (SELECT count(*) FROM process_items o WHERE o.process_id = p.id AND o.task_state IN ('READY', 'CLAIMED')),
       p.created_at, p.last_modified_at, (SELECT jsonb_build_object('code', CASE WHEN r.state = 'PENDING' THEN 'STARTING'
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
         WHERE p.state = 'RUNNING' AND (r.id IS NOT NULL OR i.id IS NOT NULL)), NULL::jsonb
  FROM (SELECT p.*
  FROM processes p
 WHERE p.tenant_id = $2
   AND p.deleted_at IS NULL
   AND {access.VisibleProcess}
   AND p.state = $3
   AND p.initiator_id = $4
 ORDER BY p.created_at DESC, p.id
 LIMIT 5) p
  JOIN process_definition_versions v ON v.version = p.process_version
  JOIN principals s ON s.id = p.initiator_id
  LEFT JOIN person_names sname ON sname.tenant_id = p.tenant_id AND sname.principal_id = p.initiator_id
 ORDER BY p.created_at DESC, p.id;

-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = "01970000-0000-7000-8000-00000000a001"
-- $3 = "RUNNING"
-- $4 = "01970000-0000-7000-8000-00000000c001"
SELECT count(*)
  FROM processes p
 WHERE p.tenant_id = $2
   AND p.deleted_at IS NULL
   AND {access.VisibleProcess}
   AND p.state = $3
   AND p.initiator_id = $4;

-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = "01970000-0000-7000-8000-00000000a001"
SELECT p.id, p.subject, p.state, p.process_definition_id, coalesce(v.names, to_jsonb(v.name), '""'), coalesce(sname.name, s.name),
       (SELECT count(*) FROM process_items o WHERE o.process_id = p.id AND o.task_state IN ('READY', 'CLAIMED')),
       p.created_at, p.last_modified_at, (SELECT jsonb_build_object('code', CASE WHEN r.state = 'PENDING' THEN 'STARTING'
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
         WHERE p.state = 'RUNNING' AND (r.id IS NOT NULL OR i.id IS NOT NULL)), NULL::jsonb
  FROM (SELECT p.*
  FROM processes p
 WHERE p.tenant_id = $2
   AND p.deleted_at IS NULL
   AND {access.VisibleProcess}
   AND p.state = 'RUNNING' AND p.id = ANY(ARRAY((SELECT r.owner_id FROM engine_runs r
              WHERE r.tenant_id = ANY(ARRAY[$2]::uuid[]) AND r.kind = 'PROCESS' AND r.state = 'FAILED' LIMIT 10000)
             UNION ALL
            (SELECT r.owner_id FROM engine_runs r
              WHERE r.tenant_id = ANY(ARRAY[$2]::uuid[]) AND r.kind = 'PROCESS' AND r.finding = 'STUCK' LIMIT 10000)
             UNION ALL
            (SELECT n.process_id FROM incidents n
              WHERE n.tenant_id = ANY(ARRAY[$2]::uuid[]) AND n.state = 'OPEN' AND n.process_id IS NOT NULL LIMIT 10000)))
   AND {access.ManagesProcess}
 ORDER BY p.created_at DESC, p.id
 LIMIT 5) p
  JOIN process_definition_versions v ON v.version = p.process_version
  JOIN principals s ON s.id = p.initiator_id
  LEFT JOIN person_names sname ON sname.tenant_id = p.tenant_id AND sname.principal_id = p.initiator_id
 ORDER BY p.created_at DESC, p.id;

-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = "01970000-0000-7000-8000-00000000a001"
SELECT count(*)
  FROM processes p
 WHERE p.tenant_id = $2
   AND p.deleted_at IS NULL
   AND {access.VisibleProcess}
   AND p.state = 'RUNNING' AND p.id = ANY(ARRAY((SELECT r.owner_id FROM engine_runs r
              WHERE r.tenant_id = ANY(ARRAY[$2]::uuid[]) AND r.kind = 'PROCESS' AND r.state = 'FAILED' LIMIT 10000)
             UNION ALL
            (SELECT r.owner_id FROM engine_runs r
              WHERE r.tenant_id = ANY(ARRAY[$2]::uuid[]) AND r.kind = 'PROCESS' AND r.finding = 'STUCK' LIMIT 10000)
             UNION ALL
            (SELECT n.process_id FROM incidents n
              WHERE n.tenant_id = ANY(ARRAY[$2]::uuid[]) AND n.state = 'OPEN' AND n.process_id IS NOT NULL LIMIT 10000)))
   AND {access.ManagesProcess};
