package notifications

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/internal/access"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

// ofEvent are the columns of an event that a notification has.
const ofEvent = `b.id, b.tenant_id, b.process_id, b.process_item_id, b.actor_id, b.occurred_at`

//nolint:gochecknoglobals // constants, of which fragments are replaced
var (
	recipientReads = access.For("r.id", access.VisibleItem)

	// writeNotifications moves the cursor and writes the notifications of the next $1 events behind it. One replica at a time writes;
	// without new events no row is locked. The participants of a process are its initiator, the owners of its tasks and the authors
	// of its messages. They and the people whom an escalation names are told as far as they may read the message or the task.
	writeNotifications = `
WITH ` + nextEvents("person_notification_cursor", `e.era, e.xid, e.position, e.id, e.tenant_id, e.type, e.process_id, e.process_item_id, e.item_type, e.process_state,
                  e.task_state, e.actor_id, e.occurred_at, e.details`) + `, found AS (
    SELECT ` + ofEvent + `, 'MENTIONED' AS kind, 1 AS rank, m.id AS recipient_id
      FROM batch b
      JOIN process_items i ON i.id = b.process_item_id
     CROSS JOIN LATERAL unnest(i.mentions) AS m (id)
     WHERE b.type = 'PROCESS_ITEM.CREATED' AND b.item_type = 'MESSAGE'
     UNION ALL
    SELECT ` + ofEvent + `, 'ASSIGNED', 2, i.owner_id
      FROM batch b
      JOIN process_items i ON i.id = b.process_item_id
     WHERE (b.type = 'PROCESS_ITEM.TASK_ASSIGNED' OR b.type = 'PROCESS_ITEM.TASK_STATE_CHANGED' AND b.task_state = 'CLAIMED')
       AND i.owner_id::text = b.details ->> 'ownerId'
     UNION ALL
    SELECT ` + ofEvent + `, CASE b.type WHEN 'PROCESS_ITEM.TASK_OVERDUE' THEN 'OVERDUE' ELSE 'DUE_SOON' END, 3, i.owner_id
      FROM batch b
      JOIN process_items i ON i.id = b.process_item_id AND i.task_state = 'CLAIMED'
     WHERE b.type IN ('PROCESS_ITEM.TASK_OVERDUE', 'PROCESS_ITEM.TASK_DUE_SOON')
     UNION ALL
    SELECT ` + ofEvent + `, 'OVERDUE', 3, r.id
      FROM batch b
      JOIN process_items i ON i.id = b.process_item_id AND i.task_state IN ('READY', 'CLAIMED')
      JOIN processes p ON p.id = b.process_id
     CROSS JOIN LATERAL (
           SELECT q.id
             FROM (SELECT n.id FROM unnest(string_to_array(b.details ->> 'notify', ',')::uuid[]) AS n (id)
                    UNION
                   SELECT m.principal_id
                     FROM unnest(string_to_array(b.details ->> 'notify', ',')::uuid[]) AS n (id)
                     JOIN group_members m ON m.group_id = n.id) q
            ORDER BY q.id
            LIMIT ` + strconv.Itoa(domain.EscalationRecipients) + `) r
     WHERE b.type = 'PROCESS_ITEM.TASK_ESCALATED'
       AND ` + recipientReads + `
     UNION ALL
    SELECT ` + ofEvent + `, 'CLAIMABLE', 4, p.initiator_id
      FROM batch b
      JOIN process_items i ON i.id = b.process_item_id
      JOIN processes p ON p.id = b.process_id
     WHERE b.type = 'PROCESS_ITEM.TASK_STATE_CHANGED' AND b.task_state = 'READY'
       AND EXISTS (SELECT 1 FROM item_definition_grants g
                    WHERE g.item_definition_id = i.item_definition_id AND g.permission = 'CANDIDATE' AND g.grantee_id IS NULL)
     UNION ALL
    SELECT ` + ofEvent + `, 'MESSAGE', 5, r.id
      FROM batch b
      JOIN process_items i ON i.id = b.process_item_id
      JOIN processes p ON p.id = b.process_id
     CROSS JOIN LATERAL (
           SELECT q.id
             FROM (SELECT p.initiator_id AS id
                    UNION
                   SELECT CASE WHEN l.type = 'MESSAGE' THEN l.created_by ELSE l.owner_id END
                     FROM (SELECT o.type, o.created_by, o.owner_id FROM process_items o
                            WHERE o.process_id = b.process_id ORDER BY o.created_at DESC, o.id DESC LIMIT 200) l) q
            WHERE q.id IS NOT NULL
            LIMIT ` + strconv.Itoa(domain.MessageRecipients) + `) r
     WHERE b.type = 'PROCESS_ITEM.CREATED' AND b.item_type = 'MESSAGE'
       AND ` + recipientReads + `
     UNION ALL
    SELECT ` + ofEvent + `, 'FINISHED', 6, p.initiator_id
      FROM batch b
      JOIN processes p ON p.id = b.process_id
     WHERE b.type = 'PROCESS.STATE_CHANGED' AND b.process_state IN ('COMPLETED', 'CANCELLED')
), written AS (
    INSERT INTO person_notifications (recipient_id, event_id, tenant_id, kind, process_id, item_id, actor_id, created_at, mail_due_at, mail_digest)
    SELECT DISTINCT ON (f.id, f.recipient_id) f.recipient_id, f.id, f.tenant_id, f.kind, f.process_id, f.process_item_id, f.actor_id, f.occurred_at,
           CASE WHEN $2 AND m.mail <> 'NEVER' THEN $3::timestamptz END, m.mail = 'DIGEST'
      FROM found f
      JOIN principals u ON u.id = f.recipient_id AND u.type = 'USER' AND u.disabled_at IS NULL
      JOIN tenant_users t ON t.principal_id = u.id AND t.tenant_id = f.tenant_id AND t.disabled_at IS NULL
      LEFT JOIN notification_choices c ON c.principal_id = f.recipient_id AND c.kind = f.kind
     CROSS JOIN LATERAL (SELECT coalesce(c.mail, ` + defaultMails() + `) AS mail) m
     WHERE f.recipient_id <> f.actor_id
     ORDER BY f.id, f.recipient_id, f.rank
        ON CONFLICT (recipient_id, event_id, tenant_id) DO NOTHING
    RETURNING recipient_id
), claimable AS (
    SELECT i.item_definition_id, b.tenant_id, b.actor_id, b.occurred_at
      FROM batch b
      JOIN process_items i ON i.id = b.process_item_id
     WHERE b.type = 'PROCESS_ITEM.TASK_STATE_CHANGED' AND b.task_state = 'READY'
), counted AS (
    INSERT INTO claimable_tasks AS t (item_definition_id, tenant_id, tasks, last_at)
    SELECT n.item_definition_id, n.tenant_id, count(*), max(n.occurred_at)
      FROM claimable n
     GROUP BY n.item_definition_id, n.tenant_id
        ON CONFLICT (item_definition_id, tenant_id) DO UPDATE
       SET tasks = t.tasks + excluded.tasks, last_at = greatest(t.last_at, excluded.last_at)
), own AS (
    INSERT INTO claimable_marks AS m (principal_id, item_definition_id, tenant_id, tasks)
    SELECT n.actor_id, n.item_definition_id, n.tenant_id, count(*)
      FROM claimable n
      JOIN principals u ON u.id = n.actor_id AND u.type = 'USER'
     GROUP BY n.actor_id, n.item_definition_id, n.tenant_id
        ON CONFLICT (principal_id, item_definition_id, tenant_id) DO UPDATE SET tasks = m.tasks + excluded.tasks
), ` + moveCursor("person_notification_cursor") + `
SELECT (SELECT count(*) FROM batch), (SELECT count(*) FROM written)`
)

const (
	removeOld = `
WITH oldest AS (
    SELECT n.position, n.created_at FROM person_notifications n ORDER BY n.position LIMIT $2
)
DELETE FROM person_notifications n USING oldest o WHERE n.position = o.position AND o.created_at < $1`

	listRecipients = `
SELECT q.recipient_id, q.position
  FROM (SELECT n.recipient_id, n.position FROM person_notifications n WHERE n.position > $1 ORDER BY n.position LIMIT $2) q`

	lastPosition = `SELECT coalesce(max(n.position), 0) FROM person_notifications n`
)

// defaultMails returns the default choice for mails about the kind of a notification f as SQL.
func defaultMails() string {
	var cases strings.Builder
	for _, kind := range domain.NotificationKinds() {
		fmt.Fprintf(&cases, " WHEN '%s' THEN '%s'", kind, kind.DefaultMail())
	}
	return "CASE f.kind" + cases.String() + " END"
}

// Written counts the events and the notifications of WriteForPeople.
type Written struct{ Events, Notifications int }

// WriteForPeople reads the next limit events of the event log and writes the notifications of people. With mails, mails about them
// are due.
func WriteForPeople(ctx context.Context, db *persistence.DB, limit int, mails bool, now time.Time) (Written, error) {
	var w Written
	err := db.Send(ctx, []pg.Query{pg.Q(writeNotifications, []any{limit, mails, now}, pg.One(&w.Events, &w.Notifications))})
	return w, pg.Translate("writing notifications of people", err)
}

// Recipients are the people with notifications behind a position, and the position of the last one.
type Recipients struct {
	People   []uuid.UUID
	Position int64
}

// FindRecipients returns the people with notifications behind a position, of at most limit notifications.
func FindRecipients(ctx context.Context, r *persistence.Reader, after int64, limit int) (Recipients, error) {
	found := Recipients{Position: after}
	err := r.Read(ctx, pg.Q(listRecipients, []any{after, limit}, func(rows pgx.Rows) error {
		var id uuid.UUID
		_, err := pgx.ForEachRow(rows, []any{&id, &found.Position}, func() error {
			found.People = append(found.People, id)
			return nil
		})
		return err
	}))
	return found, pg.Translate("reading recipients of notifications", err)
}

// LastPosition returns the position of the last notification, 0 for none.
func LastPosition(ctx context.Context, r *persistence.Reader) (int64, error) {
	var last int64
	err := r.Read(ctx, pg.Q(lastPosition, nil, pg.One(&last)))
	return last, pg.Translate("reading notifications of people", err)
}

// RemoveOld removes at most limit notifications from before a time, the oldest first, and returns their number.
func RemoveOld(ctx context.Context, db *persistence.DB, before time.Time, limit int) (int64, error) {
	var removed int64
	err := db.Send(ctx, []pg.Query{pg.Q(removeOld, []any{before, limit}, func(rows pgx.Rows) error {
		rows.Close()
		removed = rows.CommandTag().RowsAffected()
		return rows.Err()
	})})
	return removed, pg.Translate("removing notifications of people", err)
}
