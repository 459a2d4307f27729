package app

import (
	"context"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// UpdateProcessItemTaskPlanning replaces the due date, the follow-up date and the priority of an open task. The caller must have
// the Manager permission or own the task. Repeating it has no effect. Errors: VALIDATION for a time that cannot be stored,
// INVALID_STATE for a finished task.
func (s *Service) UpdateProcessItemTaskPlanning(
	ctx context.Context, call domain.Call, id uuid.UUID, plan domain.TaskPlan,
) (*domain.ProcessItem, error) {
	plan, err := plan.Normalize(domain.FieldPlanDueAt, domain.FieldPlanFollowUpAt)
	if err != nil {
		return nil, err
	}
	return s.planTask(ctx, call, id, func(*persistence.Tx, *persistence.LockedItem) (domain.TaskPlan, error) { return plan, nil })
}

// RecalculateTaskPlanning sets the due date and the follow-up date of an open task again, by the rules of its definition and the
// calendar that they have now. It requires the rights of UpdateProcessItemTaskPlanning. Dates without a rule stay.
func (s *Service) RecalculateTaskPlanning(ctx context.Context, call domain.Call, id uuid.UUID) (*domain.ProcessItem, error) {
	return s.planTask(ctx, call, id, func(tx *persistence.Tx, locked *persistence.LockedItem) (domain.TaskPlan, error) {
		if err := locked.CheckMayPlan(locked.Rights, call.PrincipalID); err != nil {
			return domain.TaskPlan{}, err
		}
		plan := locked.Task.Plan
		d, err := s.definitions.get(ctx, tx, locked.ProcessVersion)
		if err != nil {
			return plan, err
		}
		item := d.items[locked.DefinitionCode()]
		if item == nil || item.due == nil && item.followUp == nil {
			return plan, nil
		}
		process, clock, err := tx.GetDeadlineSite(ctx, locked.ProcessID)
		if err != nil {
			return plan, err
		}
		if item.due != nil {
			plan.DueAt = nil
		}
		if item.followUp != nil {
			plan.FollowUpAt = nil
		}
		return completePlan(ctx, plan, item, valuesOfTask(process, locked.Task), clockOf(clock), locked.CreatedAt), nil
	})
}

// planTask replaces the plan of a task by the one of plan.
func (s *Service) planTask(
	ctx context.Context, call domain.Call, id uuid.UUID, plan func(*persistence.Tx, *persistence.LockedItem) (domain.TaskPlan, error),
) (*domain.ProcessItem, error) {
	var item *domain.ProcessItem
	now := s.now()
	err := s.write(ctx, call, func(tx *persistence.Tx) (domain.Events, error) {
		locked, err := persistence.LockProcessItem(call.Caller, id).Do(ctx, tx)
		if err != nil {
			return nil, err
		}
		item = locked.ProcessItem
		wanted, err := plan(tx, locked)
		if err != nil {
			return nil, err
		}
		changed, err := item.PlanTask(wanted, locked.Rights, call.PrincipalID, now)
		if err != nil || !changed {
			return nil, err
		}
		tx.UpdateTaskPlan(item)
		return domain.Events{domain.TaskPlanEvent(domain.EventItemTaskPlanned, item, call.PrincipalID, now)}, nil
	})
	return item, err
}
