-- $1 = false
-- $2 = ["01970000-0000-7000-8000-00000000a001"]
-- $3 = ["01970000-0000-7000-8000-000000000001","01970000-0000-7000-8000-000000000002"]
-- $4 = ["north"]
-- $5 = "2026-01-02T03:04:05Z"
-- $6 = 25
SELECT g.id, g.tenant_id, g.principal_id, g.kind, g.identifier, g.read_only, g.issued_at, g.expires_at,
       g.revoked_at, g.revoked_by
  FROM engine_grants g
 WHERE ($1 OR g.tenant_id = ANY($2))
   AND g.principal_id = ANY($3)
   AND g.tenant_id IN (SELECT t.id FROM tenants t WHERE t.code = ANY($4))
   AND NOT (g.revoked_at IS NULL AND g.expires_at > $5)
 ORDER BY g.expires_at, g.id
 LIMIT $6::bigint;

-- $1 = false
-- $2 = ["01970000-0000-7000-8000-00000000a001"]
-- $3 = ["01970000-0000-7000-8000-000000000001","01970000-0000-7000-8000-000000000002"]
-- $4 = ["north"]
-- $5 = "2026-01-02T03:04:05Z"
SELECT count(*)
  FROM engine_grants g
 WHERE ($1 OR g.tenant_id = ANY($2))
   AND g.principal_id = ANY($3)
   AND g.tenant_id IN (SELECT t.id FROM tenants t WHERE t.code = ANY($4))
   AND NOT (g.revoked_at IS NULL AND g.expires_at > $5);
