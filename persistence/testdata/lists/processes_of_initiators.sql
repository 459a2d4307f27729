-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = "01970000-0000-7000-8000-00000000a001"
-- $3 = "01970000-0000-7000-8000-000000000001"
-- $4 = ["alice@example.com"]
-- $5 = 25
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
   AND p.deleted_at IS NOT NULL
   AND {access.VisibleProcess}
   AND p.initiator_id = $3
   AND p.initiator_id IN (SELECT u.id FROM principals u
          WHERE email_key(u.email) = ANY(SELECT email_key(e) FROM unnest($4::text[]) e))
 ORDER BY p.id
 LIMIT $5::bigint;

-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = "01970000-0000-7000-8000-00000000a001"
-- $3 = "01970000-0000-7000-8000-000000000001"
-- $4 = ["alice@example.com"]
SELECT count(*)
  FROM processes p
 WHERE p.tenant_id = $2
   AND p.deleted_at IS NOT NULL
   AND {access.VisibleProcess}
   AND p.initiator_id = $3
   AND p.initiator_id IN (SELECT u.id FROM principals u
          WHERE email_key(u.email) = ANY(SELECT email_key(e) FROM unnest($4::text[]) e));
