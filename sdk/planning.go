package procession

import (
	"time"

	"github.com/procession-dev/procession/sdk/rest"
)

// WithDueAt sets the due date of a task, in place of the one of its definition.
func WithDueAt(at time.Time) Option {
	return func(p *rest.ProcessItemCreateParams) error {
		p.Task = orDefault(p.Task, &rest.ProcessItemTaskCreateParams{})
		p.Task.DueAt = &at
		return nil
	}
}

// WithFollowUpAt sets the follow-up date of a task, in place of the one of its definition.
func WithFollowUpAt(at time.Time) Option {
	return func(p *rest.ProcessItemCreateParams) error {
		p.Task = orDefault(p.Task, &rest.ProcessItemTaskCreateParams{})
		p.Task.FollowUpAt = &at
		return nil
	}
}

// WithPriority sets the priority of a task, in place of the one of its definition.
func WithPriority(priority rest.ProcessItemTaskPriority) Option {
	return func(p *rest.ProcessItemCreateParams) error {
		p.Task = orDefault(p.Task, &rest.ProcessItemTaskCreateParams{})
		p.Task.Priority = &priority
		return nil
	}
}
