-- Statements to create a manual process: each pipeline is a round trip.
\set i :i + 1
\set n :base + (:client_id + :lane) * :stride + :i
\startpipeline
BEGIN;
SELECT p.id, p.tenant_id, p.process_definition_id, p.process_version, p.process_definition_code,
       p.state, p.initiator_id, p.created_by, p.created_at, p.last_modified_by, p.last_modified_at,
       p.deleted_at, p.deleted_by,
       p.metadata, p.metadata_valid, p.metadata_errors, p.entity, p.entity_valid, p.entity_errors,
       p.subject, p.element_values, p.tenant_id = ANY(:tenants) AND (p.initiator_id = :alice
    OR p.process_definition_id = ANY(ARRAY(SELECT g.process_definition_id FROM process_definition_grants g
      WHERE g.permission IN ('VIEWER', 'MANAGER') AND g.grantee_id = ANY(ARRAY(SELECT :alice::uuid
                                         UNION ALL
                                        SELECT m.group_id FROM group_members m WHERE m.principal_id = :alice))))
    OR p.process_version = ANY(ARRAY(SELECT v.version FROM process_definition_versions v WHERE v.runner_id = :alice))
    OR EXISTS (SELECT 1 FROM process_items i
                WHERE i.process_id = p.id
                  AND (i.owner_id = :alice OR i.item_definition_id = ANY(ARRAY(SELECT g.item_definition_id FROM item_definition_grants g
      WHERE g.permission = 'CANDIDATE' AND g.grantee_id = ANY(ARRAY(SELECT :alice::uuid
                                         UNION ALL
                                        SELECT m.group_id FROM group_members m WHERE m.principal_id = :alice)))))))
  FROM processes p
 WHERE p.id = (:process::text || :n::text)::uuid;
SELECT d.id, d.tenant_id, d.published_version,
       coalesce(bool_or(g.permission = 'INITIATOR'), false),
       coalesce(bool_or(g.permission = 'VIEWER'), false),
       coalesce(bool_or(g.permission = 'MANAGER'), false)
  FROM process_definitions d
  LEFT JOIN process_definition_grants g ON g.process_definition_id = d.id AND g.grantee_id = ANY(ARRAY(SELECT :alice::uuid
                                         UNION ALL
                                        SELECT m.group_id FROM group_members m WHERE m.principal_id = :alice))
 WHERE d.tenant_id = ANY(:tenants)
   AND (NULL::uuid IS NULL OR d.id = NULL)
   AND (:tenant::uuid IS NULL OR d.tenant_id = :tenant)
   AND ('ONBOARDING' = '' OR NULL IS NOT NULL OR d.code = 'ONBOARDING')
 GROUP BY d.id
 LIMIT 2;
SELECT p.id, r.to_id = (:process::text || :n::text)::uuid::uuid
  FROM process_relations r
  JOIN processes p ON p.id = CASE r.to_id WHEN (:process::text || :n::text)::uuid THEN r.from_id ELSE r.to_id END
 WHERE (:process::text || :n::text)::uuid IN (r.from_id, r.to_id) AND p.tenant_id = ANY(:tenants) AND (p.initiator_id = :alice
    OR p.process_definition_id = ANY(ARRAY(SELECT g.process_definition_id FROM process_definition_grants g
      WHERE g.permission IN ('VIEWER', 'MANAGER') AND g.grantee_id = ANY(ARRAY(SELECT :alice::uuid
                                         UNION ALL
                                        SELECT m.group_id FROM group_members m WHERE m.principal_id = :alice))))
    OR p.process_version = ANY(ARRAY(SELECT v.version FROM process_definition_versions v WHERE v.runner_id = :alice))
    OR EXISTS (SELECT 1 FROM process_items i
                WHERE i.process_id = p.id
                  AND (i.owner_id = :alice OR i.item_definition_id = ANY(ARRAY(SELECT g.item_definition_id FROM item_definition_grants g
      WHERE g.permission = 'CANDIDATE' AND g.grantee_id = ANY(ARRAY(SELECT :alice::uuid
                                         UNION ALL
                                        SELECT m.group_id FROM group_members m WHERE m.principal_id = :alice)))))))
 ORDER BY p.created_at, p.id;
\endpipeline
\startpipeline
INSERT INTO processes (id, tenant_id, process_definition_id, process_version, process_definition_code, state,
                       initiator_id, created_by, created_at, last_modified_by, last_modified_at,
                       metadata, metadata_valid, metadata_errors, entity, entity_valid, entity_errors,
                       subject, element_values)
VALUES ((:process::text || :n::text)::uuid, :tenant, :definition,
        (SELECT v.version FROM process_definition_versions v WHERE v.version = :version AND v.process_definition_id = :definition),
        'ONBOARDING', 'RUNNING', :alice, :alice, :now, :alice, :now,
        NULL, NULL, NULL, '{}', 'f', '[{"propertyPath":"/name","type":"required"}]', 'Onboarding', NULL);
INSERT INTO events (id, tenant_id, process_id, type, resource_kind, resource_id, previous_state, state, details,
                    process_state, process_item_id, item_type, item_definition_code, task_state,
                    actor_id, request_id, occurred_at)
VALUES ((:fresh1::text || :n::text)::uuid, :tenant, (:process::text || :n::text)::uuid, 'PROCESS.CREATED', 'PROCESS', (:process::text || :n::text)::uuid, nullif(''::text, ''), nullif('RUNNING'::text, ''), '{"definitionCode":"ONBOARDING"}',
        nullif('RUNNING'::text, ''), NULL, nullif(''::text, ''), nullif(''::text, ''), nullif(''::text, ''), :alice, nullif((:fresh2::text || :n::text)::uuid::text, ''), :now);
INSERT INTO events (id, tenant_id, process_id, type, resource_kind, resource_id, previous_state, state, details,
                    process_state, process_item_id, item_type, item_definition_code, task_state,
                    actor_id, request_id, occurred_at)
VALUES ((:fresh3::text || :n::text)::uuid, :tenant, (:process::text || :n::text)::uuid, 'PROCESS.STATE_CHANGED', 'PROCESS', (:process::text || :n::text)::uuid, nullif(''::text, ''), nullif('RUNNING'::text, ''), NULL,
        nullif('RUNNING'::text, ''), NULL, nullif(''::text, ''), nullif(''::text, ''), nullif(''::text, ''), :alice, nullif((:fresh2::text || :n::text)::uuid::text, ''), :now);
COMMIT;
\endpipeline
