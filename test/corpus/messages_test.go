package corpus_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"

	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/domain/translation"
	"github.com/procession-dev/procession/form"
)

// TestPublishedSchemasHaveMessages translates each message of the published schemas, and opens the forms without a value and with
// valid ones: each title, description and option of the schema is shown in the translation. Each message has a text of the schema
// or of its layout.
func TestPublishedSchemasHaveMessages(t *testing.T) {
	t.Parallel()
	entries := append(readSchemas(t), readExamples(t)...)
	c := messageCensus{}
	for i := range entries {
		e := &entries[i]
		compiled, err := jsondoc.CompileCached(e.schema)
		if err != nil {
			continue
		}
		c.openForms(t, e, func(value json.RawMessage) bool {
			checked, err := compiled.Validate(value)
			return err == nil && checked.Valid
		})
	}
	t.Logf("%d messages, %d shown texts", c.messages, c.shown)
	require.Greater(t, c.shown, 10_000)
}

type messageCensus struct{ messages, shown int }

// mark is the start of each translation.
const mark = "«"

func (c *messageCensus) openForms(t *testing.T, e *entry, isValid func(json.RawMessage) bool) {
	t.Helper()
	spec, err := json.Marshal(map[string]json.RawMessage{"metadataSchema": e.schema, "metadataUiSchema": e.uiSchema, "name": json.RawMessage(`"Loan"`)})
	require.NoError(t, err)
	d, err := resource.FromStored(resource.KindProcessDefinition, resource.Metadata{Code: "LOAN"}, spec)
	require.NoError(t, err, e.name)
	known := textsOf(t, e)
	foreign := strings.Count(string(e.schema), "//json-schema.org/") > 1
	texts := map[string]string{}
	for _, m := range d.Translatables()[0].Messages {
		texts[m.Key] = mark + m.Source
		if !known[m.Source] && m.Key != "LOAN.name" && !foreign {
			t.Errorf("%s: no text of the schema is %q, the message %s", e.name, m.Source, m.Key)
		}
	}
	c.messages += len(texts)
	source, err := json.Marshal(map[string]any{"default": "en", "de": texts})
	require.NoError(t, err)
	catalogue, err := translation.Parse(source)
	require.NoError(t, err, e.name)
	for _, value := range append([]json.RawMessage{json.RawMessage(`{}`)}, e.values...) {
		if string(value) != `{}` && !isValid(value) {
			continue
		}
		in := form.Input{
			Schema: e.schema, UISchema: e.uiSchema, Value: value,
			Texts: form.TextsOf(translation.New(translation.NewReader(language.German), catalogue)),
		}
		editor, err := form.NewEditor(t.Context(), in, form.EditorLimits(), false)
		require.NoError(t, err, e.name)
		form.Walk(editor.Nodes, func(n *form.Node) bool {
			c.checkNode(t, e, n, known)
			return true
		})
	}
}

// checkNode checks that the texts of a node are translated.
func (c *messageCensus) checkNode(t *testing.T, e *entry, n *form.Node, known map[string]bool) {
	t.Helper()
	shown := []string{n.Label, n.Help}
	for _, option := range n.Options {
		if !option.Extra {
			shown = append(shown, option.Title)
		}
	}
	for _, text := range shown {
		if strings.HasPrefix(text, mark) {
			c.shown++
			continue
		}
		if known[text] && !index.MatchString("/"+text) && !slices.Contains([]string{"", "Value", "Kind", "Other"}, text) {
			t.Errorf("%s: %s shows %q without a translation", e.name, n.Name, text)
		}
	}
}

// textsOf returns the texts of a schema and its layout: titles, descriptions, values, and the names of members.
func textsOf(t *testing.T, e *entry) map[string]bool {
	t.Helper()
	texts := map[string]bool{}
	var read func(value any)
	read = func(value any) {
		texts[jsondoc.ReadableText(value)] = true
		switch v := value.(type) {
		case *jsondoc.Object:
			for _, name := range v.Names {
				texts[jsondoc.Humanise(name)] = true
				read(v.Members[name])
			}
		case []any:
			var names []string
			for _, element := range v {
				read(element)
				if name, ok := element.(string); ok {
					names = append(names, jsondoc.Humanise(name))
				}
			}
			texts[strings.Join(names, ", ")] = true
		}
	}
	for _, source := range []json.RawMessage{e.schema, e.uiSchema} {
		value, err := jsondoc.Decode(source, 128)
		require.NoError(t, err)
		read(value)
	}
	return texts
}
