package tasks

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/translation"
	"github.com/procession-dev/procession/form"
)

// newsOverlap is how long before a page was made news may have been recorded: a
// change has its time before it is committed.
const newsOverlap = 5 * time.Second

// openTask is the task next to the list.
type openTask struct {
	*domain.OpenedTask

	// User is the viewer.
	User uuid.UUID
	// Editing reports whether a manager edits the task of another person, or one without an owner.
	Editing bool
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
}

func (o *openTask) isMine() bool { return o.Item.OwnerID != nil && *o.Item.OwnerID == o.User }

func (o *openTask) canClaim() bool { return o.State == domain.TaskReady && o.Candidate }

func (o *openTask) isOpen() bool { return o.State == domain.TaskReady || o.State == domain.TaskClaimed }

func (o *openTask) canEdit() bool { return o.isOpen() && (o.isMine() || o.Manages && o.Editing) }

func (o *openTask) canAssign() bool { return o.isOpen() && (o.Manages || o.isMine()) }

func (o *openTask) canRelease() bool {
	return o.State == domain.TaskClaimed && (o.Manages || o.isMine())
}

func (o *openTask) canComplete() bool { return o.State == domain.TaskClaimed && o.isMine() }

// Show shows a task next to its list.
func (s *Screens) Show(v *web.Visit) (*web.Answer, error) {
	id, err := v.ID()
	if err != nil {
		return nil, err
	}
	return s.showTask(v, id, v.URL.Query(), nil, nil)
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
	}
	l, err := s.findTasks(v, parseQuery(query))
	if err != nil {
		return nil, err
	}
	l.Open = task
	f := s.formOf(v.Call, id, task)
	if task.Form = shown; shown == nil {
		task.Form, err = s.Forms().View(v.Context(), f)
	} else {
		_, err = f.Load(v.Context())
	}
	if err != nil {
		return nil, err
	}
	task.Help = f.Help
	answer := &web.Answer{Title: ui.NameOf(v.Context(), found.Name), Area: "tasks", Body: inboxPage(l)}
	if rejection != nil {
		task.Problem = ui.Reason(v.Context(), rejection)
	}
	return answer.Refused(rejection), nil
}

// Claim makes the user the owner of the selected tasks. It shows a single task in the view of the user's tasks.
func (s *Screens) Claim(v *web.Visit) (*web.Answer, error) {
	return s.updateChosen(v, domain.InboxMine, func(ctx context.Context, id uuid.UUID, _ url.Values) error {
		_, err := s.App.ClaimProcessItemTask(ctx, v.Call, id)
		return err
	})
}

// Release returns the chosen tasks to their candidates.
func (s *Screens) Release(v *web.Visit) (*web.Answer, error) {
	return s.updateChosen(v, "", func(ctx context.Context, id uuid.UUID, _ url.Values) error {
		_, err := s.App.ReleaseProcessItemTask(ctx, v.Call, id)
		return err
	})
}

// Complete completes the chosen tasks.
func (s *Screens) Complete(v *web.Visit) (*web.Answer, error) {
	return s.updateChosen(v, "", func(ctx context.Context, id uuid.UUID, _ url.Values) error {
		_, err := s.App.CompleteProcessItemTask(ctx, v.Call, id)
		return err
	})
}

// result is the result for one of several tasks.
type result struct {
	domain.InboxTask

	// Problem is the reason why the action was refused, "" if it was not.
	Problem string
}

// updateChosen runs an action on each selected task. It shows a single task afterwards, in view or for "" on the
// previous page, and a list of results for several.
func (s *Screens) updateChosen(
	v *web.Visit, view domain.InboxView, do func(context.Context, uuid.UUID, url.Values) error,
) (*web.Answer, error) {
	form, err := v.Form()
	if err != nil {
		return nil, err
	}
	ids, back := parseIDs(form["task"]), web.LocalPath(cmp.Or(form.Get("return"), web.Root+"tasks"))
	if len(ids) == 0 {
		return nil, domain.Invalid(domain.LocationBody, "task", "choose at least one task")
	}
	problems := map[uuid.UUID]string{}
	for _, id := range ids {
		err := do(v.Context(), id, form)
		rejection, isRefusal := errors.AsType[*domain.Error](err)
		switch {
		case err != nil && !isRefusal, len(ids) == 1 && isRefusal && rejection.Kind == domain.KindNotFound:
			return nil, err
		case len(ids) == 1 && isRefusal:
			return s.showTask(v, id, queryOf(back), rejection, nil)
		case len(ids) == 1 && view != "":
			return web.SeeOther(taskPath(web.NewQuery("view", string(view)), id)), nil
		case len(ids) == 1:
			return web.SeeOther(back), nil
		case isRefusal:
			v.Refuse(rejection)
			problems[id] = ui.Reason(v.Context(), rejection)
		}
	}
	results, err := s.findResults(v, ids, problems)
	return &web.Answer{
		Title: ui.T(v.Context(), "Results"), Area: "tasks", Status: http.StatusOK, Body: resultsPage(results, back),
	}, err
}

// findResults returns the results of an action on tasks. Invisible tasks have no name.
func (s *Screens) findResults(v *web.Visit, ids []uuid.UUID, problems map[uuid.UUID]string) ([]result, error) {
	found, err := s.App.FindInboxTasks(v.Context(), v.Call, ids)
	if err != nil {
		return nil, err
	}
	results := make([]result, len(ids))
	for i, id := range ids {
		results[i] = result{InboxTask: domain.InboxTask{ID: id, Name: translation.Name{Source: ui.T(v.Context(), "Task")}}, Problem: problems[id]}
		if at := slices.IndexFunc(found, func(t domain.InboxTask) bool { return t.ID == id }); at >= 0 {
			results[i].InboxTask = found[at]
		}
	}
	return results, nil
}

// queryOf returns the query of a path.
func queryOf(path string) url.Values {
	u, err := url.Parse(path)
	if err != nil {
		return url.Values{}
	}
	return u.Query()
}
