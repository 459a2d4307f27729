package forms

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/form"
)

// Answer is what the script of a form is sent.
type Answer struct {
	Status  string `json:"status"`
	Version string `json:"version,omitempty"`
	Base    string `json:"base,omitempty"`
	// Message is for the live region.
	Message  string                       `json:"message,omitempty"`
	Problems []problem                    `json:"problems"`
	Keys     map[string]map[string]string `json:"keys,omitempty"`
	HTML     string                       `json:"html,omitempty"`
	To       string                       `json:"to,omitempty"`
}

// The values of Answer.Status.
const (
	statusSaved      = "saved"
	statusBase       = "base"
	statusConflict   = "conflict"
	statusIncomplete = "incomplete"
	statusDone       = "done"
)

// after makes the page of the form as it is now.
func (e *entry) after(ctx context.Context) (*page, error) {
	p, err := newPage(ctx, e.doc, e.shown)
	if err != nil {
		return nil, err
	}
	p.conflicts, p.blank = e.conflicts, e.change.Blank
	p.typed = map[string]string{}
	complain := func(name, text, sentence string) {
		p.typed[name] = text
		if n := p.sheet.Find(name); n != nil {
			said := ui.T(ctx, sentence, n.Label)
			p.problems[n.Pointer] = append(p.problems[n.Pointer], said)
			p.summary = append(p.summary, problem{ID: id(n), Name: n.Name, Text: said})
		}
	}
	for _, name := range e.change.Unreadable {
		texts := e.typed.Texts[name]
		sentence := "%s is not one of the choices."
		if n := e.before.Find(name); n == nil || n.Kind == form.KindJSON {
			sentence = "%s is not written as JSON."
		}
		complain(name, texts[len(texts)-1], sentence)
	}
	for name, text := range e.unfound {
		complain(name, text, "%s was not found. Choose one of those that appear while you type.")
	}
	p.message = ui.T(ctx, "Saved %s", ui.ViewerOf(ctx).Now.In(ui.ViewerOf(ctx).Zone).Format("15:04"))
	if len(p.typed) > 0 {
		p.message = ui.T(ctx, "Saved, but for what is marked.")
	}
	if len(e.conflicts) > 0 {
		p.message = ui.T(ctx, "Another person changed the same: choose below.")
	}
	return p, nil
}

func (s *Screen) answer(v *web.Visit, e *entry) (*web.Answer, error) {
	ctx := v.Context()
	to, status, refused := e.doc.Path, statusSaved, error(nil)
	if len(e.conflicts) > 0 {
		status = statusConflict
	} else if e.post.do == doComplete && len(e.change.Unreadable)+len(e.unfound) == 0 {
		done, err := e.store.Complete(ctx)
		var known *domain.Error
		switch {
		case err == nil:
			to, status = done, statusDone
		case errors.As(err, &known) && (known.Kind == domain.KindConflict || known.Kind == domain.KindInvalid):
			status, refused = statusIncomplete, err
		default:
			return nil, err
		}
	}
	if status == statusDone && e.script {
		return web.JSON(Answer{Status: status, To: to, Problems: []problem{}}), nil
	}
	p, err := e.after(ctx)
	if err != nil {
		return nil, err
	}
	if refused != nil {
		p.message = ui.T(ctx, "This cannot be completed yet.")
		if len(p.summary) == 0 {
			p.summary = append(p.summary, problem{Text: refused.Error()})
		}
	}
	if e.script {
		return e.reply(ctx, p, status)
	}
	if e.post.do == doAdd {
		if p.blank == nil {
			p.blank = map[string][]string{}
		}
		p.blank[e.post.on] = append(p.blank[e.post.on], fmt.Sprintf("new%d", len(p.blank[e.post.on])))
	}
	if status == statusDone || status == statusSaved && len(p.typed) == 0 && e.post.do != doAdd {
		return web.SeeOther(to), nil
	}
	page, err := s.Show(v, formPart(p))
	if err == nil && status != statusSaved {
		page.Status = http.StatusConflict
	}
	return page, err
}

// reply answers the script.
func (e *entry) reply(ctx context.Context, p *page, status string) (*web.Answer, error) {
	answer := Answer{
		Status: status, Version: p.version, Base: string(p.sheet.Value()), Message: p.message, Problems: p.summary, Keys: e.change.Keys,
	}
	if answer.Problems == nil {
		answer.Problems = []problem{}
	}
	if e.together || e.post.values.Has("full") || e.change.Moved || !p.sheet.Same(e.before) {
		var html strings.Builder
		if err := formPart(p).Render(ctx, &html); err != nil { //nolint:contextcheck // Render has it
			return nil, err
		}
		answer.HTML = html.String()
	}
	return web.JSON(answer), nil
}
