-- $1 = "01970000-0000-7000-8000-00000000a001"
-- $2 = "01970000-0000-7000-8000-000000000001"
-- $3 = 1
-- $4 = 0
-- $5 = 0
-- $6 = 50
SELECT e.id, e.era, e.xid, e.position, e.tenant_id, e.process_id, e.type,
       e.resource_kind, e.resource_id, coalesce(e.previous_state, ''), coalesce(e.state, ''), e.details,
       coalesce(e.process_state, ''), e.process_item_id, coalesce(e.item_type, ''),
       coalesce(e.item_definition_code, ''), coalesce(e.task_state, ''),
       e.actor_id, coalesce(e.request_id, ''), e.occurred_at
  FROM events e
 WHERE e.tenant_id = $1
   AND (e.era < (SELECT l.era FROM event_ledger l) OR e.xid < (SELECT event_horizon(pg_current_snapshot())))
   AND e.process_id = $2
   AND e.era >= $3::integer AND (e.era, e.xid, e.position) > ($3::integer, $4::xid8, $5::bigint)
 ORDER BY e.era, e.xid, e.position
 LIMIT $6::bigint;
