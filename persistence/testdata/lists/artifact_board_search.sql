SELECT set_config('plan_cache_mode', 'force_generic_plan', true);

-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = "01970000-0000-7000-8000-000000000001"
-- $3 = "tier"
-- $4 = "GOLD"
-- $5 = 20001
-- $6 = 25
-- $7 = 0
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
  FROM n),
p AS MATERIALIZED (
(SELECT a.id
  FROM (SELECT a.id, a.created_at
  FROM business_artifacts a
 WHERE (SELECT n FROM n) >= $5
   AND a.tenant_id = (SELECT r.tenant_id FROM resources r WHERE r.id = $2)
   AND a.definition_id = $2
 ORDER BY a.created_at, a.id
 LIMIT 5000) a
 CROSS JOIN LATERAL (SELECT 1
  FROM business_artifact_index x1
 WHERE x1.definition_id = $2
   AND x1.field = $3
   AND x1.text_value IS NOT NULL
   AND x1.text_value = $4
   AND x1.definition_id = ANY({access.ReadableArtifactDefinitions})
   AND NOT EXISTS (SELECT 1 FROM business_artifacts y WHERE y.id = x1.business_artifact_id AND y.deleted_at IS NOT NULL)
   AND x1.business_artifact_id = a.id
 LIMIT 1) x
 ORDER BY a.created_at, a.id
 LIMIT $6 OFFSET $7)),
m AS MATERIALIZED (
(SELECT f.id
  FROM f
 WHERE (SELECT n FROM n) < $5
 ORDER BY f.created_at, f.id
 LIMIT $6 OFFSET $7)
 UNION ALL
SELECT p.id FROM p WHERE (SELECT count(*) FROM p) = $6
 UNION ALL
(SELECT f.id
  FROM (SELECT x1.business_artifact_id AS id, x1.created_at
  FROM business_artifact_index x1
 WHERE x1.definition_id = $2
   AND x1.field = $3
   AND x1.text_value IS NOT NULL
   AND x1.text_value = $4
   AND x1.definition_id = ANY({access.ReadableArtifactDefinitions})
   AND NOT EXISTS (SELECT 1 FROM business_artifacts y WHERE y.id = x1.business_artifact_id AND y.deleted_at IS NOT NULL)) f
 WHERE (SELECT n FROM n) >= $5
   AND NOT (SELECT count(*) FROM p) = $6
 ORDER BY f.created_at, f.id
 LIMIT $6 OFFSET $7))
SELECT t.total, a.id, a.tenant_id, a.definition_id, a.definition_code,
       a.created_by, a.created_at, a.last_modified_by, a.last_modified_at,
       a.deleted_at, a.deleted_by,
       (SELECT jsonb_object_agg(x.field, CASE WHEN x.text_value IS NOT NULL THEN x.text_value || coalesce(x.text_rest, '')
                                                     ELSE coalesce(x.text_folded, x.number_value::text, to_char(x.date_value, 'YYYY-MM-DD')) END) FROM business_artifact_index x WHERE x.business_artifact_id = a.id),
       coalesce((SELECT n.name FROM person_names n WHERE n.tenant_id = a.tenant_id AND n.principal_id = a.last_modified_by),
                (SELECT s.name FROM principals s WHERE s.id = a.last_modified_by), '')
  FROM t LEFT JOIN (m JOIN business_artifacts a ON a.id = m.id) ON true
 ORDER BY a.created_at, a.id;

-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = ["01970000-0000-7000-8000-00000000a001"]

SELECT r.id, r.code, r.tenant_id, r.last_modified_at
  FROM resources r
 WHERE r.kind = 'BusinessArtifactDefinition' AND r.tenant_id = ANY($2)
   AND r.id = ANY({access.ReadableArtifactDefinitions})
 ORDER BY r.id;

-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = ["01970000-0000-7000-8000-00000000a001"]

SELECT r.id, CASE WHEN r.spec -> 'i18n' IS NULL THEN to_jsonb(r.spec ->> 'name')
            ELSE jsonb_build_object('source', r.spec ->> 'name', 'default', coalesce(r.spec -> 'i18n' ->> 'default', 'en'), 'in',
                                    coalesce((SELECT jsonb_object_agg(l.key, l.value ->> (r.code || '.name'))
                                                FROM json_each(r.spec -> 'i18n') l
                                               WHERE l.key <> 'default' AND l.value ->> (r.code || '.name') IS NOT NULL), '{}'))
       END, (SELECT jsonb_agg(jsonb_build_object('field', f.field, 'type', f.type, 'Label', jsonb_build_object('source', '', 'default', coalesce(i.texts ->> 'default', CASE WHEN i.texts IS NULL THEN '' ELSE 'en' END),
       'in', coalesce((SELECT jsonb_object_agg(l.key, l.text)
                         FROM (SELECT e.key, coalesce(e.value ->> (f.field || '.name'), e.value ->> (f.field || '.label')) AS text
                                 FROM jsonb_each(i.texts) e WHERE jsonb_typeof(e.value) = 'object') l
                        WHERE l.text IS NOT NULL), '{}'))) ORDER BY f.number)
          FROM (SELECT (r.spec -> 'i18n')::jsonb AS texts) i,
               (SELECT x.value ->> 'field' AS field, x.value ->> 'type' AS type, x.number
                  FROM json_array_elements(CASE WHEN r.spec -> 'indexes' IS NOT NULL THEN r.spec -> 'indexes' END)
                       WITH ORDINALITY x (value, number)) f), r.id = ANY({access.EditableArtifactDefinitions})
  FROM resources r
 WHERE r.kind = 'BusinessArtifactDefinition' AND r.tenant_id = ANY($2)
   AND r.id = ANY({access.ReadableArtifactDefinitions})
 ORDER BY r.spec ->> 'name', r.id
 LIMIT 200;
