SELECT set_config('plan_cache_mode', 'force_generic_plan', true);

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
   AND i.task_state = 'CLAIMED' AND (i.owner_id = ANY(ARRAY(SELECT away.principal_id FROM absences away WHERE away.substitute_id = $1 AND away.starts_at <= statement_timestamp() AND away.ends_at > statement_timestamp()))
    AND (i.task_state = 'CLAIMED' OR i.task_state = 'COMPLETED' AND i.substitute_id = $1)
    AND EXISTS (SELECT 1 FROM absences away
                 WHERE away.substitute_id = $1 AND away.tenant_id = i.tenant_id AND away.principal_id = i.owner_id AND away.starts_at <= statement_timestamp() AND away.ends_at > statement_timestamp()))
 ORDER BY i.created_at, i.id
 LIMIT 25) i
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

WITH kept AS MATERIALIZED (
    SELECT i.* FROM item_counts_now(ARRAY[$2]::uuid[]) i WHERE i.type = 'TASK'
)
SELECT q.*
  FROM (
SELECT c.view, c.id, sum(c.n)::bigint AS tasks,
       CASE WHEN c.view = 'substituted'
            THEN (SELECT coalesce(v.names, to_jsonb(v.name), '""') FROM process_definition_versions v
                   WHERE v.process_definition_id = c.id ORDER BY v.number DESC LIMIT 1)
            ELSE '""' END AS name
  FROM (SELECT 'to-claim' AS view, v.process_definition_id AS id, v.n FROM (SELECT i.process_definition_id, sum(n) AS n
  FROM kept i
 WHERE i.tenant_id = $2
   AND i.task_state = 'READY'
   AND (i.item_definition_id = ANY({access.CandidateItemDefinitions}))
 GROUP BY i.process_definition_id
 UNION ALL
SELECT i.process_definition_id, count(*)
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
   AND (i.item_definition_id = ANY({access.CandidateItemDefinitions})) IS NOT TRUE
 GROUP BY i.process_definition_id) v
 UNION ALL
SELECT 'mine' AS view, v.process_definition_id AS id, v.n FROM (SELECT o.process_definition_id, count(*) AS n FROM (SELECT i.process_definition_id
  FROM process_items i
 WHERE i.tenant_id = $2
   AND i.deleted_at IS NULL
   AND i.task_state = 'CLAIMED' AND i.owner_id = $1 LIMIT 100) o GROUP BY o.process_definition_id) v
 UNION ALL
SELECT 'substituted' AS view, v.process_definition_id AS id, v.n FROM (SELECT o.process_definition_id, count(*) AS n FROM (SELECT i.process_definition_id
  FROM process_items i
 WHERE i.tenant_id = $2
   AND i.deleted_at IS NULL
   AND i.task_state = 'CLAIMED' AND (i.owner_id = ANY(ARRAY(SELECT away.principal_id FROM absences away WHERE away.substitute_id = $1 AND away.starts_at <= statement_timestamp() AND away.ends_at > statement_timestamp()))
    AND (i.task_state = 'CLAIMED' OR i.task_state = 'COMPLETED' AND i.substitute_id = $1)
    AND EXISTS (SELECT 1 FROM absences away
                 WHERE away.substitute_id = $1 AND away.tenant_id = i.tenant_id AND away.principal_id = i.owner_id AND away.starts_at <= statement_timestamp() AND away.ends_at > statement_timestamp()))) o GROUP BY o.process_definition_id) v
 UNION ALL
SELECT 'done' AS view, v.process_definition_id AS id, v.n FROM (SELECT o.process_definition_id, count(*) AS n FROM (SELECT i.process_definition_id
  FROM process_items i
 WHERE i.tenant_id = $2
   AND i.deleted_at IS NULL
   AND i.task_state = 'COMPLETED' AND i.owner_id = $1 LIMIT 100) o GROUP BY o.process_definition_id) v
 UNION ALL
SELECT 'all' AS view, v.process_definition_id AS id, v.n FROM (SELECT i.process_definition_id, sum(n) AS n
  FROM kept i
 WHERE i.tenant_id = $2
   AND i.type = 'TASK'
   AND (i.process_definition_id = ANY({access.ReadableProcessDefinitions})
    OR i.item_definition_id = ANY({access.GrantedItemDefinitions}) OR i.process_version = ANY({access.RunVersions}))
 GROUP BY i.process_definition_id
 UNION ALL
SELECT i.process_definition_id, count(*)
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
   AND (i.process_definition_id = ANY({access.ReadableProcessDefinitions})
    OR i.item_definition_id = ANY({access.GrantedItemDefinitions})
    OR EXISTS (SELECT 1 FROM processes q WHERE q.id = i.process_id AND q.process_version = ANY({access.RunVersions}))) IS NOT TRUE
 GROUP BY i.process_definition_id) v) c
 GROUP BY c.view, c.id
HAVING sum(c.n) <> 0
) q
 ORDER BY coalesce(q.name ->> 'source', q.name #>> '{}'), q.id;
