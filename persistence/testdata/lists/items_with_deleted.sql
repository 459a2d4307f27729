SELECT set_config('plan_cache_mode', 'force_generic_plan', true);

-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = "01970000-0000-7000-8000-00000000a001"
WITH seen AS MATERIALIZED (
SELECT coalesce(sum(n) FILTER (WHERE (i.process_definition_id = ANY({access.ReadableProcessDefinitions})
    OR i.item_definition_id = ANY({access.GrantedItemDefinitions}) OR i.process_version = ANY({access.RunVersions})) IS NOT TRUE), 0) <= 1000 AS nearly_all
  FROM item_counts i
 WHERE i.tenant_id = $2)
(SELECT i.id, i.tenant_id, i.process_id, i.process_definition_id, i.type,
       i.item_definition_id, i.item_version, i.item_definition_code, i.thread_id, i.owner_id,
       i.task_state, i.claimed_at, i.completed_at, i.cancelled_at, i.message_text, i.message_data_code, i.mentions,
       i.created_by, i.created_at, i.last_modified_by, i.last_modified_at, i.deleted_at, i.deleted_by,
       i.delegator_id, i.delegated_at, i.delegation_note, i.substitute_id,
       (SELECT ROW(tt.due_at, tt.follow_up_at, tt.priority) FROM task_times tt WHERE tt.item_id = i.id)
  FROM process_items i
 WHERE (SELECT s.nearly_all FROM seen s)
   AND i.tenant_id = $2
   AND {access.VisibleItem}
 ORDER BY i.created_at, i.id
 LIMIT 25)
 UNION ALL
(SELECT i.id, i.tenant_id, i.process_id, i.process_definition_id, i.type,
       i.item_definition_id, i.item_version, i.item_definition_code, i.thread_id, i.owner_id,
       i.task_state, i.claimed_at, i.completed_at, i.cancelled_at, i.message_text, i.message_data_code, i.mentions,
       i.created_by, i.created_at, i.last_modified_by, i.last_modified_at, i.deleted_at, i.deleted_by,
       i.delegator_id, i.delegated_at, i.delegation_note, i.substitute_id,
       (SELECT ROW(tt.due_at, tt.follow_up_at, tt.priority) FROM task_times tt WHERE tt.item_id = i.id)
  FROM (SELECT w.id FROM (SELECT d.id FROM item_definitions d
 WHERE d.id = ANY({access.GrantedItemDefinitions})
    OR d.process_definition_id = ANY(ARRAY(SELECT unnest({access.ReadableProcessDefinitions})
                         UNION
                        SELECT v.process_definition_id FROM process_definition_versions v WHERE v.runner_id = $1))) d
 CROSS JOIN LATERAL (SELECT i.id
  FROM process_items i
 WHERE i.item_definition_id = d.id
   AND i.tenant_id = $2
   AND {access.VisibleItem}
 ORDER BY i.created_at, i.id
 LIMIT 25) w
 UNION
SELECT w.id FROM (SELECT unnest(ARRAY(SELECT unnest({access.ReadableProcessDefinitions})
                         UNION
                        SELECT v.process_definition_id FROM process_definition_versions v WHERE v.runner_id = $1)) AS id) d
 CROSS JOIN LATERAL (SELECT i.id
  FROM process_items i
 WHERE i.process_definition_id = d.id
   AND i.item_definition_id IS NULL
   AND i.tenant_id = $2
   AND {access.VisibleItem}
 ORDER BY i.created_at, i.id
 LIMIT 25) w
 UNION

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
 WHERE NOT (SELECT s.nearly_all FROM seen s)
   AND i.tenant_id = $2
   AND {access.VisibleItem}
 ORDER BY i.created_at, i.id
 LIMIT 25);

-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = "01970000-0000-7000-8000-00000000a001"
SELECT coalesce((SELECT sum(n)
  FROM item_counts_now(ARRAY[$2]::uuid[]) i
 WHERE i.tenant_id = $2
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
   AND {access.VisibleItem}
   AND i.deleted_at IS NULL
   AND (i.process_definition_id = ANY({access.ReadableProcessDefinitions})
    OR i.item_definition_id = ANY({access.GrantedItemDefinitions})
    OR EXISTS (SELECT 1 FROM processes q WHERE q.id = i.process_id AND q.process_version = ANY({access.RunVersions}))) IS NOT TRUE)
     + (SELECT count(*)
  FROM process_items i
 WHERE i.tenant_id = $2
   AND {access.VisibleItem}
   AND i.deleted_at IS NOT NULL);
