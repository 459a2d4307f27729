-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = "01970000-0000-7000-8000-00000000a001"
-- $3 = ["01970000-0000-7000-8000-000000000001","01970000-0000-7000-8000-000000000002"]
SELECT i.id, coalesce(t.names, to_jsonb(t.name), '""') AS name, i.task_state AS state, i.process_id, coalesce(v.names, to_jsonb(v.name), '""') AS process_name, p.subject,
       coalesce(sname.name, s.name) AS initiator_name, coalesce(oname.name, o.name, '') AS owner_name,
       coalesce((i.owner_id = ANY(ARRAY(SELECT away.principal_id FROM absences away WHERE away.substitute_id = $1 AND away.starts_at <= statement_timestamp() AND away.ends_at > statement_timestamp()))
    AND (i.task_state = 'CLAIMED' OR i.task_state = 'COMPLETED' AND i.substitute_id = $1)
    AND EXISTS (SELECT 1 FROM absences away
                 WHERE away.substitute_id = $1 AND away.tenant_id = i.tenant_id AND away.principal_id = i.owner_id AND away.starts_at <= statement_timestamp() AND away.ends_at > statement_timestamp())), false) AS substitutes, i.created_at, i.last_modified_at,
       plan.due_at, plan.follow_up_at, coalesce(plan.priority, 2) AS priority_rank
  FROM process_items i
  JOIN processes p ON p.id = i.process_id
  JOIN process_definition_versions v ON v.version = p.process_version
  JOIN item_definition_versions t ON t.version = i.item_version
  JOIN principals s ON s.id = p.initiator_id
  LEFT JOIN person_names sname ON sname.tenant_id = p.tenant_id AND sname.principal_id = p.initiator_id
  LEFT JOIN task_times plan ON plan.item_id = i.id
  LEFT JOIN principals o ON o.id = i.owner_id
  LEFT JOIN person_names oname ON oname.tenant_id = i.tenant_id AND oname.principal_id = i.owner_id
 WHERE i.tenant_id = $2
   AND i.deleted_at IS NULL
   AND {access.VisibleItem}
   AND i.type = 'TASK'
   AND i.id = ANY($3);
