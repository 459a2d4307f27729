-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = "01970000-0000-7000-8000-00000000a001"
-- $3 = ["01970000-0000-7000-8000-000000000001","01970000-0000-7000-8000-000000000002"]
-- $4 = "01970000-0000-7000-8000-000000000001"
-- $5 = "OPEN"

SELECT g.fingerprint, t.code, i.kind, i.activity, i.worker, i.message, coalesce(v.names, to_jsonb(coalesce(v.name, ''))),
       g.count, g.first_at, g.last_at, i.id
  FROM (SELECT i.tenant_id, i.fingerprint, count(*) AS count, min(i.created_at) AS first_at, max(i.created_at) AS last_at, (array_agg(i.id ORDER BY i.created_at DESC))[1] AS newest
          FROM (SELECT i.tenant_id, i.fingerprint, i.created_at, i.id
  FROM incidents i
 WHERE (i.tenant_id = $2 OR i.tenant_id = ANY($3) AND i.process_definition_id = ANY(ARRAY(SELECT g.process_definition_id FROM process_definition_grants g
      WHERE g.permission = 'ADMINISTRATOR' AND g.grantee_id = ANY(ARRAY(SELECT $4::uuid
                                         UNION ALL
                                        SELECT m.group_id FROM group_members m WHERE m.principal_id = $4
                                         UNION ALL
                                        SELECT k.tenant_id FROM tenant_users k WHERE k.principal_id = $4 AND k.disabled_at IS NULL)))))
   AND i.state = $5
   AND $1::uuid IS NOT NULL) i
         GROUP BY i.tenant_id, i.fingerprint
        HAVING count(*) >= 2
         ORDER BY count(*) DESC, max(i.created_at) DESC
         LIMIT 20) g
  JOIN tenants t ON t.id = g.tenant_id
 CROSS JOIN LATERAL (SELECT i.id, i.kind, i.activity, i.worker, i.message, i.process_id
                       FROM incidents i
                      WHERE i.id = g.newest
                      ORDER BY i.created_at DESC
                      LIMIT 1) i
  LEFT JOIN processes p ON p.id = i.process_id
  LEFT JOIN process_definition_versions v ON v.version = p.process_version
 ORDER BY g.count DESC, g.last_at DESC;
