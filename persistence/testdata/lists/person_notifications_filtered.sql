-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = ["01970000-0000-7000-8000-00000000a001","01970000-0000-7000-8000-00000000a002"]
-- $3 = ["01970000-0000-7000-8000-000000000001","01970000-0000-7000-8000-000000000002"]
-- $4 = "01970000-0000-7000-8000-00000000a001"
-- $5 = ["MENTIONED","ASSIGNED"]
-- $6 = ["01970000-0000-7000-8000-000000000001","01970000-0000-7000-8000-000000000002"]
-- $7 = 25
-- $8 = 50
SELECT n.event_id, n.tenant_id, n.process_id, n.kind, n.item_id, n.actor_id, n.created_at, n.read_at, p.subject,
       coalesce(aname.name, a.name, ''), coalesce(t.names, to_jsonb(t.name), '""')
  FROM (SELECT n.*
  FROM person_notifications n
  JOIN processes p ON p.id = n.process_id
  LEFT JOIN process_items i ON i.id = n.item_id
 WHERE n.tenant_id = ANY($2)
   AND n.recipient_id = $1 AND p.deleted_at IS NULL AND CASE WHEN n.item_id IS NULL THEN {access.VisibleProcess} ELSE {access.VisibleItem} END
   AND n.event_id = ANY($3)
   AND n.tenant_id = $4
   AND n.kind = ANY($5)
   AND n.process_id = ANY($6)
   AND n.read_at IS NULL
 ORDER BY n.position DESC
 LIMIT $7::bigint OFFSET $8::bigint) n
  JOIN processes p ON p.id = n.process_id
  LEFT JOIN process_items i ON i.id = n.item_id
  LEFT JOIN item_definition_versions t ON t.version = i.item_version
  LEFT JOIN principals a ON a.id = n.actor_id
  LEFT JOIN person_names aname ON aname.tenant_id = n.tenant_id AND aname.principal_id = n.actor_id
 ORDER BY n.position DESC;

-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = ["01970000-0000-7000-8000-00000000a001","01970000-0000-7000-8000-00000000a002"]
-- $3 = ["01970000-0000-7000-8000-000000000001","01970000-0000-7000-8000-000000000002"]
-- $4 = "01970000-0000-7000-8000-00000000a001"
-- $5 = ["MENTIONED","ASSIGNED"]
-- $6 = ["01970000-0000-7000-8000-000000000001","01970000-0000-7000-8000-000000000002"]
SELECT count(*)
  FROM person_notifications n
  JOIN processes p ON p.id = n.process_id
  LEFT JOIN process_items i ON i.id = n.item_id
 WHERE n.tenant_id = ANY($2)
   AND n.recipient_id = $1 AND p.deleted_at IS NULL AND CASE WHEN n.item_id IS NULL THEN {access.VisibleProcess} ELSE {access.VisibleItem} END
   AND n.event_id = ANY($3)
   AND n.tenant_id = $4
   AND n.kind = ANY($5)
   AND n.process_id = ANY($6)
   AND n.read_at IS NULL;

-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = ["01970000-0000-7000-8000-00000000a001","01970000-0000-7000-8000-00000000a002"]
-- $3 = 100
-- $4 = "2025-12-19T03:04:05Z"

SELECT g.tenant_id, g.item_definition_id, d.code, coalesce(t.names, to_jsonb(t.name), '""') AS name, g.tasks, g.last_at
  FROM (
SELECT t.tenant_id, t.item_definition_id, t.tasks - coalesce(m.tasks, 0) AS tasks, t.last_at
  FROM claimable_tasks t
  LEFT JOIN claimable_marks m ON m.principal_id = $1 AND m.item_definition_id = t.item_definition_id AND m.tenant_id = t.tenant_id
 WHERE t.item_definition_id = ANY({access.CandidateItemDefinitions}) AND t.tenant_id = ANY($2)
   AND t.tasks > coalesce(m.tasks, 0) AND t.last_at > $4) g
  JOIN item_definitions d ON d.id = g.item_definition_id
  JOIN process_definitions s ON s.id = d.process_definition_id
  LEFT JOIN item_definition_versions t ON t.item_definition_id = d.id AND t.process_version = s.published_version
 WHERE $3 > 0
 ORDER BY g.last_at DESC, g.item_definition_id
 LIMIT 100;

-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = ["01970000-0000-7000-8000-00000000a001","01970000-0000-7000-8000-00000000a002"]
-- $3 = 100
-- $4 = "2025-12-19T03:04:05Z"

SELECT (SELECT count(*)
          FROM (SELECT 1 FROM person_notifications n
  JOIN processes p ON p.id = n.process_id
  LEFT JOIN process_items i ON i.id = n.item_id
                 WHERE n.recipient_id = $1 AND n.tenant_id = ANY($2) AND n.read_at IS NULL AND p.deleted_at IS NULL AND CASE WHEN n.item_id IS NULL THEN {access.VisibleProcess} ELSE {access.VisibleItem} END
                 ORDER BY n.position DESC
                 LIMIT $3) u)
     + (SELECT count(*) FROM (
SELECT t.tenant_id, t.item_definition_id, t.tasks - coalesce(m.tasks, 0) AS tasks, t.last_at
  FROM claimable_tasks t
  LEFT JOIN claimable_marks m ON m.principal_id = $1 AND m.item_definition_id = t.item_definition_id AND m.tenant_id = t.tenant_id
 WHERE t.item_definition_id = ANY({access.CandidateItemDefinitions}) AND t.tenant_id = ANY($2)
   AND t.tasks > coalesce(m.tasks, 0) AND t.last_at > $4) d);
