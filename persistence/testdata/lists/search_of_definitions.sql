SELECT set_config('plan_cache_mode', 'force_generic_plan', true);

-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = ["01970000-0000-7000-8000-000000000001","01970000-0000-7000-8000-000000000002"]
-- $3 = "balance"
-- $4 = "1"
-- $5 = "2"
-- $6 = 20001
-- $7 = 25
-- $8 = 0
WITH f AS MATERIALIZED (
SELECT x1.business_artifact_id AS id, x1.created_at
  FROM business_artifact_index x1
 WHERE x1.definition_id = ANY($2)
   AND x1.field = $3
   AND x1.number_value IS NOT NULL
   AND x1.number_value >= $4::text::numeric AND x1.number_value <= $5::text::numeric
   AND x1.definition_id = ANY({access.ReadableArtifactDefinitions})
   AND NOT EXISTS (SELECT 1 FROM business_artifacts y WHERE y.id = x1.business_artifact_id AND y.deleted_at IS NOT NULL)
 LIMIT $6),
n AS MATERIALIZED (
SELECT count(*) AS n
  FROM f),
t AS MATERIALIZED (
SELECT CASE WHEN n < $6 THEN n ELSE (SELECT count(*)
  FROM business_artifact_index x1
 WHERE x1.definition_id = ANY($2)
   AND x1.field = $3
   AND x1.number_value IS NOT NULL
   AND x1.number_value >= $4::text::numeric AND x1.number_value <= $5::text::numeric
   AND x1.definition_id = ANY({access.ReadableArtifactDefinitions})
   AND NOT EXISTS (SELECT 1 FROM business_artifacts y WHERE y.id = x1.business_artifact_id AND y.deleted_at IS NOT NULL)) END AS total
  FROM n),
m AS MATERIALIZED (
(SELECT a.id
  FROM f JOIN business_artifacts a ON a.id = f.id
 WHERE (SELECT n FROM n) < $6
 ORDER BY a.last_modified_at, a.id
 LIMIT $7 OFFSET $8)
 UNION ALL
(SELECT a.id
  FROM (SELECT x1.business_artifact_id AS id, x1.created_at
  FROM business_artifact_index x1
 WHERE x1.definition_id = ANY($2)
   AND x1.field = $3
   AND x1.number_value IS NOT NULL
   AND x1.number_value >= $4::text::numeric AND x1.number_value <= $5::text::numeric
   AND x1.definition_id = ANY({access.ReadableArtifactDefinitions})
   AND NOT EXISTS (SELECT 1 FROM business_artifacts y WHERE y.id = x1.business_artifact_id AND y.deleted_at IS NOT NULL)) f JOIN business_artifacts a ON a.id = f.id
 WHERE (SELECT n FROM n) >= $6
 ORDER BY a.last_modified_at, a.id
 LIMIT $7 OFFSET $8))
SELECT t.total, a.id, a.tenant_id, a.definition_id, a.definition_code,
       a.created_by, a.created_at, a.last_modified_by, a.last_modified_at,
       a.deleted_at, a.deleted_by
  FROM t LEFT JOIN (m JOIN business_artifacts a ON a.id = m.id) ON true
 ORDER BY a.last_modified_at, a.id;

-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = ["01970000-0000-7000-8000-00000000a001"]

SELECT r.id, r.code, r.tenant_id, r.last_modified_at
  FROM resources r
 WHERE r.kind = 'BusinessArtifactDefinition' AND r.tenant_id = ANY($2)
   AND r.id = ANY({access.ReadableArtifactDefinitions})
 ORDER BY r.id;
