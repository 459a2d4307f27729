SELECT set_config('plan_cache_mode', 'force_custom_plan', true);

-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = "01970000-0000-7000-8000-000000000001"
-- $3 = "name"
-- $4 = "%Customer%"
-- $5 = "balance"
-- $6 = "1"
-- $7 = "2"
-- $8 = "tier"
-- $9 = "GOLD"
-- $10 = 20001
-- $11 = 25
-- $12 = 0
WITH f AS MATERIALIZED (
SELECT x1.business_artifact_id AS id, x1.created_at
  FROM business_artifact_index x1, business_artifact_index x2, business_artifact_index x3
 WHERE x1.definition_id = $2
   AND x1.field = $3
   AND x1.text_value IS NOT NULL
   AND x1.text_value IS NOT NULL AND coalesce(x1.text_folded, x1.text_value || coalesce(x1.text_rest, ''), x1.number_value::text,
       lpad(extract(year FROM x1.date_value)::text, 4, '0') || '-' || lpad(extract(month FROM x1.date_value)::text, 2, '0')
       || '-' || lpad(extract(day FROM x1.date_value)::text, 2, '0')) LIKE search_key($4)
   AND x2.definition_id = $2
   AND x2.field = $5
   AND x2.number_value IS NOT NULL
   AND x2.business_artifact_id = x1.business_artifact_id
   AND x2.number_value >= $6::text::numeric AND x2.number_value <= $7::text::numeric
   AND x3.definition_id = $2
   AND x3.field = $8
   AND x3.text_value IS NOT NULL
   AND x3.business_artifact_id = x1.business_artifact_id
   AND x3.text_value = $9
   AND x1.definition_id = ANY({access.ReadableArtifactDefinitions})
   AND NOT EXISTS (SELECT 1 FROM business_artifacts y WHERE y.id = x1.business_artifact_id AND y.deleted_at IS NOT NULL)
 LIMIT $10),
n AS MATERIALIZED (
SELECT count(*) AS n
  FROM f),
t AS MATERIALIZED (
SELECT n AS total
  FROM n),
p AS MATERIALIZED (
(SELECT a.id
  FROM (SELECT a.id, a.created_at
  FROM business_artifacts a
 WHERE (SELECT n FROM n) >= $10
   AND a.tenant_id = (SELECT r.tenant_id FROM resources r WHERE r.id = $2)
   AND a.definition_id = $2
 ORDER BY a.created_at, a.id
 LIMIT 5000) a
 CROSS JOIN LATERAL (SELECT 1
  FROM business_artifact_index x1, business_artifact_index x2, business_artifact_index x3
 WHERE x1.definition_id = $2
   AND x1.field = $3
   AND x1.text_value IS NOT NULL
   AND x1.text_value IS NOT NULL AND coalesce(x1.text_folded, x1.text_value || coalesce(x1.text_rest, ''), x1.number_value::text,
       lpad(extract(year FROM x1.date_value)::text, 4, '0') || '-' || lpad(extract(month FROM x1.date_value)::text, 2, '0')
       || '-' || lpad(extract(day FROM x1.date_value)::text, 2, '0')) LIKE search_key($4)
   AND x2.definition_id = $2
   AND x2.field = $5
   AND x2.number_value IS NOT NULL
   AND x2.business_artifact_id = x1.business_artifact_id
   AND x2.number_value >= $6::text::numeric AND x2.number_value <= $7::text::numeric
   AND x3.definition_id = $2
   AND x3.field = $8
   AND x3.text_value IS NOT NULL
   AND x3.business_artifact_id = x1.business_artifact_id
   AND x3.text_value = $9
   AND x1.definition_id = ANY({access.ReadableArtifactDefinitions})
   AND NOT EXISTS (SELECT 1 FROM business_artifacts y WHERE y.id = x1.business_artifact_id AND y.deleted_at IS NOT NULL)
   AND x1.business_artifact_id = a.id
 LIMIT 1) x
 ORDER BY a.created_at, a.id
 LIMIT $11 OFFSET $12)),
m AS MATERIALIZED (
(SELECT f.id
  FROM f
 WHERE (SELECT n FROM n) < $10
 ORDER BY f.created_at, f.id
 LIMIT $11 OFFSET $12)
 UNION ALL
SELECT p.id FROM p WHERE (SELECT count(*) FROM p) = $11
 UNION ALL
(SELECT f.id
  FROM (SELECT x1.business_artifact_id AS id, x1.created_at
  FROM business_artifact_index x1, business_artifact_index x2, business_artifact_index x3
 WHERE x1.definition_id = $2
   AND x1.field = $3
   AND x1.text_value IS NOT NULL
   AND x1.text_value IS NOT NULL AND coalesce(x1.text_folded, x1.text_value || coalesce(x1.text_rest, ''), x1.number_value::text,
       lpad(extract(year FROM x1.date_value)::text, 4, '0') || '-' || lpad(extract(month FROM x1.date_value)::text, 2, '0')
       || '-' || lpad(extract(day FROM x1.date_value)::text, 2, '0')) LIKE search_key($4)
   AND x2.definition_id = $2
   AND x2.field = $5
   AND x2.number_value IS NOT NULL
   AND x2.business_artifact_id = x1.business_artifact_id
   AND x2.number_value >= $6::text::numeric AND x2.number_value <= $7::text::numeric
   AND x3.definition_id = $2
   AND x3.field = $8
   AND x3.text_value IS NOT NULL
   AND x3.business_artifact_id = x1.business_artifact_id
   AND x3.text_value = $9
   AND x1.definition_id = ANY({access.ReadableArtifactDefinitions})
   AND NOT EXISTS (SELECT 1 FROM business_artifacts y WHERE y.id = x1.business_artifact_id AND y.deleted_at IS NOT NULL)) f
 WHERE (SELECT n FROM n) >= $10
   AND NOT (SELECT count(*) FROM p) = $11
 ORDER BY f.created_at, f.id
 LIMIT $11 OFFSET $12))
SELECT t.total, a.id, a.tenant_id, a.definition_id, a.definition_code,
       a.created_by, a.created_at, a.last_modified_by, a.last_modified_at,
       a.deleted_at, a.deleted_by
  FROM t LEFT JOIN (m JOIN business_artifacts a ON a.id = m.id) ON true
 ORDER BY a.created_at, a.id;

-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = ["01970000-0000-7000-8000-00000000a001"]

SELECT r.id, r.code, r.tenant_id, r.last_modified_at
  FROM resources r
 WHERE r.kind = 'BusinessArtifactDefinition' AND r.tenant_id = ANY($2)
   AND r.id = ANY({access.ReadableArtifactDefinitions})
 ORDER BY r.id;
