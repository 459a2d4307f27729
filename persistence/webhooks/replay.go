package webhooks

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

// LockedDelivery is a delivery under lock together with its endpoint. EventKept reports whether the event log
// still has the event.
type LockedDelivery struct {
	domain.WebhookDeliveryInfo
	Disabled, EventKept bool
}

const (
	lockEndpointOfDelivery = `
SELECT 1
  FROM webhook_endpoints w
 WHERE w.subscription_id = (SELECT d.subscription_id FROM webhook_deliveries d WHERE d.id = $3 AND ` + deliveryInScope + `)
   FOR NO KEY UPDATE`

	lockDelivery = `
SELECT ` + deliveryInfoColumns + `, w.disabled_at IS NOT NULL,
       EXISTS (SELECT 1 FROM events e WHERE ` + eventOfDelivery + `)
  FROM ` + fromDeliveries + `
  JOIN webhook_endpoints w ON w.subscription_id = d.subscription_id
 WHERE d.id = $3 AND ` + deliveryInScope + `
   FOR NO KEY UPDATE OF d`

	beginRound = `
   SET state = 'PENDING', round = d.round + 1, attempts = 0, queued_at = $1, leased_until = '-infinity',
       next_attempt_at = NULL, finished_at = NULL`

	replayDelivery = `
UPDATE webhook_deliveries d` + beginRound + `
 WHERE d.id = $2`
)

// LockDelivery locks a delivery in the scope, or returns NOT_FOUND.
func LockDelivery(ctx context.Context, tx *persistence.Tx, scope persistence.AdministrationScope, id uuid.UUID) (*LockedDelivery, error) {
	var found []LockedDelivery
	args := []any{scope.Everywhere, scope.Tenants, id}
	err := tx.Read(
		ctx,
		// The transactions that record attempts lock in this order.
		pg.Q(lockEndpointOfDelivery, args, pg.None),
		pg.Q(lockDelivery, args, func(rows pgx.Rows) (err error) {
			found, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (LockedDelivery, error) {
				var l LockedDelivery
				err := row.Scan(append(deliveryFields(&l.WebhookDelivery),
					&l.TenantCode, &l.SubscriptionCode, &l.LastStatus, &l.LastFailure, &l.Disabled, &l.EventKept)...)
				return l, err
			})
			return err
		}),
	)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, domain.NotFound("webhook delivery")
	}
	tx.Found(id, found[0].Version())
	return &found[0], nil
}

// ReplayDelivery begins a new round of a delivery that is under lock.
func ReplayDelivery(tx *persistence.Tx, id uuid.UUID, now time.Time) {
	exec(tx, replayDelivery, now, id)
}

const (
	replayable = `
SELECT d.id, d.created_at
  FROM webhook_deliveries d
 WHERE d.subscription_id = $1
   AND (d.state IN ('RETRYING', 'DEAD', 'DROPPED') OR $4 AND d.state = 'DELIVERED')
   AND d.created_at >= $2
   AND EXISTS (SELECT 1 FROM events e WHERE ` + eventOfDelivery + `)
 ORDER BY d.created_at, d.sequence
 LIMIT $3`

	replayDeliveries = `
UPDATE webhook_deliveries d` + beginRound + `
 WHERE d.id = ANY($2)
   AND d.state <> 'PENDING'`
)

// ReplaySelection selects deliveries to an endpoint that were made since a time: deliveries that have failed or were
// dropped, and with Delivered also the others that have been attempted.
type ReplaySelection struct {
	Since     time.Time
	Delivered bool
}

// Replayable is a delivery that can be made again.
type Replayable struct {
	ID        uuid.UUID
	CreatedAt time.Time
}

//nolint:gochecknoglobals // a constant, of which a table of domain is a part
var dropFromBacklog = `
WITH chosen AS (
    SELECT k.id, $4::int AS at_most
      FROM webhook_backlogs k
     WHERE k.subscription_id = $5 AND k.dropped
     ORDER BY k.id
     LIMIT 1` + takeFromBacklogs

// ListReplayable returns the first limit of the deliveries to an endpoint that are selected, the oldest first. If deliveries
// were yet to be made of as many events that it missed while it was disabled, next is the time from which to list again.
func ListReplayable(
	ctx context.Context, tx *persistence.Tx, subscription uuid.UUID, what ReplaySelection, limit int, now time.Time,
) (found []Replayable, next *time.Time, err error) {
	var dropped []caughtUp
	err = tx.Change(
		ctx,
		pg.Q(dropFromBacklog, []any{now, infinity, now.Add(-domain.WebhookRetention), limit, subscription}, scanCaughtUp(&dropped)),
		pg.Q(replayable, []any{subscription, what.Since, limit, what.Delivered}, pg.Into(&found)),
	)
	for _, d := range dropped {
		if d.More {
			next = &what.Since
			if d.Last.After(what.Since) {
				next = d.Last
			}
		}
	}
	return found, next, err
}

// ReplayDeliveries begins a new round of deliveries to an endpoint that is
// under lock.
func ReplayDeliveries(tx *persistence.Tx, ids []uuid.UUID, now time.Time) {
	exec(tx, replayDeliveries, now, ids)
}
