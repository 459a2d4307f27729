BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;

-- $1 = "Group"
-- $2 = "north"
-- $3 = "G"
-- $4 = {"a":"b"}
-- $5 = "%it%"
-- $6 = 25
SELECT t.code, r.tenant_id, r.kind, r.code, r.id, r.labels, r.spec,
       r.created_by, r.created_at, r.last_modified_by, r.last_modified_at,
       (SELECT d.published_version FROM process_definitions d WHERE d.id = r.id AND r.kind = 'ProcessDefinition'),
       CASE WHEN r.kind = 'Robot' THEN json_build_object(
       'files', (SELECT json_agg(json_build_object(
                            'id', d.id, 'name', d.name, 'contentType', d.content_type, 'size', d.size,
                            'sha256', encode(d.sha256, 'hex'), 'uploadedBy', d.created_by, 'uploadedAt', d.created_at,
                            'type', f.asset_type, 'version', f.version, 'platform', f.platform, 'architecture', f.architecture)
                          ORDER BY f.asset_type NULLS FIRST, f.version, f.platform, f.architecture)
                   FROM robot_files f
                   JOIN documents d ON d.id = f.document_id
                  WHERE f.robot_id = r.id),
       'variables', (SELECT json_agg(e.name ORDER BY e.name) FROM robot_environment e WHERE e.robot_id = r.id)) END, r.source, coalesce(r.external_id, ''), r.directory
  FROM resources r JOIN tenants t ON t.id = r.tenant_id
 WHERE r.kind = $1
   AND t.code = $2
   AND r.code = $3
   AND r.labels @> $4::jsonb
   AND (search_key(r.words) LIKE search_key($5))
 ORDER BY t.code, array_position(ARRAY['Tenant', 'User', 'Application', 'Group', 'DataStructure', 'EncryptionKey', 'DataSource', 'Calendar', 'ProcessDefinition', 'BusinessArtifactDefinition', 'WebhookSubscription', 'Robot', 'NotificationReceiver', 'Absence'], r.kind), r.code, r.id
 LIMIT $6::bigint;

-- $1 = "Group"
-- $2 = "north"
-- $3 = "G"
-- $4 = {"a":"b"}
-- $5 = "%it%"
SELECT count(*)
  FROM resources r JOIN tenants t ON t.id = r.tenant_id
 WHERE r.kind = $1
   AND t.code = $2
   AND r.code = $3
   AND r.labels @> $4::jsonb
   AND (search_key(r.words) LIKE search_key($5));

COMMIT;
