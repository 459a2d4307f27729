-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = ["01970000-0000-7000-8000-00000000a001"]
-- $3 = []
-- $4 = "G"
-- $5 = "%it%"
-- $6 = "01970000-0000-7000-8000-000000000001"
-- $7 = 25
SELECT g.id, g.tenant_id, g.code, g.name
  FROM groups g
 WHERE g.tenant_id = ANY($2)
    AND (g.tenant_id = ANY(ARRAY(SELECT t.id
      FROM unnest($2::uuid[]) t (id)
     WHERE t.id = ANY($3)
        OR NOT EXISTS (SELECT 1 FROM resources r
                        WHERE r.tenant_id = t.id AND r.kind = 'Tenant' AND r.spec ->> 'directory' = 'STAFF')
        OR EXISTS (SELECT 1 FROM process_definition_grants g JOIN process_definitions d ON d.id = g.process_definition_id
                    WHERE d.tenant_id = t.id AND g.permission = 'MANAGER' AND {access.CallerIsGrantee})
        OR EXISTS (SELECT 1 FROM process_definition_versions v JOIN process_definitions d ON d.id = v.process_definition_id
                    WHERE d.tenant_id = t.id AND v.runner_id = $1)))
      OR EXISTS (SELECT 1 FROM group_members o WHERE o.group_id = g.id AND o.principal_id = $1))
   AND g.code = $4
   AND (search_key(g.name) LIKE search_key($5) OR search_key(g.code) LIKE search_key($5))
   AND g.id IN (SELECT m.group_id FROM group_members m WHERE m.principal_id = $6)
   AND g.tenant_id = ANY(ARRAY(SELECT t.id
      FROM unnest($2::uuid[]) t (id)
     WHERE t.id = ANY($3)
        OR NOT EXISTS (SELECT 1 FROM resources r
                        WHERE r.tenant_id = t.id AND r.kind = 'Tenant' AND r.spec ->> 'directory' = 'STAFF')
        OR EXISTS (SELECT 1 FROM process_definition_grants g JOIN process_definitions d ON d.id = g.process_definition_id
                    WHERE d.tenant_id = t.id AND g.permission = 'MANAGER' AND {access.CallerIsGrantee})
        OR EXISTS (SELECT 1 FROM process_definition_versions v JOIN process_definitions d ON d.id = v.process_definition_id
                    WHERE d.tenant_id = t.id AND v.runner_id = $1)))
 ORDER BY g.id
 LIMIT $7::bigint;

-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = ["01970000-0000-7000-8000-00000000a001"]
-- $3 = []
-- $4 = "G"
-- $5 = "%it%"
-- $6 = "01970000-0000-7000-8000-000000000001"
SELECT count(*)
  FROM groups g
 WHERE g.tenant_id = ANY($2)
    AND (g.tenant_id = ANY(ARRAY(SELECT t.id
      FROM unnest($2::uuid[]) t (id)
     WHERE t.id = ANY($3)
        OR NOT EXISTS (SELECT 1 FROM resources r
                        WHERE r.tenant_id = t.id AND r.kind = 'Tenant' AND r.spec ->> 'directory' = 'STAFF')
        OR EXISTS (SELECT 1 FROM process_definition_grants g JOIN process_definitions d ON d.id = g.process_definition_id
                    WHERE d.tenant_id = t.id AND g.permission = 'MANAGER' AND {access.CallerIsGrantee})
        OR EXISTS (SELECT 1 FROM process_definition_versions v JOIN process_definitions d ON d.id = v.process_definition_id
                    WHERE d.tenant_id = t.id AND v.runner_id = $1)))
      OR EXISTS (SELECT 1 FROM group_members o WHERE o.group_id = g.id AND o.principal_id = $1))
   AND g.code = $4
   AND (search_key(g.name) LIKE search_key($5) OR search_key(g.code) LIKE search_key($5))
   AND g.id IN (SELECT m.group_id FROM group_members m WHERE m.principal_id = $6)
   AND g.tenant_id = ANY(ARRAY(SELECT t.id
      FROM unnest($2::uuid[]) t (id)
     WHERE t.id = ANY($3)
        OR NOT EXISTS (SELECT 1 FROM resources r
                        WHERE r.tenant_id = t.id AND r.kind = 'Tenant' AND r.spec ->> 'directory' = 'STAFF')
        OR EXISTS (SELECT 1 FROM process_definition_grants g JOIN process_definitions d ON d.id = g.process_definition_id
                    WHERE d.tenant_id = t.id AND g.permission = 'MANAGER' AND {access.CallerIsGrantee})
        OR EXISTS (SELECT 1 FROM process_definition_versions v JOIN process_definitions d ON d.id = v.process_definition_id
                    WHERE d.tenant_id = t.id AND v.runner_id = $1)));
