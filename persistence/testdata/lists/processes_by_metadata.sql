-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = "01970000-0000-7000-8000-00000000a001"
-- $3 = ["01970000-0000-7000-8000-00000000a001"]
-- $4 = "amount"
-- $5 = "5"
-- $6 = "5"
-- $7 = ["01970000-0000-7000-8000-00000000a001"]
-- $8 = "since"
-- $9 = "2026-01-01"
-- $10 = "2026-01-02"
-- $11 = "2026-01-01"
-- $12 = "2026-01-02"
-- $13 = 25
SELECT p.id, p.tenant_id, p.process_definition_id, p.process_version, p.process_definition_code,
       p.state, p.initiator_id, p.created_by, p.created_at, p.last_modified_by, p.last_modified_at,
       p.deleted_at, p.deleted_by, p.due_at, (SELECT jsonb_build_object('code', CASE WHEN r.state = 'PENDING' THEN 'STARTING'
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
         WHERE p.state = 'RUNNING' AND (r.id IS NOT NULL OR i.id IS NOT NULL)), {access.ManagesProcess}, p.process_definition_id = ANY(ARRAY(SELECT g.process_definition_id FROM process_definition_grants g
      WHERE g.permission = 'ADMINISTRATOR' AND {access.CallerIsGrantee}))
  FROM processes p
 WHERE p.tenant_id = $2
   AND p.deleted_at IS NULL
   AND {access.VisibleProcess}
   AND p.id IN (SELECT x.process_id FROM process_index x
          WHERE x.process_definition_id = ANY(ARRAY(SELECT f.process_definition_id FROM process_definition_indexes f
                                                     WHERE f.tenant_id = ANY($3) AND f.field = $4))
            AND x.field = $4 AND ((x.text_value >= $5) OR (x.number_value >= $6::text::numeric)))
   AND p.id IN (SELECT x.process_id FROM process_index x
          WHERE x.process_definition_id = ANY(ARRAY(SELECT f.process_definition_id FROM process_definition_indexes f
                                                     WHERE f.tenant_id = ANY($7) AND f.field = $8))
            AND x.field = $8 AND ((x.text_value >= $9 AND x.text_value <= $10) OR (x.date_value >= $11::text::date AND x.date_value <= $12::text::date)))
 ORDER BY p.created_at, p.id
 LIMIT $13::bigint;

-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = "01970000-0000-7000-8000-00000000a001"
-- $3 = ["01970000-0000-7000-8000-00000000a001"]
-- $4 = "amount"
-- $5 = "5"
-- $6 = "5"
-- $7 = ["01970000-0000-7000-8000-00000000a001"]
-- $8 = "since"
-- $9 = "2026-01-01"
-- $10 = "2026-01-02"
-- $11 = "2026-01-01"
-- $12 = "2026-01-02"
SELECT count(*)
  FROM processes p
 WHERE p.tenant_id = $2
   AND p.deleted_at IS NULL
   AND {access.VisibleProcess}
   AND p.id IN (SELECT x.process_id FROM process_index x
          WHERE x.process_definition_id = ANY(ARRAY(SELECT f.process_definition_id FROM process_definition_indexes f
                                                     WHERE f.tenant_id = ANY($3) AND f.field = $4))
            AND x.field = $4 AND ((x.text_value >= $5) OR (x.number_value >= $6::text::numeric)))
   AND p.id IN (SELECT x.process_id FROM process_index x
          WHERE x.process_definition_id = ANY(ARRAY(SELECT f.process_definition_id FROM process_definition_indexes f
                                                     WHERE f.tenant_id = ANY($7) AND f.field = $8))
            AND x.field = $8 AND ((x.text_value >= $9 AND x.text_value <= $10) OR (x.date_value >= $11::text::date AND x.date_value <= $12::text::date)));

-- $1 = ["01970000-0000-7000-8000-00000000a001"]
-- $2 = ["amount","since"]

SELECT DISTINCT f.field, f.type
  FROM process_definition_indexes f
 WHERE f.tenant_id = ANY($1) AND f.field = ANY($2)
 ORDER BY f.field, f.type;
