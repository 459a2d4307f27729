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
	// A new URL is a new receiver, so its state starts from the beginning.
	putWebhookEndpoint = `
INSERT INTO webhook_endpoints AS w (subscription_id, tenant_id, url, payload_version, event_types,
                                    process_definition_id, paused)
VALUES ($1, $2, $3, $4, $5, $6, $7)
    ON CONFLICT (subscription_id) DO UPDATE
   SET url = excluded.url, payload_version = excluded.payload_version, event_types = excluded.event_types,
       process_definition_id = excluded.process_definition_id, paused = excluded.paused,
       failing_since = CASE WHEN w.url = excluded.url THEN w.failing_since END,
       failures = CASE WHEN w.url = excluded.url THEN w.failures ELSE 0 END,
       held_until = CASE WHEN w.url = excluded.url THEN w.held_until ELSE '-infinity' END,
       disabled_at = CASE WHEN w.url = excluded.url THEN w.disabled_at END,
       disabled_reason = CASE WHEN w.url = excluded.url THEN w.disabled_reason END,
       events_lost_at = CASE WHEN w.url = excluded.url THEN w.events_lost_at END`

	deleteWebhookEndpoint = `
DELETE FROM webhook_endpoints
 WHERE subscription_id = $1`

	enableWebhookEndpoint = `
UPDATE webhook_endpoints
   SET failing_since = NULL, failures = 0, held_until = '-infinity', disabled_at = NULL, disabled_reason = NULL,
       events_lost_at = NULL
 WHERE subscription_id = $1`

	tryWebhookEndpoint = `
UPDATE webhook_endpoints
   SET held_until = '-infinity'
 WHERE subscription_id = $1`
)

// PutEndpoint stores the endpoint of a subscription as its manifest describes it. The recorded health of
// the endpoint stays, unless the URL changes.
func PutEndpoint(tx *persistence.Tx, w domain.WebhookEndpoint) {
	exec(tx, putWebhookEndpoint, w.SubscriptionID, w.TenantID, w.URL, w.PayloadVersion, w.EventTypes,
		w.ProcessDefinitionID, w.Paused)
	exec(tx, closeChangedBacklog, w.SubscriptionID)
	exec(tx, continueBacklog, w.SubscriptionID)
}

// DeleteEndpoint deletes an endpoint with its deliveries and secrets.
func DeleteEndpoint(tx *persistence.Tx, subscription uuid.UUID) {
	exec(tx, deleteSecretsOf, subscription)
	exec(tx, deleteWebhookEndpoint, subscription)
}

// EnableEndpoint enables the deliveries of an endpoint that is under lock.
func EnableEndpoint(tx *persistence.Tx, subscription uuid.UUID) {
	exec(tx, enableWebhookEndpoint, subscription)
	exec(tx, continueBacklog, subscription)
}

// TryEndpoint makes an endpoint that is under lock due at once, regardless of its failures.
func TryEndpoint(tx *persistence.Tx, subscription uuid.UUID) {
	exec(tx, tryWebhookEndpoint, subscription)
}

//nolint:gochecknoglobals // constants, of which a table of domain is a part
var (
	webhookHealthColumns = `w.subscription_id, w.tenant_id, r.code, w.url, w.payload_version, w.event_types,
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
       r.last_modified_at, w.events_lost_at, ` + countedBacklog

	lockWebhookEndpoint = `
SELECT ` + webhookHealthColumns + `
  FROM ` + fromWebhookEndpoints + `
 WHERE ` + webhookInScope + `
   AND r.code = $4
   AND ($5 = '' OR t.code = $5)
 LIMIT 2
   FOR NO KEY UPDATE OF w`
)

const (
	joinsOfWebhookEndpoints = `
  JOIN resources r ON r.tenant_id = w.tenant_id AND r.kind = 'WebhookSubscription' AND r.id = w.subscription_id
  JOIN tenants t ON t.id = w.tenant_id`

	fromWebhookEndpoints = `webhook_endpoints w` + joinsOfWebhookEndpoints

	// The total of a list is counted without the columns, which need $1.
	webhookInScope = `($1::timestamptz IS NOT NULL AND ($2 OR w.tenant_id = ANY($3)))`
)

func scanWebhookHealth(row pgx.CollectableRow) (domain.WebhookHealth, error) {
	var h domain.WebhookHealth
	var failed [3]int64
	var b *countOfBacklog
	err := row.Scan(&h.SubscriptionID, &h.TenantID, &h.Code, &h.URL, &h.PayloadVersion, &h.EventTypes,
		&h.ProcessDefinitionID, &h.Paused, &h.FailingSince, &h.DisabledAt, &h.DisabledReason,
		&h.TenantCode, &h.Name, &h.ProcessDefinition, &h.HasSecret, &h.Pending, &h.PendingSince,
		&failed, &h.ModifiedAt, &h.EventsLostAt, &b)
	h.Retrying, h.Dead, h.Dropped = failed[0], failed[1], failed[2]
	if b != nil {
		h.Pending, h.Dropped, h.AtLeast = h.Pending+b.Waiting, h.Dropped+b.Dropped, b.Read >= domain.WebhookBacklogCounted
		if h.PendingSince == nil {
			h.PendingSince = b.Since
		}
	}
	return h, err
}

// EndpointFilter narrows a list of endpoints; empty fields keep all.
type EndpointFilter struct {
	TenantCodes, Codes []string
}

// ListEndpoints returns a page of the endpoints in the scope with their current state. They can be sorted
// by id and code; without a key they are sorted by tenant first.
func ListEndpoints(
	ctx context.Context, r *persistence.Reader, scope persistence.AdministrationScope, filter EndpointFilter, page domain.PageRequest, sort []domain.SortKey,
	now time.Time,
) (domain.Page[domain.WebhookHealth], error) {
	l := &listquery.List{
		Columns: webhookHealthColumns, Table: "webhook_endpoints w", Joins: joinsOfWebhookEndpoints,
		Args: []any{now, scope.Everywhere, scope.Tenants}, Tenants: listquery.Match(webhookInScope),
		Where: []listquery.Condition{listquery.AnyOf("t.code", filter.TenantCodes), listquery.AnyOf("r.code", filter.Codes)},
		Order: listquery.Order{
			By: sort, Default: []listquery.Column{{SQL: "t.code"}, {SQL: "r.code"}},
			Columns: listquery.Columns{"id": {SQL: "w.subscription_id"}, "code": {SQL: "r.code"}},
		},
	}
	return persistence.ReadPage(ctx, r, "listing webhook endpoints", l, page, scanWebhookHealth)
}

// LockEndpoint locks the endpoint of a subscription in the scope and returns its current state, or
// NOT_FOUND. An empty tenant matches any; a code that then matches several subscriptions is a VALIDATION error.
func LockEndpoint(
	ctx context.Context, tx *persistence.Tx, scope persistence.AdministrationScope, tenant, code string, now time.Time,
) (*domain.WebhookHealth, error) {
	var found []domain.WebhookHealth
	err := tx.Read(ctx, pg.Q(
		lockWebhookEndpoint,
		[]any{now, scope.Everywhere, scope.Tenants, code, tenant},
		func(rows pgx.Rows) (err error) {
			found, err = pgx.CollectRows(rows, scanWebhookHealth)
			return err
		},
	))
	if err != nil {
		return nil, err
	}
	switch len(found) {
	case 0:
		return nil, domain.NotFound("webhook subscription")
	case 1:
		tx.Found(found[0].SubscriptionID, domain.VersionAt(found[0].ModifiedAt))
		return &found[0], nil
	default:
		return nil, domain.Invalid(domain.LocationQuery, "tenant", "is required: several of your tenants have this subscription")
	}
}
