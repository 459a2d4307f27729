package tasks

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
)

// inputTime is the layout of inputs of the type datetime-local.
const inputTime = "2006-01-02T15:04"

// The filters of lists by due date.
const (
	dueOverdue = "overdue"
	dueToday   = "today"
	dueWeek    = "week"
)

func dueFilters() []string { return []string{"", dueOverdue, dueToday, dueWeek} }

// dueName returns the name of a filter by due date.
func dueName(ctx context.Context, due string) string {
	return ui.T(ctx, map[string]string{
		dueOverdue: ui.Text("Overdue"), dueToday: ui.Text("Due today"), dueWeek: ui.Text("Due this week"),
	}[due])
}

// addDue narrows a list by due date. Days begin at midnight in the zone of the viewer, weeks end on Sunday.
func addDue(ctx context.Context, filter *app.InboxFilter, due string) {
	v := ui.ViewerOf(ctx)
	now := v.Now.In(v.Zone)
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, v.Zone)
	switch due {
	case dueOverdue:
		filter.Overdue, filter.Now = true, v.Now
	case dueToday:
		filter.DueAfter, filter.DueBefore = &today, new(today.AddDate(0, 0, 1))
	case dueWeek:
		filter.DueAfter, filter.DueBefore = &today, new(today.AddDate(0, 0, 7-(int(now.Weekday())+6)%7))
	}
}

// duePath returns the URL of the list with a filter by due date, and without it if it has this one.
func (l *listView) duePath(due string) string {
	q := l.Only("view")
	if l.Get("due") != due {
		q = q.With("due", due).With("sort", "due")
	}
	return q.Path(area)
}

// planInputs are the values of the inputs for a planning.
type planInputs struct{ Due, FollowUp, Priority string }

// String returns the values on one line.
func (p planInputs) String() string { return p.Due + " " + p.FollowUp + " " + p.Priority }

// plan is the form for the planning of a task.
type plan struct {
	*openTask
	planInputs

	Return string
	// Before are the inputs for the stored planning.
	Before planInputs
	// Problem is the reason why the planning was refused, "" if it was not.
	Problem string
}

func (o *openTask) canPlan() bool { return o.isOpen() && (o.Manages || o.isMine()) }

// planPath returns the URL of the form for the planning of a task.
func planPath(task uuid.UUID, back string) string {
	return web.Root + "tasks/" + task.String() + "/planning?" + url.Values{"return": {back}}.Encode()
}

// ShowPlanning shows the form for the planning of a task.
func (s *Screens) ShowPlanning(v *web.Visit) (*web.Answer, error) {
	id, err := v.ID()
	if err != nil {
		return nil, err
	}
	p, err := s.openPlan(v, id, v.URL.Query().Get("return"))
	if err != nil {
		return nil, err
	}
	p.planInputs = p.Before
	return showPlan(v, p), nil
}

func (s *Screens) openPlan(v *web.Visit, id uuid.UUID, back string) (*plan, error) {
	found, err := s.App.OpenTask(v.Context(), v.Call, id)
	if err != nil {
		return nil, err
	}
	task := &openTask{OpenedTask: found, User: v.Call.PrincipalID}
	before := planInputs{
		Due: inputOf(v.Context(), task.DueAt), FollowUp: inputOf(v.Context(), task.FollowUpAt), Priority: string(task.Priority()),
	}
	return &plan{openTask: task, Before: before, Return: web.LocalPath(cmp.Or(back, web.Root+"tasks/"+id.String()))}, nil
}

func showPlan(v *web.Visit, p *plan) *web.Answer {
	return &web.Answer{Title: ui.T(v.Context(), "Plan the task"), Area: area, Body: planningPage(p)}
}

// SavePlanning replaces the planning of a task, unless it is not the one that the form showed any more.
func (s *Screens) SavePlanning(v *web.Visit) (*web.Answer, error) {
	id, err := v.ID()
	if err != nil {
		return nil, err
	}
	form, err := v.Form()
	if err != nil {
		return nil, err
	}
	for range attempts {
		p, err := s.openPlan(v, id, form.Get("return"))
		if err != nil {
			return nil, err
		}
		entered := planInputs{Due: form.Get("due"), FollowUp: form.Get("followUp"), Priority: form.Get("priority")}
		wanted, err := p.read(v.Context(), entered)
		if err == nil && form.Has("before") && form.Get("before") != p.Before.String() {
			err = domain.Conflict(domain.CodeInvalidState, ui.T(v.Context(), "The planning was changed meanwhile. Check it, and save again."))
		}
		if err == nil {
			_, err = s.App.UpdateProcessItemTaskPlanning(v.Context(), v.Call.AtVersion(p.Item.Version()), id, wanted)
		}
		rejection, isRefusal := errors.AsType[*domain.Error](err)
		switch {
		case err == nil:
			return web.SeeOther(p.Return), nil
		case !isRefusal, rejection.Kind == domain.KindNotFound:
			return nil, err
		case rejection.Kind == domain.KindPrecondition:
			continue
		}
		p.planInputs, p.Problem = entered, ui.Reason(v.Context(), rejection)
		return showPlan(v, p).Refused(rejection), nil
	}
	return nil, domain.Conflict(domain.CodeInvalidState, "the form is being changed by others; try again in a moment")
}

// read reads the entered planning. Times that were not changed keep their seconds, which inputs do not show.
func (p *plan) read(ctx context.Context, entered planInputs) (domain.TaskPlan, error) {
	wanted := domain.TaskPlan{Priority: domain.TaskPriority(entered.Priority)}
	if wanted.Priority.Rank() == 0 {
		return wanted, domain.Invalid(domain.LocationBody, "priority", ui.T(ctx, "The priority does not exist."))
	}
	var err error
	if wanted.DueAt, err = readTime(ctx, "due", entered.Due, p.DueAt); err != nil {
		return wanted, err
	}
	wanted.FollowUpAt, err = readTime(ctx, "followUp", entered.FollowUp, p.FollowUpAt)
	return wanted, err
}

// readTime reads an input with a name, which showed the time before.
func readTime(ctx context.Context, name, text string, before *time.Time) (*time.Time, error) {
	switch text {
	case "":
		return nil, nil //nolint:nilnil // no time is no failure
	case inputOf(ctx, before):
		return before, nil
	}
	at, err := time.ParseInLocation(inputTime, text, ui.ViewerOf(ctx).Zone)
	if err != nil {
		return nil, domain.Invalid(domain.LocationBody, name, ui.T(ctx, "The time is not valid."))
	}
	return &at, nil
}

// inputOf returns the value of an input for a time, "" for none.
func inputOf(ctx context.Context, at *time.Time) string {
	if at == nil {
		return ""
	}
	return at.In(ui.ViewerOf(ctx).Zone).Format(inputTime)
}
