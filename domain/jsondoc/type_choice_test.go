package jsondoc_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsondoc"
)

// TestSchemaWithAnAddress checks that a schema with an $id of its own has an outline, and that the keywords of this service apply.
func TestSchemaWithAnAddress(t *testing.T) {
	t.Parallel()
	for _, keyword := range []string{`"$id":"https://demo.example/s"`, `"$id":"urn:demo:s"`, `"$schema":"http://json-schema.org/draft-04/schema#","id":"http://demo.example/s#"`} {
		schema := `{` + keyword + `,"type":"object","properties":{"f":{"type":"string","format":"kuflow-file"},"n":{"$ref":"#/definitions/n"}},
			"definitions":{"n":{"type":"integer","title":"Number"}}}`
		o := newOutline(t, schema, `{}`, nil)
		require.Len(t, o.Root().Members().Named, 2, keyword)
		require.Equal(t, "Number", o.Root().Member("n").Annotations().Title, keyword)
		compiled, err := jsondoc.Compile(json.RawMessage(schema))
		require.NoError(t, err)
		result, err := compiled.Validate(json.RawMessage(`{"f":"x"}`))
		require.NoError(t, err)
		require.Equal(t, []domain.ValueError{{PropertyPath: "/f", Type: "format"}}, result.Errors, keyword)
	}
}

// TestTypesAreChosen checks that a place with several types, or none, follows its value, a picked type or the first one.
func TestTypesAreChosen(t *testing.T) {
	t.Parallel()
	const schema = `{"properties":{"v":{"type":["boolean","array","null"]},"any":{},"scalar":{"type":["string","number"]}}}`
	key := jsondoc.ChoiceKey{Pointer: "/v", Schema: "/properties/v/type"}
	for name, test := range map[string]struct {
		document string
		picked   jsondoc.Picked
		want     jsondoc.Types
	}{
		"the first": {`{}`, nil, jsondoc.TypeBoolean}, "the one of the value": {`{"v":[]}`, nil, jsondoc.TypeArray},
		"the picked one": {`{"v":[]}`, jsondoc.Picked{key: 0}, jsondoc.TypeBoolean}, "none": {`{"v":null}`, nil, jsondoc.TypeBoolean},
	} {
		o := newOutline(t, schema, test.document, test.picked)
		require.Equal(t, test.want|jsondoc.TypeNull, o.Root().Member("v").Types(), name)
	}
	o := newOutline(t, schema, `{"any":{"x":1}}`, nil)
	require.Equal(t, jsondoc.TypeObject, o.Root().Member("any").StatedTypes())
	require.Empty(t, o.Root().Member("scalar").Choices())
	require.True(t, o.Root().AllowsName("x"))
}
