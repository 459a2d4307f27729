-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = "01970000-0000-7000-8000-00000000a001"
-- $3 = "OPEN"

SELECT g.fingerprint, t.code, i.kind, i.activity, i.worker, i.message, coalesce(v.names, to_jsonb(coalesce(v.name, ''))),
       g.count, g.first_at, g.last_at, i.id
  FROM (SELECT i.tenant_id, i.fingerprint, count(*) AS count, min(i.created_at) AS first_at, max(i.created_at) AS last_at
          FROM (SELECT i.tenant_id, i.fingerprint, i.created_at
  FROM incidents i
 WHERE i.tenant_id = $2
   AND i.state = $3
   AND $1::uuid IS NOT NULL) i
         GROUP BY i.tenant_id, i.fingerprint
        HAVING count(*) >= 2
         ORDER BY count(*) DESC, max(i.created_at) DESC
         LIMIT 20) g
  JOIN tenants t ON t.id = g.tenant_id
 CROSS JOIN LATERAL (SELECT i.id, i.kind, i.activity, i.worker, i.message, i.process_id
                       FROM incidents i
                      WHERE i.tenant_id = g.tenant_id AND i.state = 'OPEN' AND i.fingerprint = g.fingerprint
                      ORDER BY i.created_at DESC
                      LIMIT 1) i
  LEFT JOIN processes p ON p.id = i.process_id
  LEFT JOIN process_definition_versions v ON v.version = p.process_version
 ORDER BY g.count DESC, g.last_at DESC;
