package webhooks

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

const (
	deliveryColumns = `d.id, d.subscription_id, d.tenant_id, d.event_id, d.event_type, d.payload_version, d.process_id,
       d.state, d.round, d.attempts, d.created_at, d.last_attempt_at, d.next_attempt_at, d.finished_at`

	// eventOfDelivery is true of the event e of a delivery d.
	eventOfDelivery = `e.era = d.event_era AND e.xid = d.event_xid AND e.position = d.event_position`

	// $3 is now.
	dueDeliveryColumns = deliveryColumns + `, w.url, w.paused,
       e.type, e.tenant_id, coalesce(e.process_id, '00000000-0000-0000-0000-000000000000'), e.resource_id,
       coalesce(e.process_state, ''), e.process_item_id, coalesce(e.item_type, ''), coalesce(e.item_definition_code, ''),
       coalesce(e.task_state, ''), e.occurred_at, coalesce(e.previous_state, ''), coalesce(e.state, ''), coalesce(e.details, '{}'),
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
				&e.ItemDefinitionCode, &e.TaskState, &e.OccurredAt, &e.PreviousState, &e.State, &e.Details, &d.Secrets)...)
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
  JOIN events e ON ` + eventOfDelivery + `
 WHERE d.id = $1
   AND d.round = $2
   AND d.state = 'RETRYING'`

// DueRetry returns a delivery if its round is still being retried, or NOT_FOUND.
func DueRetry(ctx context.Context, r *persistence.Reader, round Round, now time.Time) (*DueDelivery, error) {
	var found []DueDelivery
	args := []any{round.DeliveryID, round.Number, now}
	if err := r.Read(ctx, pg.Q(dueRetry, args, scanDueDeliveries(&found))); err != nil {
		return nil, pg.Translate("reading a webhook delivery", err)
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

// LetGoOfRetry records that no workflow retries a round any more. From from on the round is handed to another
// one.
func LetGoOfRetry(ctx context.Context, db *persistence.DB, round Round, from time.Time) error {
	err := db.Send(ctx, []pg.Query{pg.Q(letGoOfRetry, []any{round.DeliveryID, round.Number, from}, pg.None)})
	return pg.Translate("letting go of a webhook delivery", err)
}
