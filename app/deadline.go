package app

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/deadline"
	"github.com/procession-dev/procession/domain/parsecache"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence"
)

// calendars keeps parsed calendars.
//
//nolint:gochecknoglobals // a cache by content
var calendars = parsecache.New(8<<20, func(source json.RawMessage) (*deadline.Calendar, error) {
	var spec resource.CalendarSpec
	if err := json.Unmarshal(source, &spec); err != nil {
		return nil, fmt.Errorf("reading a calendar: %w", err)
	}
	return spec.Calendar()
})

// clockOf returns a clock of deadlines. A calendar that cannot be read, although it could when it was saved, is left out.
func clockOf(c persistence.DeadlineClock) deadline.Clock {
	clock := deadline.ZoneClock(c.Zone)
	if len(c.Calendar) == 0 {
		return clock
	}
	if calendar, err := calendars.Parse(c.Calendar); err == nil {
		clock.Calendar, clock.Zone = calendar, calendar.Zone()
	}
	return clock
}

// newRule returns the rule of a definition, nil for none and for one that cannot be read, although it could when the definition
// was saved: by a later release, perhaps.
func newRule(text string) *deadline.Rule {
	if text == "" {
		return nil
	}
	rule, err := deadline.Parse(text)
	if err != nil {
		return nil
	}
	return rule
}

// resolveRule returns the time of a rule after at, nil for none and for a result that is no storable time.
func resolveRule(ctx context.Context, rule *deadline.Rule, values *deadline.Values, clock deadline.Clock, at time.Time) *time.Time {
	if rule == nil {
		return nil
	}
	due := clock.Resolve(rule.Evaluate(ctx, values), at)
	if domain.CheckPlannedAt("", due) != nil {
		return nil
	}
	return domain.RoundPlannedAt(due)
}

// newPlan returns the plan of a new task: the members that are given, and others by the rules of its definition.
func newPlan(ctx context.Context, in *NewItem, item *itemDefinition, task *domain.Task, now time.Time) (domain.TaskPlan, error) {
	plan := in.Plan
	if item.due != nil || item.followUp != nil || item.priority != nil {
		process, clock, err := in.site()
		if err != nil {
			return plan, err
		}
		plan = completePlan(ctx, plan, item, valuesOfTask(process, task), clockOf(clock), now)
	}
	return plan.Normalize(domain.FieldTaskDueAt, domain.FieldTaskFollowUpAt)
}

// completePlan completes a plan by the rules of a definition.
func completePlan(
	ctx context.Context, plan domain.TaskPlan, item *itemDefinition, values *deadline.Values, clock deadline.Clock, now time.Time,
) domain.TaskPlan {
	if plan.DueAt == nil {
		plan.DueAt = resolveRule(ctx, item.due, values, clock, now)
	}
	if plan.FollowUpAt == nil {
		plan.FollowUpAt = resolveRule(ctx, item.followUp, values, clock, now)
	}
	if plan.Priority == "" && item.priority != nil {
		if p := domain.TaskPriority(item.priority.Evaluate(ctx, values)); slices.Contains(domain.TaskPriorities(), p) {
			plan.Priority = p
		}
	}
	return plan
}

// valuesOfTask returns the values that the rules of a task read.
func valuesOfTask(p *domain.Process, task *domain.Task) *deadline.Values {
	v := valuesOfProcess(p)
	v.Data, v.ContextData = textOf(task.Data), textOf(task.ContextData)
	return v
}

// valuesOfProcess returns the values that the rule of a process reads.
func valuesOfProcess(p *domain.Process) *deadline.Values {
	return &deadline.Values{Metadata: textOf(p.Metadata), Entity: textOf(p.Entity), CreatedAt: p.CreatedAt, DueAt: p.DueAt}
}

func textOf(v *domain.JSONValue) json.RawMessage {
	if v == nil {
		return nil
	}
	return v.Value
}
