-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = "01970000-0000-7000-8000-00000000a001"
-- $3 = "01970000-0000-7000-8000-000000000001"
-- $4 = 25
SELECT a.id, a.tenant_id, a.definition_id, a.definition_code,
       a.created_by, a.created_at, a.last_modified_by, a.last_modified_at,
       a.deleted_at, a.deleted_by,
       (SELECT jsonb_object_agg(x.field, CASE WHEN x.text_value IS NOT NULL THEN x.text_value || coalesce(x.text_rest, '')
                                                     ELSE coalesce(x.text_folded, x.number_value::text, to_char(x.date_value, 'YYYY-MM-DD')) END) FROM business_artifact_index x WHERE x.business_artifact_id = a.id),
       coalesce((SELECT n.name FROM person_names n WHERE n.tenant_id = a.tenant_id AND n.principal_id = a.last_modified_by),
                (SELECT s.name FROM principals s WHERE s.id = a.last_modified_by), '')
  FROM business_artifacts a
 WHERE a.tenant_id = $2
   AND NOT EXISTS (SELECT 1 FROM business_artifacts y WHERE y.id = a.id AND y.deleted_at IS NOT NULL)
   AND {access.VisibleArtifact}
   AND a.definition_id = $3
 ORDER BY a.created_at, a.id
 LIMIT $4::bigint;

-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = "01970000-0000-7000-8000-00000000a001"
-- $3 = "01970000-0000-7000-8000-000000000001"
SELECT coalesce((SELECT sum(n)
  FROM artifact_counts_now(ARRAY[$2]::uuid[]) a
 WHERE a.tenant_id = $2
   AND a.definition_id = $3
   AND {access.VisibleArtifact}), 0)::bigint;

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
