package forms_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a-h/templ"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"github.com/procession-dev/procession/api/httpio"
	"github.com/procession-dev/procession/console/assets"
	"github.com/procession-dev/procession/console/forms"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/domain/kuflowref"
	"github.com/procession-dev/procession/form"
)

// memoryStore keeps one form.
type memoryStore struct {
	mu               sync.Mutex
	schema, uiSchema json.RawMessage
	value            json.RawMessage
	texts            form.Texts
	version          int
	patches          []string
	completed        bool
	readOnly         bool
	// profile contains the choices of the viewer.
	profile  domain.Profile
	uploaded string
	// acceptsInvalid reports whether invalid values can be completed.
	acceptsInvalid bool
	// sent contains the received drafts, sendError the error for them.
	sent      []forms.SentDraft
	sendError error
	// unreachable reports whether the site cannot be reached.
	unreachable bool
	// lossy reports whether posts are processed without an answer.
	lossy bool
	// items answers searches of data sources, searches are the queries that were made.
	items    func(forms.Search) (*domain.DataSourceRun, error)
	searches []forms.Search
	// beforeSave is called once before a change is kept.
	beforeSave func()
	// accept is the language of the browser, "" for its own.
	accept string
}

func (m *memoryStore) Load(context.Context) (*forms.Document, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.buildDocument()
}

func (m *memoryStore) buildDocument() (*forms.Document, error) {
	compiled, err := jsondoc.Compile(m.schema)
	if err != nil {
		return nil, err
	}
	checked, err := compiled.Validate(m.value)
	anyway := ""
	if m.acceptsInvalid {
		anyway = "Complete anyway"
	}
	return &forms.Document{
		Texts:               m.texts,
		CompleteAnywayLabel: anyway,
		Schema:              m.schema, UISchema: m.uiSchema, Value: m.value, Errors: checked.Errors, Version: strconv.Itoa(m.version),
		Path: "/form", CompleteLabel: "Complete", ReadOnly: m.readOnly,
		Link: func(reference string) string { return "/files?" + url.Values{"r": {reference}}.Encode() },
	}, err
}

func (m *memoryStore) Save(_ context.Context, version string, patch []jsondoc.Operation) (*forms.Document, error) {
	if beforeSave := m.beforeSave; beforeSave != nil {
		m.beforeSave = nil
		beforeSave()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if version != strconv.Itoa(m.version) {
		return nil, &domain.Error{Kind: domain.KindPrecondition, Code: domain.CodePreconditionFailed, Message: "changed"}
	}
	value, err := jsondoc.Apply(m.value, patch)
	if err != nil {
		return nil, err
	}
	for _, op := range patch {
		m.patches = append(m.patches, op.Op+" "+op.Path+" "+string(op.Value))
	}
	m.value = value
	m.version++
	return m.buildDocument()
}

// setValue is another person who changes the form.
func (m *memoryStore) setValue(value string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.value = json.RawMessage(value)
	m.version++
}

func (m *memoryStore) isUnreachable() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.unreachable
}

func (m *memoryStore) isLossy() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.lossy
}

func (m *memoryStore) setLossy(lossy bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lossy = lossy
}

func (m *memoryStore) setReachable(possible bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.unreachable = !possible
}

func (m *memoryStore) storedValue() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return string(m.value)
}

func (m *memoryStore) Complete(ctx context.Context) (string, error) {
	doc, err := m.Load(ctx)
	if err != nil {
		return "", err
	}
	if len(doc.Errors) > 0 && !m.acceptsInvalid {
		refusal := domain.Conflict(domain.CodeTaskDataInvalid, "the data is not valid")
		for _, e := range doc.Errors {
			refusal.Details = append(refusal.Details, domain.Detail{Message: "violates the keyword " + e.Type + " of its schema", Location: e.PropertyPath})
		}
		return "", refusal
	}
	m.completed = true
	return "/done", nil
}

func (m *memoryStore) Find(_ context.Context, _ *form.Node, words string) ([]forms.Match, error) {
	var found []forms.Match
	for _, name := range []string{"Carol", "Bob", "Bobby"} {
		if strings.HasPrefix(name, words) {
			found = append(found, forms.Match{
				Name: name, Reference: "kuflow-principal:id=01970000-0000-7000-8000-00000000c002;type=USER;name=" + name + ";",
			})
		}
	}
	return found, nil
}

func (m *memoryStore) Items(_ context.Context, _ *form.Node, search forms.Search) (*domain.DataSourceRun, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.searches = append(m.searches, search)
	return m.items(search)
}

func (m *memoryStore) Upload(_ context.Context, _ *form.Node, file forms.File) (string, error) {
	content, err := io.ReadAll(file.Content)
	m.uploaded = string(content)
	return kuflowref.File{URI: "ku:up", Type: file.ContentType, Size: int64(len(content)), Name: file.Name}.String(), err
}

// startSite serves one form, as the console serves its screens.
func (m *memoryStore) startSite(tb testing.TB) *httptest.Server {
	tb.Helper()
	return m.startServer(tb, m)
}

// draft is the form of a memoryStore as one that is sent whole.
type draft struct {
	forms.Store

	m *memoryStore
}

// startDraftSite returns the site of the form as a draft.
func (m *memoryStore) startDraftSite(tb testing.TB) *httptest.Server {
	tb.Helper()
	return m.startServer(tb, draft{struct{ forms.Store }{m}, m})
}

func (d draft) Check(ctx context.Context, value json.RawMessage) ([]domain.ValueError, error) {
	return forms.CheckSchema(ctx, d.m.schema, value)
}

func (d draft) Send(ctx context.Context, sent forms.SentDraft) (string, error) {
	if d.m.sendError != nil {
		return "", d.m.sendError
	}
	if _, err := d.m.Save(ctx, sent.Version, sent.Patch); err != nil {
		return "", err
	}
	d.m.sent = append(d.m.sent, sent)
	return "/done", nil
}

func (m *memoryStore) startServer(tb testing.TB, store forms.Store) *httptest.Server {
	tb.Helper()
	files, err := assets.Load("/assets")
	require.NoError(tb, err)
	screen := &forms.Screen{
		Open: func(*web.Visit) (forms.Store, error) { return store, nil },
		Show: func(_ *web.Visit, body templ.Component) (*web.Answer, error) {
			return &web.Answer{Title: "Form", Body: addHeading(body)}, nil
		},
	}
	mux := http.NewServeMux()
	mux.Handle("/assets/", files)
	mux.HandleFunc("GET /done", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<title>Done</title>All done") })
	serve := func(handler web.Handler) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "+
				"font-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'")
			if m.isUnreachable() {
				panic(http.ErrAbortHandler)
			}
			if m.accept != "" {
				r.Header.Set("Accept-Language", m.accept)
			}
			viewer := &ui.Viewer{Assets: files, Now: time.Now(), Path: r.URL.Path}
			viewer.Read(r)
			viewer.Apply(m.profile)
			r = r.WithContext(ui.WithViewer(r.Context(), viewer))
			answer, err := handler(&web.Visit{Request: r, Param: func(string) string { return "" }})
			if r.Method == http.MethodPost && m.isLossy() {
				panic(http.ErrAbortHandler)
			}
			var target *domain.Error
			switch {
			case err != nil && asDomain(err, &target):
				status, _ := httpio.StatusOf(target.Kind)
				http.Error(w, target.Message, status)
			case err != nil:
				http.Error(w, err.Error(), http.StatusInternalServerError)
			case answer.To != "":
				http.Redirect(w, r, answer.To, http.StatusSeeOther)
			case answer.Raw:
				_ = answer.Body.Render(r.Context(), w) //nolint:contextcheck // the context of the visit
			case answer.Stream != nil:
				answer.Stream(w)
			default:
				w.Header().Set("Content-Type", "text/html; charset=utf-8")
				w.WriteHeader(max(answer.Status, http.StatusOK))
				_ = ui.Layout( //nolint:contextcheck // Render has it
					ui.Page{Title: answer.Title, Bare: true}, answer.Body,
				).Render(r.Context(), w) //nolint:contextcheck // with the context of the visit
			}
		}
	}
	for _, route := range screen.Routes("/form") {
		mux.HandleFunc(route.Method+" "+route.Path, serve(route.Handler))
	}
	mux.HandleFunc("GET /form", serve(func(v *web.Visit) (*web.Answer, error) {
		body, err := screen.View(v.Context(), store)
		return &web.Answer{Title: "Form", Body: addHeading(body)}, err
	}))
	server := httptest.NewServer(mux)
	tb.Cleanup(server.Close)
	return server
}

// addHeading returns a form below the heading of its page.
func addHeading(body templ.Component) templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		_, _ = io.WriteString(w, `<div class="container-xl"><h1>Form</h1>`)
		err := body.Render(ctx, w)
		_, _ = io.WriteString(w, "</div>")
		return err
	})
}

func asDomain(err error, target **domain.Error) bool {
	found, ok := err.(*domain.Error) //nolint:errorlint // the store's own
	*target = found
	return ok
}

// renderForm returns the HTML of a form.
func (m *memoryStore) renderForm(tb testing.TB, ctx context.Context) string { //nolint:revive // the test comes first
	tb.Helper()
	body, err := (&forms.Screen{}).View(ctx, m)
	require.NoError(tb, err)
	var out strings.Builder
	require.NoError(tb, body.Render(ctx, &out))
	return out.String()
}

// viewerContext returns the context of a page in a language, with the times of a zone.
func viewerContext(tb testing.TB, language, zone string) context.Context {
	tb.Helper()
	r := httptest.NewRequest(http.MethodGet, "/form", nil)
	r.AddCookie(&http.Cookie{Name: ui.LanguageCookie, Value: language})
	r.AddCookie(&http.Cookie{Name: ui.ZoneCookie, Value: zone})
	v := &ui.Viewer{Now: time.Now(), Assets: &assets.Set{}}
	v.Read(r)
	return ui.WithViewer(tb.Context(), v)
}

// parseForm returns the inputs that a browser sends of an unchanged page.
func parseForm(tb testing.TB, page string) url.Values {
	tb.Helper()
	root, err := html.Parse(strings.NewReader(page))
	require.NoError(tb, err)
	values := url.Values{}
	for n := range root.Descendants() {
		name, named := attributeValue(n, "name")
		_, disabled := attributeValue(n, "disabled")
		if !named || disabled || n.Type != html.ElementNode || inTemplate(n) {
			continue
		}
		kind, _ := attributeValue(n, "type")
		value, _ := attributeValue(n, "value")
		switch n.Data {
		case "input":
			_, checked := attributeValue(n, "checked")
			if kind == "file" || (kind == "checkbox" || kind == "radio") && !checked {
				continue
			}
			values.Add(name, value)
		case "textarea":
			// Browsers send ends of lines in this form.
			values.Add(name, strings.ReplaceAll(strings.ReplaceAll(nodeText(n), "\r\n", "\n"), "\n", "\r\n"))
		case "select":
			chosen := ""
			for option := range n.Descendants() {
				if _, selected := attributeValue(option, "selected"); selected {
					chosen, _ = attributeValue(option, "value")
				}
			}
			values.Add(name, chosen)
		}
	}
	return values
}

func inTemplate(n *html.Node) bool {
	for p := n.Parent; p != nil; p = p.Parent {
		if p.Data == "template" {
			return true
		}
	}
	return false
}

func attributeValue(n *html.Node, name string) (string, bool) {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val, true
		}
	}
	return "", false
}

func nodeText(n *html.Node) string {
	var out strings.Builder
	for child := range n.Descendants() {
		if child.Type == html.TextNode {
			out.WriteString(child.Data)
		}
	}
	return out.String()
}
