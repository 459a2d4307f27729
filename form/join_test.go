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
	sheet, err := form.NewEditor(t.Context(), in, form.EditorLimits(), false)
	require.NoError(t, err)
	require.JSONEq(t, `{"m/1":{"a":"y","n":1.50},"laid":{"$ref":"gone"}}`, string(sheet.Value()))
	require.Equal(t, form.KindLine, sheet.Find("/subject").Kind)
	choice := sheet.Find("/m~11/a")
	require.Equal(t, form.KindRadio, choice.Kind)
	require.True(t, choice.Required)
	require.Equal(t, `"y"`, choice.Text(form.Locale{}))
	require.True(t, sheet.Find("/laid/a").Hidden)
	require.Nil(t, sheet.Find("/laid/$ref"))
	patch, err := form.Difference(json.RawMessage(`{"a":1,"b":1.0}`), json.RawMessage(`{"a":2,"b":1.0}`))
	require.NoError(t, err)
	require.Len(t, patch, 1)
	_, err = form.Join(form.Part{Name: "x", Schema: json.RawMessage(`{`)})
	require.Error(t, err)
}
