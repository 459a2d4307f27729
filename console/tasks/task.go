package tasks

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"slices"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"github.com/procession-dev/procession/console/processes"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/translation"
	"github.com/procession-dev/procession/form"
)

// openTask is the task next to the list.
type openTask struct {
	*domain.OpenedTask

	// User is the viewer.
	User uuid.UUID
	// Editing reports whether a manager edits the task of another person, or one without an owner.
	Editing bool
	// Printable reports whether the task is available as a PDF.
	Printable bool
	// Form is the form of the task, nil for none.
	Form templ.Component
	// Description contains the instructions of the definition, "" for none.
	Description translation.Text
	// Context has the schema of the context data and its texts.
	Context form.Input
	// Help is the help of a model, nil where none can help.
	Help *help
	// Problem is the reason why the last action was refused, "" if none was.
	Problem string
	// Beside is the shown part of the process, nil if the process is not visible to the user. BesideContent
	// is nil for a part that the script loads.
	Beside        *processes.Beside
	BesideContent templ.Component
	// Change is the last change by another person, or in another window, since the page was made; nil for none.
	Change *domain.TimelineEvent
}

func (o *openTask) processPath() string { return web.Root + "processes/" + o.ProcessID.String() }

func (o *openTask) isMine() bool { return o.Item.OwnerID != nil && *o.Item.OwnerID == o.User }

func (o *openTask) canClaim() bool { return o.State == domain.TaskReady && o.Candidate }

func (o *openTask) isOpen() bool { return o.State == domain.TaskReady || o.State == domain.TaskClaimed }

func (o *openTask) canEdit() bool {
	return o.isOpen() && (o.isMine() || o.Substitutes || o.Manages && o.Editing)
}

func (o *openTask) canAssign() bool { return o.isOpen() && (o.Manages || o.isMine()) }

func (o *openTask) canRelease() bool {
	return o.State == domain.TaskClaimed && (o.Manages || o.isMine())
}

func (o *openTask) canComplete() bool {
	return o.State == domain.TaskClaimed && (o.isMine() || o.Substitutes)
}

// Show shows a task next to its list.
func (s *Screens) Show(v *web.Visit) (*web.Answer, error) {
	if slices.Contains([]deed{deedClaim, deedRelease, deedComplete}, deed(v.Param("id"))) {
		// The browser shows the address of a form that was refused.
		return web.SeeOther(web.Root + area), nil
	}
	id, err := v.ID()
	if err != nil {
		return nil, err
	}
	query := v.URL.Query()
	answer, err := s.showTask(v, id, query, nil, nil)
	if domain.HasCode(err, domain.CodeNotFound) && query.Has(completed) {
		// The next task was taken meanwhile.
		return web.SeeOther(parseQuery(query).And(completed, query.Get(completed)).Path(area)), nil
	}
	return answer, err
}

// showTask shows a task. rejection explains a failed action, nil for none; shown is its form, nil for the form of
// its data.
func (s *Screens) showTask(v *web.Visit, id uuid.UUID, query url.Values, rejection *domain.Error, shown templ.Component) (*web.Answer, error) {
	found, err := s.App.OpenTask(v.Context(), v.Call, id)
	if err != nil {
		return nil, err
	}
	task := &openTask{OpenedTask: found, User: v.Call.PrincipalID, Editing: query.Has("edit") || shown != nil}
	if !query.Has("view") && task.isMine() {
		query.Set("view", string(domain.InboxMine))
	} else if !query.Has("view") && found.Substitutes {
		query.Set("view", string(domain.InboxSubstituted))
	}
	l, err := s.findTasks(v, parseQuery(query))
	if err != nil {
		return nil, err
	}
	task.Printable = s.App.PrintsForms()
	l.Open, l.Completed = task, parseCompleted(query)
	if err := s.loadTask(v, l, query, shown); err != nil {
		return nil, err
	}
	answer := &web.Answer{Title: ui.NameOf(v.Context(), found.Name), Area: "tasks", Body: inboxPage(l)}
	if rejection != nil {
		task.Problem = ui.Reason(v.Context(), rejection)
	}
	return answer.Refused(rejection), nil
}

// loadTask adds the form of the opened task, its help and its process. shown is its form, nil for the form of its data.
func (s *Screens) loadTask(v *web.Visit, l *listView, query url.Values, shown templ.Component) (err error) {
	task := l.Open
	f := s.formOf(v.Call, task.ID, task)
	if task.Form = shown; shown == nil {
		task.Form, err = s.Forms().View(v.Context(), f)
	} else {
		_, err = f.Load(v.Context())
	}
	if err != nil {
		return err
	}
	task.Help = f.Help
	return s.addBeside(v, l, query)
}

// addBeside adds the part of the process that the query asks for to the page of a task.
func (s *Screens) addBeside(v *web.Visit, l *listView, query url.Values) (err error) {
	task := l.Open
	if !task.SeesProcess {
		return nil
	}
	task.Beside = processes.BesideOf(task.ProcessID, task.ID, taskPath(l.Query, task.ID), query)
	if task.Beside.Part != "" {
		task.BesideContent, err = s.Processes.BesideContent(v, task.Beside)
	}
	return err
}

// Claim makes the user the owner of the selected tasks. It shows a single task in the view of the user's tasks.
func (s *Screens) Claim(v *web.Visit) (*web.Answer, error) {
	return s.updateChosen(v, deedClaim, domain.InboxMine, func(ctx context.Context, id uuid.UUID, _ url.Values) error {
		_, err := s.App.ClaimProcessItemTask(ctx, v.Call, id)
		return err
	})
}

// Release returns the chosen tasks to their candidates.
func (s *Screens) Release(v *web.Visit) (*web.Answer, error) {
	return s.updateChosen(v, deedRelease, "", func(ctx context.Context, id uuid.UUID, _ url.Values) error {
		_, err := s.App.ReleaseProcessItemTask(ctx, v.Call, id)
		return err
	})
}

// Complete completes the chosen tasks; of several ones those without anything to fill in.
func (s *Screens) Complete(v *web.Visit) (*web.Answer, error) {
	return s.updateChosen(v, deedComplete, "", func(ctx context.Context, id uuid.UUID, posted url.Values) error {
		if len(posted["task"]) > 1 {
			f := s.formOf(v.Call, id, nil)
			if _, err := f.Load(ctx); err != nil {
				return err
			}
			if !f.isNotice {
				return &domain.Error{Kind: domain.KindConflict, Code: ui.CodeFormToFillIn, Message: "the task has a form to fill in"}
			}
		}
		_, err := s.App.CompleteProcessItemTask(ctx, v.Call, id)
		return err
	})
}

// updateChosen runs an action on each selected task. It shows a single task afterwards, in view or for "" on the
// previous page, and the list with the results for several.
func (s *Screens) updateChosen(
	v *web.Visit, of deed, view domain.InboxView, do func(context.Context, uuid.UUID, url.Values) error,
) (*web.Answer, error) {
	form, err := v.Form()
	if err != nil {
		return nil, err
	}
	ids, back := parseIDs(form["task"]), web.LocalPath(cmp.Or(form.Get("return"), web.Root+"tasks"))
	switch len(ids) {
	case 0:
		return nil, domain.Invalid(domain.LocationBody, "task", "choose at least one task")
	case 1:
		return s.updateTask(v, ids[0], back, view, do(v.Context(), ids[0], form))
	}
	refused := map[uuid.UUID]domain.Code{}
	for _, id := range ids {
		err := do(v.Context(), id, form)
		rejection, isRefusal := errors.AsType[*domain.Error](err)
		switch {
		case err != nil && !isRefusal:
			return nil, err
		case isRefusal:
			v.Refuse(rejection)
			refused[id] = rejection.Code
		}
	}
	return web.SeeOther(withOutcome(back, of, len(ids)-len(refused), refused)), nil
}

// updateTask shows a task after an action on it, which returned err.
func (s *Screens) updateTask(v *web.Visit, id uuid.UUID, back string, view domain.InboxView, err error) (*web.Answer, error) {
	rejection, isRefusal := errors.AsType[*domain.Error](err)
	switch {
	case isRefusal && rejection.Kind != domain.KindNotFound:
		answer, err := s.showTask(v, id, queryOf(back), rejection, nil)
		if err == nil {
			answer.Address = taskPath(parseQuery(queryOf(back)), id)
		}
		return answer, err
	case err != nil:
		return nil, err
	case view != "":
		return web.SeeOther(taskPath(web.NewQuery("view", string(view)), id)), nil
	}
	return web.SeeOther(back), nil
}

// queryOf returns the query of a path.
func queryOf(path string) url.Values {
	u, err := url.Parse(path)
	if err != nil {
		return url.Values{}
	}
	return u.Query()
}
