-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = "01970000-0000-7000-8000-00000000a001"
-- $3 = "01970000-0000-7000-8000-000000000001"
-- $4 = "TASK"
-- $5 = 25
SELECT i.id, i.type, coalesce(t.names, to_jsonb(t.name), '""'), coalesce(i.task_state, ''), coalesce(oname.name, o.name, ''), i.created_by,
       coalesce(aname.name, a.name, ''), i.thread_id, coalesce(i.message_text, ''), i.message_data, i.message_data_valid,
       i.message_data_errors, coalesce(i.message_data_code, ''), i.created_at, i.last_modified_at,
       ARRAY(SELECT coalesce(mname.name, m.name) FROM principals m
               LEFT JOIN person_names mname ON mname.tenant_id = i.tenant_id AND mname.principal_id = m.id
              WHERE m.id = ANY(i.mentions) ORDER BY m.id),
       ARRAY(SELECT coalesce(m.email, '') FROM principals m WHERE m.id = ANY(i.mentions) ORDER BY m.id)
  FROM process_items i
  LEFT JOIN item_definition_versions t ON t.version = i.item_version
  LEFT JOIN principals o ON o.id = i.owner_id
  LEFT JOIN person_names oname ON oname.tenant_id = i.tenant_id AND oname.principal_id = i.owner_id
  LEFT JOIN principals a ON a.id = i.created_by
  LEFT JOIN person_names aname ON aname.tenant_id = i.tenant_id AND aname.principal_id = i.created_by
 WHERE i.tenant_id = $2
   AND {access.VisibleItem}
   AND i.process_id = $3
   AND i.type = $4
 ORDER BY i.created_at, i.id
 LIMIT $5::bigint;

-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = "01970000-0000-7000-8000-00000000a001"
-- $3 = "01970000-0000-7000-8000-000000000001"
-- $4 = "TASK"
SELECT count(*)
  FROM process_items i
  LEFT JOIN item_definition_versions t ON t.version = i.item_version
  LEFT JOIN principals o ON o.id = i.owner_id
  LEFT JOIN person_names oname ON oname.tenant_id = i.tenant_id AND oname.principal_id = i.owner_id
  LEFT JOIN principals a ON a.id = i.created_by
  LEFT JOIN person_names aname ON aname.tenant_id = i.tenant_id AND aname.principal_id = i.created_by
 WHERE i.tenant_id = $2
   AND {access.VisibleItem}
   AND i.process_id = $3
   AND i.type = $4;
