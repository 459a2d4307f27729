package persistence

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/access"
	"github.com/procession-dev/procession/persistence/internal/listquery"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

// InboxFilter narrows a list of tasks. Values of one field are alternatives; fields
// are combined. An empty field keeps everything.
type InboxFilter struct {
	View domain.InboxView
	// Search is a part of the name of the task, of its process or of the initiator, or of the
	// subject of the process, ignoring case.
	Search               string
	ProcessDefinitionIDs []uuid.UUID
	// Overdue keeps the tasks that are overdue at Now. DueAfter and DueBefore keep the tasks with a due date in the period, which
	// does not include its end.
	Overdue             bool
	Now                 time.Time
	DueAfter, DueBefore *time.Time
	// Languages are the languages of the reader, for the order by name.
	Languages []string
}

const (
	inboxColumns = `i.id, ` + pg.NameOfT + ` AS name, i.task_state AS state, i.process_id, ` + pg.NameOfV + ` AS process_name, p.subject,
       coalesce(sname.name, s.name) AS initiator_name, coalesce(oname.name, o.name, '') AS owner_name,
       coalesce(` + access.SubstitutesOwner + `, false) AS substitutes, i.created_at, i.last_modified_at,
       plan.due_at, plan.follow_up_at, coalesce(plan.priority, 2) AS priority_rank`

	inboxProcess = `
  JOIN processes p ON p.id = i.process_id`

	inboxNames = inboxProcess + `
  JOIN process_definition_versions v ON v.version = p.process_version
  JOIN item_definition_versions t ON t.version = i.item_version
  JOIN principals s ON s.id = p.initiator_id
  LEFT JOIN person_names sname ON sname.tenant_id = p.tenant_id AND sname.principal_id = p.initiator_id
  LEFT JOIN task_times plan ON plan.item_id = i.id
  LEFT JOIN principals o ON o.id = i.owner_id
  LEFT JOIN person_names oname ON oname.tenant_id = i.tenant_id AND oname.principal_id = i.owner_id`

	inboxTables = `process_items i` + inboxNames
)

// isCounted reports whether the stored counts of the view are the total of the list.
func (f InboxFilter) isCounted() bool {
	return strings.TrimSpace(f.Search) == "" && !f.Overdue && f.DueAfter == nil && f.DueBefore == nil
}

// taskList selects the tasks of the filter.
func (f InboxFilter) taskList(caller domain.Caller, more ...listquery.Condition) *listquery.List {
	l := inboxList(caller, f.View)
	l.Order.Columns["name"] = listquery.ShownName("t", f.Languages)
	l.Where = append(l.Where,
		listquery.AnyOf("i.process_definition_id", f.ProcessDefinitionIDs),
		listquery.MatchSearch(f.Search, "p.subject", "t.name", pg.TranslationsOf("t"), "v.name", pg.TranslationsOf("v"), "coalesce(sname.name, s.name)").OnNames())
	if f.Overdue {
		l.Where = append(l.Where, isOverdue(&f.Overdue, f.Now))
	}
	l.Where = append(l.Where, dueBetween(f.DueAfter, f.DueBefore))
	l.Where = append(l.Where, more...)
	return l
}

// inboxList selects the tasks of a view.
func inboxList(caller domain.Caller, view domain.InboxView) *listquery.List {
	l := inboxTasks()
	switch view {
	case domain.InboxToClaim:
		l.Joins = inboxProcess
		l.Visible, l.Counts = listquery.Match(access.CandidateOfItem), candidateCounts()
		l.Where = []listquery.Condition{listquery.Match("i.task_state = 'READY'")}
	case domain.InboxAll:
		l.Visible, l.Counts = listquery.Match(access.VisibleItem), itemCounts()
		l.Where = []listquery.Condition{listquery.Match("i.type = 'TASK'")}
	case domain.InboxMine:
		l.Where = []listquery.Condition{listquery.Match("i.task_state = 'CLAIMED' AND i.owner_id = $1")}
	case domain.InboxSubstituted:
		l.Where = []listquery.Condition{listquery.Match("i.task_state = 'CLAIMED' AND " + access.SubstitutesOwner)}
	case domain.InboxDone:
		l.Where = []listquery.Condition{listquery.Match("i.task_state = 'COMPLETED' AND i.owner_id = $1")}
	}
	return listquery.OfCaller(caller, "i.tenant_id", l)
}

// inboxTasks is a list of tasks as an inbox shows them.
func inboxTasks() listquery.List {
	return listquery.List{
		Columns: inboxColumns, Table: "process_items i", Names: inboxNames, Fixed: true,
		Deletion: listquery.DeletedAt("i.deleted_at", domain.ExcludeDeleted),
		Order: listquery.Order{
			Default: []listquery.Column{{SQL: "i.created_at"}},
			Columns: listquery.Columns{
				"id": {SQL: "i.id"}, "createdAt": {SQL: "i.created_at"}, "lastModifiedAt": {SQL: "i.last_modified_at"},
				"dueAt": openDue(), "priority": {SQL: taskPriority},
				"name": listquery.ShownName("t", nil), "subject": {SQL: "p.subject", Named: true},
			},
		},
	}
}

// ReadInbox returns a page of the tasks of a view, and the counts of all views. Queries of other parts of the page are sent along.
// Tasks can be sorted by createdAt, lastModifiedAt, dueAt, priority, name and subject.
func (r *Reader) ReadInbox(
	ctx context.Context, caller domain.Caller, filter InboxFilter, page domain.PageRequest, sort []domain.SortKey, others ...pg.Query,
) (domain.Inbox, error) {
	result := domain.Inbox{Page: domain.Page[domain.InboxTask]{PageRequest: page}}
	queries, read, err := readInbox(caller, filter, page, sort, &result)
	if err != nil {
		return result, err
	}
	if err := r.Read(ctx, append(queries, others...)...); err != nil {
		return result, pg.Translate("reading an inbox", err)
	}
	read()
	return result, nil
}

// newsWindow is the number of the newest events of a tenant among which the news of an inbox is searched. It bounds the cost, whatever
// is open and whatever has happened. The planner chooses an index for a number in the statement.
const newsWindow = "100"

// CountInboxNews returns the number of tasks that others brought into a view after a place in the event log, without the known
// ones. It considers the tasks of the newest events of each tenant.
func (r *Reader) CountInboxNews(
	ctx context.Context, caller domain.Caller, filter InboxFilter, after domain.EventCursor, seen []uuid.UUID,
) (int64, error) {
	types := []domain.EventType{domain.EventItemCreated}
	if filter.View != domain.InboxAll {
		types = append(types, domain.EventItemTaskStateChanged, domain.EventItemTaskAssigned)
	}
	news := listquery.Match(`i.id = ANY(ARRAY(
        SELECT e.process_item_id
          FROM unnest(`+listquery.TenantArray(caller)+`) t (id)
         CROSS JOIN LATERAL (SELECT e.process_item_id, e.type, e.actor_id
                               FROM events e
                              WHERE e.tenant_id = t.id AND `+pg.ComparePlace(">", "%[1]s::integer", "%[2]s::xid8", "%[3]s::bigint")+`
                              ORDER BY `+pg.EventOrderDescending+`
                              LIMIT `+newsWindow+`) e
         WHERE e.process_item_id IS NOT NULL AND e.type = ANY(%[4]s) AND e.actor_id <> $1))`,
		after.Era, after.Transaction, after.Position, types)
	var total int64
	l := filter.taskList(caller, news.OnRows(), listquery.Match("i.id <> ALL(%s)", seen))
	err := r.Read(ctx, l.Total(&total))
	return total, pg.Translate("counting news of an inbox", err)
}

// ListInboxTasks returns the given tasks that are visible to the caller, in no order.
func (r *Reader) ListInboxTasks(ctx context.Context, caller domain.Caller, ids []uuid.UUID) ([]domain.InboxTask, error) {
	var tasks []domain.InboxTask
	sql, args := InboxFilter{View: domain.InboxAll}.taskList(caller, listquery.Match("i.id = ANY(%s)", ids)).All()
	err := r.Read(ctx, pg.Q(sql, args, pg.Into(&tasks)))
	return tasks, pg.Translate("reading tasks of an inbox", err)
}

const openTask = `
SELECT ` + inboxColumns + `,
       ` + access.CandidateOfItem + ` AS candidate, ` + access.ManagesProcess + ` AS manages,
       ` + itemProcessVersion + ` AS process_version, i.last_modified_by AS editor_id,
       coalesce((SELECT coalesce(n.name, m.name) FROM principals m
                    LEFT JOIN person_names n ON n.tenant_id = i.tenant_id AND n.principal_id = m.id
                   WHERE m.id = i.last_modified_by), '') AS editor_name,
       coalesce((SELECT coalesce(dname.name, d.name)
                   FROM principals d
                   LEFT JOIN person_names dname ON dname.tenant_id = i.tenant_id AND dname.principal_id = d.id
                  WHERE d.id = i.delegator_id), '') AS delegator_name,
       coalesce((SELECT coalesce(dname.name, d.name)
                   FROM principals d
                   LEFT JOIN person_names dname ON dname.tenant_id = i.tenant_id AND dname.principal_id = d.id
                  WHERE d.id = i.substitute_id AND i.task_state = 'COMPLETED'), '') AS substitute_name,
       coalesce((SELECT (SELECT ` + pg.NameOfT + ` FROM item_definition_versions t WHERE t.version = o.item_version) ` + opposedTasksOf + ` AND $1 IN (o.owner_id, o.substitute_id) LIMIT 1), '""') AS opposed_name,
       coalesce(` + access.VisibleProcess + `, false) AS sees_process
  FROM ` + inboxTables + `
 WHERE i.id = $3 AND i.tenant_id = ANY($2) AND i.type = 'TASK' AND i.deleted_at IS NULL AND ` + access.VisibleItem

// OpenTask returns a task that is visible to the caller, with the actions that the caller may
// perform, or NOT_FOUND.
func (r *Reader) OpenTask(ctx context.Context, caller domain.Caller, id uuid.UUID) (*domain.OpenedTask, error) {
	var row itemRow
	var found *domain.OpenedTask
	args := []any{caller.PrincipalID, caller.TenantIDs(), id}
	err := r.Read(ctx, pg.Q(openTask, args, pg.AtMostOne(&found)), pg.Q(getItem, args, pg.One(row.fieldsWithLogs()...)))
	if err == nil && found == nil {
		err = pgx.ErrNoRows
	}
	if err != nil {
		return nil, pg.Translate("opening a task", pg.NotFound(err, "task"))
	}
	found.Item, err = row.processItem()
	return found, err
}
