package app

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/deadline"
	"github.com/procession-dev/procession/persistence"
)

// deadlineBatch bounds the tasks that one transaction of HandleDeadlines handles.
const deadlineBatch = 100

// HandleDeadlines records that claimed tasks are due soon and open tasks overdue, once for each due date, and escalates them as their definitions say. It
// returns the number of handled tasks and reports whether there may be more. Concurrent calls, also of other replicas, handle
// different tasks.
func (s *Service) HandleDeadlines(ctx context.Context) (handled int, more bool, err error) {
	now := s.now()
	err = s.write(ctx, domain.Call{}, func(tx *persistence.Tx) (domain.Events, error) {
		due, err := tx.LockDueTasks(ctx, now, deadlineBatch)
		if err != nil || len(due) == 0 {
			handled = 0
			return nil, err
		}
		handled = len(due)
		events := domain.Events{}
		b := deadlineRound{
			tx: tx, now: now, assigned: map[uuid.UUID]domain.FourEyes{}, owners: map[[2]uuid.UUID][]persistence.EscalationOwner{},
		}
		for i := range due {
			of, err := s.handleDeadline(ctx, &b, &due[i])
			if err != nil {
				return nil, err
			}
			events = append(events, of...)
		}
		return events, nil
	})
	return handled, handled == deadlineBatch, err
}

// deadlineRound is a transaction of HandleDeadlines.
type deadlineRound struct {
	tx  *persistence.Tx
	now time.Time
	// assigned are the tasks of each process that got an owner in the transaction.
	assigned map[uuid.UUID]domain.FourEyes
	// owners are those whom a tenant and an id in it name, with the tasks that they got in the transaction.
	owners map[[2]uuid.UUID][]persistence.EscalationOwner
}

// handleDeadline handles the deadlines of a task that have passed, and stores the next one.
func (s *Service) handleDeadline(ctx context.Context, b *deadlineRound, task *persistence.DueTask) (domain.Events, error) {
	tx, now := b.tx, b.now
	if !task.Task.State.Open() || task.Task.Plan.DueAt == nil {
		tx.UpdateDeadline(task, nil)
		return nil, nil
	}
	var events domain.Events
	if task.ReportDueSoon(now) {
		events = append(events, domain.TaskPlanEvent(domain.EventItemTaskDueSoon, task.ProcessItem, domain.SystemPrincipalID(), now))
	}
	if !task.Task.IsOverdue(now) {
		tx.UpdateDeadline(task, task.Task.Plan.DueAt)
		return events, nil
	}
	if task.ReportOverdue(now) {
		events = append(events, domain.TaskPlanEvent(domain.EventItemTaskOverdue, task.ProcessItem, domain.SystemPrincipalID(), now))
	}
	d, err := s.definitions.get(ctx, tx, task.ProcessVersion)
	if err != nil {
		return nil, err
	}
	steps := d.escalation(task.DefinitionCode())
	clock := clockOf(task.Clock)
	for task.Escalated < len(steps) {
		step := &steps[task.Escalated]
		at := escalationTime(clock, *task.Task.Plan.DueAt, step)
		if at == nil || at.After(now) {
			tx.UpdateDeadline(task, at)
			return events, nil
		}
		of, taken, err := b.escalate(ctx, task, step, d.OpposedTo(task.DefinitionCode()))
		if err != nil {
			return nil, err
		}
		if !taken {
			tx.UpdateDeadline(task, at)
			return events, nil
		}
		events = append(events, of...)
	}
	tx.UpdateDeadline(task, nil)
	return events, nil
}

// escalation returns the steps of the escalation of tasks with a code.
func (d *definition) escalation(code string) []domain.EscalationStep {
	if item := d.items[code]; item != nil {
		return item.Spec.Escalation
	}
	return nil
}

// escalationTime returns the time of a step, nil for none.
func escalationTime(clock deadline.Clock, due time.Time, step *domain.EscalationStep) *time.Time {
	after, err := deadline.ParseDuration(step.After)
	if err != nil {
		return nil
	}
	return clock.After(due, after)
}

// escalate takes the next step of the escalation of a task, which is opposed to the tasks with the codes. It reports whether it
// could: while others change the owners of opposed tasks, the step waits for the next round.
func (b *deadlineRound) escalate(
	ctx context.Context, task *persistence.DueTask, step *domain.EscalationStep, opposed []string,
) (events domain.Events, taken bool, err error) {
	by := domain.SystemPrincipalID()
	switch {
	case step.Priority != "":
		if task.RaisePriority(step.Priority, by, b.now) {
			b.tx.UpdateTaskPlan(task.ProcessItem)
			events = append(events, domain.TaskPlanEvent(domain.EventItemTaskPlanned, task.ProcessItem, by, b.now))
		}
	case step.Assign != nil:
		if events, taken, err = b.assign(ctx, task, *step.Assign, opposed); err != nil || !taken {
			return nil, false, err
		}
	case step.Signal:
		b.signalWorkflow(task)
	}
	task.Escalated++
	return append(events, domain.EscalationEvent(task.ProcessItem, task.Escalated, step, by, b.now)), true, nil
}

// signalWorkflow signals the workflow of the process of a task, if it has an open one, that the task is overdue.
func (b *deadlineRound) signalWorkflow(task *persistence.DueTask) {
	if task.RunID == nil {
		return
	}
	b.tx.Enqueue(domain.EngineCommand{
		ID: domain.NewID(), RunID: *task.RunID, OrderKey: *task.RunID, Kind: domain.CommandSignalOverdue,
		ItemID: &task.ID, ItemType: task.Type, ItemCode: task.DefinitionCode(),
		Parameters: &domain.CommandParameters{DueAt: task.Task.Plan.DueAt, Step: task.Escalated + 1},
		CreatedAt:  b.now, NotBefore: b.now,
	})
}

// assign gives a task to the named principal, or to a member of the named group, unless they own an opposed task.
func (b *deadlineRound) assign(
	ctx context.Context, task *persistence.DueTask, named uuid.UUID, opposed []string,
) (events domain.Events, taken bool, err error) {
	eyes := b.assigned[task.ProcessID].Of(opposed)
	if len(opposed) > 0 {
		stored, locked, err := b.tx.LockOpposedTasks(ctx, task.ProcessItem)
		if err != nil || !locked {
			return nil, false, err
		}
		eyes = append(eyes, stored...)
	}
	owner, err := b.findOwner(ctx, task.TenantID, named, eyes)
	if err != nil || owner == nil {
		return nil, err == nil, err
	}
	by, before := domain.SystemPrincipalID(), task.Task.State
	changed, err := task.Assign(eyes, owner.ID, by, b.now)
	if err != nil || !changed {
		return nil, err == nil, err
	}
	b.assigned[task.ProcessID] = append(b.assigned[task.ProcessID],
		domain.OpposedTask{Code: task.DefinitionCode(), OwnerID: owner.ID, State: task.Task.State})
	owner.Claimed++
	return domain.Events{saveTaskState(b.tx, task.ProcessItem, before, by, b.now)}, true, nil
}

// findOwner returns the named principal, or the member of the named group with the fewest claimed tasks, that may own a task with
// opposed tasks; nil for none.
func (b *deadlineRound) findOwner(ctx context.Context, tenant, named uuid.UUID, eyes domain.FourEyes) (*persistence.EscalationOwner, error) {
	key := [2]uuid.UUID{tenant, named}
	owners, found := b.owners[key]
	if !found {
		var err error
		if owners, err = b.tx.FindEscalationOwners(ctx, tenant, named); err != nil {
			return nil, err
		}
		b.owners[key] = owners
	}
	var fewest *persistence.EscalationOwner
	for i := range owners {
		if owner := &owners[i]; eyes.CheckOwner(owner.ID) == nil && (fewest == nil || owner.Claimed < fewest.Claimed) {
			fewest = owner
		}
	}
	return fewest, nil
}
