package corpus_test

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/form"
)

// census counts the properties of forms, and the ones that are edited as JSON by the reason.
type census struct {
	kinds   map[string]form.Kind
	reasons map[string][]string
	changed int
	values  int
}

// TestPublishedSchemasHaveForms opens a form for each published schema without a value and with valid ones, changes a field and
// changes it back. At most 3 % of the properties are edited as JSON.
func TestPublishedSchemasHaveForms(t *testing.T) {
	t.Parallel()
	c := census{kinds: map[string]form.Kind{}, reasons: map[string][]string{}}
	entries := append(readSchemas(t), readExamples(t)...)
	for i := range entries {
		e := &entries[i]
		compiled, err := jsondoc.Compile(e.schema)
		if err != nil {
			continue
		}
		c.openForm(t, e, json.RawMessage(`{}`))
		for _, value := range e.values {
			if checked, err := compiled.Validate(value); err == nil && checked.Valid {
				c.values++
				c.openForm(t, e, compact(t, value))
			}
		}
	}
	fallbacks := 0
	for _, reason := range slices.Sorted(maps.Keys(c.reasons)) {
		places := c.reasons[reason]
		fallbacks += len(places)
		t.Logf("JSON, %s: %d, such as %q", reason, len(places), places[:min(len(places), 60)])
	}
	t.Logf("%d values and %d changed fields; %d of %d properties are edited as JSON", c.values, c.changed, fallbacks, len(c.kinds))
	require.Less(t, fallbacks*100, len(c.kinds)*3)
	require.Greater(t, c.changed, 400)
}

var index = regexp.MustCompile(`/\d+(/|$)`)

// openForm opens the form of a value and counts its controls.
func (c *census) openForm(t *testing.T, e *entry, value json.RawMessage) {
	t.Helper()
	in := form.Input{Schema: e.schema, UISchema: e.uiSchema, Value: value}
	editor, err := form.NewEditor(t.Context(), in, form.EditorLimits(), false)
	require.NoError(t, err, e.name)
	require.NotEmpty(t, editor.Nodes, e.name)
	require.Equal(t, string(value), string(editor.Value()), e.name)
	change, err := editor.Changes(submission(editor))
	require.NoError(t, err, e.name)
	require.Empty(t, change.Patch, "%s: an unchanged form of %s", e.name, value)
	var present []*form.Node
	form.Walk(editor.Nodes, func(n *form.Node) bool {
		if n.Choice != nil || n.Pointer == "" && n.Kind != form.KindJSON {
			return true
		}
		place := e.name + " " + index.ReplaceAllString(index.ReplaceAllString(n.Pointer, "/*$1"), "/*$1")
		if _, known := c.kinds[place]; !known && n.Kind == form.KindJSON {
			c.reasons[string(n.Reason)] = append(c.reasons[string(n.Reason)], place)
		}
		c.kinds[place] = n.Kind
		if n.Pointer != "" && n.Present() && !n.Selects && !n.IsLocked() && otherText(n) != "" {
			present = append(present, n)
		}
		return true
	})
	for _, n := range present[:min(len(present), 3)] {
		c.changed++
		changeAndRestore(t, e, value, n)
	}
}

// changeAndRestore changes a field and changes it back.
func changeAndRestore(t *testing.T, e *entry, value json.RawMessage, n *form.Node) {
	t.Helper()
	changed := enterText(t, e, value, n, otherText(n))
	if string(changed) == string(value) {
		return
	}
	require.Equal(t, string(value), string(enterText(t, e, changed, n, n.Text(form.Locale{}))), "%s: %s", e.name, n.Pointer)
}

// enterText enters a text in the form of a value and returns the new value. Only the field changes.
func enterText(t *testing.T, e *entry, value json.RawMessage, n *form.Node, text string) json.RawMessage {
	t.Helper()
	editor, err := form.NewEditor(t.Context(), form.Input{Schema: e.schema, UISchema: e.uiSchema, Value: value}, form.EditorLimits(), false)
	require.NoError(t, err, e.name)
	typed := submission(editor)
	typed.Texts[n.Name] = []string{text}
	change, err := editor.Changes(typed)
	require.NoError(t, err, e.name)
	for _, op := range change.Patch {
		require.True(t, strings.HasPrefix(op.Path+"/", n.Pointer+"/"), "%s: %s changes %s", e.name, n.Pointer, op.Path)
	}
	after, err := jsondoc.Apply(value, change.Patch)
	require.NoError(t, err, e.name)
	return after
}

// otherText returns another text for a control, or "".
func otherText(n *form.Node) string {
	text := n.Text(form.Locale{})
	if text == "" {
		return "" // An emptied control has no value.
	}
	switch n.Kind { //nolint:exhaustive // the others are not changed
	case form.KindLine, form.KindLines, form.KindTags:
		return text + "q"
	case form.KindNumber, form.KindInteger:
		return text + "1"
	case form.KindJSON:
		return `{"other":true}`
	case form.KindDate:
		return "2001-02-03"
	case form.KindRadio, form.KindSelect:
		for _, option := range n.Options {
			if option.Value != text {
				return option.Value
			}
		}
	}
	return ""
}

// submission returns the inputs of an unchanged page.
func submission(s *form.Editor) form.Submission {
	typed := form.Submission{Texts: map[string][]string{}, Orders: map[string][]string{}}
	form.Walk(s.Nodes, func(n *form.Node) bool {
		switch {
		case n.Kind.HasRows():
			typed.Orders[n.Name] = []string{""}
			for _, row := range n.Rows {
				typed.Orders[n.Name] = append(typed.Orders[n.Name], row.Key)
			}
		case n.Kind == form.KindChoices, n.Kind == form.KindFiles:
			typed.Texts[n.Name] = append([]string{""}, n.Texts()...)
		case n.Name != "" && n.Children == nil || n.Kind == form.KindJSON:
			typed.Texts[n.Name] = []string{n.Text(form.Locale{})}
		}
		return true
	})
	return typed
}

func compact(t *testing.T, value json.RawMessage) json.RawMessage {
	t.Helper()
	text, err := form.Compact(value)
	require.NoError(t, err)
	return text
}
