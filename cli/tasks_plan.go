package cli

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/procession-dev/procession/sdk/rest"
)

// dueFilter narrows lists of tasks by the time until they are due, and by priority.
type dueFilter struct {
	due        string
	priorities []string
}

func (d *dueFilter) bindFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&d.due, "due", "", "only tasks that are `overdue`, due today or due this week, until Sunday")
	f.StringSliceVar(&d.priorities, "priority", nil, "only tasks with the `priority` LOW, NORMAL, HIGH or URGENT; repeatable")
}

// apply adds the filters to the parameters of a list. Days begin at midnight in the zone of now.
func (d *dueFilter) apply(params *rest.FindProcessItemsParams, now time.Time) error {
	for _, p := range d.priorities {
		params.TaskPriority = append(params.TaskPriority, rest.ProcessItemTaskPriority(strings.ToUpper(p)))
	}
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	switch d.due {
	case "":
	case "overdue":
		params.TaskOverdue = new(true)
	case "today":
		params.TaskDueAfter, params.TaskDueBefore = &today, new(today.AddDate(0, 0, 1))
	case "week":
		params.TaskDueAfter, params.TaskDueBefore = &today, new(today.AddDate(0, 0, 7-(int(now.Weekday())+6)%7))
	default:
		return usageError("--due must be overdue, today or week")
	}
	return nil
}

// dueText returns when a task is due, "-" for never.
func dueText(task *rest.ProcessItemTaskPageItem) string {
	if task == nil {
		return "-"
	}
	return momentText(task.DueAt)
}

// priorityText returns the priority of a task, "-" for an item that is none.
func priorityText(task *rest.ProcessItemTaskPageItem) string {
	if task == nil {
		return "-"
	}
	return priorityOf(task.Priority)
}

// priorityOf returns a priority, which older services leave out.
func priorityOf(priority *rest.ProcessItemTaskPriority) string {
	if priority == nil {
		return string(rest.ProcessItemTaskPriorityNORMAL)
	}
	return string(*priority)
}

// planFlags are the changes of the planning of a task.
type planFlags struct{ due, followUp, priority string }

const notPlanned = "none"

// apply changes a plan. Flags that are not given keep its members.
func (p *planFlags) apply(plan *rest.ProcessItemTaskPlanningParams, now time.Time) error {
	for flag, change := range map[string]struct {
		text string
		at   **time.Time
	}{"due": {p.due, &plan.DueAt}, "follow-up": {p.followUp, &plan.FollowUpAt}} {
		switch change.text {
		case "":
		case notPlanned:
			*change.at = nil
		default:
			at, err := plannedTime(flag, change.text, now)
			if err != nil {
				return err
			}
			*change.at = &at
		}
	}
	if p.priority != "" {
		plan.Priority = new(rest.ProcessItemTaskPriority(strings.ToUpper(p.priority)))
	}
	return nil
}

// plannedTime parses a time of RFC 3339, a date or a time without a zone in the zone of now, or a duration from now such as 90m or 7d.
// A date is its end, the next midnight.
func plannedTime(flag, text string, now time.Time) (time.Time, error) {
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at, nil
	}
	if at, err := time.ParseInLocation("2006-01-02T15:04", text, now.Location()); err == nil {
		return at, nil
	}
	if at, err := time.ParseInLocation(time.DateOnly, text, now.Location()); err == nil {
		return at.AddDate(0, 0, 1), nil
	}
	if ahead, err := parseDuration(text); err == nil && ahead >= 0 {
		return now.Add(ahead), nil
	}
	return now, usageError("--%s must be a time such as 2027-01-31T08:00 or 2027-01-31T00:00:00Z, a date, how long from now, such as 90m or 7d, or none", flag)
}

func newTasksPlanCommand(env Environment) *cobra.Command {
	var flags planFlags
	cmd := taskCommand(env, &cobra.Command{
		Use: "plan ID", Short: "Set the due date, the follow-up date and the priority of a task",
		Long: "Sets the due date, the follow-up date and the priority of an open task. Missing flags keep the present values, none\n" +
			"removes a date. The owner of the task and managers of its process may.",
		Example: "  procession tasks plan 01970000-0000-7000-8000-000000000001 --due 2027-01-31T12:00 --priority HIGH\n" +
			"  procession tasks plan 01970000-0000-7000-8000-000000000001 --follow-up 2d --due none",
	}, func(cmd *cobra.Command, s *service, id uuid.UUID, _ []string) error {
		if flags == (planFlags{}) {
			return usageError("%s needs --due, --follow-up or --priority", cmd.CommandPath())
		}
		item, err := s.planTask(cmd.Context(), id, flags)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s %s, due %s, follow-up %s\n", item.ID,
			priorityOf(item.Task.Priority), momentText(item.Task.DueAt), momentText(item.Task.FollowUpAt))
		return err
	})
	f := cmd.Flags()
	f.StringVar(&flags.due, "due", "", "when the task is due: a `time`, a date, a duration from now, or none")
	f.StringVar(&flags.followUp, "follow-up", "", "when to look at the task: a `time`, a date, a duration from now, or none")
	f.StringVar(&flags.priority, "priority", "", "the `priority` LOW, NORMAL, HIGH or URGENT")
	return cmd
}

// planTask changes the planning of a task. A change by another caller meanwhile is a failure.
func (s *service) planTask(ctx context.Context, id uuid.UUID, flags planFlags) (rest.ProcessItem, error) {
	answer, err := s.rest.RetrieveProcessItem(ctx, id)
	tag := ""
	if err == nil {
		tag = answer.Header.Get("ETag")
	}
	item, err := s.receiveTask(answer, err)
	if err != nil {
		return item, err
	}
	plan := rest.ProcessItemTaskPlanningParams{DueAt: item.Task.DueAt, FollowUpAt: item.Task.FollowUpAt, Priority: item.Task.Priority}
	if err := flags.apply(&plan, time.Now()); err != nil { //nolint:forbidigo // the clock of the command
		return item, err
	}
	return s.receiveTask(s.rest.UpdateProcessItemTaskPlanning(ctx, id, plan, func(_ context.Context, r *http.Request) error {
		r.Header.Set("If-Match", tag)
		return nil
	}))
}
