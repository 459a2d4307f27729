SELECT set_config('plan_cache_mode', 'force_generic_plan', true);

-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = "01970000-0000-7000-8000-00000000a001"
-- $3 = "RUNNING"
-- $4 = "01970000-0000-7000-8000-000000000001"
-- $5 = "01970000-0000-7000-8000-000000000001"
-- $6 = 50
SELECT p.id, p.subject, p.state, p.process_definition_id, coalesce(v.names, to_jsonb(v.name), '""'), coalesce(sname.name, s.name),
       (SELECT count(*) FROM process_items o WHERE o.process_id = p.id AND o.task_state IN ('READY', 'CLAIMED')),
       p.created_at, p.last_modified_at, (SELECT jsonb_build_object('code', CASE WHEN r.state = 'PENDING' THEN 'STARTING'
            WHEN r.state = 'FAILED' THEN 'FAILED'
            WHEN r.finding = 'STUCK' THEN 'STUCK'
            WHEN r.finding = 'UNSERVED' OR w.failing_since IS NOT NULL THEN 'UNKNOWN'
            ELSE coalesce(r.finding, 'RUNNING') END,
               'since', CASE WHEN r.state = 'PENDING' THEN r.last_active_at
                             WHEN r.state = 'FAILED' THEN r.closed_at
                             WHEN r.finding IS NULL AND w.failing_since IS NOT NULL THEN w.failing_since
                             ELSE coalesce(r.finding_at, r.created_at, p.created_at) END,
               'unserved', CASE WHEN r.finding = 'UNSERVED' THEN coalesce(r.unserved_queue, r.task_queue) ELSE '' END,
               'message', i.message, 'kind', coalesce(i.kind, ''), 'incidentId', CASE WHEN i.state = 'OPEN' THEN i.id END)
          FROM (VALUES (p.id)) one (id)
          LEFT JOIN engine_runs r ON r.owner_id = one.id AND r.kind = 'PROCESS'
          LEFT JOIN engine_watermarks w ON w.namespace = r.namespace
          LEFT JOIN LATERAL (SELECT i.id, i.state, i.kind, i.message FROM incidents i
                              WHERE i.process_id = one.id
                                AND (i.state = 'OPEN' OR i.state = 'DISMISSED' AND i.engine_run_id = r.id
                                                         AND (r.state = 'FAILED' OR r.finding = 'STUCK'))
                              ORDER BY i.engine_run_id = r.id DESC NULLS LAST, i.created_at DESC LIMIT 1) i ON true
         WHERE p.state = 'RUNNING' AND (r.id IS NOT NULL OR i.id IS NOT NULL)), (SELECT jsonb_object_agg(x.field, CASE WHEN x.text_value IS NOT NULL THEN x.text_value || coalesce(x.text_rest, '')
                                                     ELSE coalesce(x.text_folded, x.number_value::text, to_char(x.date_value, 'YYYY-MM-DD')) END) FROM process_index x WHERE x.process_id = p.id)
  FROM (SELECT p.*
  FROM processes p
 WHERE p.tenant_id = $2
   AND p.deleted_at IS NULL
   AND {access.VisibleProcess}
   AND p.state = $3
   AND p.process_definition_id = $4
   AND p.initiator_id = $5
 ORDER BY p.last_modified_at DESC, p.id
 LIMIT 25 OFFSET $6::bigint) p
  JOIN process_definition_versions v ON v.version = p.process_version
  JOIN principals s ON s.id = p.initiator_id
  LEFT JOIN person_names sname ON sname.tenant_id = p.tenant_id AND sname.principal_id = p.initiator_id
 ORDER BY p.last_modified_at DESC, p.id;

-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = "01970000-0000-7000-8000-00000000a001"
-- $3 = "RUNNING"
-- $4 = "01970000-0000-7000-8000-000000000001"
-- $5 = "01970000-0000-7000-8000-000000000001"
SELECT count(*)
  FROM processes p
 WHERE p.tenant_id = $2
   AND p.deleted_at IS NULL
   AND {access.VisibleProcess}
   AND p.state = $3
   AND p.process_definition_id = $4
   AND p.initiator_id = $5;

-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = "01970000-0000-7000-8000-00000000a001"
SELECT d.id, coalesce(v.names, to_jsonb(v.name), '""')
  FROM process_definitions d
  JOIN LATERAL (
    SELECT v.version, v.name, v.names, v.description, v.version IS NOT DISTINCT FROM d.published_version AS published
      FROM process_definition_versions v
     WHERE v.process_definition_id = d.id AND {access.VisibleVersion}
     ORDER BY published DESC, v.number DESC
     LIMIT 1) v ON true
 WHERE d.tenant_id = $2
 ORDER BY v.name, d.id
 LIMIT 200;

-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = "01970000-0000-7000-8000-00000000a001"
SELECT count(*) FROM (SELECT 1
  FROM processes p
 WHERE p.tenant_id = $2
   AND p.deleted_at IS NULL
   AND {access.VisibleProcess}
   AND p.state = 'RUNNING' AND p.id = ANY(ARRAY((SELECT r.owner_id FROM engine_runs r
              WHERE r.tenant_id = ANY(ARRAY[$2]::uuid[]) AND r.kind = 'PROCESS' AND r.state = 'FAILED' LIMIT 10000)
             UNION ALL
            (SELECT r.owner_id FROM engine_runs r
              WHERE r.tenant_id = ANY(ARRAY[$2]::uuid[]) AND r.kind = 'PROCESS' AND r.finding = 'STUCK' LIMIT 10000)
             UNION ALL
            (SELECT n.process_id FROM incidents n
              WHERE n.tenant_id = ANY(ARRAY[$2]::uuid[]) AND n.state = 'OPEN' AND n.process_id IS NOT NULL LIMIT 10000))) LIMIT 1000) q;

-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = "01970000-0000-7000-8000-00000000a001"
SELECT count(*) FROM (SELECT 1
  FROM processes p
 WHERE p.tenant_id = $2
   AND p.deleted_at IS NULL
   AND {access.VisibleProcess}
   AND p.state = 'RUNNING' AND p.id = ANY(ARRAY(((SELECT r.owner_id FROM engine_runs r
              WHERE r.tenant_id = ANY(ARRAY[$2]::uuid[]) AND r.kind = 'PROCESS' AND r.state = 'PENDING'
                AND r.last_active_at < now() - interval '10 seconds' LIMIT 10000)
             UNION ALL
            (SELECT r.owner_id FROM engine_runs r
              WHERE r.tenant_id = ANY(ARRAY[$2]::uuid[]) AND r.kind = 'PROCESS' AND r.finding = 'UNSERVED' LIMIT 10000)
             UNION ALL
            (SELECT r.owner_id FROM engine_watermarks w
              CROSS JOIN LATERAL (SELECT r.owner_id FROM engine_runs r
                                   WHERE r.namespace = w.namespace AND r.state = 'RUNNING' AND r.tenant_id = ANY(ARRAY[$2]::uuid[])
                                     AND r.kind = 'PROCESS' AND r.finding IS DISTINCT FROM 'STUCK' LIMIT 10000) r
              WHERE w.failing_since IS NOT NULL))
 EXCEPT
((SELECT r.owner_id FROM engine_runs r
              WHERE r.tenant_id = ANY(ARRAY[$2]::uuid[]) AND r.kind = 'PROCESS' AND r.state = 'FAILED' LIMIT 10000)
             UNION ALL
            (SELECT r.owner_id FROM engine_runs r
              WHERE r.tenant_id = ANY(ARRAY[$2]::uuid[]) AND r.kind = 'PROCESS' AND r.finding = 'STUCK' LIMIT 10000)
             UNION ALL
            (SELECT n.process_id FROM incidents n
              WHERE n.tenant_id = ANY(ARRAY[$2]::uuid[]) AND n.state = 'OPEN' AND n.process_id IS NOT NULL LIMIT 10000)))) LIMIT 1000) q;

-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = ["01970000-0000-7000-8000-00000000a001"]
-- $3 = "01970000-0000-7000-8000-000000000001"

WITH i AS MATERIALIZED (
    SELECT (v.spec -> 'i18n')::jsonb AS texts
      FROM process_definitions d JOIN process_definition_versions v ON v.version = d.published_version
     WHERE d.id = $3)
SELECT f.field, f.type, coalesce((SELECT jsonb_build_object('source', '', 'default', coalesce(i.texts ->> 'default', CASE WHEN i.texts IS NULL THEN '' ELSE 'en' END),
       'in', coalesce((SELECT jsonb_object_agg(l.key, l.text)
                         FROM (SELECT e.key, coalesce(e.value ->> (f.field || '.name'), e.value ->> (f.field || '.label')) AS text
                                 FROM jsonb_each(i.texts) e WHERE jsonb_typeof(e.value) = 'object') l
                        WHERE l.text IS NOT NULL), '{}')) FROM i), '""')
  FROM (SELECT x.field, min(x.type) AS type
          FROM process_definition_indexes x
         WHERE x.tenant_id = ANY($2) AND x.process_definition_id = $3
           AND EXISTS (SELECT 1 FROM processes p WHERE p.process_definition_id = x.process_definition_id AND {access.VisibleProcess})
         GROUP BY x.field) f
 ORDER BY f.field;
