BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;

-- $1 = "01970000-0000-7000-8000-00000000a001"
-- $2 = ["01970000-0000-7000-8000-000000000001","01970000-0000-7000-8000-000000000002"]
-- $3 = "01970000-0000-7000-8000-000000000001"
-- $4 = "Group"
-- $5 = "G"
-- $6 = "%\"G\"%"
-- $7 = "north"
-- $8 = 25
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
 WHERE (r.tenant_id = $1 OR r.tenant_id = ANY($2) AND r.kind = 'ProcessDefinition' AND r.id = ANY(ARRAY(SELECT g.process_definition_id FROM process_definition_grants g
      WHERE g.permission = 'ADMINISTRATOR' AND g.grantee_id = ANY(ARRAY(SELECT $3::uuid
                                         UNION ALL
                                        SELECT m.group_id FROM group_members m WHERE m.principal_id = $3
                                         UNION ALL
                                        SELECT k.tenant_id FROM tenant_users k WHERE k.principal_id = $3 AND k.disabled_at IS NULL)))))
   AND (r.kind = $4 AND r.code = $5
    OR r.kind = 'Group' AND r.code IN (SELECT c ->> 'group' FROM resources h, json_array_elements(h.spec -> 'claimedGroups') c
              WHERE h.tenant_id = r.tenant_id AND h.kind = $4 AND h.code = $5)
    OR r.kind IN ('Group', 'DataSource', 'ProcessDefinition', 'BusinessArtifactDefinition', 'Robot')
       AND (r.spec::text LIKE $6
            OR $4 = 'User' AND r.spec::text LIKE '%"EVERYONE"%'
            OR r.kind <> 'Group' AND r.spec::text LIKE ANY (
                SELECT '%"' || g.code || '"%' FROM resources g
                 WHERE g.tenant_id = r.tenant_id AND g.kind = 'Group'
                   AND (g.spec::text LIKE $6 OR g.code IN (SELECT c ->> 'group' FROM resources h, json_array_elements(h.spec -> 'claimedGroups') c
              WHERE h.tenant_id = r.tenant_id AND h.kind = $4 AND h.code = $5)))))
   AND t.code = $7
 ORDER BY t.code, array_position(ARRAY['Tenant', 'User', 'Application', 'Group', 'DataStructure', 'EncryptionKey', 'DataSource', 'Calendar', 'ProcessDefinition', 'BusinessArtifactDefinition', 'WebhookSubscription', 'Robot', 'NotificationReceiver', 'Absence'], r.kind), r.code, r.id
 LIMIT $8::bigint;

-- $1 = "01970000-0000-7000-8000-00000000a001"
-- $2 = ["01970000-0000-7000-8000-000000000001","01970000-0000-7000-8000-000000000002"]
-- $3 = "01970000-0000-7000-8000-000000000001"
-- $4 = "Group"
-- $5 = "G"
-- $6 = "%\"G\"%"
-- $7 = "north"
SELECT count(*)
  FROM resources r JOIN tenants t ON t.id = r.tenant_id
 WHERE (r.tenant_id = $1 OR r.tenant_id = ANY($2) AND r.kind = 'ProcessDefinition' AND r.id = ANY(ARRAY(SELECT g.process_definition_id FROM process_definition_grants g
      WHERE g.permission = 'ADMINISTRATOR' AND g.grantee_id = ANY(ARRAY(SELECT $3::uuid
                                         UNION ALL
                                        SELECT m.group_id FROM group_members m WHERE m.principal_id = $3
                                         UNION ALL
                                        SELECT k.tenant_id FROM tenant_users k WHERE k.principal_id = $3 AND k.disabled_at IS NULL)))))
   AND (r.kind = $4 AND r.code = $5
    OR r.kind = 'Group' AND r.code IN (SELECT c ->> 'group' FROM resources h, json_array_elements(h.spec -> 'claimedGroups') c
              WHERE h.tenant_id = r.tenant_id AND h.kind = $4 AND h.code = $5)
    OR r.kind IN ('Group', 'DataSource', 'ProcessDefinition', 'BusinessArtifactDefinition', 'Robot')
       AND (r.spec::text LIKE $6
            OR $4 = 'User' AND r.spec::text LIKE '%"EVERYONE"%'
            OR r.kind <> 'Group' AND r.spec::text LIKE ANY (
                SELECT '%"' || g.code || '"%' FROM resources g
                 WHERE g.tenant_id = r.tenant_id AND g.kind = 'Group'
                   AND (g.spec::text LIKE $6 OR g.code IN (SELECT c ->> 'group' FROM resources h, json_array_elements(h.spec -> 'claimedGroups') c
              WHERE h.tenant_id = r.tenant_id AND h.kind = $4 AND h.code = $5)))))
   AND t.code = $7;

COMMIT;
