package persistence

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
)

const (
	deliveryColumns = `d.id, d.subscription_id, d.tenant_id, d.event_id, d.event_type, d.payload_version, d.process_id,
       d.state, d.round, d.attempts, d.created_at, d.last_attempt_at, d.next_attempt_at, d.finished_at`

	// $3 is now.
	dueDeliveryColumns = deliveryColumns + `, w.url, w.paused,
       e.type, e.tenant_id, coalesce(e.process_id, '00000000-0000-0000-0000-000000000000'), e.resource_id,
       coalesce(e.process_state, ''), e.process_item_id, coalesce(e.item_type, ''), coalesce(e.item_definition_code, ''),
       coalesce(e.task_state, ''), e.occurred_at,
       (SELECT coalesce(json_agg(json_build_object('id', s.id, 'sealed', encode(s.sealed, 'base64'))
                                 ORDER BY s.created_at DESC, s.id), '[]')
          FROM webhook_secrets s
         WHERE s.subscription_id = d.subscription_id
           AND (s.expires_at IS NULL OR s.expires_at > $3))`
)

func deliveryFields(d *domain.WebhookDelivery) []any {
	return []any{
		&d.ID, &d.SubscriptionID, &d.TenantID, &d.EventID, &d.EventType, &d.PayloadVersion, &d.ProcessID,
		&d.State, &d.Round, &d.Attempts, &d.CreatedAt, &d.LastAttemptAt, &d.NextAttemptAt, &d.FinishedAt,
	}
}

func scanDeliveries(dest *[]domain.WebhookDelivery) func(pgx.Rows) error {
	return func(rows pgx.Rows) (err error) {
		*dest, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (domain.WebhookDelivery, error) {
			var d domain.WebhookDelivery
			err := row.Scan(deliveryFields(&d)...)
			return d, err
		})
		return err
	}
}

func scanDueDeliveries(dest *[]DueDelivery) func(pgx.Rows) error {
	return func(rows pgx.Rows) (err error) {
		*dest, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (DueDelivery, error) {
			var d DueDelivery
			e := &d.Event
			err := row.Scan(append(deliveryFields(&d.WebhookDelivery), &d.URL, &d.Paused,
				&e.Type, &e.TenantID, &e.ProcessID, &e.ResourceID, &e.ProcessState, &e.ItemID, &e.ItemType,
				&e.ItemDefinitionCode, &e.TaskState, &e.OccurredAt, &d.Secrets)...)
			e.ID = d.EventID
			return d, err
		})
		return err
	}
}

const dueRetry = `
SELECT ` + dueDeliveryColumns + `
  FROM webhook_deliveries d
  JOIN webhook_endpoints w ON w.subscription_id = d.subscription_id
  JOIN events e ON e.id = d.event_id
 WHERE d.id = $1
   AND d.round = $2
   AND d.state = 'RETRYING'`

// DueRetry returns a delivery whose round is still being retried, or NOT_FOUND.
func (r *Reader) DueRetry(ctx context.Context, round Round, now time.Time) (*DueDelivery, error) {
	var found []DueDelivery
	args := []any{round.DeliveryID, round.Number, now}
	if err := r.read(ctx, query{dueRetry, args, scanDueDeliveries(&found)}); err != nil {
		return nil, translate("reading a webhook delivery", err)
	}
	if len(found) == 0 {
		return nil, domain.NotFound("webhook delivery")
	}
	return &found[0], nil
}

const letGoOfRetry = `
UPDATE webhook_deliveries
   SET leased_until = $3
 WHERE id = $1
   AND round = $2
   AND state = 'RETRYING'`

// LetGoOfRetry says that no workflow looks after a round any more. Another is to
// do so from then on.
func (db *DB) LetGoOfRetry(ctx context.Context, round Round, from time.Time) error {
	_, err := db.pool.Exec(ctx, letGoOfRetry, round.DeliveryID, round.Number, from)
	return translate("letting go of a webhook delivery", err)
}

const (
	// workflowGrace is how long after an attempt was due its workflow is still
	// trusted to make it. Then one is started anew, unless it is there.
	workflowGrace = `interval '15 minutes'`

	// The order keeps two transactions from waiting for each other.
	lockEndpoints = `
SELECT 1
  FROM webhook_endpoints w
 WHERE w.subscription_id = ANY($1)
 ORDER BY w.subscription_id
   FOR NO KEY UPDATE`

	// An attempt that somebody else recorded in the meantime counts for nothing. From
	// the fourth failure in a row on there is a pause before the next first attempt,
	// which doubles up to five minutes, give or take a fifth: what is dead is not tried
	// with everything there is, and what died together is not tried together.
	// Latencies are in microseconds. After the first attempt a workflow has to be
	// found; those after it are a workflow's.
	recordAttemptsOfDeliveries = `
WITH attempt AS (
    SELECT *
      FROM unnest($1::uuid[], $2::int[], $3::int[], $4::timestamptz[], $5::int[], $6::bigint[], $7::text[], $8::text[],
                  $9::text[], $10::bool[], $11::timestamptz[])
        AS a (id, round, number, at, status, latency, failure, detail, answer, gone, next_at)
), recorded AS (
    UPDATE webhook_deliveries d
       SET state = CASE WHEN a.failure = '' THEN 'DELIVERED'
                        WHEN a.gone THEN 'DROPPED'
                        WHEN a.next_at IS NULL THEN 'DEAD'
                        ELSE 'RETRYING' END,
           attempts = a.number, last_attempt_at = a.at,
           leased_until = CASE WHEN a.number > 1 AND a.next_at IS NOT NULL THEN a.next_at + ` + workflowGrace + `
                               ELSE '-infinity' END,
           next_attempt_at = CASE WHEN a.failure <> '' AND NOT a.gone THEN a.next_at END,
           finished_at = CASE WHEN a.failure = '' OR a.gone OR a.next_at IS NULL THEN a.at END
      FROM attempt a
     WHERE d.id = a.id
       AND d.round = a.round
       AND d.attempts = a.number - 1
       AND d.state IN ('PENDING', 'RETRYING')
    RETURNING d.id, d.subscription_id, a.round, a.number, a.at, a.status, a.latency, a.failure, a.detail, a.answer, a.gone
), logged AS (
    INSERT INTO webhook_attempts (delivery_id, round, number, at, status, latency, failure, detail, answer)
    SELECT r.id, r.round, r.number, r.at, r.status, r.latency * interval '1 microsecond', r.failure, r.detail, r.answer
      FROM recorded r
), found AS (
    UPDATE webhook_endpoints w
       SET failing_since = CASE WHEN s.delivered THEN NULL ELSE coalesce(w.failing_since, s.at) END,
           failures = CASE WHEN s.delivered THEN 0 ELSE w.failures + s.failed END,
           held_until = CASE WHEN s.delivered THEN '-infinity'
                             WHEN w.failures + s.failed >= 4
                             THEN s.ended + interval '1 second' * least(60, 2 ^ least(w.failures + s.failed - 4, 6))
                                                * (0.8 + 0.4 * random())
                             ELSE w.held_until END,
           disabled_at = CASE WHEN s.gone OR NOT s.delivered AND w.failing_since < s.at - $12::interval THEN s.at END,
           disabled_reason = CASE WHEN s.gone THEN 'GONE'
                                  WHEN NOT s.delivered AND w.failing_since < s.at - $12::interval THEN 'FAILING' END
      FROM (SELECT r.subscription_id, bool_or(r.failure = '') AS delivered, bool_or(r.gone) AS gone, max(r.at) AS at,
                   count(*) AS failed, max(r.at + r.latency * interval '1 microsecond') AS ended
              FROM recorded r
             GROUP BY r.subscription_id) s
     WHERE w.subscription_id = s.subscription_id
       AND w.disabled_at IS NULL
       AND (NOT s.delivered OR s.gone OR w.failing_since IS NOT NULL)
    RETURNING w.subscription_id, w.tenant_id, w.disabled_at, w.disabled_reason
)
INSERT INTO events (id, tenant_id, type, resource_kind, resource_id, details, actor_id, occurred_at)
SELECT gen_random_uuid(), f.tenant_id, $13::text, $14::text, f.subscription_id,
       json_build_object('code', (SELECT r.code FROM resources r
                                   WHERE r.tenant_id = f.tenant_id AND r.kind = 'WebhookSubscription'
                                     AND r.id = f.subscription_id),
                         'reason', f.disabled_reason),
       $15::uuid, f.disabled_at
  FROM found f
 WHERE f.disabled_at IS NOT NULL`

	// What waits for an endpoint that is disabled is given up. The first condition
	// depends on no delivery, so that none is looked at when nothing is disabled.
	dropDeliveriesOfDisabled = `
UPDATE webhook_deliveries d
   SET state = 'DROPPED', finished_at = greatest(w.disabled_at, d.created_at), next_attempt_at = NULL
  FROM webhook_endpoints w
 WHERE EXISTS (SELECT 1 FROM webhook_endpoints x WHERE x.subscription_id = ANY($1) AND x.disabled_at IS NOT NULL)
   AND w.subscription_id = ANY($1)
   AND w.disabled_at IS NOT NULL
   AND d.subscription_id = w.subscription_id
   AND d.state IN ('PENDING', 'RETRYING')`
)

// recordAttempts are the statements that record attempts, and which rounds a
// workflow has taken over by now; none for neither.
func recordAttempts(attempts []domain.WebhookAttempt, handedOver []domain.WebhookDelivery, now time.Time) []query {
	if len(attempts)+len(handedOver) == 0 {
		return nil
	}
	n := len(attempts)
	ids, rounds, numbers := make([]uuid.UUID, n), make([]int, n), make([]int, n)
	at, statuses, latencies := make([]time.Time, n), make([]int, n), make([]int64, n)
	failures, details, answers := make([]string, n), make([]string, n), make([]string, n)
	gone, next := make([]bool, n), make([]*time.Time, n)
	endpoints := make([]uuid.UUID, 0, n+len(handedOver))
	for i := range attempts {
		a := &attempts[i]
		endpoints = append(endpoints, a.SubscriptionID)
		ids[i], rounds[i], numbers[i] = a.DeliveryID, a.Round, a.Number
		at[i], statuses[i], latencies[i] = a.At, a.Status, a.Latency.Microseconds()
		failures[i], details[i], answers[i] = a.Failure, a.Detail, a.Answer
		gone[i] = a.Gone
		if !a.NextAt.IsZero() {
			next[i] = &a.NextAt
		}
	}
	taken, takenRounds := make([]uuid.UUID, len(handedOver)), make([]int, len(handedOver))
	for i := range handedOver {
		d := &handedOver[i]
		endpoints = append(endpoints, d.SubscriptionID)
		taken[i], takenRounds[i] = d.ID, d.Round
	}
	queries := []query{{lockEndpoints, []any{endpoints}, none}}
	if len(taken) > 0 {
		queries = append(queries, query{finishHandovers, []any{taken, takenRounds, now}, none})
	}
	if n > 0 {
		queries = append(queries, query{
			recordAttemptsOfDeliveries,
			[]any{
				ids, rounds, numbers, at, statuses, latencies, failures, details, answers, gone, next, domain.WebhookPatience,
				domain.EventWebhookDisabled, domain.ResourceWebhookSubscription, domain.SystemPrincipalID(),
			},
			none,
		}, query{dropDeliveriesOfDisabled, []any{endpoints[:n]}, none})
	}
	return queries
}

// RecordAttempt records an attempt at a delivery that is being retried.
func (db *DB) RecordAttempt(ctx context.Context, a domain.WebhookAttempt) error {
	err := send(ctx, db.pool, &pgx.Batch{}, recordAttempts([]domain.WebhookAttempt{a}, nil, a.At))
	return translate("recording an attempt at a webhook delivery", err)
}
