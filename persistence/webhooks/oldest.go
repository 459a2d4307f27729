package webhooks

import (
	"context"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

// Deliveries that are finished can do without their events: they cannot be replayed then.
const oldestNeeded = `
SELECT n.era, n.xid, n.position
  FROM (SELECT c.era, c.xid, c.position FROM webhook_cursor c
         UNION ALL
        SELECT k.era, k.xid, k.position FROM webhook_backlogs k
         UNION ALL
        SELECT e.era, e.xid, e.position - 1
          FROM webhook_deliveries d
          JOIN events e ON e.id = d.event_id
         WHERE d.state IN ('PENDING', 'RETRYING')) n
 ORDER BY n.era, n.xid, n.position
 LIMIT 1`

// OldestNeeded returns the place in the event log after which events are still needed for webhooks: by the cursor, by
// endpoints that are held, or by deliveries that are not finished. It reads all that wait.
func OldestNeeded(ctx context.Context, r *persistence.Reader) (domain.EventCursor, error) {
	var place domain.EventCursor
	err := r.Read(ctx, pg.Q(oldestNeeded, nil, pg.One(&place.Era, &place.Transaction, &place.Position)))
	return place, pg.Translate("reading which events webhooks need", err)
}
