package form_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/form"
)

// Joined values have their own controls, one level down.
func TestJoin(t *testing.T) {
	t.Parallel()
	schema := json.RawMessage(`{"type":"object","required":["a"],"properties":{"a":{"$ref":"#/$defs/choice"},"$ref":{"type":"string"}},"$defs":{"choice":{"enum":["x","y"]}}}`)
	in, err := form.Join(
		form.Part{Name: "subject", Schema: json.RawMessage(`{"type":"string","title":"Subject"}`)},
		form.Part{Name: "m/1", Label: "More", Schema: schema, Value: json.RawMessage(`{"a":"y","n":1.50}`)},
		form.Part{Name: "laid", Schema: schema, UISchema: json.RawMessage(`{"type":"VerticalLayout","elements":[{"type":"Control","scope":"#/properties/a",
			"rule":{"effect":"HIDE","condition":{"scope":"#/properties/$ref","schema":{"const":"gone"}}}}]}`), Value: json.RawMessage(`{"$ref":"gone"}`)},
	)
	require.NoError(t, err)
	editor, err := form.NewEditor(t.Context(), in, form.EditorLimits(), false)
	require.NoError(t, err)
	require.JSONEq(t, `{"m/1":{"a":"y","n":1.50},"laid":{"$ref":"gone"}}`, string(editor.Value()))
	require.Equal(t, form.KindLine, editor.Find("/subject").Kind)
	choice := editor.Find("/m~11/a")
	require.Equal(t, form.KindRadio, choice.Kind)
	require.True(t, choice.Required)
	require.Equal(t, `"y"`, choice.Text(form.Locale{}))
	require.True(t, editor.Find("/laid/a").Hidden)
	require.Nil(t, editor.Find("/laid/$ref"))
	patch, err := form.Difference(json.RawMessage(`{"a":1,"b":1.0}`), json.RawMessage(`{"a":2,"b":1.0}`))
	require.NoError(t, err)
	require.Len(t, patch, 1)
	_, err = form.Join(form.Part{Name: "x", Schema: json.RawMessage(`{`)})
	require.Error(t, err)
}

// TestJoinDrafts checks that schemas with ids, anchors and keywords of older drafts keep their meaning in a joined form.
func TestJoinDrafts(t *testing.T) {
	t.Parallel()
	for name, schema := range map[string]string{
		"id":      `{"$schema":"http://json-schema.org/draft-07/schema#","$id":"https://demo.example/s","type":"object","properties":{"a":{"$ref":"#/definitions/x"}},"definitions":{"x":{"type":"integer"}}}`,
		"address": `{"$id":"https://demo.example/s#","type":"object","properties":{"a":{"$ref":"https://demo.example/s#/$defs/x"},"$ref":{"type":"string"}},"$defs":{"x":{"type":"integer"}}}`,
		"anchor":  `{"type":"object","properties":{"a":{"$ref":"#x"}},"$defs":{"x":{"$anchor":"x","type":"integer"}}}`,
		"draft 7": `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"t":{"items":[{"type":"string"}],"additionalItems":false},"a":{"type":"integer"}}}`,
		"draft 4": `{"$schema":"http://json-schema.org/draft-04/schema#","id":"x","type":"object","properties":{"a":{"type":"integer","minimum":1,"exclusiveMinimum":true}}}`,
	} {
		in, err := form.Join(
			form.Part{Name: "one", Schema: json.RawMessage(schema)}, form.Part{Name: "two", Schema: json.RawMessage(schema)},
		)
		require.NoError(t, err)
		s, err := form.NewEditor(t.Context(), in, form.EditorLimits(), false)
		require.NoError(t, err)
		for _, pointer := range []string{"/one/a", "/two/a"} {
			require.NotNil(t, s.Find(pointer), name)
			require.Equal(t, form.KindInteger, s.Find(pointer).Kind, name)
		}
		if name == "draft 4" {
			require.Equal(t, "1", s.Find("/one/a").Bounds.Above)
		}
	}
}
