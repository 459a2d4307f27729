package app

import (
	"context"
	"time"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/deadline"
	"github.com/procession-dev/procession/persistence"
)

// deadlineBatch bounds the tasks that one transaction of HandleDeadlines handles.
const deadlineBatch = 100

// HandleDeadlines records that open tasks are overdue, once for each due date, and escalates them as their definitions say. It
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
		for i := range due {
			of, err := s.handleDeadline(ctx, tx, &due[i], now)
			if err != nil {
				return nil, err
			}
			events = append(events, of...)
		}
		return events, nil
	})
	return handled, handled == deadlineBatch, err
}

// handleDeadline handles the deadlines of a task that have passed, and stores the next one.
func (s *Service) handleDeadline(ctx context.Context, tx *persistence.Tx, task *persistence.DueTask, now time.Time) (domain.Events, error) {
	if !task.Task.State.Open() || task.Task.Plan.DueAt == nil {
		tx.UpdateDeadline(task, nil)
		return nil, nil
	}
	var events domain.Events
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
		of, err := escalate(ctx, tx, task, step, now)
		if err != nil {
			return nil, err
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

// escalate takes the next step of the escalation of a task.
func escalate(ctx context.Context, tx *persistence.Tx, task *persistence.DueTask, step *domain.EscalationStep, now time.Time) (domain.Events, error) {
	task.Escalated++
	by := domain.SystemPrincipalID()
	var events domain.Events
	switch {
	case step.Priority != "":
		if task.RaisePriority(step.Priority, by, now) {
			tx.UpdateTaskPlan(task.ProcessItem)
			events = append(events, domain.TaskPlanEvent(domain.EventItemTaskPlanned, task.ProcessItem, by, now))
		}
	case step.Assign != nil:
		owner, err := tx.FindEscalationOwner(ctx, task.TenantID, *step.Assign)
		if err != nil {
			return nil, err
		}
		before := task.Task.State
		if owner != nil {
			changed, err := task.Assign(*owner, by, now)
			if err != nil {
				return nil, err
			}
			if changed {
				events = append(events, saveTaskState(tx, task.ProcessItem, before, by, now))
			}
		}
	}
	return append(events, domain.EscalationEvent(task.ProcessItem, task.Escalated, step, by, now)), nil
}
