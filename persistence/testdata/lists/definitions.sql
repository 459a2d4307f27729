-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = "01970000-0000-7000-8000-00000000a001"
-- $3 = true
-- $4 = "%hire%"
-- $5 = 25
SELECT d.id, v.version, d.code, d.tenant_id, coalesce(v.names, to_jsonb(v.name), '""'), coalesce(v.description, '""'), v.published, {access.StartableDefinition}
  FROM process_definitions d
  JOIN LATERAL (
    SELECT v.version, v.name, v.names, v.description, v.version IS NOT DISTINCT FROM d.published_version AS published
      FROM process_definition_versions v
     WHERE v.process_definition_id = d.id AND {access.VisibleVersion}
     ORDER BY published DESC, v.number DESC
     LIMIT 1) v ON true
 WHERE d.tenant_id = $2
   AND {access.StartableDefinition} = $3
   AND (search_key(v.name) LIKE search_key($4) OR search_key(coalesce((SELECT string_agg(m.value, chr(10)) FROM jsonb_each_text(v.names -> 'in') m), '')) LIKE search_key($4) OR search_key(d.code) LIKE search_key($4))
 ORDER BY d.id
 LIMIT $5::bigint;

-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = "01970000-0000-7000-8000-00000000a001"
-- $3 = true
-- $4 = "%hire%"
SELECT count(*)
  FROM process_definitions d
  JOIN LATERAL (
    SELECT v.version, v.name, v.names, v.description, v.version IS NOT DISTINCT FROM d.published_version AS published
      FROM process_definition_versions v
     WHERE v.process_definition_id = d.id AND {access.VisibleVersion}
     ORDER BY published DESC, v.number DESC
     LIMIT 1) v ON true
 WHERE d.tenant_id = $2
   AND {access.StartableDefinition} = $3
   AND (search_key(v.name) LIKE search_key($4) OR search_key(coalesce((SELECT string_agg(m.value, chr(10)) FROM jsonb_each_text(v.names -> 'in') m), '')) LIKE search_key($4) OR search_key(d.code) LIKE search_key($4));
