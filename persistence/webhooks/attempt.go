package webhooks

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

const (
	// The order of the locks prevents deadlocks.
	lockEndpoints = `
SELECT w.subscription_id, w.tenant_id, w.failing_since, w.failures, nullif(w.held_until, '-infinity'), w.disabled_at,
       coalesce(w.disabled_reason, ''),
       coalesce((SELECT r.code FROM resources r
                  WHERE r.tenant_id = w.tenant_id AND r.kind = 'WebhookSubscription' AND r.id = w.subscription_id), '')
  FROM webhook_endpoints w
 WHERE w.subscription_id = ANY($1)
 ORDER BY w.subscription_id
   FOR NO KEY UPDATE`

	lockDeliveries = `
SELECT ` + deliveryColumns + `
  FROM webhook_deliveries d
 WHERE d.id = ANY($1)
 ORDER BY d.id
   FOR NO KEY UPDATE`

	updateAttemptedDeliveries = `
UPDATE webhook_deliveries d
   SET state = a.state, attempts = a.attempts, last_attempt_at = a.last_attempt_at,
       leased_until = coalesce(a.leased_until, '-infinity'), next_attempt_at = a.next_attempt_at,
       finished_at = a.finished_at
  FROM unnest($1::uuid[], $2::text[], $3::int[], $4::timestamptz[], $5::timestamptz[], $6::timestamptz[], $7::timestamptz[])
       AS a (id, state, attempts, last_attempt_at, leased_until, next_attempt_at, finished_at)
 WHERE d.id = a.id`

	// Latencies are in microseconds.
	insertAttempts = `
INSERT INTO webhook_attempts (delivery_id, tenant_id, round, number, at, status, latency, failure, detail, answer)
SELECT a.id, (SELECT d.tenant_id FROM webhook_deliveries d WHERE d.id = a.id), a.round, a.number, a.at, a.status, a.latency * interval '1 microsecond', a.failure, a.detail, a.answer
  FROM unnest($1::uuid[], $2::int[], $3::int[], $4::timestamptz[], $5::int[], $6::bigint[], $7::text[], $8::text[], $9::text[])
       AS a (id, round, number, at, status, latency, failure, detail, answer)`

	updateNotedEndpoints = `
UPDATE webhook_endpoints w
   SET failing_since = n.failing_since, failures = n.failures, held_until = coalesce(n.held_until, '-infinity'),
       disabled_at = n.disabled_at, disabled_reason = nullif(n.disabled_reason, '')
  FROM unnest($1::uuid[], $2::timestamptz[], $3::int[], $4::timestamptz[], $5::timestamptz[], $6::text[])
       AS n (subscription_id, failing_since, failures, held_until, disabled_at, disabled_reason)
 WHERE w.subscription_id = n.subscription_id`

	// Pending deliveries of a disabled endpoint are dropped.
	dropDeliveriesOfDisabled = `
UPDATE webhook_deliveries d
   SET state = 'DROPPED', finished_at = greatest(w.disabled_at, d.created_at), next_attempt_at = NULL
  FROM webhook_endpoints w
 WHERE w.subscription_id = ANY($1)
   AND d.subscription_id = w.subscription_id
   AND d.state IN ('PENDING', 'RETRYING')`
)

// RecordAttempt records an attempt at a delivery that is being retried.
func RecordAttempt(ctx context.Context, db *persistence.DB, a domain.WebhookAttempt) error {
	return db.Record(ctx, domain.Call{}, func(tx *persistence.Tx) (domain.Events, error) {
		return recordAttempts(ctx, tx, []domain.WebhookAttempt{a})
	})
}

// recordAttempts records attempts and updates their deliveries and endpoints. An attempt that no longer counts
// is skipped.
func recordAttempts(ctx context.Context, tx *persistence.Tx, attempts []domain.WebhookAttempt) (domain.Events, error) {
	if len(attempts) == 0 {
		return nil, nil
	}
	ids, subscriptions := make([]uuid.UUID, len(attempts)), make([]uuid.UUID, len(attempts))
	for i := range attempts {
		ids[i], subscriptions[i] = attempts[i].DeliveryID, attempts[i].SubscriptionID
	}
	var endpoints []domain.WebhookEndpoint
	var deliveries []domain.WebhookDelivery
	err := tx.Read(ctx,
		pg.Q(lockEndpoints, []any{subscriptions}, scanLockedEndpoints(&endpoints)),
		pg.Q(lockDeliveries, []any{ids}, scanDeliveries(&deliveries)))
	if err != nil {
		return nil, err
	}
	byID := make(map[uuid.UUID]*domain.WebhookDelivery, len(deliveries))
	for i := range deliveries {
		byID[deliveries[i].ID] = &deliveries[i]
	}
	counted := make([]domain.WebhookAttempt, 0, len(attempts))
	at := make(map[uuid.UUID][]domain.WebhookAttempt, len(endpoints))
	for i := range attempts {
		a := &attempts[i]
		if d := byID[a.DeliveryID]; d != nil && d.Note(a) {
			counted, at[a.SubscriptionID] = append(counted, *a), append(at[a.SubscriptionID], *a)
		}
	}
	queueAttempts(tx, counted, byID)
	return noteEndpoints(tx, endpoints, at), nil
}

// queueAttempts stores attempts that count, each with the current state of its delivery.
func queueAttempts(tx *persistence.Tx, attempts []domain.WebhookAttempt, deliveries map[uuid.UUID]*domain.WebhookDelivery) {
	n := len(attempts)
	if n == 0 {
		return
	}
	ids, states, rounds, numbers := make([]uuid.UUID, n), make([]string, n), make([]int, n), make([]int, n)
	at, leased, next, finished := make([]time.Time, n), make([]*time.Time, n), make([]*time.Time, n), make([]*time.Time, n)
	statuses, latencies := make([]int, n), make([]int64, n)
	failures, details, answers := make([]string, n), make([]string, n), make([]string, n)
	for i := range attempts {
		a, d := &attempts[i], deliveries[attempts[i].DeliveryID]
		ids[i], states[i], rounds[i], numbers[i] = d.ID, string(d.State), a.Round, a.Number
		at[i], leased[i], next[i], finished[i] = a.At, d.WorkflowUntil(), d.NextAttemptAt, d.FinishedAt
		statuses[i], latencies[i] = a.Status, a.Latency.Microseconds()
		failures[i], details[i], answers[i] = a.Failure, a.Detail, a.Answer
	}
	exec(tx, updateAttemptedDeliveries, ids, states, numbers, at, leased, next, finished)
	exec(tx, insertAttempts, ids, rounds, numbers, at, statuses, latencies, failures, details, answers)
}

// noteEndpoints updates the endpoints of the attempts, and drops the waiting deliveries of disabled ones.
func noteEndpoints(
	tx *persistence.Tx, endpoints []domain.WebhookEndpoint, attempts map[uuid.UUID][]domain.WebhookAttempt,
) domain.Events {
	var events domain.Events
	var ids, disabled []uuid.UUID
	var since, held, disabledAt []*time.Time
	var failures []int
	var reasons []string
	for i := range endpoints {
		w := &endpoints[i]
		was := w.DisabledAt
		//nolint:gosec // it spreads attempts over time and is not security-relevant
		if w.Note(attempts[w.SubscriptionID], rand.Float64()) {
			ids, since, failures = append(ids, w.SubscriptionID), append(since, w.FailingSince), append(failures, w.Failures)
			held, disabledAt = append(held, w.HeldUntil), append(disabledAt, w.DisabledAt)
			reasons = append(reasons, string(w.DisabledReason))
		}
		if w.DisabledAt != nil {
			disabled = append(disabled, w.SubscriptionID)
		}
		if w.DisabledAt != was {
			events = append(events, domain.WebhookDisabledEvent(w))
		}
	}
	if len(ids) > 0 {
		exec(tx, updateNotedEndpoints, ids, since, failures, held, disabledAt, reasons)
	}
	if len(disabled) > 0 {
		exec(tx, dropBacklogs, disabled)
		exec(tx, dropDeliveriesOfDisabled, disabled)
	}
	return events
}

func scanLockedEndpoints(dest *[]domain.WebhookEndpoint) func(pgx.Rows) error {
	return func(rows pgx.Rows) (err error) {
		*dest, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (w domain.WebhookEndpoint, err error) {
			return w, row.Scan(&w.SubscriptionID, &w.TenantID, &w.FailingSince, &w.Failures, &w.HeldUntil, &w.DisabledAt,
				&w.DisabledReason, &w.Code)
		})
		return err
	}
}
