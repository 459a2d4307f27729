SELECT set_config('plan_cache_mode', 'force_generic_plan', true);

-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = "01970000-0000-7000-8000-000000000001"
-- $3 = "since"
-- $4 = "2026-01-03T03:04:05Z"
-- $5 = "2026-01-02T03:04:05Z"
-- $6 = 20001
-- $7 = 25
-- $8 = 50
WITH f AS MATERIALIZED (
SELECT x1.business_artifact_id AS id, x1.created_at
  FROM business_artifact_index x1
 WHERE x1.definition_id = $2
   AND x1.field = $3
   AND x1.date_value IS NOT NULL
   AND x1.date_value <= $4::date AND coalesce(CASE WHEN x1.text_folded IS NOT NULL THEN x1.time_value END, x1.date_value::timestamp AT TIME ZONE 'UTC') <= $5
   AND x1.definition_id = ANY({access.ReadableArtifactDefinitions})
   AND NOT EXISTS (SELECT 1 FROM business_artifacts y WHERE y.id = x1.business_artifact_id AND y.deleted_at IS NOT NULL)
 LIMIT $6),
n AS MATERIALIZED (
SELECT count(*) AS n
  FROM f),
t AS MATERIALIZED (
SELECT CASE WHEN n < $6 THEN n ELSE (SELECT count(*)
  FROM business_artifact_index x1
 WHERE x1.definition_id = $2
   AND x1.field = $3
   AND x1.date_value IS NOT NULL
   AND x1.date_value <= $4::date AND coalesce(CASE WHEN x1.text_folded IS NOT NULL THEN x1.time_value END, x1.date_value::timestamp AT TIME ZONE 'UTC') <= $5
   AND x1.definition_id = ANY({access.ReadableArtifactDefinitions})
   AND NOT EXISTS (SELECT 1 FROM business_artifacts y WHERE y.id = x1.business_artifact_id AND y.deleted_at IS NOT NULL)) END AS total
  FROM n),
w AS MATERIALIZED (
SELECT a.id, a.last_modified_at
  FROM business_artifacts a
 WHERE (SELECT n FROM n) >= 1500 AND (SELECT n FROM n) < $6
   AND a.tenant_id = (SELECT r.tenant_id FROM resources r WHERE r.id = $2)
   AND a.definition_id = $2
 ORDER BY a.last_modified_at DESC, a.id
 LIMIT (SELECT least(20000, 2000000 * $7 / greatest(n, 1)) FROM n)),
c AS MATERIALIZED (
(SELECT a.id
  FROM w a JOIN f ON f.id = a.id
 ORDER BY a.last_modified_at DESC, a.id
 LIMIT $7 OFFSET $8)),
p AS MATERIALIZED (
(SELECT a.id
  FROM (SELECT a.id, a.last_modified_at
  FROM business_artifacts a
 WHERE (SELECT n FROM n) >= $6
   AND a.tenant_id = (SELECT r.tenant_id FROM resources r WHERE r.id = $2)
   AND a.definition_id = $2
 ORDER BY a.last_modified_at DESC, a.id
 LIMIT 5000) a
 CROSS JOIN LATERAL (SELECT 1
  FROM business_artifact_index x1
 WHERE x1.definition_id = $2
   AND x1.field = $3
   AND x1.date_value IS NOT NULL
   AND x1.date_value <= $4::date AND coalesce(CASE WHEN x1.text_folded IS NOT NULL THEN x1.time_value END, x1.date_value::timestamp AT TIME ZONE 'UTC') <= $5
   AND x1.definition_id = ANY({access.ReadableArtifactDefinitions})
   AND NOT EXISTS (SELECT 1 FROM business_artifacts y WHERE y.id = x1.business_artifact_id AND y.deleted_at IS NOT NULL)
   AND x1.business_artifact_id = a.id
 LIMIT 1) x
 ORDER BY a.last_modified_at DESC, a.id
 LIMIT $7 OFFSET $8)),
m AS MATERIALIZED (
SELECT c.id FROM c WHERE (SELECT count(*) FROM c) = greatest(0, least($7, (SELECT n FROM n) - $8))
 UNION ALL
(SELECT a.id
  FROM f JOIN business_artifacts a ON a.id = f.id
 WHERE (SELECT n FROM n) < $6
   AND NOT (SELECT count(*) FROM c) = greatest(0, least($7, (SELECT n FROM n) - $8))
 ORDER BY a.last_modified_at DESC, a.id
 LIMIT $7 OFFSET $8)
 UNION ALL
SELECT p.id FROM p WHERE (SELECT count(*) FROM p) = $7
 UNION ALL
(SELECT a.id
  FROM (SELECT x1.business_artifact_id AS id, x1.created_at
  FROM business_artifact_index x1
 WHERE x1.definition_id = $2
   AND x1.field = $3
   AND x1.date_value IS NOT NULL
   AND x1.date_value <= $4::date AND coalesce(CASE WHEN x1.text_folded IS NOT NULL THEN x1.time_value END, x1.date_value::timestamp AT TIME ZONE 'UTC') <= $5
   AND x1.definition_id = ANY({access.ReadableArtifactDefinitions})
   AND NOT EXISTS (SELECT 1 FROM business_artifacts y WHERE y.id = x1.business_artifact_id AND y.deleted_at IS NOT NULL)) f JOIN business_artifacts a ON a.id = f.id
 WHERE (SELECT n FROM n) >= $6
   AND NOT (SELECT count(*) FROM p) = $7
 ORDER BY a.last_modified_at DESC, a.id
 LIMIT $7 OFFSET $8))
SELECT t.total, a.id, a.tenant_id, a.definition_id, a.definition_code,
       a.created_by, a.created_at, a.last_modified_by, a.last_modified_at,
       a.deleted_at, a.deleted_by
  FROM t LEFT JOIN (m JOIN business_artifacts a ON a.id = m.id) ON true
 ORDER BY a.last_modified_at DESC, a.id;

-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = ["01970000-0000-7000-8000-00000000a001"]

SELECT r.id, r.code, r.tenant_id, r.last_modified_at
  FROM resources r
 WHERE r.kind = 'BusinessArtifactDefinition' AND r.tenant_id = ANY($2)
   AND r.id = ANY({access.ReadableArtifactDefinitions})
 ORDER BY r.id;
