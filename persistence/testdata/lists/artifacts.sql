-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = "01970000-0000-7000-8000-00000000a001"
-- $3 = 25
SELECT a.id, a.tenant_id, a.definition_id, a.definition_code,
       a.created_by, a.created_at, a.last_modified_by, a.last_modified_at,
       a.deleted_at, a.deleted_by
  FROM business_artifacts a
 WHERE a.tenant_id = $2
   AND NOT EXISTS (SELECT 1 FROM business_artifacts y WHERE y.id = a.id AND y.deleted_at IS NOT NULL)
   AND {access.VisibleArtifact}
 ORDER BY a.created_at, a.id
 LIMIT $3::bigint;

-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = "01970000-0000-7000-8000-00000000a001"
SELECT coalesce((SELECT sum(n)
  FROM artifact_counts_now(ARRAY[$2]::uuid[]) a
 WHERE a.tenant_id = $2
   AND {access.VisibleArtifact}), 0)::bigint;
