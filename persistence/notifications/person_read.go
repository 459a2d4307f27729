package notifications

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/internal/access"
	"github.com/procession-dev/procession/persistence/internal/listquery"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

const (
	// visibleSubject is true of a notification n of a process p or an item i of it that is visible to the caller. Rights may have
	// changed since it was written.
	visibleSubject = `p.deleted_at IS NULL AND CASE WHEN n.item_id IS NULL THEN ` + access.VisibleProcess + ` ELSE ` + access.VisibleItem + ` END`

	joinsOfNotification = `
  JOIN processes p ON p.id = n.process_id
  LEFT JOIN process_items i ON i.id = n.item_id`

	countUnread = `
SELECT (SELECT count(*)
          FROM (SELECT 1 FROM person_notifications n` + joinsOfNotification + `
                 WHERE n.recipient_id = $1 AND n.tenant_id = ANY($2) AND n.read_at IS NULL AND ` + visibleSubject + `
                 ORDER BY n.position DESC
                 LIMIT $3) u)
     + (SELECT count(*) FROM (` + digestsOfCaller + `) d)`

	digestsOfCaller = `
SELECT t.tenant_id, t.item_definition_id, t.tasks - coalesce(m.tasks, 0) AS tasks, t.last_at
  FROM claimable_tasks t
  LEFT JOIN claimable_marks m ON m.principal_id = $1 AND m.item_definition_id = t.item_definition_id AND m.tenant_id = t.tenant_id
 WHERE t.item_definition_id = ANY(` + access.CandidateItemDefinitions + `) AND t.tenant_id = ANY($2)
   AND t.tasks > coalesce(m.tasks, 0) AND t.last_at > $4`

	listDigests = `
SELECT g.tenant_id, g.item_definition_id, d.code, ` + pg.NameOfT + ` AS name, g.tasks, g.last_at
  FROM (` + digestsOfCaller + `) g
  JOIN item_definitions d ON d.id = g.item_definition_id
  JOIN process_definitions s ON s.id = d.process_definition_id
  LEFT JOIN item_definition_versions t ON t.item_definition_id = d.id AND t.process_version = s.published_version
 WHERE $3 > 0
 ORDER BY g.last_at DESC, g.item_definition_id
 LIMIT ` + digestsShown

	// digestsShown bounds the digests of a list.
	digestsShown = "100"

	markRead = `
UPDATE person_notifications n
   SET read_at = $3
 WHERE n.recipient_id = $1 AND n.tenant_id = ANY($2) AND n.read_at IS NULL AND n.event_id = ANY($4)`

	markAllRead = `
UPDATE person_notifications n
   SET read_at = $3
 WHERE n.recipient_id = $1 AND n.tenant_id = ANY($2) AND n.read_at IS NULL AND n.created_at <= $4`

	markClaimable = `
INSERT INTO claimable_marks AS m (principal_id, item_definition_id, tenant_id, tasks)
SELECT $1, t.item_definition_id, t.tenant_id, t.tasks
  FROM claimable_tasks t
 WHERE t.item_definition_id = ANY(` + access.CandidateItemDefinitions + `) AND t.tenant_id = ANY($2) AND t.last_at <= $3
    ON CONFLICT (principal_id, item_definition_id, tenant_id) DO UPDATE
   SET tasks = greatest(m.tasks, excluded.tasks)`
)

func unreadOf(caller domain.Caller, now time.Time, unread *int) pg.Query {
	return pg.Q(countUnread, []any{caller.PrincipalID, caller.TenantIDs(), domain.NotificationBellLimit, now.Add(-domain.ClaimableAge)}, pg.One(unread))
}

// CountUnread returns the number of unread notifications of the caller and of digests, up to domain.NotificationBellLimit.
func CountUnread(ctx context.Context, r *persistence.Reader, caller domain.Caller, now time.Time) (int, error) {
	var unread int
	err := r.Read(ctx, unreadOf(caller, now, &unread))
	return min(unread, domain.NotificationBellLimit), pg.Translate("counting notifications", err)
}

// Filter narrows a list of notifications; empty fields keep all.
type Filter struct {
	IDs       []uuid.UUID
	TenantIDs []uuid.UUID
	// ProcessIDs are the processes that the notifications are about.
	ProcessIDs []uuid.UUID
	Kinds      []domain.NotificationKind
	Unread     bool
}

// ListForPerson returns a page of the notifications of the caller, the newest first, with the digests of claimable tasks.
func ListForPerson(
	ctx context.Context, r *persistence.Reader, caller domain.Caller, filter Filter, page domain.PageRequest, now time.Time,
) (*domain.NotificationList, error) {
	list := listquery.OfCaller(caller, "n.tenant_id", listquery.List{
		Columns: `n.event_id, n.tenant_id, n.process_id, n.kind, n.item_id, n.actor_id, n.created_at, n.read_at, p.subject,
       coalesce(aname.name, a.name, ''), ` + pg.NameOfT,
		Table: "person_notifications n",
		Joins: joinsOfNotification,
		Names: joinsOfNotification + `
  LEFT JOIN item_definition_versions t ON t.version = i.item_version
  LEFT JOIN principals a ON a.id = n.actor_id
  LEFT JOIN person_names aname ON aname.tenant_id = n.tenant_id AND aname.principal_id = n.actor_id`,
		Visible: listquery.Match("n.recipient_id = $1 AND " + visibleSubject),
		Where: []listquery.Condition{
			listquery.AnyOf("n.event_id", filter.IDs), listquery.AnyOf("n.tenant_id", filter.TenantIDs), listquery.AnyOf("n.kind", filter.Kinds),
			listquery.AnyOf("n.process_id", filter.ProcessIDs),
			listquery.MatchIf(filter.Unread, "n.read_at IS NULL"),
		},
		Order: listquery.Order{Default: []listquery.Column{{SQL: "n.position", Descending: true}}},
	})
	found := &domain.NotificationList{}
	digests := []any{caller.PrincipalID, caller.TenantIDs(), domain.NotificationBellLimit, now.Add(-domain.ClaimableAge)}
	var err error
	found.Page, err = persistence.ReadPage(ctx, r, "listing notifications", list, page, scanNotification,
		pg.Q(listDigests, digests, pg.Into(&found.Claimable)), unreadOf(caller, now, &found.Unread))
	found.Unread = min(found.Unread, domain.NotificationBellLimit)
	return found, err
}

func scanNotification(row pgx.CollectableRow) (domain.Notification, error) {
	var n domain.Notification
	err := row.Scan(&n.ID, &n.TenantID, &n.ProcessID, &n.Kind, &n.ItemID, &n.ActorID, &n.CreatedAt, &n.ReadAt, &n.Subject, &n.ActorName,
		&n.ItemName)
	return n, err
}

// MarkRead marks notifications of the caller as read with the commit of the transaction.
func MarkRead(tx *persistence.Tx, caller domain.Caller, ids []uuid.UUID, now time.Time) {
	exec(tx, markRead, caller.PrincipalID, caller.TenantIDs(), now, ids)
}

// MarkAllRead marks all notifications of the caller until a time, and the digests of claimable tasks, as read.
func MarkAllRead(tx *persistence.Tx, caller domain.Caller, until, now time.Time) {
	exec(tx, markAllRead, caller.PrincipalID, caller.TenantIDs(), now, until)
	exec(tx, markClaimable, caller.PrincipalID, caller.TenantIDs(), until)
}
