BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;

-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = ["01970000-0000-7000-8000-00000000a001"]
-- $3 = []
-- $4 = "01970000-0000-7000-8000-00000000a001"
-- $5 = ["a@example.com"]
-- $6 = ["01970000-0000-7000-8000-000000000001","01970000-0000-7000-8000-000000000002"]
-- $7 = ["G"]
-- $8 = 25
SELECT u.id, u.tenant_id, u.role, u.created_by, u.created_at, u.last_modified_by, u.last_modified_at,
       p.id, p.type, coalesce(n.name, p.name), coalesce(p.email, ''), u.metadata, u.metadata_valid, u.metadata_errors
  FROM tenant_users u
  JOIN principals p ON p.id = u.principal_id
  LEFT JOIN person_names n ON n.tenant_id = u.tenant_id AND n.principal_id = u.principal_id
 WHERE u.tenant_id = ANY($2) AND (u.principal_id = $1 OR u.tenant_id = ANY(ARRAY(SELECT t.id
      FROM unnest($2::uuid[]) t (id)
     WHERE t.id = ANY($3)
        OR NOT EXISTS (SELECT 1 FROM resources r
                        WHERE r.tenant_id = t.id AND r.kind = 'Tenant' AND r.spec ->> 'directory' = 'STAFF')
        OR EXISTS (SELECT 1 FROM process_definition_grants g JOIN process_definitions d ON d.id = g.process_definition_id
                    WHERE d.tenant_id = t.id AND g.permission = 'MANAGER' AND {access.CallerIsGrantee})
        OR EXISTS (SELECT 1 FROM process_definition_versions v JOIN process_definitions d ON d.id = v.process_definition_id
                    WHERE d.tenant_id = t.id AND v.runner_id = $1))))
   AND u.tenant_id = $4
   AND email_key(p.email) = ANY(SELECT email_key(e) FROM unnest($5::text[]) e)
   AND EXISTS (SELECT 1 FROM group_members m JOIN groups g ON g.id = m.group_id
                WHERE m.principal_id = u.principal_id AND g.tenant_id = u.tenant_id AND g.tenant_id = ANY($2)
    AND (g.tenant_id = ANY(ARRAY(SELECT t.id
      FROM unnest($2::uuid[]) t (id)
     WHERE t.id = ANY($3)
        OR NOT EXISTS (SELECT 1 FROM resources r
                        WHERE r.tenant_id = t.id AND r.kind = 'Tenant' AND r.spec ->> 'directory' = 'STAFF')
        OR EXISTS (SELECT 1 FROM process_definition_grants g JOIN process_definitions d ON d.id = g.process_definition_id
                    WHERE d.tenant_id = t.id AND g.permission = 'MANAGER' AND {access.CallerIsGrantee})
        OR EXISTS (SELECT 1 FROM process_definition_versions v JOIN process_definitions d ON d.id = v.process_definition_id
                    WHERE d.tenant_id = t.id AND v.runner_id = $1)))
      OR EXISTS (SELECT 1 FROM group_members o WHERE o.group_id = g.id AND o.principal_id = $1)) AND g.id = ANY($6))
   AND EXISTS (SELECT 1 FROM group_members m JOIN groups g ON g.id = m.group_id
                WHERE m.principal_id = u.principal_id AND g.tenant_id = u.tenant_id AND g.tenant_id = ANY($2)
    AND (g.tenant_id = ANY(ARRAY(SELECT t.id
      FROM unnest($2::uuid[]) t (id)
     WHERE t.id = ANY($3)
        OR NOT EXISTS (SELECT 1 FROM resources r
                        WHERE r.tenant_id = t.id AND r.kind = 'Tenant' AND r.spec ->> 'directory' = 'STAFF')
        OR EXISTS (SELECT 1 FROM process_definition_grants g JOIN process_definitions d ON d.id = g.process_definition_id
                    WHERE d.tenant_id = t.id AND g.permission = 'MANAGER' AND {access.CallerIsGrantee})
        OR EXISTS (SELECT 1 FROM process_definition_versions v JOIN process_definitions d ON d.id = v.process_definition_id
                    WHERE d.tenant_id = t.id AND v.runner_id = $1)))
      OR EXISTS (SELECT 1 FROM group_members o WHERE o.group_id = g.id AND o.principal_id = $1)) AND g.code = ANY($7))
 ORDER BY u.created_at, u.id
 LIMIT $8::bigint;

-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = ["01970000-0000-7000-8000-00000000a001"]
-- $3 = []
-- $4 = "01970000-0000-7000-8000-00000000a001"
-- $5 = ["a@example.com"]
-- $6 = ["01970000-0000-7000-8000-000000000001","01970000-0000-7000-8000-000000000002"]
-- $7 = ["G"]
SELECT count(*)
  FROM tenant_users u
  JOIN principals p ON p.id = u.principal_id
  LEFT JOIN person_names n ON n.tenant_id = u.tenant_id AND n.principal_id = u.principal_id
 WHERE u.tenant_id = ANY($2) AND (u.principal_id = $1 OR u.tenant_id = ANY(ARRAY(SELECT t.id
      FROM unnest($2::uuid[]) t (id)
     WHERE t.id = ANY($3)
        OR NOT EXISTS (SELECT 1 FROM resources r
                        WHERE r.tenant_id = t.id AND r.kind = 'Tenant' AND r.spec ->> 'directory' = 'STAFF')
        OR EXISTS (SELECT 1 FROM process_definition_grants g JOIN process_definitions d ON d.id = g.process_definition_id
                    WHERE d.tenant_id = t.id AND g.permission = 'MANAGER' AND {access.CallerIsGrantee})
        OR EXISTS (SELECT 1 FROM process_definition_versions v JOIN process_definitions d ON d.id = v.process_definition_id
                    WHERE d.tenant_id = t.id AND v.runner_id = $1))))
   AND u.tenant_id = $4
   AND email_key(p.email) = ANY(SELECT email_key(e) FROM unnest($5::text[]) e)
   AND EXISTS (SELECT 1 FROM group_members m JOIN groups g ON g.id = m.group_id
                WHERE m.principal_id = u.principal_id AND g.tenant_id = u.tenant_id AND g.tenant_id = ANY($2)
    AND (g.tenant_id = ANY(ARRAY(SELECT t.id
      FROM unnest($2::uuid[]) t (id)
     WHERE t.id = ANY($3)
        OR NOT EXISTS (SELECT 1 FROM resources r
                        WHERE r.tenant_id = t.id AND r.kind = 'Tenant' AND r.spec ->> 'directory' = 'STAFF')
        OR EXISTS (SELECT 1 FROM process_definition_grants g JOIN process_definitions d ON d.id = g.process_definition_id
                    WHERE d.tenant_id = t.id AND g.permission = 'MANAGER' AND {access.CallerIsGrantee})
        OR EXISTS (SELECT 1 FROM process_definition_versions v JOIN process_definitions d ON d.id = v.process_definition_id
                    WHERE d.tenant_id = t.id AND v.runner_id = $1)))
      OR EXISTS (SELECT 1 FROM group_members o WHERE o.group_id = g.id AND o.principal_id = $1)) AND g.id = ANY($6))
   AND EXISTS (SELECT 1 FROM group_members m JOIN groups g ON g.id = m.group_id
                WHERE m.principal_id = u.principal_id AND g.tenant_id = u.tenant_id AND g.tenant_id = ANY($2)
    AND (g.tenant_id = ANY(ARRAY(SELECT t.id
      FROM unnest($2::uuid[]) t (id)
     WHERE t.id = ANY($3)
        OR NOT EXISTS (SELECT 1 FROM resources r
                        WHERE r.tenant_id = t.id AND r.kind = 'Tenant' AND r.spec ->> 'directory' = 'STAFF')
        OR EXISTS (SELECT 1 FROM process_definition_grants g JOIN process_definitions d ON d.id = g.process_definition_id
                    WHERE d.tenant_id = t.id AND g.permission = 'MANAGER' AND {access.CallerIsGrantee})
        OR EXISTS (SELECT 1 FROM process_definition_versions v JOIN process_definitions d ON d.id = v.process_definition_id
                    WHERE d.tenant_id = t.id AND v.runner_id = $1)))
      OR EXISTS (SELECT 1 FROM group_members o WHERE o.group_id = g.id AND o.principal_id = $1)) AND g.code = ANY($7));

COMMIT;
