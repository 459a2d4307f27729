package forms

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/a-h/templ"

	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/form"
)

const (
	// attempts is how often a change is brought together with those of others that come
	// in between.
	attempts = 4
	// maxFound is how many names without a reference one post looks for.
	maxFound = 20
	// maxFile bounds the name of a file, in bytes.
	maxFile = 1024
)

// Screen is the forms of one kind of page.
type Screen struct {
	// Open returns the form of a visit.
	Open func(*web.Visit) (Store, error)
	// Show returns the page around a form.
	Show func(v *web.Visit, form templ.Component) (*web.Answer, error)
}

// Routes returns what forms need below the path of their page.
func (s *Screen) Routes(path string) []web.Route {
	return []web.Route{
		web.Post(path+"/form", s.post),
		web.Get(path+"/form/found", s.find),
		web.Post(path+"/form/files", s.upload),
	}
}

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

// View returns a form as its store has it.
func (s *Screen) View(ctx context.Context, store Store) (templ.Component, error) {
	doc, err := store.Load(ctx)
	if err != nil {
		return nil, err
	}
	p, err := newPage(ctx, doc, doc.Value)
	if err != nil {
		return nil, err
	}
	return formPart(p), nil
}

// newPage makes the page of a document that shows a value, which is that of the
// document but for conflicts.
func newPage(ctx context.Context, doc *Document, value json.RawMessage) (*page, error) {
	sheet, err := sheetOf(ctx, doc, value)
	if err != nil {
		return nil, err
	}
	p := &page{
		sheet: sheet, manner: form.Manner{Zone: ui.ViewerOf(ctx).Zone}, action: doc.Path + "/form", version: doc.Version,
		readOnly: doc.ReadOnly, completes: doc.Completes, link: doc.Link,
	}
	p.complain(ctx, doc.Errors)
	return p, nil
}

func sheetOf(ctx context.Context, doc *Document, value json.RawMessage) (*form.Sheet, error) {
	in := form.Input{Schema: doc.Schema, UISchema: doc.UISchema, Value: value}
	return form.NewSheet(ctx, in, form.SheetLimits(), doc.ReadOnly)
}

// entry is one post of a form and what becomes of it.
type entry struct {
	store  Store
	script bool
	doc    *Document
	post   *post
	// before is the sheet that the page was made from.
	before *form.Sheet
	typed  form.Typed
	change *form.Change
	// pending are conflicts that have not been decided, with what was entered.
	pending   map[string]string
	conflicts map[string]form.Conflict
	shown     json.RawMessage
	unfound   map[string]string
}

func (s *Screen) post(v *web.Visit) (*web.Answer, error) {
	store, err := s.Open(v)
	if err != nil {
		return nil, err
	}
	e := &entry{store: store, script: strings.Contains(v.Header.Get("Accept"), "application/json")}
	ctx := v.Context()
	if e.doc, err = store.Load(ctx); err != nil {
		return nil, err
	}
	if e.doc.ReadOnly {
		return nil, domain.Conflict(domain.CodeInvalidState, "the form can no longer be changed")
	}
	e.post, err = readPost(v.Request, func(name string, file File) (string, error) {
		return e.receive(ctx, name, file)
	})
	if err != nil {
		return nil, err
	}
	if need, err := e.read(ctx); err != nil || need {
		return web.JSON(Answer{Status: statusBase, Problems: []problem{}}), err
	}
	if err := e.save(ctx); err != nil {
		return nil, err
	}
	return s.answer(v, e)
}

// receive stores a file for a control that takes files.
func (e *entry) receive(ctx context.Context, name string, file File) (string, error) {
	sheet, err := sheetOf(ctx, e.doc, e.doc.Value)
	if err != nil {
		return "", err
	}
	n := sheet.Control(name)
	if n == nil || n.Kind != form.KindFile && n.Kind != form.KindFiles || n.Locked() {
		return "", domain.Invalid(domain.LocationBody, "", "there is no place for a file there")
	}
	return e.store.Upload(ctx, n, file)
}

// read makes of a post what was entered. It reports whether the base is needed for that
// and was not sent.
func (e *entry) read(ctx context.Context) (needsBase bool, err error) {
	base := e.doc.Value
	if e.post.values.Get(inputVersion) != e.doc.Version || len(e.post.conflicts()) > 0 {
		if base = e.post.base(); base == nil && e.script {
			return true, nil
		} else if base == nil {
			return false, unreadable()
		}
	}
	if e.before, err = sheetOf(ctx, e.doc, base); err != nil {
		return false, err
	}
	_, point := separators(ctx)
	e.typed = e.post.typed(point == ",", func(array string) []string {
		var keys []string
		if n := e.before.Find(array); n != nil {
			for _, row := range n.Rows {
				keys = append(keys, row.Key)
			}
		}
		return keys
	})
	if err := e.refer(ctx); err != nil {
		return false, err
	}
	if e.change, err = e.before.Changes(e.typed); err != nil {
		return false, domain.Invalid(domain.LocationBody, "", err.Error())
	}
	return false, nil
}

// refer finds what the texts of controls that refer to something mean.
func (e *entry) refer(ctx context.Context) error {
	e.unfound = map[string]string{}
	looked := 0
	var failed error
	form.All(e.before.Nodes, func(n *form.Node) bool {
		texts := e.typed.Texts[n.Name]
		if !n.Kind.Refers() || len(texts) == 0 || n.Locked() || failed != nil {
			return true
		}
		text := strings.TrimSpace(texts[len(texts)-1])
		reference := e.post.values.Get(prefixReference + n.Name)
		switch {
		case text == "" || text == n.Text(e.typed.Manner):
		case reference != "" && form.ReadableJSON(string(jsonString(reference))) == text:
			e.typed.References[n.Name] = reference
		default:
			if looked++; looked > maxFound {
				delete(e.typed.Texts, n.Name)
				return true
			}
			found, err := e.store.Find(ctx, n, text)
			failed = err
			if only := exact(found, text); only != nil {
				e.typed.References[n.Name] = only.Reference
				return true
			}
			delete(e.typed.Texts, n.Name)
			e.unfound[n.Name] = text
		}
		return true
	})
	return failed
}

// exact returns the one thing with a name, or the only one that was found.
func exact(found []Found, name string) *Found {
	var only *Found
	for i := range found {
		if strings.EqualFold(found[i].Name, name) {
			if only != nil {
				return nil
			}
			only = &found[i]
		}
	}
	if only == nil && len(found) == 1 {
		return &found[0]
	}
	return only
}

func jsonString(text string) []byte {
	encoded, err := json.Marshal(text)
	if err != nil {
		return nil
	}
	return encoded
}

// save brings what was entered together with what others have changed, and keeps it.
// What contradicts is kept in the page, for people to choose.
func (e *entry) save(ctx context.Context) error {
	basis, mine := e.before.Value(), e.change.Value()
	together := e.post.values.Get(inputVersion) != e.doc.Version
	e.pending = map[string]string{}
	for pointer, theirs := range e.post.conflicts() {
		together = true
		var err error
		if basis, err = form.With(basis, pointer, theirs); err != nil {
			return unreadable()
		}
		if e.post.do == doMine && e.post.on == pointer {
			continue
		}
		if e.post.do != doTheirs || e.post.on != pointer {
			entered, _ := jsondoc.Lookup(mine, pointer)
			e.pending[pointer] = string(entered)
		}
		if mine, err = form.With(mine, pointer, theirs); err != nil {
			return unreadable()
		}
	}
	for range attempts {
		merged, err := form.Merge(basis, e.doc.Value, mine)
		if err != nil {
			return err
		}
		patch := merged.Patch
		if !together {
			patch = e.change.Patch
		}
		if len(patch) > 0 {
			saved, err := e.store.Save(ctx, e.doc.Version, patch)
			var known *domain.Error
			if errors.As(err, &known) && known.Kind == domain.KindPrecondition {
				together = true
				if e.doc, err = e.store.Load(ctx); err != nil {
					return err
				}
				continue
			} else if err != nil {
				return err
			}
			e.doc = saved
		}
		return e.conclude(merged)
	}
	return domain.Conflict(domain.CodeInvalidState, "the form is being changed by others; try again in a moment")
}

// conclude notes the conflicts and the value to show.
func (e *entry) conclude(merged *form.Merged) error {
	e.conflicts = map[string]form.Conflict{}
	for _, conflict := range merged.Conflicts {
		e.conflicts[conflict.Pointer] = conflict
	}
	for pointer, mine := range e.pending {
		theirs, _ := jsondoc.Lookup(e.doc.Value, pointer)
		if string(theirs) != mine {
			e.conflicts[pointer] = form.Conflict{Pointer: pointer, Mine: mine, Theirs: string(theirs)}
		}
	}
	e.shown = e.doc.Value
	for pointer, conflict := range e.conflicts {
		var err error
		if e.shown, err = form.With(e.shown, pointer, conflict.Mine); err != nil {
			return err
		}
	}
	return nil
}

// after makes the page of the form as it is now.
func (e *entry) after(ctx context.Context) (*page, error) {
	p, err := newPage(ctx, e.doc, e.shown)
	if err != nil {
		return nil, err
	}
	p.conflicts = e.conflicts
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
		p.blank = map[string]string{e.post.on: "new"}
	}
	if status == statusDone || status == statusSaved && len(p.typed) == 0 && p.blank == nil {
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
	if len(e.conflicts)+len(e.post.conflicts()) > 0 || e.post.values.Has("full") || len(e.typed.Orders) > 0 || !p.sheet.Same(e.before) {
		var html strings.Builder
		if err := formPart(p).Render(ctx, &html); err != nil {
			return nil, err
		}
		answer.HTML = html.String()
	}
	return web.JSON(answer), nil
}

func (s *Screen) find(v *web.Visit) (*web.Answer, error) {
	store, err := s.Open(v)
	if err != nil {
		return nil, err
	}
	doc, err := store.Load(v.Context())
	if err != nil {
		return nil, err
	}
	sheet, err := sheetOf(v.Context(), doc, doc.Value)
	if err != nil {
		return nil, err
	}
	query := v.URL.Query()
	n := sheet.Control(query.Get("at"))
	if n == nil || !n.Kind.Refers() {
		return nil, domain.NotFound("control")
	}
	found, err := store.Find(v.Context(), n, query.Get("q"))
	if found == nil {
		found = []Found{}
	}
	return web.JSON(found), err
}

func (s *Screen) upload(v *web.Visit) (*web.Answer, error) {
	store, err := s.Open(v)
	if err != nil {
		return nil, err
	}
	e := &entry{store: store}
	if e.doc, err = store.Load(v.Context()); err != nil {
		return nil, err
	}
	name, err := url.PathUnescape(v.Header.Get("X-File-Name"))
	if err != nil || name == "" || len(name) > maxFile || e.doc.ReadOnly {
		return nil, unreadable()
	}
	file := File{Name: name, ContentType: v.Header.Get("Content-Type"), Size: v.ContentLength, Content: v.Body}
	reference, err := e.receive(v.Context(), v.URL.Query().Get("at"), file)
	if err != nil {
		return nil, err
	}
	return web.JSON(Found{Reference: reference, Name: fileName(v.Context(), reference)}), nil
}
