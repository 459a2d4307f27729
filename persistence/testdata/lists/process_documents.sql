-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = "01970000-0000-7000-8000-00000000a001"
-- $3 = "01970000-0000-7000-8000-000000000001"
-- $4 = ""
-- $5 = "2026-01-02T03:04:05Z"
-- $6 = 25
SELECT d.id, d.tenant_id, d.owner_kind, d.owner_id, d.blob_id, d.name, d.content_type, d.size, d.sha256,
       d.expires_at, d.created_by, d.created_at, coalesce(aname.name, s.name, '')
  FROM processes p
  JOIN documents d ON d.tenant_id = p.tenant_id
  LEFT JOIN principals s ON s.id = d.created_by
  LEFT JOIN person_names aname ON aname.tenant_id = p.tenant_id AND aname.principal_id = d.created_by
 WHERE p.tenant_id = $2
   AND p.id = $3 AND $4 = ''
   AND (d.expires_at IS NULL OR d.expires_at > $5)
   AND {access.VisibleProcess}
   AND (d.owner_kind = 'PROCESS' AND d.owner_id = $3
    OR d.owner_kind = 'PROCESS_ACTION'
       AND d.owner_id IN (SELECT x.id FROM process_actions x WHERE x.process_id = $3))
   AND {access.VisibleDocument}
 ORDER BY d.name, d.id
 LIMIT $6::bigint;

-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = "01970000-0000-7000-8000-00000000a001"
-- $3 = "01970000-0000-7000-8000-000000000001"
-- $4 = ""
-- $5 = "2026-01-02T03:04:05Z"
SELECT count(*)
  FROM processes p
  JOIN documents d ON d.tenant_id = p.tenant_id
  LEFT JOIN principals s ON s.id = d.created_by
  LEFT JOIN person_names aname ON aname.tenant_id = p.tenant_id AND aname.principal_id = d.created_by
 WHERE p.tenant_id = $2
   AND p.id = $3 AND $4 = ''
   AND (d.expires_at IS NULL OR d.expires_at > $5)
   AND {access.VisibleProcess}
   AND (d.owner_kind = 'PROCESS' AND d.owner_id = $3
    OR d.owner_kind = 'PROCESS_ACTION'
       AND d.owner_id IN (SELECT x.id FROM process_actions x WHERE x.process_id = $3))
   AND {access.VisibleDocument};
