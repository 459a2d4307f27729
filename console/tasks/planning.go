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

// plan is the form for the planning of a task.
type plan struct {
	*openTask

	Return string
	// Due, FollowUp and Priority are the values of the inputs.
	Due, FollowUp, Priority string
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
	p.Due, p.FollowUp, p.Priority = inputOf(v.Context(), p.DueAt), inputOf(v.Context(), p.FollowUpAt), string(p.openTask.Priority())
	return showPlan(v, p), nil
}

func (s *Screens) openPlan(v *web.Visit, id uuid.UUID, back string) (*plan, error) {
	found, err := s.App.OpenTask(v.Context(), v.Call, id)
	if err != nil {
		return nil, err
	}
	task := &openTask{OpenedTask: found, User: v.Call.PrincipalID}
	return &plan{openTask: task, Return: web.LocalPath(cmp.Or(back, web.Root+"tasks/"+id.String()))}, nil
}

func showPlan(v *web.Visit, p *plan) *web.Answer {
	return &web.Answer{Title: ui.T(v.Context(), "Plan the task"), Area: area, Body: planningPage(p)}
}

// SavePlanning replaces the planning of a task.
func (s *Screens) SavePlanning(v *web.Visit) (*web.Answer, error) {
	id, err := v.ID()
	if err != nil {
		return nil, err
	}
	form, err := v.Form()
	if err != nil {
		return nil, err
	}
	wanted, err := readPlan(v.Context(), form)
	if err == nil {
		_, err = s.App.UpdateProcessItemTaskPlanning(v.Context(), v.Call, id, wanted)
	}
	rejection, isRefusal := errors.AsType[*domain.Error](err)
	switch {
	case err == nil:
		return web.SeeOther(web.LocalPath(cmp.Or(form.Get("return"), web.Root+"tasks/"+id.String()))), nil
	case !isRefusal, rejection.Kind == domain.KindNotFound:
		return nil, err
	}
	p, err := s.openPlan(v, id, form.Get("return"))
	if err != nil {
		return nil, err
	}
	p.Due, p.FollowUp, p.Priority = form.Get("due"), form.Get("followUp"), form.Get("priority")
	p.Problem = ui.Reason(v.Context(), rejection)
	return showPlan(v, p).Refused(rejection), nil
}

// readPlan reads the planning in a form.
func readPlan(ctx context.Context, form url.Values) (domain.TaskPlan, error) {
	p := domain.TaskPlan{Priority: domain.TaskPriority(form.Get("priority"))}
	if p.Priority.Rank() == 0 {
		return p, domain.Invalid(domain.LocationBody, "priority", ui.T(ctx, "The priority does not exist."))
	}
	for name, at := range map[string]**time.Time{"due": &p.DueAt, "followUp": &p.FollowUpAt} {
		text := form.Get(name)
		if text == "" {
			continue
		}
		found, err := time.ParseInLocation(inputTime, text, ui.ViewerOf(ctx).Zone)
		if err != nil {
			return p, domain.Invalid(domain.LocationBody, name, ui.T(ctx, "The time is not valid."))
		}
		*at = &found
	}
	return p, nil
}

// inputOf returns the value of an input for a time, "" for none.
func inputOf(ctx context.Context, at *time.Time) string {
	if at == nil {
		return ""
	}
	return at.In(ui.ViewerOf(ctx).Zone).Format(inputTime)
}
