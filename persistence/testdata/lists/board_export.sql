-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = "01970000-0000-7000-8000-00000000a001"
SELECT p.id, p.subject, p.state, p.process_definition_id, coalesce(v.names, to_jsonb(v.name), '""'), coalesce(sname.name, s.name),
       (SELECT count(*) FROM process_items o WHERE o.process_id = p.id AND o.task_state IN ('READY', 'CLAIMED')),
       p.created_at, p.last_modified_at, NULL::jsonb
  FROM (SELECT p.*
  FROM processes p
 WHERE p.tenant_id = $2
   AND p.deleted_at IS NULL
   AND {access.VisibleProcess}
 ORDER BY p.created_at DESC, p.id
 LIMIT 5000) p
  JOIN process_definition_versions v ON v.version = p.process_version
  JOIN principals s ON s.id = p.initiator_id
  LEFT JOIN person_names sname ON sname.tenant_id = p.tenant_id AND sname.principal_id = p.initiator_id
 ORDER BY p.created_at DESC, p.id;
