package resource

import (
	"slices"
	"time"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/deadline"
)

// checkDue checks a rule for a date: a duration, or an expression.
func checkDue(text, pointer string, r *report) {
	if rule := parseRule(text, pointer, r); rule != nil && rule.IsConstant() {
		if _, err := deadline.ParseDuration(text); err != nil {
			r.add(pointer, "%v, or an expression in ${ }", err)
		}
	}
}

// checkPriority checks a rule for a priority.
func checkPriority(text, pointer string, r *report) {
	rule := parseRule(text, pointer, r)
	if rule != nil && rule.IsConstant() && !slices.Contains(domain.TaskPriorities(), domain.TaskPriority(text)) {
		r.add(pointer, "must be LOW, NORMAL, HIGH, URGENT or an expression in ${ }")
	}
}

// parseRule returns the rule of a text, nil for "" and for a wrong expression, which it reports.
func parseRule(text, pointer string, r *report) *deadline.Rule {
	if text == "" {
		return nil
	}
	rule, err := deadline.Parse(text)
	if err != nil {
		r.add(pointer, "%v", err)
		return nil
	}
	return rule
}

// checkEscalation checks the steps of an escalation.
func checkEscalation(steps []EscalationSpec, pointer string, r *report) {
	before := time.Time{}
	for i := range steps {
		step, place := &steps[i], extendPointer(pointer, i)
		after, err := deadline.ParseDuration(step.After)
		at := after.AddTo(time.Time{}, time.UTC)
		switch {
		case err != nil:
			r.add(place+"/after", "%v", err)
		case at.Before(before):
			r.add(place+"/after", "must not be shorter than in the step before")
		default:
			before = at
		}
		actions := 0
		for _, given := range []bool{len(step.Notify) > 0, step.Priority != "", step.Assign != nil, step.Signal} {
			if given {
				actions++
			}
		}
		if actions != 1 {
			r.add(place, "must have one of notify, priority, assign and signal")
		}
		checkGrantees(step.Notify, place+"/notify", nil, r)
		if step.Assign != nil && step.Assign.Role != "" {
			r.add(place+"/assign/role", "must be a user, an application or a group")
		}
	}
}
