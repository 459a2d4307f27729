-- $1 = ["01970000-0000-7000-8000-000000000001","01970000-0000-7000-8000-000000000002"]
-- $2 = "01970000-0000-7000-8000-000000000001"
-- $3 = 2147483647
-- $4 = 9223372036854775807
-- $5 = 9223372036854775807
-- $6 = 50
SELECT e.id, e.era, e.xid, e.position, e.tenant_id, e.process_id, e.type,
       e.resource_kind, e.resource_id, coalesce(e.previous_state, ''), coalesce(e.state, ''), e.details,
       coalesce(e.process_state, ''), e.process_item_id, coalesce(e.item_type, ''),
       coalesce(e.item_definition_code, ''), coalesce(e.task_state, ''),
       e.actor_id, coalesce(e.request_id, ''), e.occurred_at
  FROM events e
 WHERE e.tenant_id = ANY($1) AND e.resource_id IS DISTINCT FROM e.process_id AND e.resource_id = ANY(ARRAY(
    SELECT unnest(ARRAY(SELECT g.process_definition_id FROM process_definition_grants g
      WHERE g.permission = 'ADMINISTRATOR' AND g.grantee_id = ANY(ARRAY(SELECT $2::uuid
                                         UNION ALL
                                        SELECT m.group_id FROM group_members m WHERE m.principal_id = $2
                                         UNION ALL
                                        SELECT k.tenant_id FROM tenant_users k WHERE k.principal_id = $2 AND k.disabled_at IS NULL))))
     UNION ALL
    SELECT i.id
      FROM processes q
      JOIN incidents i ON i.process_id = q.id
     WHERE q.process_definition_id = ANY(ARRAY(SELECT g.process_definition_id FROM process_definition_grants g
      WHERE g.permission = 'ADMINISTRATOR' AND g.grantee_id = ANY(ARRAY(SELECT $2::uuid
                                         UNION ALL
                                        SELECT m.group_id FROM group_members m WHERE m.principal_id = $2
                                         UNION ALL
                                        SELECT k.tenant_id FROM tenant_users k WHERE k.principal_id = $2 AND k.disabled_at IS NULL))))))
   AND (e.era < (SELECT l.era FROM event_ledger l) OR e.xid < (SELECT event_horizon(pg_current_snapshot())))
   AND e.era <= $3::integer AND (e.era, e.xid, e.position) < ($3::integer, $4::xid8, $5::bigint)
 ORDER BY e.era DESC, e.xid DESC, e.position DESC
 LIMIT $6::bigint;
