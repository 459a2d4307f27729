package forms

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
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
	// attempts is the number of merges with concurrent changes before a post fails.
	attempts = 4
	// maxLookups bounds the names without a reference that one post searches.
	maxLookups = 20
	// maxNewReferences bounds the controls of new rows that are searched for names.
	maxNewReferences = 1000
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

// Routes returns the routes of forms below the path of their page.
func (s *Screen) Routes(path string) []web.Route {
	return []web.Route{
		web.Post(path+"/form", s.handlePost),
		web.Get(path+"/form/found", s.handleFind),
		web.Post(path+"/form/items", s.answerItems),
		web.Post(path+"/form/files", s.handleUpload),
		web.Post(path+"/form/json", s.handleJSON),
	}
}

// View returns a form as its store has it.
func (s *Screen) View(ctx context.Context, store Store) (templ.Component, error) {
	doc, err := store.Load(ctx)
	if err != nil {
		return nil, err
	}
	editor, err := newEditor(ctx, doc, doc.Value, nil)
	if err != nil {
		return nil, err
	}
	p := newPage(ctx, doc, editor, false)
	if draft, ok := store.(Draft); ok && !p.readOnly {
		err = p.beginDraft(ctx, draft, doc)
	} else if _, ok := store.(Saver); ok && !p.readOnly {
		err = p.suggest(ctx, doc)
	}
	if err != nil {
		return nil, err
	}
	return formPart(p), nil //nolint:contextcheck // it is rendered with one
}

// newPage returns the page of a document. The value of the editor differs from the value of the document only in conflicts.
func newPage(ctx context.Context, doc *Document, editor *form.Editor, tried bool) *page {
	p := &page{
		editor: editor, locale: localeOf(ctx), action: doc.Path + "/form", version: doc.Version,
		readOnly: doc.ReadOnly, completeLabel: doc.CompleteLabel, completeAnywayLabel: doc.CompleteAnywayLabel, link: doc.Link,
		submitted: tried, noFilesReason: doc.NoFilesReason, marks: doc.Marks, preview: doc.Preview,
		changedBy: doc.ChangedBy, changedByViewer: doc.ChangedByViewer,
	}
	p.addErrors(ctx, doc.Errors, doc.Value)
	return p
}

func newEditor(ctx context.Context, doc *Document, value json.RawMessage, picked jsondoc.Picked) (*form.Editor, error) {
	in := form.Input{
		Schema: doc.Schema, UISchema: doc.UISchema, Value: value, Picked: picked, Texts: doc.Texts,
		Labels: form.Labels{Value: ui.T(ctx, "Value"), Other: ui.T(ctx, "Other"), Entry: ui.T(ctx, "Entry")},
	}
	return form.NewEditor(ctx, in, form.EditorLimits(), doc.ReadOnly)
}

func (s *Screen) handlePost(v *web.Visit) (*web.Answer, error) {
	store, err := s.Open(v)
	if err != nil {
		return nil, err
	}
	e := &entry{store: store, script: strings.Contains(v.Header.Get("Accept"), "application/json")}
	ctx := v.Context()
	if e.doc, err = store.Load(ctx); err != nil {
		return nil, err
	}
	e.saver, _ = store.(Saver)
	e.draft, _ = store.(Draft)
	if e.doc.ReadOnly || e.saver == nil && e.draft == nil {
		return nil, domain.Conflict(cmp.Or(e.doc.ReadOnlyCode, domain.CodeInvalidState), "the form can no longer be changed")
	}
	e.post, err = readPost(v.Request, func(name string, file File) (string, error) {
		return e.receiveFile(ctx, name, file)
	})
	if err != nil {
		return nil, err
	}
	e.picked = readPicked(e.post.values)
	if e.post.do == doOpen {
		e.picked[form.ChoiceKey(e.post.on)] = 0
	}
	if e.post.do == doColumn {
		e.widenMatrix()
	}
	if need, err := e.readInputs(ctx); err != nil || need {
		return web.JSON(Answer{Status: statusBase, Problems: []problem{}}), err
	}
	if err := e.storeChanges(ctx); err != nil {
		return nil, err
	}
	return s.answerPost(v, e)
}

// openControl returns the form of a visit and its control with a name, nil for none.
func (s *Screen) openControl(v *web.Visit, name string, picked jsondoc.Picked) (Store, *Document, *form.Node, error) {
	store, err := s.Open(v)
	if err != nil {
		return nil, nil, nil, err
	}
	doc, err := store.Load(v.Context())
	if err != nil {
		return nil, nil, nil, err
	}
	editor, err := newEditor(v.Context(), doc, doc.Value, picked)
	if err != nil {
		return nil, nil, nil, err
	}
	return store, doc, editor.Control(name), nil
}

func (s *Screen) handleFind(v *web.Visit) (*web.Answer, error) {
	query := v.URL.Query()
	store, _, n, err := s.openControl(v, query.Get("at"), readPicked(query))
	if err != nil {
		return nil, err
	}
	if n == nil || !n.Kind.IsReference() {
		return nil, domain.NotFound("control")
	}
	found, err := store.Find(v.Context(), n, query.Get("q"))
	if found == nil {
		found = []Match{}
	}
	return web.JSON(found), err
}

// uploadAnswer is the reference to a stored file, or the reason why it was not stored.
type uploadAnswer struct {
	Match

	Message string `json:"message,omitempty"`
}

func (s *Screen) handleUpload(v *web.Visit) (*web.Answer, error) {
	store, err := s.Open(v)
	if err != nil {
		return nil, err
	}
	e := &entry{store: store, picked: readPicked(v.URL.Query())}
	if e.doc, err = store.Load(v.Context()); err != nil {
		return nil, err
	}
	name, err := url.PathUnescape(v.Header.Get("X-File-Name"))
	if err != nil || name == "" || len(name) > maxFile || e.doc.ReadOnly {
		return nil, formError()
	}
	file := File{Name: name, ContentType: v.Header.Get("Content-Type"), Size: v.ContentLength, Content: v.Body}
	reference, err := e.receiveFile(v.Context(), v.URL.Query().Get("at"), file)
	if refusal, ok := errors.AsType[*domain.Error](err); ok && (refusal.Kind == domain.KindInvalid || refusal.Kind == domain.KindTooLarge) {
		return web.JSON(uploadAnswer{Message: refusal.Message}), nil
	}
	if err != nil {
		return nil, err
	}
	return web.JSON(uploadAnswer{Match: Match{Reference: reference, Name: fileName(v.Context(), reference)}}), nil
}
