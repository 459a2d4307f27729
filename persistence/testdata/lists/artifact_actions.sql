-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = "01970000-0000-7000-8000-00000000a001"
-- $3 = "01970000-0000-7000-8000-000000000001"
-- $4 = 25
SELECT x.id, x.tenant_id, x.status, x.action_id, x.action_code,
       x.document_id, coalesce(x.document_uri, ''), coalesce(x.error, ''), x.errors, x.finished_at,
       x.created_by, x.created_at, x.last_modified_by, x.last_modified_at,
       x.document_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM documents d WHERE d.id = x.document_id),
       (SELECT d.expires_at FROM documents d WHERE d.id = x.document_id),
       x.business_artifact_id, x.type, x.input, coalesce(x.input_valid, true), x.input_errors, x.process_definition_id, x.process_id,
       x.created_definition_id, coalesce(x.created_definition_code, ''), x.created_artifact_id, x.value, coalesce(sname.name, s.name, '')
  FROM business_artifact_actions x
  JOIN business_artifacts a ON a.id = x.business_artifact_id
  LEFT JOIN principals s ON s.id = x.created_by
  LEFT JOIN person_names sname ON sname.tenant_id = a.tenant_id AND sname.principal_id = x.created_by
 WHERE a.tenant_id = $2
   AND {access.VisibleArtifact}
   AND a.id = $3
 ORDER BY x.created_at DESC, x.id
 LIMIT $4::bigint;

-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = "01970000-0000-7000-8000-00000000a001"
-- $3 = "01970000-0000-7000-8000-000000000001"
SELECT count(*)
  FROM business_artifact_actions x
  JOIN business_artifacts a ON a.id = x.business_artifact_id
  LEFT JOIN principals s ON s.id = x.created_by
  LEFT JOIN person_names sname ON sname.tenant_id = a.tenant_id AND sname.principal_id = x.created_by
 WHERE a.tenant_id = $2
   AND {access.VisibleArtifact}
   AND a.id = $3;
