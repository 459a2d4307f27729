package form_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/form"
)

// wideForm returns a schema of 300 fields of the usual kinds in groups, and a value of it.
func wideForm() (schema, value json.RawMessage) {
	kinds := [][2]string{
		{`{"type":"string","maxLength":100,"title":"Name"}`, `"Carol"`},
		{`{"type":"number","minimum":0}`, `12.90`},
		{`{"type":"string","format":"date"}`, `"2026-02-03"`},
		{`{"anyOf":[{"type":"integer"},{"type":"null"}]}`, `42`},
		{`{"oneOf":[{"const":"a","title":"A"},{"const":"b","title":"B"}]}`, `"a"`},
		{`{"type":"boolean"}`, `true`},
		{`{"$ref":"#/$defs/code"}`, `"NL"`},
		{`{"type":"array","items":{"type":"string"}}`, `["x","y"]`},
		{`{"type":["string","null"],"enum":["x","y",null]}`, `"x"`},
		{`{"type":"string","pattern":"^[A-Z]+$"}`, `"ABC"`},
	}
	var groups, values []string
	for i := range 30 {
		var properties, members []string
		for j, kind := range kinds {
			properties = append(properties, fmt.Sprintf(`"f%d":%s`, j, kind[0]))
			members = append(members, fmt.Sprintf(`"f%d":%s`, j, kind[1]))
		}
		groups = append(groups, fmt.Sprintf(`"g%d":{"type":"object","required":["f0"],"properties":{%s}}`, i, strings.Join(properties, ",")))
		values = append(values, fmt.Sprintf(`"g%d":{%s}`, i, strings.Join(members, ",")))
	}
	return json.RawMessage(`{"type":"object","properties":{` + strings.Join(groups, ",") + `},"$defs":{"code":{"type":"string","maxLength":2}}}`),
		json.RawMessage(`{` + strings.Join(values, ",") + `}`)
}

// BenchmarkOutline measures the outline of a form with 300 fields, and the form.
func BenchmarkOutline(b *testing.B) {
	schema, value := wideForm()
	compiled, err := jsondoc.CompileCached(schema)
	require.NoError(b, err)
	b.Run("outline", func(b *testing.B) {
		for b.Loop() {
			outline, err := compiled.Outline(value, nil)
			if err != nil {
				b.Fatal(err)
			}
			for _, group := range outline.Root().Members().Named {
				place := outline.Root().Member(group.Name)
				for _, field := range place.Members().Named {
					place.Member(field.Name).IsValid()
				}
			}
		}
	})
	b.Run("editor", func(b *testing.B) {
		for b.Loop() {
			if _, err := form.NewEditor(b.Context(), form.Input{Schema: schema, Value: value}, form.EditorLimits(), false); err != nil {
				b.Fatal(err)
			}
		}
	})
}
