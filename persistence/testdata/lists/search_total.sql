SELECT set_config('plan_cache_mode', 'force_generic_plan', true);

-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = "01970000-0000-7000-8000-000000000001"
-- $3 = "tier"
-- $4 = "GOLD"
-- $5 = 20001
WITH f AS MATERIALIZED (
SELECT x1.business_artifact_id AS id, x1.created_at
  FROM business_artifact_index x1
 WHERE x1.definition_id = $2
   AND x1.field = $3
   AND x1.text_value IS NOT NULL
   AND x1.text_value = $4
   AND x1.definition_id = ANY({access.ReadableArtifactDefinitions})
   AND NOT EXISTS (SELECT 1 FROM business_artifacts y WHERE y.id = x1.business_artifact_id AND y.deleted_at IS NOT NULL)
 LIMIT $5),
n AS MATERIALIZED (
SELECT count(*) AS n
  FROM f),
t AS MATERIALIZED (
SELECT CASE WHEN n < $5 THEN n ELSE (SELECT count(*)
  FROM business_artifact_index x1
 WHERE x1.definition_id = $2
   AND x1.field = $3
   AND x1.text_value IS NOT NULL
   AND x1.text_value = $4
   AND x1.definition_id = ANY({access.ReadableArtifactDefinitions})
   AND NOT EXISTS (SELECT 1 FROM business_artifacts y WHERE y.id = x1.business_artifact_id AND y.deleted_at IS NOT NULL)) END AS total
  FROM n)
SELECT total
  FROM t;

-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = ["01970000-0000-7000-8000-00000000a001"]

SELECT r.id, r.code, r.tenant_id, r.last_modified_at
  FROM resources r
 WHERE r.kind = 'BusinessArtifactDefinition' AND r.tenant_id = ANY($2)
   AND r.id = ANY({access.ReadableArtifactDefinitions})
 ORDER BY r.id;
