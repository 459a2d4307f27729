package processes

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"github.com/procession-dev/procession/api/httpio"
	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
)

// asks reports whether an action is invoked with input.
func asks(kind domain.ProcessActionType) bool {
	switch kind {
	case domain.ProcessActionStartRelatedProcess, domain.ProcessActionCreateMessage, domain.ProcessActionSendSignal:
		return true
	case domain.ProcessActionDownloadable, domain.ProcessActionStartWorkflow, domain.ProcessActionCreateTask,
		domain.ProcessActionCreateThread:
	}
	return false
}

// request is the form of an action, with what was entered.
type request struct {
	app.AvailableAction

	// Values are what the form was posted with.
	Values url.Values
	// Schema is that of the metadata of the process that the action starts, nil for none.
	Schema json.RawMessage
	// Threads are those that a message may be written into.
	Threads []domain.ProcessPart
	Problem string
}

// Ask shows the form of a user action.
func (s *Screens) Ask(v *web.Visit) (*web.Answer, error) {
	id, err := v.ID()
	if err != nil {
		return nil, err
	}
	return s.ask(v, id, nil, nil)
}

// ask shows the form of a user action with what was entered, and why it was refused.
func (s *Screens) ask(v *web.Visit, process uuid.UUID, values url.Values, refused *domain.Error) (*web.Answer, error) {
	answer, err := s.page(v, process, "", nil, func(of *shown) (templ.Component, error) {
		at := slices.IndexFunc(of.Actions, func(a app.AvailableAction) bool { return a.Code == v.Param("code") })
		if at < 0 {
			return nil, domain.NotFound("action")
		}
		r := request{AvailableAction: of.Actions[at], Values: values}
		if refused != nil {
			r.Problem = ui.Problem(v.Context(), refused)
		}
		var err error
		switch {
		case r.Related != nil:
			r.Schema, err = s.metadataSchema(v.Context(), v.Caller, *r.Related)
		case r.Type == domain.ProcessActionCreateMessage:
			var found domain.Page[domain.ProcessPart]
			found, err = s.App.FindProcessParts(v.Context(), v.Caller, process, []domain.ItemType{domain.ItemThread},
				domain.PageRequest{Size: messagesShown}, nil)
			r.Threads = found.Items
		}
		return ask(of, r), err
	})
	if err == nil && refused != nil {
		answer.Status, _ = httpio.StatusOf(refused.Kind)
	}
	return answer, err
}

// schemaOf returns the schema by which the form of an action was made, nil for an action
// without a form of fields.
func (s *Screens) schemaOf(v *web.Visit, process uuid.UUID, code string, form url.Values) (json.RawMessage, error) {
	if len(form) == 0 || form.Has("text") {
		return nil, nil
	}
	actions, err := s.App.FindAvailableProcessActions(v.Context(), v.Caller, process)
	if err != nil {
		return nil, err
	}
	for _, a := range actions {
		if a.Code == code && a.Related != nil {
			return s.metadataSchema(v.Context(), v.Caller, *a.Related)
		}
	}
	return nil, nil
}

func (s *Screens) metadataSchema(ctx context.Context, caller domain.Caller, definition uuid.UUID) (json.RawMessage, error) {
	found, err := s.App.RetrieveProcessDefinition(ctx, caller, definition, nil)
	if err != nil {
		return nil, err
	}
	return found.Spec.MetadataSchema, nil
}

// Act invokes a user action and shows what came of it.
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
	schema, err := s.schemaOf(v, id, in.Code, form)
	if err != nil {
		return nil, err
	}
	in.Metadata, err = ui.ReadObject(form, schema)
	in.SignalInput = in.Metadata
	if thread, parsed := uuid.Parse(form.Get("thread")); parsed == nil {
		in.MessageThreadID = &thread
	}
	var action *domain.ProcessAction
	if err == nil {
		action, _, err = s.App.CreateProcessAction(v.Context(), v.Caller, id, in)
	}
	refused, isRefusal := errors.AsType[*domain.Error](err)
	switch {
	case isRefusal && refused.Kind == domain.KindInvalid && in.Code != "":
		return s.ask(v, id, form, refused)
	case err != nil:
		return s.shownAfter(v, id, "", err)
	}
	return web.SeeOther(s.resultPath(id, action)), nil
}

// resultPath returns where what came of an action is seen.
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
	action, err := uuid.Parse(v.Param("run"))
	if err != nil {
		return nil, domain.NotFound("page")
	}
	found, err := s.App.RetrieveProcessAction(v.Context(), v.Caller, id, action)
	if err != nil {
		return nil, err
	}
	if v.Partial() {
		return &web.Answer{Raw: true, Body: runResult(id, found)}, nil
	}
	return s.page(v, id, "runs", nil, func(of *shown) (templ.Component, error) { return run(of, found), nil })
}

// CancelRun cancels a user action that is not finished.
func (s *Screens) CancelRun(v *web.Visit) (*web.Answer, error) {
	id, err := v.ID()
	if err != nil {
		return nil, err
	}
	action, err := uuid.Parse(v.Param("run"))
	if err != nil {
		return nil, domain.NotFound("page")
	}
	_, err = s.App.CancelProcessAction(v.Context(), v.Caller, id, action)
	return s.shownAfter(v, id, "runs/"+action.String(), err)
}
