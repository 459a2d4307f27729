package processes

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/console/actions"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
)

// needsInput reports whether an action is invoked with input.
func needsInput(kind domain.ProcessActionType) bool {
	switch kind {
	case domain.ProcessActionStartRelatedProcess, domain.ProcessActionCreateMessage, domain.ProcessActionSendSignal:
		return true
	case domain.ProcessActionDownloadable, domain.ProcessActionStartWorkflow, domain.ProcessActionCreateTask,
		domain.ProcessActionCreateThread:
	}
	return false
}

func (s *processView) actionMenu(ctx context.Context) []actions.Entry {
	entries := make([]actions.Entry, 0, len(s.Actions))
	for _, a := range s.Actions {
		entries = append(entries, actions.Entry{
			Name: ui.NameOf(ctx, a.Translated), Badge: ui.BadgeOf(a.Type), Path: s.tabPath("act/" + a.Code), Asks: needsInput(a.Type),
		})
	}
	return entries
}

func (s *processView) namedRuns(ctx context.Context, found []domain.NamedAction) []actions.Run {
	runs := make([]actions.Run, 0, len(found))
	for _, a := range found {
		run := runOf(ctx, &a.ProcessAction)
		run.Name, run.AuthorName = s.actionName(ctx, a.Definition.Code), a.AuthorName
		runs = append(runs, run)
	}
	return runs
}

// runOf returns an action that was invoked, without its name.
func runOf(ctx context.Context, a *domain.ProcessAction) actions.Run {
	run := actions.Run{
		Icon: ui.BadgeOf(a.Type).Icon, Path: pathOf(a.ProcessID, "runs/"+a.ID.String()), Status: a.Status, CreatedAt: a.CreatedAt,
		MakesFile: a.Type == domain.ProcessActionDownloadable, FileExpired: a.DocumentExpired, Errors: a.Errors,
	}
	if a.DocumentURI != "" {
		run.File = documentPath(a.ProcessID, a.DocumentURI)
	}
	if a.Started != nil {
		run.Made, run.MadeText = pathOf(a.Started.ID, ""), ui.T(ctx, "Open the process that it started")
	}
	return run
}

// actionView contains the form of an action with its input.
type actionView struct {
	app.AvailableAction

	// Values are the posted values of the form of a message.
	Values url.Values
	// Threads are the threads for a new message.
	Threads []domain.ProcessPart
	Problem string
	// Form is the form of any other action.
	Form templ.Component
}

// Ask shows the form of a user action.
func (s *Screens) Ask(v *web.Visit) (*web.Answer, error) {
	return s.showForm(v, nil, nil, nil)
}

// showForm shows the form of a user action with its input and the error of a refused one. form is nil for an empty
// form.
func (s *Screens) showForm(v *web.Visit, form templ.Component, values url.Values, rejection *domain.Error) (*web.Answer, error) {
	process, err := v.ID()
	if err != nil {
		return nil, err
	}
	answer, err := s.showTab(v, process, "", nil, func(of *processView) (templ.Component, error) {
		at := slices.IndexFunc(of.Actions, func(a app.AvailableAction) bool { return a.Code == v.Param("code") })
		if at < 0 {
			return nil, domain.NotFound("action")
		}
		r := actionView{AvailableAction: of.Actions[at], Values: values, Form: form}
		if rejection != nil {
			r.Problem = ui.Problem(v.Context(), rejection)
		}
		switch {
		case r.Type == domain.ProcessActionCreateMessage:
			found, err := s.App.FindProcessParts(v.Context(), v.Call, process, []domain.ItemType{domain.ItemThread},
				domain.PageRequest{Size: messagesShown}, nil)
			if err != nil {
				return nil, err
			}
			r.Threads = found.Items
		case form == nil && needsInput(r.Type):
			store, err := s.actForm(v, process, &r.AvailableAction)
			if err != nil {
				return nil, err
			}
			if r.Form, err = s.Forms().View(v.Context(), store); err != nil {
				return nil, err
			}
		}
		return actionForm(of, r), nil
	})
	if err != nil {
		return nil, err
	}
	return answer.Refused(rejection), nil
}

// Act invokes a user action and shows the result.
func (s *Screens) Act(v *web.Visit) (*web.Answer, error) {
	id, err := v.ID()
	if err != nil {
		return nil, err
	}
	form, err := v.Form()
	if err != nil {
		return nil, err
	}
	in := app.NewProcessAction{Code: v.Param("code"), Text: strings.TrimSpace(form.Get("text"))}
	if thread, parsed := uuid.Parse(form.Get("thread")); parsed == nil {
		in.MessageThreadID = &thread
	}
	action, _, err := s.App.CreateProcessAction(v.Context(), v.Call, id, in)
	rejection, isRefusal := errors.AsType[*domain.Error](err)
	switch {
	case isRefusal && rejection.Kind == domain.KindInvalid && in.Code != "":
		return s.showForm(v, nil, form, rejection)
	case err != nil:
		return s.showResult(v, id, "", err)
	}
	return web.SeeOther(s.resultPath(id, action)), nil
}

// resultPath returns the path of the result of an action.
func (s *Screens) resultPath(process uuid.UUID, action *domain.ProcessAction) string {
	switch {
	case action.Status != domain.ActionCompleted:
	case action.Started != nil:
		return pathOf(action.Started.ID, "")
	case action.Type == domain.ProcessActionCreateTask && action.ItemID != nil:
		return web.Root + "tasks/" + action.ItemID.String() + "?view=all"
	case action.Type == domain.ProcessActionCreateMessage, action.Type == domain.ProcessActionCreateThread:
		return pathOf(process, "messages")
	}
	return pathOf(process, "runs/"+action.ID.String())
}

// Run shows a user action that was invoked, and the document that it delivers as soon as
// it is there.
func (s *Screens) Run(v *web.Visit) (*web.Answer, error) {
	id, err := v.ID()
	if err != nil {
		return nil, err
	}
	action, err := v.IDIn("run")
	if err != nil {
		return nil, err
	}
	found, err := s.App.RetrieveProcessAction(v.Context(), v.Call, id, action)
	if err != nil {
		return nil, err
	}
	if v.Partial() {
		return &web.Answer{Raw: true, Body: actions.Result(runOf(v.Context(), found))}, nil
	}
	return s.showTab(v, id, "runs", nil, func(of *processView) (templ.Component, error) {
		run := runOf(v.Context(), found)
		run.Name = of.actionName(v.Context(), found.Definition.Code)
		return actions.Card(run), nil
	})
}

// CancelRun cancels a user action that is not finished.
func (s *Screens) CancelRun(v *web.Visit) (*web.Answer, error) {
	id, err := v.ID()
	if err != nil {
		return nil, err
	}
	action, err := v.IDIn("run")
	if err != nil {
		return nil, err
	}
	_, err = s.App.CancelProcessAction(v.Context(), v.Call, id, action)
	return s.showResult(v, id, "runs/"+action.String(), err)
}
