-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = "01970000-0000-7000-8000-00000000a001"
-- $3 = "2026-01-02T03:04:05Z"
-- $4 = ["01970000-0000-7000-8000-000000000001","01970000-0000-7000-8000-000000000002"]
SELECT count(*)
  FROM item_states i
  JOIN process_items w ON w.id = i.id
  JOIN processes p ON p.id = i.process_id
  JOIN process_definition_versions v ON v.version = p.process_version
  JOIN item_definition_versions t ON t.version = w.item_version
  JOIN principals s ON s.id = p.initiator_id
  LEFT JOIN person_names sname ON sname.tenant_id = p.tenant_id AND sname.principal_id = p.initiator_id
  LEFT JOIN principals o ON o.id = i.owner_id
  LEFT JOIN person_names oname ON oname.tenant_id = i.tenant_id AND oname.principal_id = i.owner_id
 WHERE i.tenant_id = $2
   AND i.deleted_at IS NULL
   AND {access.CandidateOfItem}
   AND i.task_state = 'READY'
   AND i.last_modified_at > $3 AND w.last_modified_by <> $1
   AND i.id <> ALL($4);
