-- $1 = "01970000-0000-7000-8000-00000000c001"
-- $2 = "01970000-0000-7000-8000-00000000a001"
-- $3 = 1
-- $4 = 2
-- $5 = 3
-- $6 = ["PROCESS_ITEM.CREATED","PROCESS_ITEM.TASK_STATE_CHANGED","PROCESS_ITEM.TASK_ASSIGNED"]
-- $7 = ["01970000-0000-7000-8000-000000000001","01970000-0000-7000-8000-000000000002"]
SELECT count(*)
  FROM process_items i
  JOIN processes p ON p.id = i.process_id
 WHERE i.tenant_id = $2
   AND i.deleted_at IS NULL
   AND {access.CandidateOfItem}
   AND i.task_state = 'READY'
   AND i.id = ANY(ARRAY(
        SELECT e.process_item_id
          FROM unnest(ARRAY[$2]::uuid[]) t (id)
         CROSS JOIN LATERAL (SELECT e.process_item_id, e.type, e.actor_id
                               FROM events e
                              WHERE e.tenant_id = t.id AND e.era >= $3::integer AND (e.era, e.xid, e.position) > ($3::integer, $4::xid8, $5::bigint)
                              ORDER BY e.era DESC, e.xid DESC, e.position DESC
                              LIMIT 100) e
         WHERE e.process_item_id IS NOT NULL AND e.type = ANY($6) AND e.actor_id <> $1))
   AND i.id <> ALL($7);
