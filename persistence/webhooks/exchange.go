package webhooks

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

// DueDelivery is a delivery due for an attempt, with the input of the attempt. Secrets are sealed;
// without one the attempt fails.
type DueDelivery struct {
	domain.WebhookDelivery
	URL     string
	Paused  bool
	Event   domain.Event
	Secrets []SealedSecret
}

// SealedSecret is a signing secret as stored.
type SealedSecret struct {
	ID     uuid.UUID `json:"id"`
	Sealed []byte    `json:"sealed"`
}

// Round is one round of a delivery.
type Round struct {
	DeliveryID uuid.UUID
	Number     int
}

// DeliveryExchange is the input of ExchangeDeliveries: the outcomes of a dispatcher's deliveries and the limits
// of its next leases.
type DeliveryExchange struct {
	// Attempted are attempts that were made, HandedOver deliveries that a workflow retries from now on,
	// Released deliveries that were not attempted after all.
	Attempted  []domain.WebhookAttempt
	HandedOver []domain.WebhookDelivery
	Released   []uuid.UUID
	// FanOut is the number of events of the event log for which deliveries are made.
	FanOut int
	// InFlight counts the deliveries per endpoint that the dispatcher holds already, and SaturatedTenants are tenants that get
	// no more for now.
	InFlight         map[uuid.UUID]int
	SaturatedTenants []uuid.UUID
	// PerEndpoint is how many deliveries of an endpoint the dispatcher may hold; one for an endpoint that is
	// failing. Limit bounds all that are leased.
	PerEndpoint, Limit int
	// Endpoints may have waiting deliveries, besides the endpoints of the new events. With ScanAll, others are found
	// after ScanAfter too.
	Endpoints []uuid.UUID
	ScanAll   bool
	ScanAfter uuid.UUID
	// Handovers bounds the deliveries to be handed over to workflows.
	Handovers  int
	Now        time.Time
	LeaseUntil time.Time
}

// Deliveries is the result of an exchange: FirstAttempts and Handovers are leased to the dispatcher. FannedOut
// counts the events that were read, Endpoints reports whether there are any that have deliveries.
type Deliveries struct {
	FannedOut int
	Endpoints bool
	// CatchingUp are endpoints that could go on catching up at once. Lost are endpoints with events that were removed
	// from the event log before they were delivered.
	CatchingUp, Lost []uuid.UUID
	// ScanAfter is where the next scan continues.
	ScanAfter     uuid.UUID
	FirstAttempts []DueDelivery
	Handovers     []domain.WebhookDelivery
}

const (
	// Endpoints with pending deliveries are found by a skip scan of the index, a limited number after $1.
	waitingEndpoints = `
WITH RECURSIVE waiting AS (
    (SELECT d.subscription_id FROM webhook_deliveries d
      WHERE d.state = 'PENDING' AND d.subscription_id > $1 ORDER BY d.subscription_id LIMIT 1)
    UNION ALL
    SELECT (SELECT d.subscription_id FROM webhook_deliveries d
             WHERE d.state = 'PENDING' AND d.subscription_id > n.subscription_id ORDER BY d.subscription_id LIMIT 1)
      FROM waiting n
     WHERE n.subscription_id IS NOT NULL
)
SELECT n.subscription_id
  FROM waiting n
 WHERE n.subscription_id IS NOT NULL
 LIMIT $2`

	// Of a process, only the first delivery in the order of the event log may be leased, and it stays the first while
	// it is leased. The first is selected by one number, so that the planner does not compare all with all. The number of
	// deliveries read for this is bounded: all may be of one process. Deliveries of endpoints that are held are not read.
	claimFirstAttempts = `
WITH waiting AS (
    SELECT DISTINCT n.subscription_id FROM unnest($8::uuid[]) AS n (subscription_id)
), head AS (
    SELECT d.id
      FROM waiting n
      JOIN webhook_endpoints w ON w.subscription_id = n.subscription_id
      LEFT JOIN unnest($1::uuid[], $2::int[]) AS b (subscription_id, n) ON b.subscription_id = w.subscription_id
     CROSS JOIN LATERAL (
           SELECT d.id
             FROM webhook_deliveries d
            WHERE d.subscription_id = w.subscription_id
              AND d.state = 'PENDING'
              AND d.leased_until <= $3
              AND d.sequence <= (SELECT max(f.sequence)
                                   FROM (SELECT e.sequence FROM webhook_deliveries e
                                          WHERE e.subscription_id = w.subscription_id AND e.state = 'PENDING'
                                          ORDER BY e.sequence LIMIT 200) f)
              AND d.sequence = coalesce((SELECT e.sequence FROM webhook_deliveries e
                                          WHERE e.subscription_id = d.subscription_id AND e.process_id = d.process_id
                                            AND e.state = 'PENDING'
                                          ORDER BY e.sequence LIMIT 1), d.sequence)
            ORDER BY d.sequence
            LIMIT greatest(0, CASE WHEN w.failing_since IS NULL THEN $4::int ELSE 1 END - coalesce(b.n, 0))
              FOR NO KEY UPDATE SKIP LOCKED) d
     WHERE NOT w.paused
       AND w.disabled_at IS NULL
       AND w.held_until <= $3
       AND w.tenant_id <> ALL($5::uuid[])
       AND EXISTS (SELECT 1 FROM webhook_secrets s
                    WHERE s.subscription_id = w.subscription_id AND (s.expires_at IS NULL OR s.expires_at > $3))
     LIMIT $6
)
UPDATE webhook_deliveries d
   SET leased_until = $7
  FROM head h, webhook_endpoints w, events e
 WHERE d.id = h.id
   AND w.subscription_id = d.subscription_id
   AND ` + eventOfDelivery + `
RETURNING ` + dueDeliveryColumns

	// Endpoints that cannot receive now are checked again later.
	claimHandovers = `
WITH head AS (
    SELECT d.id, NOT w.paused
                 AND EXISTS (SELECT 1 FROM webhook_secrets s
                              WHERE s.subscription_id = w.subscription_id AND (s.expires_at IS NULL OR s.expires_at > $1)) AS open
      FROM webhook_deliveries d
      JOIN webhook_endpoints w ON w.subscription_id = d.subscription_id
     WHERE d.state = 'RETRYING'
       AND d.leased_until <= $1
     ORDER BY d.leased_until
     LIMIT $2
       FOR NO KEY UPDATE OF d SKIP LOCKED
), taken AS (
    UPDATE webhook_deliveries d
       SET leased_until = CASE WHEN h.open THEN $3::timestamptz ELSE $1::timestamptz + interval '1 minute' END
      FROM head h
     WHERE d.id = h.id
    RETURNING h.open, ` + deliveryColumns + `
)
SELECT ` + deliveryColumns + `
  FROM taken d
 WHERE d.open`

	finishHandovers = `
UPDATE webhook_deliveries d
   SET leased_until = greatest(d.next_attempt_at, $3::timestamptz) + $4::interval
  FROM unnest($1::uuid[], $2::int[]) AS h (id, round)
 WHERE d.id = h.id
   AND d.round = h.round
   AND d.state = 'RETRYING'`

	releaseDeliveries = `
UPDATE webhook_deliveries
   SET leased_until = '-infinity'
 WHERE id = ANY($1)
   AND state = 'PENDING'`
)

// ExchangeDeliveries records attempts, makes deliveries of new events and leases the next ones, all in one
// transaction. It takes two round trips, and another one if there are attempts to record.
func ExchangeDeliveries(ctx context.Context, db *persistence.DB, e DeliveryExchange) (*Deliveries, error) {
	var out Deliveries
	err := db.Record(ctx, domain.Call{}, func(tx *persistence.Tx) (domain.Events, error) {
		out = Deliveries{}
		events, err := recordAttempts(ctx, tx, e.Attempted)
		if err != nil {
			return nil, err
		}
		recordHandovers(tx, e.HandedOver, e.Now)
		if len(e.Released) > 0 {
			exec(tx, releaseDeliveries, e.Released)
		}
		waiting, err := fanOut(ctx, tx, e, &out)
		if err != nil {
			return nil, err
		}
		claimFirstAttemptsOf(tx, e, append(waiting, e.Endpoints...), &out.FirstAttempts)
		if e.Handovers > 0 {
			tx.QueueQuery(pg.Q(
				claimHandovers, []any{e.Now, e.Handovers, e.LeaseUntil}, scanDeliveries(&out.Handovers),
			))
		}
		return events, nil
	})
	return &out, err
}

// recordHandovers records deliveries that a workflow retries from now on.
func recordHandovers(tx *persistence.Tx, handedOver []domain.WebhookDelivery, now time.Time) {
	if len(handedOver) == 0 {
		return
	}
	n := len(handedOver)
	ids, rounds, endpoints := make([]uuid.UUID, n), make([]int, n), make([]uuid.UUID, n)
	for i := range handedOver {
		d := &handedOver[i]
		ids[i], rounds[i], endpoints[i] = d.ID, d.Round, d.SubscriptionID
	}
	exec(tx, lockEndpoints, endpoints)
	exec(tx, finishHandovers, ids, rounds, now, domain.WebhookWorkflowGrace)
}

// claimFirstAttemptsOf leases deliveries of the endpoints for their first attempts.
func claimFirstAttemptsOf(tx *persistence.Tx, e DeliveryExchange, waiting []uuid.UUID, dest *[]DueDelivery) {
	if e.Limit <= 0 || len(waiting) == 0 {
		return
	}
	endpoints, counts := make([]uuid.UUID, 0, len(e.InFlight)), make([]int, 0, len(e.InFlight))
	for endpoint, n := range e.InFlight {
		endpoints, counts = append(endpoints, endpoint), append(counts, n)
	}
	full := e.SaturatedTenants
	if full == nil {
		full = []uuid.UUID{}
	}
	tx.QueueQuery(pg.Q(
		claimFirstAttempts,
		[]any{endpoints, counts, e.Now, e.PerEndpoint, full, e.Limit, e.LeaseUntil, waiting},
		scanDueDeliveries(dest),
	))
}
