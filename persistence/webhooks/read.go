package webhooks

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/internal/listquery"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

const (
	deliveryInfoColumns = deliveryColumns + `, t.code, r.code, coalesce(a.status, 0), coalesce(a.failure, '')`

	namesOfDeliveries = `
  JOIN tenants t ON t.id = d.tenant_id
  JOIN resources r ON r.tenant_id = d.tenant_id AND r.kind = 'WebhookSubscription' AND r.id = d.subscription_id
  LEFT JOIN webhook_attempts a ON a.delivery_id = d.id AND a.round = d.round AND a.number = d.attempts`

	fromDeliveries = `webhook_deliveries d` + namesOfDeliveries

	deliveryInScope = `($1 OR d.tenant_id = ANY($2))`
)

func scanDeliveryInfo(row pgx.CollectableRow) (domain.WebhookDeliveryInfo, error) {
	var d domain.WebhookDeliveryInfo
	err := row.Scan(append(deliveryFields(&d.WebhookDelivery),
		&d.TenantCode, &d.SubscriptionCode, &d.LastStatus, &d.LastFailure)...)
	return d, err
}

// DeliveryFilter narrows a list of deliveries; empty fields keep all. From
// is the first moment, To the one after the last.
type DeliveryFilter struct {
	TenantCodes, SubscriptionCodes []string
	States                         []domain.WebhookDeliveryState
	EventTypes                     []string
	EventIDs, ProcessIDs           []uuid.UUID
	From, To                       *time.Time
}

// ListDeliveries returns a page of the deliveries in the scope. They can be
// sorted by createdAt, which is the order in which events were recorded; without
// a key the newest comes first.
func ListDeliveries(
	ctx context.Context, r *persistence.Reader, scope persistence.AdministrationScope, filter DeliveryFilter, page domain.PageRequest, sort []domain.SortKey,
) (domain.Page[domain.WebhookDeliveryInfo], error) {
	l := &listquery.List{
		Columns: deliveryInfoColumns, Table: "webhook_deliveries d", Names: namesOfDeliveries,
		Tenants: listquery.Within("d.tenant_id", scope.Everywhere, scope.Tenants),
		Where: []listquery.Condition{
			listquery.MatchAny("d.tenant_id IN (SELECT c.id FROM tenants c WHERE c.code = ANY(%s))", filter.TenantCodes),
			listquery.MatchAny("(d.tenant_id, d.subscription_id) IN (SELECT s.tenant_id, s.id FROM tenants o "+
				"JOIN resources s ON s.tenant_id = o.id AND s.kind = 'WebhookSubscription' AND s.code = ANY(%s))", filter.SubscriptionCodes),
			listquery.AnyOf("d.state", filter.States),
			listquery.AnyOf("d.event_type", filter.EventTypes),
			listquery.AnyOf("d.event_id", filter.EventIDs),
			listquery.MatchAny("d.event_id IN (SELECT e.id FROM events e WHERE e.process_id = ANY(%s))", filter.ProcessIDs),
			listquery.MatchGiven("d.created_at >= %s", filter.From),
			listquery.MatchGiven("d.created_at < %s", filter.To),
		},
		Order: listquery.Order{
			By: sort, Default: []listquery.Column{{SQL: "d.sequence", Descending: true}},
			Columns: listquery.Columns{"id": {SQL: "d.sequence"}, "createdAt": {SQL: "d.sequence"}},
		},
	}
	return persistence.ReadPage(ctx, r, "listing webhook deliveries", l, page, scanDeliveryInfo)
}

const (
	getDelivery = `
SELECT ` + deliveryInfoColumns + `
  FROM ` + fromDeliveries + `
 WHERE d.id = $3 AND ` + deliveryInScope

	attemptsOfDelivery = `
SELECT a.delivery_id, a.round, a.number, a.at, a.status, a.latency, a.failure, a.detail, a.answer
  FROM webhook_attempts a
  JOIN webhook_deliveries d ON d.id = a.delivery_id
 WHERE d.id = $3 AND ` + deliveryInScope + `
 ORDER BY a.round, a.number`
)

// GetDelivery returns a delivery in the scope with all its attempts, the
// first one first, or NOT_FOUND.
func GetDelivery(
	ctx context.Context, r *persistence.Reader, scope persistence.AdministrationScope, id uuid.UUID,
) (*domain.WebhookDeliveryInfo, []domain.WebhookAttempt, error) {
	var found []domain.WebhookDeliveryInfo
	var attempts []domain.WebhookAttempt
	args := []any{scope.Everywhere, scope.Tenants, id}
	err := r.Read(
		ctx,
		pg.Q(getDelivery, args, func(rows pgx.Rows) (err error) {
			found, err = pgx.CollectRows(rows, scanDeliveryInfo)
			return err
		}),
		pg.Q(attemptsOfDelivery, args, func(rows pgx.Rows) (err error) {
			attempts, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (domain.WebhookAttempt, error) {
				var a domain.WebhookAttempt
				err := row.Scan(&a.DeliveryID, &a.Round, &a.Number, &a.At, &a.Status, &a.Latency, &a.Failure, &a.Detail, &a.Answer)
				return a, err
			})
			return err
		}),
	)
	if err != nil {
		return nil, nil, pg.Translate("reading a webhook delivery", err)
	}
	if len(found) == 0 {
		return nil, nil, domain.NotFound("webhook delivery")
	}
	return &found[0], attempts, nil
}

const latestOutcomes = `
SELECT w.subscription_id, l.state, l.attempts, l.created_at
  FROM webhook_endpoints w
 CROSS JOIN LATERAL (
       SELECT d.sequence, d.state, d.attempts, d.created_at
         FROM webhook_deliveries d
        WHERE d.subscription_id = w.subscription_id
        ORDER BY d.sequence DESC
        LIMIT $4) l
 WHERE w.subscription_id = ANY($3) AND ($1 OR w.tenant_id = ANY($2))
 ORDER BY w.subscription_id, l.sequence`

// ListOutcomes returns the outcomes of the latest deliveries to each of the subscriptions in the scope, the oldest
// first.
func ListOutcomes(
	ctx context.Context, r *persistence.Reader, scope persistence.AdministrationScope, subscriptions []uuid.UUID, limit int,
) (map[uuid.UUID][]domain.WebhookOutcome, error) {
	outcomes := map[uuid.UUID][]domain.WebhookOutcome{}
	args := []any{scope.Everywhere, scope.Tenants, subscriptions, limit}
	err := r.Read(ctx, pg.Q(latestOutcomes, args, func(rows pgx.Rows) error {
		defer rows.Close()
		for rows.Next() {
			var id uuid.UUID
			var o domain.WebhookOutcome
			if err := rows.Scan(&id, &o.State, &o.Attempts, &o.CreatedAt); err != nil {
				return err
			}
			outcomes[id] = append(outcomes[id], o)
		}
		return rows.Err()
	}))
	return outcomes, pg.Translate("listing outcomes of webhook deliveries", err)
}
