package forms

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/translation"
	"github.com/procession-dev/procession/form"
	"github.com/procession-dev/procession/form/locale"
)

// Answer is the answer to the script of a form.
type Answer struct {
	Status  string `json:"status"`
	Version string `json:"version,omitempty"`
	Base    string `json:"base,omitempty"`
	// Message is for the live region.
	Message  string                       `json:"message,omitempty"`
	Problems []problem                    `json:"problems"`
	Keys     map[string]map[string]string `json:"keys,omitempty"`
	// Echoes are the repeated values below controls, by the ids of their elements.
	Echoes map[string]string `json:"echoes,omitempty"`
	HTML   string            `json:"html,omitempty"`
	To     string            `json:"to,omitempty"`
}

// The values of Answer.Status.
const (
	statusSaved      = "saved"
	statusBase       = "base"
	statusConflict   = "conflict"
	statusIncomplete = "incomplete"
	statusDone       = "done"
)

// isCompleting reports whether the button completes.
func (e *entry) isCompleting() bool { return e.post.do == doComplete || e.post.do == doAnyway }

// resultPage creates the page of the form after the post.
func (e *entry) resultPage(ctx context.Context) (*page, error) {
	editor, err := e.nextEditor(ctx)
	if err != nil {
		return nil, err
	}
	p := newPage(ctx, e.doc, editor, e.isCompleting() || e.post.values.Has(inputTried))
	if e.draft != nil {
		p.draft, p.origin, p.pageID = true, e.origin, e.post.values.Get(inputOnce)
		if p.initial, err = suggestDefaults(ctx, e.doc, e.origin); err != nil {
			return nil, err
		}
	}
	p.conflicts, p.blank, p.posted = e.conflicts, e.change.Blank, !e.script
	if err := e.offerUndo(p); err != nil {
		return nil, err
	}
	p.inputs, p.question = map[string]string{}, e.question
	e.keepMembers(ctx, p)
	addProblem := func(name, text, format string, details ...any) {
		name = e.change.NewName(name)
		p.inputs[name] = text
		if n := p.editor.Find(name); n != nil {
			said := ui.T(ctx, format, append([]any{n.Label}, details...)...)
			p.problems[n.Pointer] = append(p.problems[n.Pointer], translation.Text{Text: said})
			p.summary = append(p.summary, problem{ID: nodeID(n), Name: n.Name, Text: said, Unsaved: true})
		}
	}
	for _, name := range e.change.Unreadable {
		texts := e.submission.Texts[name]
		if n := e.editor.Find(name); n == nil || n.Kind == form.KindJSON {
			line, column := form.LocateFault(texts[len(texts)-1])
			addProblem(name, texts[len(texts)-1], "%s is not valid JSON: look at line %d, character %d.", line, column)
			continue
		}
		addProblem(name, texts[len(texts)-1], "%s is not one of the choices.")
	}
	e.addReadings(p, addProblem)
	if err := e.searchForButton(ctx, p); err != nil {
		return nil, err
	}
	for name, text := range e.unresolved {
		switch n := e.editor.Control(name); {
		case p.search != nil && p.search.name == name:
			p.inputs[name] = text
		case n != nil && n.Kind == form.KindDataSource:
			addProblem(name, text, "%s is not chosen yet. Choose one of the search results.")
		default:
			addProblem(name, text, "%s was not found. Choose one of the suggestions.")
		}
	}
	p.message = e.resultMessage(ctx, p)
	return p, nil
}

// nextEditor returns the form of the value after the post.
func (e *entry) nextEditor(ctx context.Context) (*form.Editor, error) {
	if e.next != nil && bytes.Equal(e.next.Value(), e.merged) && e.nextOf.ReadOnly == e.doc.ReadOnly &&
		bytes.Equal(e.nextOf.Schema, e.doc.Schema) && bytes.Equal(e.nextOf.UISchema, e.doc.UISchema) {
		return e.next, nil
	}
	return newEditor(ctx, e.doc, e.merged, e.movedPicks())
}

// addReadings adds the readings of ambiguous numbers and local times, from which a person chooses.
func (e *entry) addReadings(p *page, addProblem func(name, text, format string, details ...any)) {
	p.ambiguous = map[string][]locale.Candidate{}
	for name, readings := range e.change.Ambiguous {
		texts := e.submission.Texts[name]
		addProblem(name, texts[len(texts)-1], "%s can be read as two numbers. Choose one.")
		p.ambiguous[e.change.NewName(name)] = readings
	}
	p.times = map[string]locale.Resolution{}
	for name, times := range e.change.Times {
		sentence := "%s does not exist: clocks are set forward over this time. Choose another time."
		if len(times.Instants) > 0 {
			sentence = "%s exists twice: clocks are set back over this time. Choose one."
		}
		texts := e.submission.Texts[name]
		addProblem(name, texts[len(texts)-1], sentence)
		p.times[e.change.NewName(name)] = times
	}
}

// resultMessage returns the text for the live region.
func (e *entry) resultMessage(ctx context.Context, p *page) string {
	switch {
	case len(e.conflicts) > 0:
		if e.doc.ChangedByViewer {
			return ui.T(ctx, "You changed the same values in another window: choose for each.")
		}
		return ui.T(ctx, "Another person changed the same values: choose for each.")
	case e.draft != nil:
		return ui.T(ctx, "Not sent yet.")
	case len(p.inputs) > 0:
		return ui.T(ctx, "Saved, except for the marked values.")
	}
	return ui.T(ctx, "Saved %s", ui.Clock(ctx, ui.ViewerOf(ctx).Now))
}

// completeForm completes the form. It returns statusIncomplete if values are not valid.
func (e *entry) completeForm(ctx context.Context) (to, status string, rejection *domain.Error, err error) {
	invalid := len(e.doc.Errors) > 0 && (e.draft != nil || e.doc.CompleteAnywayLabel != "")
	unsaved := len(e.change.Unreadable)+len(e.change.Refused)+len(e.unresolved) > 0 || e.change.HasQuestions()
	if unsaved || invalid && (e.post.do != doAnyway || e.doc.CompleteAnywayLabel == "") {
		return "", statusIncomplete, nil, nil
	}
	if e.draft != nil {
		to, err = e.sendDraft(ctx)
	} else {
		to, err = e.saver.Complete(ctx)
	}
	rejection, isKnown := errors.AsType[*domain.Error](err)
	switch {
	case isKnown && (rejection.Kind == domain.KindConflict || rejection.Kind == domain.KindInvalid):
		return "", statusIncomplete, rejection, nil
	case err == nil && to == "":
		return "", statusConflict, nil, nil
	}
	return to, statusDone, nil, err
}

func (s *Screen) answerPost(v *web.Visit, e *entry) (*web.Answer, error) {
	ctx := v.Context()
	to, status, rejection := e.doc.Path, statusSaved, (*domain.Error)(nil)
	if len(e.conflicts) > 0 {
		status = statusConflict
	} else if e.isCompleting() {
		var err error
		if to, status, rejection, err = e.completeForm(ctx); err != nil {
			return nil, err
		}
	}
	if status == statusDone && e.script {
		return web.JSON(Answer{Status: status, To: to, Problems: []problem{}}), nil
	}
	p, err := e.resultPage(ctx)
	if err != nil {
		return nil, err
	}
	if status == statusIncomplete {
		p.message = ui.T(ctx, "This cannot be completed yet.")
		if p.completeAnywayLabel != "" || p.draft {
			p.message = ui.T(ctx, "Something is missing or not valid.")
		}
		p.addRefusal(ctx, rejection)
	}
	if e.script {
		return e.answerScript(ctx, p, status)
	}
	if e.post.do == doAdd {
		if p.blank == nil {
			p.blank = map[string][]string{}
		}
		p.blank[e.post.on] = append(p.blank[e.post.on], fmt.Sprintf("new%d", len(p.blank[e.post.on])))
	}
	if status == statusSaved {
		// A page that is loaded again shows the alternatives of the value.
		loaded, err := newEditor(ctx, e.doc, e.doc.Value, nil)
		if err != nil {
			return nil, err
		}
		if len(p.inputs) == 0 && p.search == nil && p.undo == "" && p.question == nil && len(e.change.Refused) == 0 && e.post.do != doAdd && e.draft == nil && loaded.SameStructure(p.editor) {
			return web.SeeOther(to), nil
		}
	}
	if status == statusDone {
		return web.SeeOther(to), nil
	}
	page, err := s.Show(v, formPart(p))
	if err == nil && status != statusSaved {
		page.Status = http.StatusConflict
	}
	return page, err
}

// addRefusal adds to the summary why the form was not completed, as far as the values do not
// say it.
func (p *page) addRefusal(ctx context.Context, rejection *domain.Error) {
	if rejection == nil {
		return
	}
	for _, d := range rejection.Details {
		if p.summarized[d.Location] {
			continue
		}
		entry := problem{Text: ui.Detail(ctx, "", d.Message)}
		if n, label := p.findControl(d.Location); n != nil {
			entry = problem{ID: nodeID(n), Name: n.Name, Text: ui.Detail(ctx, label, d.Message)}
		}
		p.summary = append(p.summary, entry)
	}
	if len(p.summary) == 0 {
		p.summary = append(p.summary, problem{Text: ui.Reason(ctx, rejection)})
	}
}

// answerScript answers the script.
func (e *entry) answerScript(ctx context.Context, p *page, status string) (*web.Answer, error) {
	answer := Answer{
		Status: status, Version: p.version, Base: string(p.editor.Value()), Message: p.message, Problems: p.summary, Keys: e.change.Keys, Echoes: e.echoes(ctx, p),
	}
	if answer.Problems == nil {
		answer.Problems = []problem{}
	}
	if e.changedByOthers || e.post.values.Has("full") || e.post.changesPage() || e.question != nil || len(e.change.Refused) > 0 || e.change.HasQuestions() || e.addsDefaults || e.change.Moved || !p.editor.SameStructure(e.editor) {
		var html strings.Builder
		if err := formPart(p).Render(ctx, &html); err != nil { //nolint:contextcheck // Render has it
			return nil, err
		}
		answer.HTML = html.String()
	}
	return web.JSON(answer), nil
}
