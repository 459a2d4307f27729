package webhooks

import (
	"context"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

const (
	// laggingAtOnce bounds the endpoints that are looked at in one exchange, and catchUpBudget the events that all of them
	// catch up with.
	laggingAtOnce = 1000
	catchUpBudget = 5000
)

// laggingEndpoint is an endpoint with its oldest backlog.
type laggingEndpoint struct {
	domain.WebhookEndpoint
	Backlog int64
	// Waiting is how many deliveries wait for their first attempt, counted no further than matters.
	Waiting int
}

// Endpoints that cannot receive are left out, and none comes first each time; domain.WebhookEndpoint.CatchUp decides about the others. $1 are the
// endpoints, all where $3 is set.
const laggingEndpoints = `
SELECT k.id, k.subscription_id, w.paused, w.failing_since, w.failures, nullif(w.held_until, '-infinity'), w.disabled_at,
       (SELECT count(*) FROM (SELECT 1 FROM webhook_deliveries d
                               WHERE d.subscription_id = k.subscription_id AND d.state = 'PENDING' LIMIT 100) p)
  FROM webhook_backlogs k
  JOIN webhook_endpoints w ON w.subscription_id = k.subscription_id
 CROSS JOIN webhook_cursor c
 WHERE ($3 OR k.subscription_id = ANY($1))
   AND (k.dropped OR NOT w.paused AND w.held_until <= $2 AND ` + hasSecret + `)
   AND (k.until_xid IS NOT NULL OR (k.era, k.xid, k.position) < (c.era, c.xid, c.position))
   AND NOT EXISTS (SELECT 1 FROM webhook_backlogs o WHERE o.subscription_id = k.subscription_id AND o.id < k.id)
 ORDER BY random()
 LIMIT $4`

// findLagging finds endpoints that may catch up.
func findLagging(e DeliveryExchange, dest *[]laggingEndpoint) pg.Query {
	endpoints := e.Endpoints
	if endpoints == nil {
		endpoints = []uuid.UUID{}
	}
	return pg.Q(laggingEndpoints, []any{endpoints, e.Now, e.ScanAll, laggingAtOnce}, func(rows pgx.Rows) (err error) {
		*dest, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (b laggingEndpoint, err error) {
			return b, row.Scan(&b.Backlog, &b.SubscriptionID, &b.Paused, &b.FailingSince, &b.Failures, &b.HeldUntil, &b.DisabledAt,
				&b.Waiting)
		})
		return err
	})
}

//nolint:gochecknoglobals // a constant, of which a table of domain is a part
var (
	// The backlogs that are chosen, with at_most events each, come before it. $1 is now, and only events from before $2 are
	// read. next_event_id is for the release before, which looks for that event.
	takeFromBacklogs = `
), held AS (
    SELECT k.id, k.subscription_id, k.tenant_id, k.era, k.xid, k.position, k.dropped, n.at_most,
           k.payload_version, k.event_types, k.process_definition_id,
           coalesce(k.until_era, c.era) AS end_era, coalesce(k.until_xid, c.xid) AS end_xid,
           coalesce(k.until_position, c.position) AS end_position
      FROM chosen n
      JOIN webhook_backlogs k ON k.id = n.id
      JOIN webhook_endpoints w ON w.subscription_id = k.subscription_id
     CROSS JOIN webhook_cursor c
       FOR UPDATE OF k SKIP LOCKED
       FOR KEY SHARE OF w SKIP LOCKED
), found AS (
    SELECT w.id AS backlog, w.at_most, b.*,
           row_number() OVER o <= w.at_most AND bool_and(b.occurred_at < $2) OVER o AS taken
      FROM held w
     CROSS JOIN LATERAL (
           SELECT e.era, e.xid, e.position, e.id, e.type, e.process_id, e.process_item_id, e.item_type, e.resource_id,
                  e.occurred_at
             FROM events e
            WHERE e.tenant_id = w.tenant_id
              AND ` + pg.ComparePlace(">", "w.era", "w.xid", "w.position") + `
              AND ` + pg.ComparePlace("<=", "w.end_era", "w.end_xid", "w.end_position") + `
            ORDER BY ` + pg.EventOrder + `
            LIMIT w.at_most + 1) b
    WINDOW o AS (PARTITION BY w.id ORDER BY b.era, b.xid, b.position)
), inserted AS (
    INSERT INTO webhook_deliveries (id, subscription_id, tenant_id, event_id, event_era, event_xid, event_position,
                                    event_type, payload_version, process_id, state, created_at, queued_at, finished_at)
    SELECT gen_random_uuid(), w.subscription_id, w.tenant_id, b.id, b.era, b.xid, b.position,
           t.name, w.payload_version, b.process_id, s.state, b.occurred_at, b.occurred_at, CASE s.state WHEN 'DROPPED' THEN $1::timestamptz END
      FROM found b
      JOIN held w ON w.id = b.backlog
     CROSS JOIN LATERAL (` + sentAs + `) t
     CROSS JOIN LATERAL (SELECT CASE WHEN w.dropped OR b.occurred_at < $3 THEN 'DROPPED' ELSE 'PENDING' END AS state) s
     WHERE b.taken
     ORDER BY w.id, b.era, b.xid, b.position
        ON CONFLICT (event_id, subscription_id) DO NOTHING
    RETURNING subscription_id, state
), lost AS (
    UPDATE webhook_endpoints w
       SET events_lost_at = $1
      FROM held k
     WHERE w.subscription_id = k.subscription_id
       AND EXISTS (SELECT 1 FROM removed_events r
                    WHERE r.tenant_id = k.tenant_id AND (r.era, r.xid, r.position) > (k.era, k.xid, k.position))
    RETURNING w.subscription_id
), progress AS (
    SELECT w.id, w.subscription_id, coalesce(l.era, w.end_era) AS era, coalesce(l.xid, w.end_xid) AS xid,
           coalesce(l.position, w.end_position) AS position, l.occurred_at,
           n.id IS NULL AS done, n.id IS NOT NULL AND n.occurred_at < $2 AS more
      FROM held w
      LEFT JOIN LATERAL (SELECT f.era, f.xid, f.position, f.id, f.occurred_at FROM found f WHERE f.backlog = w.id AND NOT f.taken
                          ORDER BY f.era, f.xid, f.position LIMIT 1) n ON true
      LEFT JOIN LATERAL (SELECT f.era, f.xid, f.position, f.occurred_at FROM found f
                          WHERE f.backlog = w.id AND f.taken AND n.id IS NOT NULL
                          ORDER BY f.era DESC, f.xid DESC, f.position DESC LIMIT 1) l ON true
     WHERE n.id IS NULL OR l.era IS NOT NULL
), moved AS (
    UPDATE webhook_backlogs k
       SET era = p.era, xid = p.xid, position = p.position, next_event_id = NULL
      FROM progress p
     WHERE k.id = p.id
       AND (k.until_xid IS NULL OR NOT p.done)
       AND (k.era, k.xid, k.position) < (p.era, p.xid, p.position)
), ended AS (
    DELETE FROM webhook_backlogs k
     USING progress p
     WHERE k.id = p.id AND k.until_xid IS NOT NULL AND p.done
)
SELECT p.subscription_id, p.more, p.occurred_at, l.subscription_id IS NOT NULL,
       (SELECT count(*) FROM inserted i WHERE i.subscription_id = p.subscription_id AND i.state = 'DROPPED')
  FROM progress p
  LEFT JOIN lost l ON l.subscription_id = p.subscription_id`

	catchUpChosen = `
WITH chosen AS (
    SELECT n.id, n.at_most FROM unnest($4::bigint[], $5::int[]) AS n (id, at_most)` + takeFromBacklogs
)

// caughtUp is the result of reading a backlog: More reports whether events are left; the events read end at Last. Lost
// reports that events were removed before they were delivered. Dropped counts the deliveries that were dropped.
type caughtUp struct {
	SubscriptionID uuid.UUID
	More           bool
	Last           *time.Time
	Lost           bool
	Dropped        int
}

func scanCaughtUp(dest *[]caughtUp) func(pgx.Rows) error {
	return func(rows pgx.Rows) (err error) {
		*dest, err = pgx.CollectRows(rows, pgx.RowToStructByPos[caughtUp])
		return err
	}
}

// catchUp creates deliveries of events in backlogs of endpoints as far as the budget goes, and returns the endpoints.
func catchUp(
	ctx context.Context, tx *persistence.Tx, lagging []laggingEndpoint, now time.Time, out *Deliveries,
) ([]uuid.UUID, error) {
	var ids []int64
	var atMost []int
	left := catchUpBudget
	for i := range lagging {
		switch n := lagging[i].CatchUp(true, lagging[i].Waiting, now); {
		case n > 0 && left > 0:
			n = min(n, left)
			ids, atMost, left = append(ids, lagging[i].Backlog), append(atMost, n), left-n
		case n > 0:
			out.CatchingUp = append(out.CatchingUp, lagging[i].SubscriptionID)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	var done []caughtUp
	args := []any{now, infinity, now.Add(-domain.WebhookRetention), ids, atMost}
	if err := tx.Change(ctx, pg.Q(catchUpChosen, args, scanCaughtUp(&done))); err != nil {
		return nil, err
	}
	endpoints := make([]uuid.UUID, len(done))
	for i, d := range done {
		endpoints[i] = d.SubscriptionID
		if d.More {
			out.CatchingUp = append(out.CatchingUp, d.SubscriptionID)
		}
		if d.Lost {
			out.Lost = append(out.Lost, d.SubscriptionID)
		}
	}
	return endpoints, nil
}

// infinity is later than any event.
const infinity = "infinity"

const (
	// A subscription that is changed gets earlier events as it was. $1 is the subscription.
	closeChangedBacklog = `
UPDATE webhook_backlogs k
   SET until_era = c.era, until_xid = c.xid, until_position = c.position
  FROM webhook_endpoints w, webhook_cursor c
 WHERE k.subscription_id = $1
   AND w.subscription_id = $1
   AND k.until_xid IS NULL
   AND (k.payload_version, k.event_types, k.process_definition_id)
       IS DISTINCT FROM (w.payload_version, w.event_types, w.process_definition_id)`

	// New events wait behind earlier backlogs.
	continueBacklog = `
INSERT INTO webhook_backlogs (subscription_id, tenant_id, era, xid, position, payload_version, event_types,
                              process_definition_id)
SELECT w.subscription_id, w.tenant_id, c.era, c.xid, c.position, w.payload_version, w.event_types, w.process_definition_id
  FROM webhook_endpoints w
 CROSS JOIN webhook_cursor c
 WHERE w.subscription_id = $1
   AND w.disabled_at IS NULL
   AND EXISTS (SELECT 1 FROM webhook_backlogs k WHERE k.subscription_id = $1)
   AND NOT EXISTS (SELECT 1 FROM webhook_backlogs k WHERE k.subscription_id = $1 AND k.until_xid IS NULL)`

	// Waiting events of disabled endpoints are dropped.
	dropBacklogs = `
UPDATE webhook_backlogs k
   SET dropped = true, until_era = coalesce(k.until_era, c.era), until_xid = coalesce(k.until_xid, c.xid),
       until_position = coalesce(k.until_position, c.position)
  FROM webhook_cursor c
 WHERE k.subscription_id = ANY($1)
   AND NOT k.dropped`
)

//nolint:gochecknoglobals // a constant, of which a table of domain is a part
var (
	// countedEvents are the first events in the backlog k, with the names under which the endpoint is to receive them.
	countedEvents = `(SELECT c.era, c.xid, c.position FROM webhook_cursor c) c
 CROSS JOIN LATERAL (
       SELECT e.type, e.process_id, e.process_item_id, e.item_type, e.resource_id, e.occurred_at
         FROM events e
        WHERE e.tenant_id = w.tenant_id
          AND ` + pg.ComparePlace(">", "w.era", "w.xid", "w.position") + `
          AND ` + pg.ComparePlace("<=", "coalesce(w.until_era, c.era)", "coalesce(w.until_xid, c.xid)",
		"coalesce(w.until_position, c.position)") + `
        ORDER BY ` + pg.EventOrder + `
        LIMIT ` + strconv.Itoa(domain.WebhookBacklogCounted) + `) b
  LEFT JOIN LATERAL (` + sentAs + `) t ON true`

	// countedBacklog is a countOfBacklog of the endpoint w, NULL without a backlog.
	countedBacklog = `(SELECT json_build_object(
                 'waiting', count(t.name) FILTER (WHERE NOT w.dropped), 'dropped', count(t.name) FILTER (WHERE w.dropped),
                 'read', count(*), 'since', min(b.occurred_at) FILTER (WHERE t.name IS NOT NULL AND NOT w.dropped))
          FROM (SELECT k.* FROM webhook_backlogs k WHERE k.subscription_id = w.subscription_id) w
         CROSS JOIN ` + countedEvents + `
        HAVING count(*) > 0)`
)

// countOfBacklog counts the waiting and the dropped events among the events read from the backlogs of an endpoint.
type countOfBacklog struct {
	Waiting, Dropped, Read int64
	Since                  *time.Time
}
