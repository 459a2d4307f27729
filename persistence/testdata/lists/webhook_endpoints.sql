-- $1 = "2026-01-02T03:04:05Z"
-- $2 = false
-- $3 = ["01970000-0000-7000-8000-00000000a001"]
-- $4 = "north"
-- $5 = 25
SELECT w.subscription_id, w.tenant_id, r.code, w.url, w.payload_version, w.event_types,
       w.process_definition_id, w.paused, w.failing_since, w.disabled_at, coalesce(w.disabled_reason, ''),
       t.code, r.spec ->> 'name', coalesce((SELECT d.code FROM process_definitions d WHERE d.id = w.process_definition_id), ''),
       EXISTS (SELECT 1 FROM webhook_secrets s
                WHERE s.subscription_id = w.subscription_id AND (s.expires_at IS NULL OR s.expires_at > $1)),
       (SELECT count(*) FROM webhook_deliveries d WHERE d.subscription_id = w.subscription_id AND d.state = 'PENDING'),
       (SELECT min(d.queued_at) FROM webhook_deliveries d WHERE d.subscription_id = w.subscription_id AND d.state = 'PENDING'),
       (SELECT ARRAY[count(*) FILTER (WHERE d.state = 'RETRYING'), count(*) FILTER (WHERE d.state = 'DEAD'),
                     count(*) FILTER (WHERE d.state = 'DROPPED')]
          FROM webhook_deliveries d
         WHERE d.subscription_id = w.subscription_id AND d.state IN ('RETRYING', 'DEAD', 'DROPPED')),
       r.last_modified_at, w.events_lost_at, (SELECT json_build_object(
                 'waiting', count(t.name) FILTER (WHERE NOT w.dropped), 'dropped', count(t.name) FILTER (WHERE w.dropped),
                 'read', count(*), 'since', min(b.occurred_at) FILTER (WHERE t.name IS NOT NULL AND NOT w.dropped))
          FROM (SELECT k.* FROM webhook_backlogs k WHERE k.subscription_id = w.subscription_id) w
         CROSS JOIN (SELECT c.era, c.xid, c.position FROM webhook_cursor c) c
 CROSS JOIN LATERAL (
       SELECT e.type, e.process_id, e.process_item_id, e.item_type, e.resource_id, e.occurred_at
         FROM events e
        WHERE e.tenant_id = w.tenant_id
          AND e.era >= w.era AND (e.era, e.xid, e.position) > (w.era, w.xid, w.position)
          AND e.era <= coalesce(w.until_era, c.era) AND (e.era, e.xid, e.position) <= (coalesce(w.until_era, c.era), coalesce(w.until_xid, c.xid), coalesce(w.until_position, c.position))
        ORDER BY e.era, e.xid, e.position
        LIMIT 250) b
  LEFT JOIN LATERAL (
           SELECT v.name
             FROM (VALUES ('PROCESS.STATE_CHANGED', 'A', 'PROCESS.STATE_CHANGED', false, false, false), ('PROCESS_ITEM.TASK_STATE_CHANGED', 'A', 'TASK.STATE_CHANGED', true, true, false), ('PROCESS.CREATED', 'B', 'PROCESS.CREATED', false, false, false), ('PROCESS.STATE_CHANGED', 'B', 'PROCESS.STATE_CHANGED', false, false, false), ('PROCESS_ITEM.CREATED', 'B', 'PROCESS_ITEM.CREATED', true, false, false), ('PROCESS_ITEM.TASK_STATE_CHANGED', 'B', 'PROCESS_ITEM.TASK_STATE_CHANGED', true, true, false), ('PROCESS_ITEM.TASK_PLANNED', 'B', 'PROCESS_ITEM.TASK_PLANNED', true, true, true), ('PROCESS_ITEM.TASK_OVERDUE', 'B', 'PROCESS_ITEM.TASK_OVERDUE', true, true, true), ('PROCESS_ITEM.TASK_ESCALATED', 'B', 'PROCESS_ITEM.TASK_ESCALATED', true, true, true), ('PROCESS.DELETED', 'B', 'PROCESS.DELETED', false, false, true), ('BUSINESS_ARTIFACT.DELETED', 'B', 'BUSINESS_ARTIFACT.DELETED', false, false, true), ('BUSINESS_ARTIFACT.RESTORED', 'B', 'BUSINESS_ARTIFACT.RESTORED', false, false, true), ('INCIDENT.CREATED', 'B', 'INCIDENT.OPENED', false, false, true), ('INCIDENT.STATE_CHANGED', 'B', 'INCIDENT.RESOLVED', false, false, true), ('WEBHOOK_SUBSCRIPTION.DISABLED', 'B', 'ENDPOINT.DISABLED', false, false, true), ('QUEUE.UNSERVED', 'B', 'QUEUE.UNSERVED', false, false, true), ('PROCESS.CONDITION_CHANGED', 'B', 'PROCESS.CONDITION_CHANGED', false, false, true), ('CERTIFICATE.EXPIRING', 'B', 'CERTIFICATE.EXPIRING', false, false, true), ('USER.LEFT_WORK', 'B', 'USER.LEFT_WORK', false, false, true)) AS v (type, version, name, of_item, tasks_only, on_request)
            WHERE v.type = b.type
              AND v.version = w.payload_version
              AND (NOT v.of_item OR b.process_item_id IS NOT NULL)
              AND (NOT v.tasks_only OR b.item_type = 'TASK')
              AND (w.event_types IS NULL AND NOT v.on_request OR v.name = ANY(w.event_types))
              AND (w.process_definition_id IS NULL
                   OR w.process_definition_id = (SELECT p.process_definition_id FROM processes p WHERE p.id = b.process_id))
            UNION ALL
           SELECT 'PING'
            WHERE b.type = 'WEBHOOK_SUBSCRIPTION.PINGED' AND b.resource_id = w.subscription_id
            UNION ALL
           SELECT 'NOTIFICATION'
            WHERE b.type = 'NOTIFICATION_RECEIVER.NOTIFIED' AND b.resource_id = w.subscription_id AND w.payload_version = 'B') t ON true
        HAVING count(*) > 0)
  FROM webhook_endpoints w
  JOIN resources r ON r.tenant_id = w.tenant_id AND r.kind = 'WebhookSubscription' AND r.id = w.subscription_id
  JOIN tenants t ON t.id = w.tenant_id
 WHERE ($1::timestamptz IS NOT NULL AND ($2 OR w.tenant_id = ANY($3)))
   AND t.code = $4
 ORDER BY t.code, r.code, w.subscription_id
 LIMIT $5::bigint;

-- $1 = "2026-01-02T03:04:05Z"
-- $2 = false
-- $3 = ["01970000-0000-7000-8000-00000000a001"]
-- $4 = "north"
SELECT count(*)
  FROM webhook_endpoints w
  JOIN resources r ON r.tenant_id = w.tenant_id AND r.kind = 'WebhookSubscription' AND r.id = w.subscription_id
  JOIN tenants t ON t.id = w.tenant_id
 WHERE ($1::timestamptz IS NOT NULL AND ($2 OR w.tenant_id = ANY($3)))
   AND t.code = $4;
