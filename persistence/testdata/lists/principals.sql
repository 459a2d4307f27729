-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = ["01970000-0000-7000-8000-00000000a001"]
-- $3 = []
-- $4 = ["01970000-0000-7000-8000-00000000a001"]
-- $5 = "USER"
-- $6 = "%ali%"
-- $7 = ["01970000-0000-7000-8000-000000000001","01970000-0000-7000-8000-000000000002"]
-- $8 = ["G"]
-- $9 = 25
SELECT p.id, p.type, coalesce((SELECT n.name FROM person_names n
           WHERE n.principal_id = p.id AND n.tenant_id = ANY($2) AND n.tenant_id = ANY($4)
           ORDER BY n.tenant_id LIMIT 1), p.name), coalesce(p.email, '')
  FROM principals p
 WHERE (p.type = 'SYSTEM' AND p.id = '01970000-0000-7000-8000-000000000001'
    OR p.id = $1
    OR p.tenant_id = ANY(ARRAY(SELECT t.id
      FROM unnest($2::uuid[]) t (id)
     WHERE t.id = ANY($3)
        OR NOT EXISTS (SELECT 1 FROM resources r
                        WHERE r.tenant_id = t.id AND r.kind = 'Tenant' AND r.spec ->> 'directory' = 'STAFF')
        OR EXISTS (SELECT 1 FROM process_definition_grants g JOIN process_definitions d ON d.id = g.process_definition_id
                    WHERE d.tenant_id = t.id AND g.permission = 'MANAGER' AND {access.CallerIsGrantee})
        OR EXISTS (SELECT 1 FROM process_definition_versions v JOIN process_definitions d ON d.id = v.process_definition_id
                    WHERE d.tenant_id = t.id AND v.runner_id = $1)))
    OR EXISTS (SELECT 1 FROM tenant_users u WHERE u.principal_id = p.id AND u.tenant_id = ANY(ARRAY(SELECT t.id
      FROM unnest($2::uuid[]) t (id)
     WHERE t.id = ANY($3)
        OR NOT EXISTS (SELECT 1 FROM resources r
                        WHERE r.tenant_id = t.id AND r.kind = 'Tenant' AND r.spec ->> 'directory' = 'STAFF')
        OR EXISTS (SELECT 1 FROM process_definition_grants g JOIN process_definitions d ON d.id = g.process_definition_id
                    WHERE d.tenant_id = t.id AND g.permission = 'MANAGER' AND {access.CallerIsGrantee})
        OR EXISTS (SELECT 1 FROM process_definition_versions v JOIN process_definitions d ON d.id = v.process_definition_id
                    WHERE d.tenant_id = t.id AND v.runner_id = $1)))))
   AND (p.tenant_id = ANY($4)
    OR EXISTS (SELECT 1 FROM tenant_users u
                WHERE u.principal_id = p.id AND u.tenant_id = ANY($2) AND (u.principal_id = $1 OR u.tenant_id = ANY(ARRAY(SELECT t.id
      FROM unnest($2::uuid[]) t (id)
     WHERE t.id = ANY($3)
        OR NOT EXISTS (SELECT 1 FROM resources r
                        WHERE r.tenant_id = t.id AND r.kind = 'Tenant' AND r.spec ->> 'directory' = 'STAFF')
        OR EXISTS (SELECT 1 FROM process_definition_grants g JOIN process_definitions d ON d.id = g.process_definition_id
                    WHERE d.tenant_id = t.id AND g.permission = 'MANAGER' AND {access.CallerIsGrantee})
        OR EXISTS (SELECT 1 FROM process_definition_versions v JOIN process_definitions d ON d.id = v.process_definition_id
                    WHERE d.tenant_id = t.id AND v.runner_id = $1)))) AND u.tenant_id = ANY($4)))
   AND p.type = $5
   AND (search_key(coalesce((SELECT n.name FROM person_names n
           WHERE n.principal_id = p.id AND n.tenant_id = ANY($2) AND n.tenant_id = ANY($4)
           ORDER BY n.tenant_id LIMIT 1), p.name)) LIKE search_key($6) OR search_key(p.email) LIKE search_key($6))
   AND EXISTS (SELECT 1 FROM group_members m JOIN groups g ON g.id = m.group_id
                WHERE m.principal_id = p.id AND g.tenant_id = ANY($2)
    AND (g.tenant_id = ANY(ARRAY(SELECT t.id
      FROM unnest($2::uuid[]) t (id)
     WHERE t.id = ANY($3)
        OR NOT EXISTS (SELECT 1 FROM resources r
                        WHERE r.tenant_id = t.id AND r.kind = 'Tenant' AND r.spec ->> 'directory' = 'STAFF')
        OR EXISTS (SELECT 1 FROM process_definition_grants g JOIN process_definitions d ON d.id = g.process_definition_id
                    WHERE d.tenant_id = t.id AND g.permission = 'MANAGER' AND {access.CallerIsGrantee})
        OR EXISTS (SELECT 1 FROM process_definition_versions v JOIN process_definitions d ON d.id = v.process_definition_id
                    WHERE d.tenant_id = t.id AND v.runner_id = $1)))
      OR EXISTS (SELECT 1 FROM group_members o WHERE o.group_id = g.id AND o.principal_id = $1)) AND g.id = ANY($7))
   AND EXISTS (SELECT 1 FROM group_members m JOIN groups g ON g.id = m.group_id
                WHERE m.principal_id = p.id AND g.tenant_id = ANY($2)
    AND (g.tenant_id = ANY(ARRAY(SELECT t.id
      FROM unnest($2::uuid[]) t (id)
     WHERE t.id = ANY($3)
        OR NOT EXISTS (SELECT 1 FROM resources r
                        WHERE r.tenant_id = t.id AND r.kind = 'Tenant' AND r.spec ->> 'directory' = 'STAFF')
        OR EXISTS (SELECT 1 FROM process_definition_grants g JOIN process_definitions d ON d.id = g.process_definition_id
                    WHERE d.tenant_id = t.id AND g.permission = 'MANAGER' AND {access.CallerIsGrantee})
        OR EXISTS (SELECT 1 FROM process_definition_versions v JOIN process_definitions d ON d.id = v.process_definition_id
                    WHERE d.tenant_id = t.id AND v.runner_id = $1)))
      OR EXISTS (SELECT 1 FROM group_members o WHERE o.group_id = g.id AND o.principal_id = $1)) AND g.code = ANY($8))
 ORDER BY coalesce((SELECT n.name FROM person_names n
           WHERE n.principal_id = p.id AND n.tenant_id = ANY($2) AND n.tenant_id = ANY($4)
           ORDER BY n.tenant_id LIMIT 1), p.name), p.id
 LIMIT $9::bigint;

-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = ["01970000-0000-7000-8000-00000000a001"]
-- $3 = []
-- $4 = ["01970000-0000-7000-8000-00000000a001"]
-- $5 = "USER"
-- $6 = "%ali%"
-- $7 = ["01970000-0000-7000-8000-000000000001","01970000-0000-7000-8000-000000000002"]
-- $8 = ["G"]
SELECT count(*)
  FROM principals p
 WHERE (p.type = 'SYSTEM' AND p.id = '01970000-0000-7000-8000-000000000001'
    OR p.id = $1
    OR p.tenant_id = ANY(ARRAY(SELECT t.id
      FROM unnest($2::uuid[]) t (id)
     WHERE t.id = ANY($3)
        OR NOT EXISTS (SELECT 1 FROM resources r
                        WHERE r.tenant_id = t.id AND r.kind = 'Tenant' AND r.spec ->> 'directory' = 'STAFF')
        OR EXISTS (SELECT 1 FROM process_definition_grants g JOIN process_definitions d ON d.id = g.process_definition_id
                    WHERE d.tenant_id = t.id AND g.permission = 'MANAGER' AND {access.CallerIsGrantee})
        OR EXISTS (SELECT 1 FROM process_definition_versions v JOIN process_definitions d ON d.id = v.process_definition_id
                    WHERE d.tenant_id = t.id AND v.runner_id = $1)))
    OR EXISTS (SELECT 1 FROM tenant_users u WHERE u.principal_id = p.id AND u.tenant_id = ANY(ARRAY(SELECT t.id
      FROM unnest($2::uuid[]) t (id)
     WHERE t.id = ANY($3)
        OR NOT EXISTS (SELECT 1 FROM resources r
                        WHERE r.tenant_id = t.id AND r.kind = 'Tenant' AND r.spec ->> 'directory' = 'STAFF')
        OR EXISTS (SELECT 1 FROM process_definition_grants g JOIN process_definitions d ON d.id = g.process_definition_id
                    WHERE d.tenant_id = t.id AND g.permission = 'MANAGER' AND {access.CallerIsGrantee})
        OR EXISTS (SELECT 1 FROM process_definition_versions v JOIN process_definitions d ON d.id = v.process_definition_id
                    WHERE d.tenant_id = t.id AND v.runner_id = $1)))))
   AND (p.tenant_id = ANY($4)
    OR EXISTS (SELECT 1 FROM tenant_users u
                WHERE u.principal_id = p.id AND u.tenant_id = ANY($2) AND (u.principal_id = $1 OR u.tenant_id = ANY(ARRAY(SELECT t.id
      FROM unnest($2::uuid[]) t (id)
     WHERE t.id = ANY($3)
        OR NOT EXISTS (SELECT 1 FROM resources r
                        WHERE r.tenant_id = t.id AND r.kind = 'Tenant' AND r.spec ->> 'directory' = 'STAFF')
        OR EXISTS (SELECT 1 FROM process_definition_grants g JOIN process_definitions d ON d.id = g.process_definition_id
                    WHERE d.tenant_id = t.id AND g.permission = 'MANAGER' AND {access.CallerIsGrantee})
        OR EXISTS (SELECT 1 FROM process_definition_versions v JOIN process_definitions d ON d.id = v.process_definition_id
                    WHERE d.tenant_id = t.id AND v.runner_id = $1)))) AND u.tenant_id = ANY($4)))
   AND p.type = $5
   AND (search_key(coalesce((SELECT n.name FROM person_names n
           WHERE n.principal_id = p.id AND n.tenant_id = ANY($2) AND n.tenant_id = ANY($4)
           ORDER BY n.tenant_id LIMIT 1), p.name)) LIKE search_key($6) OR search_key(p.email) LIKE search_key($6))
   AND EXISTS (SELECT 1 FROM group_members m JOIN groups g ON g.id = m.group_id
                WHERE m.principal_id = p.id AND g.tenant_id = ANY($2)
    AND (g.tenant_id = ANY(ARRAY(SELECT t.id
      FROM unnest($2::uuid[]) t (id)
     WHERE t.id = ANY($3)
        OR NOT EXISTS (SELECT 1 FROM resources r
                        WHERE r.tenant_id = t.id AND r.kind = 'Tenant' AND r.spec ->> 'directory' = 'STAFF')
        OR EXISTS (SELECT 1 FROM process_definition_grants g JOIN process_definitions d ON d.id = g.process_definition_id
                    WHERE d.tenant_id = t.id AND g.permission = 'MANAGER' AND {access.CallerIsGrantee})
        OR EXISTS (SELECT 1 FROM process_definition_versions v JOIN process_definitions d ON d.id = v.process_definition_id
                    WHERE d.tenant_id = t.id AND v.runner_id = $1)))
      OR EXISTS (SELECT 1 FROM group_members o WHERE o.group_id = g.id AND o.principal_id = $1)) AND g.id = ANY($7))
   AND EXISTS (SELECT 1 FROM group_members m JOIN groups g ON g.id = m.group_id
                WHERE m.principal_id = p.id AND g.tenant_id = ANY($2)
    AND (g.tenant_id = ANY(ARRAY(SELECT t.id
      FROM unnest($2::uuid[]) t (id)
     WHERE t.id = ANY($3)
        OR NOT EXISTS (SELECT 1 FROM resources r
                        WHERE r.tenant_id = t.id AND r.kind = 'Tenant' AND r.spec ->> 'directory' = 'STAFF')
        OR EXISTS (SELECT 1 FROM process_definition_grants g JOIN process_definitions d ON d.id = g.process_definition_id
                    WHERE d.tenant_id = t.id AND g.permission = 'MANAGER' AND {access.CallerIsGrantee})
        OR EXISTS (SELECT 1 FROM process_definition_versions v JOIN process_definitions d ON d.id = v.process_definition_id
                    WHERE d.tenant_id = t.id AND v.runner_id = $1)))
      OR EXISTS (SELECT 1 FROM group_members o WHERE o.group_id = g.id AND o.principal_id = $1)) AND g.code = ANY($8));
