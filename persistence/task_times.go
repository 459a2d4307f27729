package persistence

import (
	"slices"
	"time"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/listquery"
)

// planOfTask is the plan of an item i, NULL for a default one.
const planOfTask = `(SELECT ROW(tt.due_at, tt.follow_up_at, tt.priority) FROM task_times tt WHERE tt.item_id = i.id)`

// planRow is planOfTask.
type planRow struct {
	dueAt, followUpAt *time.Time
	priority          int16
}

// ScanIndex returns where to store a column.
func (r *planRow) ScanIndex(column int) any {
	return []any{&r.dueAt, &r.followUpAt, &r.priority}[column]
}

// ScanNull leaves the default plan.
func (r *planRow) ScanNull() error { return nil }

// plan returns the plan of a task.
func (r *planRow) plan() domain.TaskPlan {
	priority := domain.PriorityNormal
	if r.priority != 0 {
		priority = domain.PriorityOfRank(int(r.priority))
	}
	return domain.TaskPlan{DueAt: r.dueAt, FollowUpAt: r.followUpAt, Priority: priority}
}

const (
	putTaskTimes = `
INSERT INTO task_times (item_id, tenant_id, item_definition_id, due_at, follow_up_at, priority, open, next_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, CASE WHEN $7 THEN CASE WHEN $8::timestamptz > $9 THEN $8 ELSE $4::timestamptz END END)
    ON CONFLICT (item_id, tenant_id) DO UPDATE
   SET due_at = excluded.due_at, follow_up_at = excluded.follow_up_at, priority = excluded.priority, open = excluded.open,
       escalated = CASE WHEN task_times.due_at IS DISTINCT FROM excluded.due_at THEN 0 ELSE task_times.escalated END,
       next_at = CASE WHEN task_times.due_at IS DISTINCT FROM excluded.due_at THEN excluded.next_at ELSE task_times.next_at END`

	deleteTaskTimes = `DELETE FROM task_times WHERE item_id = $1 AND tenant_id = $2`

	openTaskTimes = `
UPDATE task_times
   SET open = $3, next_at = CASE WHEN $3 THEN due_at END
 WHERE item_id = $1 AND tenant_id = $2 AND open <> $3`
)

// insertTaskTimes stores the plan of a new task, unless it is the default one.
func (tx *Tx) insertTaskTimes(i *domain.ProcessItem) {
	if i.Task != nil && !i.Task.Plan.IsDefault() {
		tx.putTaskTimes(i)
	}
}

func (tx *Tx) putTaskTimes(i *domain.ProcessItem) {
	plan := i.Task.Plan
	var soon *time.Time
	if plan.DueAt != nil {
		soon = new(plan.DueAt.Add(-domain.DueSoonLead))
	}
	tx.queue(putTaskTimes, i.ID, i.TenantID, i.Definition.ID, plan.DueAt, plan.FollowUpAt, plan.Priority.Rank(), i.Task.State.Open(),
		soon, i.LastModifiedAt)
}

// UpdateTaskPlan stores the plan of a task that is under lock.
func (tx *Tx) UpdateTaskPlan(i *domain.ProcessItem) {
	if i.Task.Plan.IsDefault() {
		tx.queue(deleteTaskTimes, i.ID, i.TenantID)
	} else {
		tx.putTaskTimes(i)
	}
	tx.queue(touchItem, i.ID, i.LastModifiedBy, i.LastModifiedAt)
}

// updateTimesOfState stores whether a task under lock is open.
func (tx *Tx) updateTimesOfState(i *domain.ProcessItem) {
	if !i.Task.Plan.IsDefault() {
		tx.queue(openTaskTimes, i.ID, i.TenantID, i.Task.State.Open())
	}
}

// plannedTime returns the column of an order by a time of the plan.
func plannedTime(name string) listquery.Column {
	return listquery.Column{
		SQL: "tt." + name, Nullable: true, Rest: "i.created_at", Index: listquery.WalkIndex,
		Side: &listquery.Side{Table: "task_times tt", On: "tt.item_id = i.id"},
	}
}

// openDue is plannedTime of the due date in a list that is not walked.
func openDue() listquery.Column {
	column := plannedTime("due_at")
	column.Index = listquery.NoIndex
	return column
}

// taskPriority is the column of an order by priority. Messages and threads have the rank of NORMAL.
const taskPriority = `coalesce((SELECT tt.priority FROM task_times tt WHERE tt.item_id = i.id), 2)`

// withPriorities keeps the tasks i with one of the priorities, all items without any.
func withPriorities(priorities []domain.TaskPriority) listquery.Condition {
	var ranks, others []int16
	for _, p := range domain.TaskPriorities() {
		if slices.Contains(priorities, p) {
			ranks = append(ranks, int16(p.Rank())) //nolint:gosec // ranks are from 1 to 4
		} else {
			others = append(others, int16(p.Rank())) //nolint:gosec // as above
		}
	}
	if !slices.Contains(priorities, domain.PriorityNormal) {
		return listquery.MatchAny("EXISTS (SELECT 1 FROM task_times tt WHERE tt.item_id = i.id AND tt.priority = ANY(%s))", ranks).OnRows()
	}
	return listquery.Match(
		"i.type = 'TASK' AND NOT EXISTS (SELECT 1 FROM task_times tt WHERE tt.item_id = i.id AND tt.priority = ANY(%s))", others).OnRows()
}

// dueBetween keeps the tasks i that are due at or after a time and before another one, and all items without both.
func dueBetween(after, before *time.Time) listquery.Condition {
	if after == nil && before == nil {
		return listquery.Condition{}
	}
	return listquery.Match(`EXISTS (SELECT 1 FROM task_times tt
                WHERE tt.item_id = i.id AND tt.due_at >= coalesce(%s, '-infinity'::timestamptz) AND tt.due_at < coalesce(%s, 'infinity'::timestamptz))`,
		after, before).OnRows()
}

// overdueTask is true of an open task i that is due at a time or before.
const overdueTask = `i.task_state IN ('READY', 'CLAIMED')
    AND EXISTS (SELECT 1 FROM task_times tt WHERE tt.item_id = i.id AND tt.open AND tt.due_at <= %s)`

// isOverdue keeps the tasks i that are overdue at a time, or the other tasks. A nil overdue keeps all items.
func isOverdue(overdue *bool, now time.Time) listquery.Condition {
	switch {
	case overdue == nil:
		return listquery.Condition{}
	case *overdue:
		return listquery.Match(overdueTask, now).OnRows()
	}
	return listquery.Match("i.type = 'TASK' AND NOT ("+overdueTask+")", now).OnRows()
}
