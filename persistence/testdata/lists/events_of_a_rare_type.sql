-- $1 = ["north"]
-- $2 = "SECRET.ISSUED"
-- $3 = "SECRET"
-- $4 = ["01970000-0000-7000-8000-000000000001","01970000-0000-7000-8000-000000000002"]
-- $5 = "2026-01-02T03:04:05Z"
-- $6 = "2026-01-02T03:04:05Z"
-- $7 = "01970000-0000-7000-8000-000000000001"
-- $8 = "ali"
-- $9 = 2147483647
-- $10 = 9223372036854775807
-- $11 = 9223372036854775807
-- $12 = 50
SELECT e.id, e.era, e.xid, e.position, e.tenant_id, e.process_id, e.type,
       e.resource_kind, e.resource_id, coalesce(e.previous_state, ''), coalesce(e.state, ''), e.details,
       coalesce(e.process_state, ''), e.process_item_id, coalesce(e.item_type, ''),
       coalesce(e.item_definition_code, ''), coalesce(e.task_state, ''),
       e.actor_id, coalesce(e.request_id, ''), e.occurred_at, coalesce(sname.name, s.name, ''), coalesce(t.code, '')
  FROM events e
  LEFT JOIN principals s ON s.id = e.actor_id
  LEFT JOIN person_names sname ON sname.tenant_id = e.tenant_id AND sname.principal_id = e.actor_id
  LEFT JOIN tenants t ON t.id = e.tenant_id
 WHERE (e.era < (SELECT l.era FROM event_ledger l) OR e.xid < (SELECT event_horizon(pg_current_snapshot())))
   AND e.tenant_id IN (SELECT t.id FROM tenants t WHERE t.code = ANY($1))
   AND e.type = $2
   AND e.type NOT IN ('PROCESS.CREATED', 'PROCESS.STATE_CHANGED', 'PROCESS_ITEM.CREATED', 'PROCESS_ITEM.TASK_STATE_CHANGED',
                    'PROCESS_ITEM.TASK_DATA_SAVED')
   AND e.resource_kind = $3
   AND e.resource_kind NOT IN ('PROCESS', 'PROCESS_ITEM')
   AND (e.resource_id = ANY($4) AND e.resource_id IS DISTINCT FROM e.process_id OR e.process_id = ANY($4) AND e.resource_id = e.process_id)
   AND e.occurred_at >= $5
   AND e.occurred_at < $6
   AND (e.resource_id = $7 AND e.resource_id IS DISTINCT FROM e.process_id OR e.process_id = $7)
   AND (e.actor_id IN (SELECT a.id FROM principals a WHERE strpos(search_key(a.email), search_key($8)) > 0)
    OR (e.tenant_id, e.actor_id) IN (SELECT n.tenant_id, n.principal_id FROM person_names n WHERE strpos(search_key(n.name), search_key($8)) > 0)
    OR e.actor_id IN (SELECT a.id FROM principals a WHERE strpos(search_key(a.name), search_key($8)) > 0)
        AND NOT EXISTS (SELECT 1 FROM person_names n WHERE n.tenant_id = e.tenant_id AND n.principal_id = e.actor_id))
   AND e.era <= $9::integer AND (e.era, e.xid, e.position) < ($9::integer, $10::xid8, $11::bigint)
 ORDER BY e.era DESC, e.xid DESC, e.position DESC
 LIMIT $12::bigint;
