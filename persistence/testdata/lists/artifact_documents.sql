-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = "01970000-0000-7000-8000-00000000a001"
-- $3 = "01970000-0000-7000-8000-000000000001"
-- $4 = ""
-- $5 = "2026-01-02T03:04:05Z"
-- $6 = 25
SELECT d.id, d.tenant_id, d.owner_kind, d.owner_id, d.blob_id, d.name, d.content_type, d.size, d.sha256,
       d.expires_at, d.created_by, d.created_at, coalesce(aname.name, s.name, '')
  FROM business_artifacts a
  JOIN documents d ON d.tenant_id = a.tenant_id
  LEFT JOIN principals s ON s.id = d.created_by
  LEFT JOIN person_names aname ON aname.tenant_id = a.tenant_id AND aname.principal_id = d.created_by
 WHERE a.tenant_id = $2
   AND a.id = $3 AND $4 = ''
   AND (d.expires_at IS NULL OR d.expires_at > $5)
   AND {access.VisibleArtifact}
   AND (d.owner_kind = 'BUSINESS_ARTIFACT' AND d.owner_id = $3
    OR d.owner_kind = 'BUSINESS_ARTIFACT_ACTION'
       AND d.owner_id IN (SELECT x.id FROM business_artifact_actions x WHERE x.business_artifact_id = $3))
   AND {access.VisibleArtifactDocument}
 ORDER BY d.created_at DESC, d.id
 LIMIT $6::bigint;

-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = "01970000-0000-7000-8000-00000000a001"
-- $3 = "01970000-0000-7000-8000-000000000001"
-- $4 = ""
-- $5 = "2026-01-02T03:04:05Z"
SELECT count(*)
  FROM business_artifacts a
  JOIN documents d ON d.tenant_id = a.tenant_id
  LEFT JOIN principals s ON s.id = d.created_by
  LEFT JOIN person_names aname ON aname.tenant_id = a.tenant_id AND aname.principal_id = d.created_by
 WHERE a.tenant_id = $2
   AND a.id = $3 AND $4 = ''
   AND (d.expires_at IS NULL OR d.expires_at > $5)
   AND {access.VisibleArtifact}
   AND (d.owner_kind = 'BUSINESS_ARTIFACT' AND d.owner_id = $3
    OR d.owner_kind = 'BUSINESS_ARTIFACT_ACTION'
       AND d.owner_id IN (SELECT x.id FROM business_artifact_actions x WHERE x.business_artifact_id = $3))
   AND {access.VisibleArtifactDocument};
