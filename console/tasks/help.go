package tasks

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/console/forms"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/form"
)

// help contains the answer of a model about a task.
type help struct {
	Task uuid.UUID
	// Run is the latest, nil for none.
	Run *domain.AssistanceRun
	// Asks reports whether the user may ask for help, Takes whether the user may accept
	// suggestions.
	Asks, Takes bool
	// Drafts is whether the model writes into the form by itself.
	Drafts bool
	// Suggestions are the parts of the answer about controls of the form, Rest is the
	// rest of it.
	Suggestions []forms.Suggestion
	Rest        []ui.Member
	// Request is the id that asking again has.
	Request uuid.UUID
}

// countOpen counts the suggestions that the form does not have.
func (h *help) countOpen() int {
	count := 0
	for _, s := range h.Suggestions {
		if !s.Same {
			count++
		}
	}
	return count
}

// findHelp reads the latest run about a task, nil where a model cannot help with it.
func (f *taskForm) findHelp(ctx context.Context, task *openTask, definition *domain.ItemDefinition, doc *forms.Document) (*help, error) {
	if !f.App.Assists(definition) {
		return nil, nil
	}
	h := &help{
		Task: f.id, Takes: task.canAssign(), Drafts: definition.Spec.Assistance.Drafts(), Request: uuid.New(),
		Asks: task.isOpen() && (task.Manages || task.isMine() || task.Candidate),
	}
	h.Asks = h.Asks && (h.Takes || !h.Drafts)
	var err error
	h.Run, err = f.App.RetrieveProcessItemAIAssistance(ctx, f.Call, f.id)
	if domain.HasCode(err, domain.CodeNotFound) {
		return h, nil
	}
	if err != nil || h.Run.State != domain.AssistanceCompleted || h.Run.Value == nil {
		return h, err
	}
	if h.Suggestions, err = forms.Compare(ctx, doc, h.Run.Value); err != nil {
		return nil, err
	}
	referenced := map[string]bool{}
	for _, s := range h.Suggestions {
		referenced[s.Pointer] = true
	}
	h.Rest = ui.Members(ctx, h.Run.Value, func(name string) bool { return !referenced[name] })
	return h, nil
}

// markSuggestions marks the suggested values that a document still contains.
func (h *help) markSuggestions(ctx context.Context, doc *forms.Document) error {
	if h == nil || h.Run == nil || h.Run.State != domain.AssistanceCompleted {
		return nil
	}
	doc.Marks = map[string]string{}
	note := ui.T(ctx, "Written by %s, run %d", h.Run.Model, h.Run.Run)
	for _, s := range h.Suggestions {
		if s.Same {
			doc.Marks[s.Pointer] = note
		}
	}
	if h.Run.Value != nil {
		return nil
	}
	text, err := json.Marshal(h.Run.Text)
	for _, pointer := range h.Run.Drafted {
		if doc.Same(pointer, text) {
			doc.Marks[pointer] = note
		}
	}
	return err
}

// Help shows the current state of a model's answer about a task.
func (s *Screens) Help(v *web.Visit) (*web.Answer, error) {
	id, err := v.ID()
	if err != nil {
		return nil, err
	}
	if !v.Partial() {
		return s.showTask(v, id, v.URL.Query(), nil, nil)
	}
	f := s.formOf(v.Call, id, nil)
	if _, err := f.Load(v.Context()); err != nil {
		return nil, err
	}
	if f.Help == nil {
		return nil, domain.NotFound("assistance run")
	}
	return &web.Answer{Raw: true, Body: helpPanel(f.Help)}, nil
}

// Ask asks a model for help with a task.
func (s *Screens) Ask(v *web.Visit) (*web.Answer, error) {
	id, err := v.ID()
	if err != nil {
		return nil, err
	}
	posted, err := v.Form()
	if err != nil {
		return nil, err
	}
	request, err := uuid.Parse(posted.Get("request"))
	if err != nil {
		return nil, domain.Invalid(domain.LocationBody, "request", "is required")
	}
	_, _, err = s.App.GenerateProcessItemAIAssistance(v.Context(), v.Call, id, request)
	if domain.HasCode(err, domain.CodeAIRunPending) {
		err = nil // The page shows the run that is there.
	}
	return web.SeeOther(pathTo(id)), err
}

func pathTo(task uuid.UUID) string { return web.Root + "tasks/" + task.String() }

// Accept puts suggestions of a model into the form of a task.
func (s *Screens) Accept(v *web.Visit) (*web.Answer, error) {
	id, err := v.ID()
	if err != nil {
		return nil, err
	}
	posted, err := v.Form()
	if err != nil {
		return nil, err
	}
	f := s.formOf(v.Call, id, nil)
	for range attempts {
		doc, err := f.Load(v.Context())
		if err != nil {
			return nil, err
		}
		if doc.ReadOnly {
			return nil, domain.Denied("only the owner of the task and its managers may change its form")
		}
		if f.Help == nil || f.Help.Run == nil || f.Help.Run.RequestID.String() != posted.Get("request") {
			return nil, domain.Conflict(domain.CodeInvalidState, "the suggestion is no longer there")
		}
		patch, err := f.Help.acceptedPatch(f.data, posted["field"])
		if err != nil || len(patch) == 0 {
			return web.SeeOther(pathTo(id)), err
		}
		_, err = f.saveData(v.Context(), domain.Version(doc.Version), patch)
		rejection, isRefusal := errors.AsType[*domain.Error](err)
		switch {
		case isRefusal && rejection.Kind == domain.KindPrecondition:
			continue
		case isRefusal && rejection.Kind == domain.KindInvalid:
			return s.showTask(v, id, v.URL.Query(), rejection, nil)
		}
		return web.SeeOther(pathTo(id)), err
	}
	return nil, domain.Conflict(domain.CodeInvalidState, "the form is being changed by others; try again in a moment")
}

// attempts bounds the attempts to put a suggestion into a form that others change.
const attempts = 4

// acceptedPatch returns the patch that puts the suggestions at pointers into the data of the task.
func (h *help) acceptedPatch(before json.RawMessage, pointers []string) ([]jsondoc.Operation, error) {
	chosen := map[string]bool{}
	for _, pointer := range pointers {
		chosen[pointer] = true
	}
	if len(before) == 0 {
		before = json.RawMessage("{}")
	}
	after := before
	for _, s := range h.Suggestions {
		if !chosen[s.Pointer] || s.Same {
			continue
		}
		value, _ := jsondoc.Lookup(h.Run.Value, s.Pointer)
		var err error
		if after, err = form.ReplaceValue(after, s.Pointer, string(value)); err != nil {
			return nil, err
		}
	}
	return form.Difference(before, after)
}

// failureText returns why a run has no answer.
func failureText(ctx context.Context, run *domain.AssistanceRun) string {
	switch run.ErrorCode {
	case domain.AssistanceTimedOut:
		return ui.T(ctx, "The model took too long.")
	case "PROVIDER_UNAVAILABLE", "RATE_LIMITED":
		return ui.T(ctx, "The model is unavailable. Try again later.")
	case "PROVIDER_UNAUTHORIZED", "PROVIDER_REFUSED", domain.AssistanceDisabled:
		return ui.T(ctx, "The model refuses requests. Ask an administrator to check its settings.")
	case "INVALID_ANSWER", "TRUNCATED":
		return ui.T(ctx, "The model gave no usable answer. Try again.")
	case "CONTENT_FILTERED":
		return ui.T(ctx, "The model declined to answer.")
	}
	return ui.T(ctx, "The action failed. An administrator can see the reason.")
}
