-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = "01970000-0000-7000-8000-00000000a001"
-- $3 = "%Gold\\_%"
-- $4 = 25
SELECT a.id, a.tenant_id, a.definition_id, a.definition_code,
       a.created_by, a.created_at, a.last_modified_by, a.last_modified_at,
       a.deleted_at, a.deleted_by
  FROM business_artifacts a
 WHERE a.tenant_id = $2
   AND NOT EXISTS (SELECT 1 FROM business_artifacts y WHERE y.id = a.id AND y.deleted_at IS NOT NULL)
   AND {access.VisibleArtifact}
   AND EXISTS (SELECT 1 FROM business_artifact_index x WHERE x.business_artifact_id = a.id AND coalesce(x.text_folded, x.text_value || coalesce(x.text_rest, ''), x.number_value::text,
       lpad(extract(year FROM x.date_value)::text, 4, '0') || '-' || lpad(extract(month FROM x.date_value)::text, 2, '0')
       || '-' || lpad(extract(day FROM x.date_value)::text, 2, '0')) LIKE search_key($3))
 ORDER BY a.created_at, a.id
 LIMIT $4::bigint;

-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = "01970000-0000-7000-8000-00000000a001"
-- $3 = "%Gold\\_%"
SELECT count(*)
  FROM business_artifacts a
 WHERE a.tenant_id = $2
   AND NOT EXISTS (SELECT 1 FROM business_artifacts y WHERE y.id = a.id AND y.deleted_at IS NOT NULL)
   AND {access.VisibleArtifact}
   AND EXISTS (SELECT 1 FROM business_artifact_index x WHERE x.business_artifact_id = a.id AND coalesce(x.text_folded, x.text_value || coalesce(x.text_rest, ''), x.number_value::text,
       lpad(extract(year FROM x.date_value)::text, 4, '0') || '-' || lpad(extract(month FROM x.date_value)::text, 2, '0')
       || '-' || lpad(extract(day FROM x.date_value)::text, 2, '0')) LIKE search_key($3));
