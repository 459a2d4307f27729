package forms

import (
	"context"
	"encoding/json"
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/domain/jsontext"
	"github.com/procession-dev/procession/form"
)

const (
	// maxEdited bounds a text that is checked while it is edited, in bytes.
	maxEdited = 256 << 10
	// maxEditedProblems bounds the errors of such a text.
	maxEditedProblems = 100
)

// jsonHelp is the answer about a text that is edited as JSON. Positions count UTF-16 units, as in browsers.
type jsonHelp struct {
	Problems []jsonProblem `json:"problems"`
	From     int           `json:"from"`
	To       int           `json:"to"`
	Options  []jsonOption  `json:"options"`
}

// jsonProblem is an error in a text.
type jsonProblem struct {
	From    int    `json:"from"`
	To      int    `json:"to"`
	Message string `json:"message"`
}

// jsonOption is a completion, as CodeMirror shows it.
type jsonOption struct {
	Label  string `json:"label"`
	Text   string `json:"text"`
	Type   string `json:"type"`
	Detail string `json:"detail,omitempty"`
	Info   string `json:"info,omitempty"`
}

// handleJSON completes or checks the text of a control that is edited as JSON.
func (s *Screen) handleJSON(v *web.Visit) (*web.Answer, error) {
	body, err := io.ReadAll(io.LimitReader(v.Body, maxPost+1))
	if err != nil || len(body) > maxPost {
		return nil, sizeError()
	}
	values, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, formError()
	}
	store, err := s.Open(v)
	if err != nil {
		return nil, err
	}
	doc, err := store.Load(v.Context())
	if err != nil {
		return nil, err
	}
	text, value, picked := values.Get("text"), doc.Value, readPicked(values)
	if _, ok := store.(Draft); ok && json.Valid([]byte(values.Get(inputBase))) {
		value = json.RawMessage(values.Get(inputBase))
	}
	editor, err := newEditor(v.Context(), doc, value, picked)
	if err != nil {
		return nil, err
	}
	n := editor.Control(values.Get("at"))
	if n == nil || n.Kind != form.KindJSON || n.IsLocked() {
		return nil, domain.NotFound("control")
	}
	if len(text) > maxEdited {
		return web.JSON(jsonHelp{Problems: []jsonProblem{}}), nil
	}
	if cursor, err := strconv.Atoi(values.Get("cursor")); err == nil {
		return completeJSON(v.Context(), editor, n, text, cursor)
	}
	problems, err := checkJSON(v.Context(), doc, editor, n, text, picked)
	return web.JSON(jsonHelp{Problems: problems}), err
}

func completeJSON(ctx context.Context, editor *form.Editor, n *form.Node, text string, cursor int) (*web.Answer, error) {
	found, err := editor.CompleteJSON(n, text, byteOffset(text, cursor))
	if err != nil {
		return nil, err
	}
	help := jsonHelp{From: textUnits(text[:found.From]), To: textUnits(text[:found.To]), Problems: []jsonProblem{}}
	for _, c := range found.List {
		option := jsonOption{Label: c.Text, Text: c.Text, Type: "constant", Detail: c.Title, Info: c.Help}
		if c.IsName {
			option.Text, option.Type, option.Detail = c.Text+": ", "property", ui.T(ctx, typeTitle(c.Types))
			if c.Required {
				option.Detail = strings.TrimPrefix(option.Detail+", "+ui.T(ctx, "required"), ", ")
			}
			option.Info = strings.TrimSpace(c.Title + "\n" + c.Help)
		}
		if found.Comma {
			option.Text = ", " + option.Text
		}
		help.Options = append(help.Options, option)
	}
	return web.JSON(help), nil
}

// checkJSON returns the errors of the text of a control, in the order of the text.
func checkJSON(ctx context.Context, doc *Document, editor *form.Editor, n *form.Node, text string, picked jsondoc.Picked) ([]jsonProblem, error) {
	problems := []jsonProblem{}
	if strings.TrimSpace(text) == "" {
		return problems, nil
	}
	r := jsontext.NewReader([]byte(text))
	if r.Skip(); r.End() != nil {
		line, column := form.LocateFault(text)
		at := textUnits(text[:min(max(r.Offset(), 0), len(text))])
		return append(problems, jsonProblem{at, at, ui.T(ctx, "%s is not valid JSON: look at line %d, character %d.", n.Label, line, column)}), nil //nolint:nilerr // it is the answer
	}
	value, err := form.ReplaceValue(editor.Value(), n.Pointer, text)
	if err != nil {
		return nil, err
	}
	if editor, err = newEditor(ctx, doc, value, picked); err != nil {
		return nil, err
	}
	p := &page{editor: editor}
	for _, e := range editor.Explain(nil) {
		if e.PropertyPath != n.Pointer && !strings.HasPrefix(e.PropertyPath, n.Pointer+"/") || len(problems) == maxEditedProblems {
			continue
		}
		inner := strings.TrimPrefix(e.PropertyPath, n.Pointer)
		from, to := form.LocateJSON(text, inner)
		message := ErrorMessage(ctx, p.labelAt(ctx, e.PropertyPath), editor.Describe(e.PropertyPath), e).Text
		if inner != "" {
			message = inner + ": " + message
		}
		problems = append(problems, jsonProblem{textUnits(text[:from]), textUnits(text[:to]), message})
	}
	slices.SortStableFunc(problems, func(a, b jsonProblem) int { return a.From - b.From })
	return problems, nil
}

// textUnits returns the number of UTF-16 units of a text.
func textUnits(text string) int {
	units := 0
	for _, r := range text {
		units += max(utf16.RuneLen(r), 1)
	}
	return units
}

// byteOffset returns the offset of the byte after a number of UTF-16 units.
func byteOffset(text string, units int) int {
	for at, r := range text {
		if units <= 0 {
			return at
		}
		units -= max(utf16.RuneLen(r), 1)
	}
	return len(text)
}

// editorScript returns where the editor of JSON is loaded, "" for no editor.
func (p *page) editorScript(ctx context.Context, n *form.Node) string {
	if p.action == "" || n.IsLocked() || ui.ViewerOf(ctx).Assets.Missing() {
		return ""
	}
	return ui.ViewerOf(ctx).Assets.URL("editor.js")
}
