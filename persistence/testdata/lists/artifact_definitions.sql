-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = "01970000-0000-7000-8000-00000000a001"
-- $3 = "A"
-- $4 = true
-- $5 = 25
SELECT r.id, r.code, r.tenant_id, CASE WHEN r.spec -> 'i18n' IS NULL THEN to_jsonb(r.spec ->> 'name')
            ELSE jsonb_build_object('source', r.spec ->> 'name', 'default', coalesce(r.spec -> 'i18n' ->> 'default', 'en'), 'in',
                                    coalesce((SELECT jsonb_object_agg(l.key, l.value ->> (r.code || '.name'))
                                                FROM json_each(r.spec -> 'i18n') l
                                               WHERE l.key <> 'default' AND l.value ->> (r.code || '.name') IS NOT NULL), '{}'))
       END, (r.id = ANY({access.EditableArtifactDefinitions}))
  FROM resources r
 WHERE r.tenant_id = $2
   AND r.kind = 'BusinessArtifactDefinition' AND r.id = ANY({access.ReadableArtifactDefinitions})
   AND r.code = $3
   AND (r.id = ANY({access.EditableArtifactDefinitions})) = $4
 ORDER BY r.spec->>'name' DESC, r.id
 LIMIT $5::bigint;

-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = "01970000-0000-7000-8000-00000000a001"
-- $3 = "A"
-- $4 = true
SELECT count(*)
  FROM resources r
 WHERE r.tenant_id = $2
   AND r.kind = 'BusinessArtifactDefinition' AND r.id = ANY({access.ReadableArtifactDefinitions})
   AND r.code = $3
   AND (r.id = ANY({access.EditableArtifactDefinitions})) = $4;
