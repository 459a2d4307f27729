package webhooks

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

//nolint:gochecknoglobals // constants, of which a table of domain is a part
var (
	// sentAs is the name under which the event b is sent to the subscription w, current or earlier: one row, or none.
	sentAs = fmt.Sprintf(`
           SELECT v.name
             FROM (VALUES %s) AS v (type, version, name, of_item, tasks_only, on_request)
            WHERE v.type = b.type
              AND v.version = w.payload_version
              AND (NOT v.of_item OR b.process_item_id IS NOT NULL)
              AND (NOT v.tasks_only OR b.item_type = 'TASK')
              AND (w.event_types IS NULL AND NOT v.on_request OR v.name = ANY(w.event_types))
              AND (w.process_definition_id IS NULL
                   OR w.process_definition_id = (SELECT p.process_definition_id FROM processes p WHERE p.id = b.process_id))
            UNION ALL
           SELECT '%s'
            WHERE b.type = '%s' AND b.resource_id = w.subscription_id
            UNION ALL
           SELECT '%s'
            WHERE b.type = '%s' AND b.resource_id = w.subscription_id AND w.payload_version = '%s'`,
		publicNames(), domain.WebhookPingType, domain.EventWebhookPinged,
		domain.NotificationType, domain.EventReceiverNotified, domain.PayloadB)

	// One replica fans out at a time. Without new events no row is locked, so that the transaction writes no WAL.
	// A statement that has waited for another one's cursor creates no deliveries: it would not see which endpoints are behind.
	//
	// Endpoints with a backlog are left out, unless it ends where the batch begins and they are held no longer. Those that
	// are held from now on get a backlog that begins there, or deliveries if they are locked: nothing waits for a lock.
	fanOutEvents = `
WITH place AS (
    SELECT c.era, c.xid, c.position
      FROM webhook_cursor c
     WHERE EXISTS (SELECT 1 FROM events e
                    WHERE ` + beyondCursor + `
                      AND ` + pg.SettledEvent + `)
       AND (c.era, c.xid, c.position) = (SELECT s.era, s.xid, s.position FROM webhook_cursor s)
       FOR NO KEY UPDATE OF c SKIP LOCKED
), batch AS (
    SELECT b.*
      FROM place c
     CROSS JOIN LATERAL (
           SELECT e.era, e.xid, e.position, e.id, e.tenant_id, e.type, e.process_id, e.process_item_id, e.item_type,
                  e.resource_id
             FROM events e
            WHERE ` + beyondCursor + `
              AND ` + pg.SettledEvent + `
            ORDER BY ` + pg.EventOrder + `
            LIMIT $1) b
), resumed AS (
    SELECT k.id
      FROM place c
      JOIN webhook_backlogs k ON (k.era, k.xid, k.position) = (c.era, c.xid, c.position) AND k.until_xid IS NULL
      JOIN webhook_endpoints w ON w.subscription_id = k.subscription_id
     WHERE NOT ` + isHeld + `
       AND NOT EXISTS (SELECT 1 FROM webhook_backlogs o WHERE o.subscription_id = k.subscription_id AND o.id < k.id)
       FOR UPDATE OF k SKIP LOCKED
), candidates AS (
    SELECT w.subscription_id, w.tenant_id, w.payload_version, w.event_types, w.process_definition_id, ` + isHeld + ` AS held
      FROM webhook_endpoints w
     WHERE w.tenant_id IN (SELECT b.tenant_id FROM batch b)
       AND w.disabled_at IS NULL
       AND NOT EXISTS (SELECT 1 FROM webhook_backlogs k
                        WHERE k.subscription_id = w.subscription_id AND k.id NOT IN (SELECT r.id FROM resumed r))
), holding AS (
    SELECT w.subscription_id, w.payload_version, w.event_types, w.process_definition_id
      FROM webhook_endpoints w
     WHERE w.subscription_id IN (SELECT n.subscription_id FROM candidates n WHERE n.held)
       AND w.disabled_at IS NULL
       FOR NO KEY UPDATE SKIP LOCKED
), sent AS (
    SELECT b.era, b.xid, b.position, b.id, b.tenant_id, b.process_id, w.subscription_id, w.payload_version, t.name,
           h.subscription_id IS NOT NULL AS held
      FROM batch b
      JOIN candidates w ON w.tenant_id = b.tenant_id
      LEFT JOIN holding h ON h.subscription_id = w.subscription_id
     CROSS JOIN LATERAL (` + sentAs + `) t
), inserted AS (
    INSERT INTO webhook_deliveries (id, subscription_id, tenant_id, event_id, event_era, event_xid, event_position,
                                    event_type, payload_version, process_id, state, created_at, queued_at)
    SELECT gen_random_uuid(), t.subscription_id, t.tenant_id, t.id, t.era, t.xid, t.position, t.name, t.payload_version,
           t.process_id, 'PENDING', $2, $2
      FROM sent t
     WHERE NOT t.held
     ORDER BY t.era, t.xid, t.position
        ON CONFLICT (event_id, subscription_id) DO NOTHING
), ended AS (
    DELETE FROM webhook_backlogs k
     USING resumed r
     WHERE k.id = r.id
), begun AS (
    INSERT INTO webhook_backlogs (subscription_id, tenant_id, era, xid, position, payload_version, event_types,
                                  process_definition_id)
    SELECT h.subscription_id, f.tenant_id, c.era, c.xid, c.position, h.payload_version, h.event_types, h.process_definition_id
      FROM holding h
     CROSS JOIN place c
     CROSS JOIN LATERAL (SELECT t.tenant_id FROM sent t WHERE t.subscription_id = h.subscription_id
                          ORDER BY t.era, t.xid, t.position LIMIT 1) f
), moved AS (
    UPDATE webhook_cursor c
       SET era = b.era, xid = b.xid, position = b.position
      FROM (SELECT e.era, e.xid, e.position FROM batch e ORDER BY ` + pg.EventOrderDescending + ` LIMIT 1) b
)
SELECT (SELECT count(*) FROM batch), EXISTS (SELECT 1 FROM webhook_endpoints w WHERE w.disabled_at IS NULL),
       ARRAY(SELECT DISTINCT t.subscription_id FROM sent t WHERE NOT t.held)`
)

// scannedAtOnce bounds the endpoints that one scan finds.
const scannedAtOnce = 1000

// hasSecret is true of an endpoint w that has a secret at $2.
const hasSecret = `EXISTS (SELECT 1 FROM webhook_secrets s
                    WHERE s.subscription_id = w.subscription_id AND (s.expires_at IS NULL OR s.expires_at > $2))`

// beyondCursor is true of an event e behind the place c.
//
//nolint:gochecknoglobals // a constant
var beyondCursor = pg.ComparePlace(">", "c.era", "c.xid", "c.position")

// isHeld is domain.WebhookEndpoint.Held of an endpoint w at $2, with domain.WebhookHoldFrom as $3.
const isHeld = `(w.paused OR w.failures >= $3 OR NOT ` + hasSecret + `)`

// publicNames returns domain.PublicEvents as rows of SQL, one for each name of a type in a payload version.
func publicNames() string {
	var rows []string
	for _, version := range domain.PayloadVersions() {
		for _, public := range domain.PublicEvents() {
			if name := public.Name(version); name != "" {
				rows = append(rows, fmt.Sprintf("('%s', '%s', '%s', %t, %t, %t)",
					public.Type, version, name, public.Subject == domain.ResourceItem, public.TasksOnly, public.OnRequest))
			}
		}
	}
	return strings.Join(rows, ", ")
}

// fanOut creates deliveries of new events, and of those in backlogs, and returns endpoints at which deliveries wait.
func fanOut(ctx context.Context, tx *persistence.Tx, e DeliveryExchange, out *Deliveries) ([]uuid.UUID, error) {
	var queries []pg.Query
	var sent, waiting []uuid.UUID
	var lagging []laggingEndpoint
	if e.FanOut > 0 {
		queries = append(queries, pg.Q(fanOutEvents, []any{e.FanOut, e.Now, domain.WebhookHoldFrom},
			pg.One(&out.FannedOut, &out.Endpoints, &sent)))
	}
	if e.ScanAll {
		queries = append(queries, pg.Q(waitingEndpoints, []any{e.ScanAfter, scannedAtOnce}, func(rows pgx.Rows) (err error) {
			waiting, err = pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
			return err
		}))
	}
	if e.ScanAll || len(e.Endpoints) > 0 {
		queries = append(queries, findLagging(e, &lagging))
	}
	if len(queries) == 0 {
		return nil, nil
	}
	if err := tx.Change(ctx, queries...); err != nil {
		return nil, err
	}
	if len(waiting) == scannedAtOnce {
		out.ScanAfter = waiting[scannedAtOnce-1]
	}
	caughtUp, err := catchUp(ctx, tx, lagging, e.Now, out)
	return append(append(sent, waiting...), caughtUp...), err
}
