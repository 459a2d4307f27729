-- $1 = "01970000-0000-7000-8000-00000000a001"
-- $2 = ["north"]
-- $3 = 25
SELECT f.tenant_id, d.id, f.process_version, d.code, f.action_code, f.process_id, f.message, f.first_at, f.last_at
  FROM availability_faults f
  JOIN process_definition_versions v ON v.version = f.process_version
  JOIN process_definitions d ON d.id = v.process_definition_id
 WHERE f.tenant_id = $1
   AND f.tenant_id IN (SELECT t.id FROM tenants t WHERE t.code = ANY($2))
 ORDER BY f.last_at DESC, f.process_version, f.action_code
 LIMIT $3::bigint;

-- $1 = "01970000-0000-7000-8000-00000000a001"
-- $2 = ["north"]
SELECT count(*)
  FROM availability_faults f
  JOIN process_definition_versions v ON v.version = f.process_version
  JOIN process_definitions d ON d.id = v.process_definition_id
 WHERE f.tenant_id = $1
   AND f.tenant_id IN (SELECT t.id FROM tenants t WHERE t.code = ANY($2));
