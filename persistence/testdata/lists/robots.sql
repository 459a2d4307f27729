-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = ["01970000-0000-7000-8000-00000000a001"]
-- $3 = []
-- $4 = false
-- $5 = "01970000-0000-7000-8000-00000000a001"
-- $6 = 25
SELECT b.id, b.tenant_id, b.code, b.name, coalesce(b.description, ''), b.source_type,
       coalesce(b.workflow_type, ''), coalesce(b.task_queue, ''), b.runner_id,
       b.created_by, b.created_at, b.last_modified_by, b.last_modified_at,
       d.id, coalesce(d.name, ''), coalesce(d.content_type, ''), coalesce(d.size, 0), d.sha256, d.created_by, d.created_at
  FROM robots b
  LEFT JOIN robot_files f ON f.robot_id = b.id AND f.asset_type IS NULL
  LEFT JOIN documents d ON d.id = f.document_id
 WHERE b.tenant_id = ANY($2)
   AND ((b.tenant_id = ANY($3) OR (b.runner_id = $1
    OR b.code = ANY(ARRAY(SELECT i.robot_code FROM item_definition_versions i
                           WHERE i.robot_code IS NOT NULL AND i.process_version = ANY({access.RunVersions})))) IS TRUE)
        OR b.id = ANY(ARRAY(SELECT g.robot_id FROM robot_grants g WHERE {access.CallerIsGrantee})))
   AND (NOT $4 OR f.document_id IS NOT NULL AND (b.tenant_id = ANY($3) OR (b.runner_id = $1
    OR b.code = ANY(ARRAY(SELECT i.robot_code FROM item_definition_versions i
                           WHERE i.robot_code IS NOT NULL AND i.process_version = ANY({access.RunVersions})))) IS TRUE))
   AND b.tenant_id = $5
 ORDER BY b.created_at, b.id
 LIMIT $6::bigint;

-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = ["01970000-0000-7000-8000-00000000a001"]
-- $3 = []
-- $4 = false
-- $5 = "01970000-0000-7000-8000-00000000a001"
SELECT count(*)
  FROM robots b
  LEFT JOIN robot_files f ON f.robot_id = b.id AND f.asset_type IS NULL
  LEFT JOIN documents d ON d.id = f.document_id
 WHERE b.tenant_id = ANY($2)
   AND ((b.tenant_id = ANY($3) OR (b.runner_id = $1
    OR b.code = ANY(ARRAY(SELECT i.robot_code FROM item_definition_versions i
                           WHERE i.robot_code IS NOT NULL AND i.process_version = ANY({access.RunVersions})))) IS TRUE)
        OR b.id = ANY(ARRAY(SELECT g.robot_id FROM robot_grants g WHERE {access.CallerIsGrantee})))
   AND (NOT $4 OR f.document_id IS NOT NULL AND (b.tenant_id = ANY($3) OR (b.runner_id = $1
    OR b.code = ANY(ARRAY(SELECT i.robot_code FROM item_definition_versions i
                           WHERE i.robot_code IS NOT NULL AND i.process_version = ANY({access.RunVersions})))) IS TRUE))
   AND b.tenant_id = $5;
