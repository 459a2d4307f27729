package persistence

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

// DueTask is a task under lock with a time of its due queue that has passed.
type DueTask struct {
	*domain.ProcessItem
	// SoonAt and OverdueAt are the due dates that were reported as near and as passed, nil for none.
	SoonAt, OverdueAt *time.Time
	// Escalated is the number of steps of the escalation that were taken.
	Escalated      int
	ProcessVersion uuid.UUID
	// RunID is the run of the process's workflow, nil for a manual process and for a workflow that has ended.
	RunID *uuid.UUID
	Clock DeadlineClock
}

const (
	// The plan is the one under lock: planOfTask may be older. Rows that another transaction has under lock are left to the next
	// round, so the order of locks does not matter. A row that another replica handled meanwhile is compared again under lock, and
	// is not due any more.
	lockDueTasks = `
SELECT ` + itemSummaryColumns + `, due.due_at, due.follow_up_at, due.priority, due.soon_at, due.overdue_at, due.escalated,
       p.process_version, ` + openRunOfProcess + `, ` + clockOfProcess + `
  FROM task_times due
  JOIN process_items i ON i.id = due.item_id AND i.tenant_id = due.tenant_id
  JOIN processes p ON p.id = i.process_id
 WHERE due.next_at <= $1
 ORDER BY due.next_at, due.item_id
 LIMIT $2
   FOR UPDATE OF due, i SKIP LOCKED`

	updateDeadline = `
UPDATE task_times
   SET overdue_at = $3, escalated = $4, next_at = $5, open = $6, soon_at = $7
 WHERE item_id = $1 AND tenant_id = $2`
)

// LockDueTasks locks the first limit tasks of the due queue that are due at a time.
func (tx *Tx) LockDueTasks(ctx context.Context, now time.Time, limit int) ([]DueTask, error) {
	var due []DueTask
	err := tx.Read(ctx, pg.Q(lockDueTasks, []any{now, limit}, func(rows pgx.Rows) error {
		defer rows.Close()
		for rows.Next() {
			var row itemRow
			var task DueTask
			var plan planRow
			fields := append(row.summaryFields(), &plan.dueAt, &plan.followUpAt, &plan.priority, &task.SoonAt, &task.OverdueAt,
				&task.Escalated, &task.ProcessVersion, &task.RunID)
			err := rows.Scan(append(fields, task.Clock.fields()...)...)
			if err != nil {
				return err
			}
			row.plan = plan
			if task.ProcessItem, err = row.processItem(); err != nil {
				return err
			}
			due = append(due, task)
		}
		return rows.Err()
	}))
	return due, err
}

// ReportDueSoon notes that the due date of a claimed task is near and reports whether it was not noted before.
func (t *DueTask) ReportDueSoon(now time.Time) bool {
	due := t.Task.Plan.DueAt
	if t.OwnerID == nil || !now.Before(*due) || t.SoonAt != nil && t.SoonAt.Equal(*due) {
		return false
	}
	t.SoonAt = due
	return true
}

// ReportOverdue notes that the due date of the task has passed and reports whether it was not noted before. A finished task is
// not overdue.
func (t *DueTask) ReportOverdue(now time.Time) bool {
	due := t.Task.Plan.DueAt
	if !t.Task.IsOverdue(now) || t.OverdueAt != nil && t.OverdueAt.Equal(*due) {
		return false
	}
	t.OverdueAt = due
	return true
}

// UpdateDeadline stores the reported due date, the taken steps and the next time of the due queue, nil for none, of a task under
// lock.
func (tx *Tx) UpdateDeadline(t *DueTask, next *time.Time) {
	tx.queue(updateDeadline, t.ID, t.TenantID, t.OverdueAt, t.Escalated, next, t.Task.State.Open(), t.SoonAt)
}

// escalationOwners bounds the members of a group that FindEscalationOwners returns.
const escalationOwners = 100

const selectEscalationOwners = `
SELECT c.id, (SELECT count(*) FROM (SELECT 1 FROM process_items o
                                     WHERE o.owner_id = c.id AND o.task_state = 'CLAIMED' AND o.tenant_id = $1 LIMIT 1000) o) AS claimed
  FROM (SELECT $2::uuid AS id
         UNION
        SELECT m.principal_id FROM group_members m JOIN groups g ON g.id = m.group_id AND g.tenant_id = $1 WHERE g.id = $2) c
  JOIN principals p ON p.id = c.id AND p.disabled_at IS NULL
 WHERE p.tenant_id = $1
    OR EXISTS (SELECT 1 FROM tenant_users u WHERE u.principal_id = p.id AND u.tenant_id = $1 AND u.disabled_at IS NULL)
 ORDER BY claimed, c.id
 LIMIT $3`

// EscalationOwner is a principal that may get a task, with the number of its claimed tasks in the tenant.
type EscalationOwner struct {
	ID      uuid.UUID
	Claimed int
}

// FindEscalationOwners returns the active principals of the tenant that an escalation names: the principal itself, or members of the
// group, of many those with the fewest claimed tasks.
func (tx *Tx) FindEscalationOwners(ctx context.Context, tenant, named uuid.UUID) ([]EscalationOwner, error) {
	var owners []EscalationOwner
	err := tx.Read(ctx, pg.Q(selectEscalationOwners, []any{tenant, named, escalationOwners}, pg.Into(&owners)))
	return owners, err
}
