-- $1 = "01970000-0000-7000-8000-00000000a001"
-- $2 = ["north"]
-- $3 = ["W"]
-- $4 = ["01970000-0000-7000-8000-000000000001","01970000-0000-7000-8000-000000000002"]
-- $5 = "2026-01-02T03:04:05Z"
-- $6 = "2026-01-02T03:04:05Z"
-- $7 = 25
-- $8 = 50
SELECT d.id, d.subscription_id, d.tenant_id, d.event_id, d.event_type, d.payload_version, d.process_id,
       d.state, d.round, d.attempts, d.created_at, d.last_attempt_at, d.next_attempt_at, d.finished_at, t.code, r.code, coalesce(a.status, 0), coalesce(a.failure, '')
  FROM (SELECT d.*
  FROM webhook_deliveries d
 WHERE d.tenant_id = $1
   AND d.tenant_id IN (SELECT c.id FROM tenants c WHERE c.code = ANY($2))
   AND (d.tenant_id, d.subscription_id) IN (SELECT s.tenant_id, s.id FROM tenants o JOIN resources s ON s.tenant_id = o.id AND s.kind = 'WebhookSubscription' AND s.code = ANY($3))
   AND d.event_id IN (SELECT e.id FROM events e WHERE e.process_id = ANY($4))
   AND d.created_at >= $5
   AND d.created_at < $6
 ORDER BY d.sequence DESC
 LIMIT $7::bigint OFFSET $8::bigint) d
  JOIN tenants t ON t.id = d.tenant_id
  JOIN resources r ON r.tenant_id = d.tenant_id AND r.kind = 'WebhookSubscription' AND r.id = d.subscription_id
  LEFT JOIN webhook_attempts a ON a.delivery_id = d.id AND a.round = d.round AND a.number = d.attempts
 ORDER BY d.sequence DESC;

-- $1 = "01970000-0000-7000-8000-00000000a001"
-- $2 = ["north"]
-- $3 = ["W"]
-- $4 = ["01970000-0000-7000-8000-000000000001","01970000-0000-7000-8000-000000000002"]
-- $5 = "2026-01-02T03:04:05Z"
-- $6 = "2026-01-02T03:04:05Z"
SELECT count(*)
  FROM webhook_deliveries d
 WHERE d.tenant_id = $1
   AND d.tenant_id IN (SELECT c.id FROM tenants c WHERE c.code = ANY($2))
   AND (d.tenant_id, d.subscription_id) IN (SELECT s.tenant_id, s.id FROM tenants o JOIN resources s ON s.tenant_id = o.id AND s.kind = 'WebhookSubscription' AND s.code = ANY($3))
   AND d.event_id IN (SELECT e.id FROM events e WHERE e.process_id = ANY($4))
   AND d.created_at >= $5
   AND d.created_at < $6;
