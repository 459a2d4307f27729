package events

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/internal/access"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

// A part of the event log is read as a whole, however little of it is visible to the caller, so that no feed is
// a long query.
const feedEvents = `
WITH part AS (
    SELECT e.*
      FROM events e
     WHERE ` + pg.SettledEvent + ` AND e.tenant_id %s AND e.type = ANY($3) AND %s%s
     ORDER BY ` + pg.EventOrder + `
     LIMIT $4)
SELECT ` + eventColumns + `,
       CASE WHEN e.resource_kind = 'BUSINESS_ARTIFACT'
            THEN EXISTS (SELECT 1 FROM business_artifacts a WHERE a.id = e.resource_id AND ` + access.VisibleArtifact + `)
            WHEN e.process_item_id IS NULL
            THEN EXISTS (SELECT 1 FROM processes p WHERE p.id = e.process_id AND ` + access.VisibleProcess + `)
            ELSE EXISTS (SELECT 1 FROM process_items i WHERE i.id = e.process_item_id AND ` + access.VisibleItem + `)
       END AS visible
  FROM part e
 ORDER BY ` + pg.EventOrder

// ListFeed reads the next limit public events of the caller's tenants after the cursor, and returns those
// of processes, items and artifacts that are now visible to the caller. With processes, only events of these are
// read.
func ListFeed(
	ctx context.Context, r *persistence.Reader, caller domain.Caller, after domain.EventCursor, limit int, processes []uuid.UUID,
) (domain.FeedPart, error) {
	part := domain.FeedPart{Next: after}
	// One tenant, the usual case, is compared by equality: its index gives the order.
	operator, tenants := "= ANY($2)", any(caller.TenantIDs())
	if len(caller.Memberships) == 1 {
		operator, tenants = "= $2", caller.Memberships[0].TenantID
	}
	args := append([]any{caller.PrincipalID, tenants, domain.FeedEventTypes(), limit}, cursorArgs(after)...)
	only := ""
	if len(processes) > 0 {
		args = append(args, processes)
		only = fmt.Sprintf(" AND e.process_id = ANY($%d)", len(args))
	}
	const firstOfCursor = 5
	sql := fmt.Sprintf(feedEvents, operator, beyondCursor(">", firstOfCursor), only)
	looked := 0
	err := r.Read(ctx, pg.Q(sql, args, func(rows pgx.Rows) error {
		_, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (struct{}, error) {
			var visible bool
			e, err := scanEvent(row, &visible)
			if err != nil {
				return struct{}{}, err
			}
			looked++
			part.Next = e.Cursor
			if visible {
				part.Events = append(part.Events, e)
			}
			return struct{}{}, nil
		})
		return err
	}))
	part.More = looked == limit
	return part, pg.Translate("reading the feed", err)
}

const subjectsOfNewEvents = `
SELECT n.tenant_id, n.process_id, n.era, n.xid, n.position
  FROM (SELECT e.tenant_id, e.process_id, e.era, e.xid, e.position
          FROM events e
         WHERE %s AND %s AND e.type = ANY($5)
         ORDER BY %s
         LIMIT $4) n`

// News lists the tenants with events of domain.NewsEventTypes, and the processes that they are about; uuid.Nil stands for events about
// none. Next is the cursor to continue from, More reports whether to continue at once, Pending is as in Batch.
type News struct {
	Tenants       map[uuid.UUID]map[uuid.UUID]bool
	Next          domain.EventCursor
	More, Pending bool
}

// ListNew reads the next limit events of all tenants, of domain.NewsEventTypes, after the cursor.
func ListNew(ctx context.Context, r *persistence.Reader, after domain.EventCursor, limit int) (News, error) {
	found := News{Tenants: map[uuid.UUID]map[uuid.UUID]bool{}, Next: after}
	sql := fmt.Sprintf(subjectsOfNewEvents, pg.SettledEvent, beyondCursor(">", 1), pg.EventOrder)
	looked := 0
	err := r.Read(
		ctx,
		pg.Q(pendingEvents, nil, pg.One(&found.Pending)),
		pg.Q(sql, append(cursorArgs(after), limit, domain.NewsEventTypes()), func(rows pgx.Rows) error {
			_, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (struct{}, error) {
				var tenant uuid.UUID
				var process *uuid.UUID
				err := row.Scan(&tenant, &process, &found.Next.Era, &found.Next.Transaction, &found.Next.Position)
				if found.Tenants[tenant] == nil {
					found.Tenants[tenant] = map[uuid.UUID]bool{}
				}
				subject := uuid.Nil
				if process != nil {
					subject = *process
				}
				found.Tenants[tenant][subject] = true
				looked++
				return struct{}{}, err
			})
			return err
		}),
	)
	found.More = looked == limit
	return found, pg.Translate("looking for new events", err)
}
