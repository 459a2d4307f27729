package jsondoc_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain/jsondoc"
)

// generic is a list whose items are defined by the enclosing schema, without the closing brace.
const generic = `{"$id":"http://example.test/root","$ref":"list","$defs":{"item":{"$dynamicAnchor":"item","type":"string"},
	"list":{"$id":"list","properties":{"l":{"items":{"$dynamicRef":"#item"}}},"requiredOnUpdate":["l"],"$defs":{"item":{"$dynamicAnchor":"item"}}}}`

func TestViolationsBehindDynamicReferences(t *testing.T) {
	t.Parallel()
	schema := compile(t, generic+`,"properties":{"o":{"$id":"o","required":["a/b"],"requiredOnUpdate":true}},"unevaluatedProperties":false}`)
	require.Equal(t, []string{"/o/a~1b required", "/x unevaluatedProperties"}, violations(t, schema, `{"l":["a"],"o":{},"x":1}`))
	// A subschema that fails evaluates no properties.
	require.Equal(t, []string{"/l unevaluatedProperties", "/l/1 type"}, violations(t, schema, `{"l":["a",1]}`))
	require.Equal(t, []string{"/l requiredOnUpdate", "/o requiredOnUpdate"},
		violationsWith(t, schema, `{}`, jsondoc.OnUpdate()))
}

func TestDynamicReferencesThatAreRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ schema, pointer, why string }{
		{generic + `,"properties":{"a":{"$ref":"#/$defs/x"}}}`, "/properties/a/$ref", "does not exist"},
		{generic + `,"properties":{"a":{"$dynamicRef":"#x"}}}`, "/properties/a/$dynamicRef", "does not exist"},
		{generic + `,"properties":{"a":{"$ref":"http://example.test/elsewhere"}}}`, "/properties/a/$ref", "outside"},
		{generic + `,"properties":{"a":{"maxSize":"x"}}}`, "/properties/a/maxSize", "bytes"},
	} {
		_, err := jsondoc.Compile(json.RawMessage(c.schema))
		var fault *jsondoc.SchemaError
		require.ErrorAs(t, err, &fault)
		require.Equal(t, c.pointer, fault.Pointer)
		require.Contains(t, fault.Message, c.why)
	}
}

// Every resource is copied for each state in which it is reached.
func TestCombinationsOfDynamicReferencesAreBounded(t *testing.T) {
	t.Parallel()
	nested := func(properties int) string {
		var s, long strings.Builder
		for i := range properties {
			long.WriteString(`"` + strconv.Itoa(i) + `":{"$dynamicRef":"#a"},`)
		}
		for i := range 4 {
			s.WriteString(`"r` + strconv.Itoa(i) + `":{"$id":"r` + strconv.Itoa(i) + `","$ref":"long","$defs":{"a":{"$dynamicAnchor":"a"}}},`)
		}
		return `{"$id":"http://example.test/root","anyOf":[{"$ref":"r0"},{"$ref":"r1"},{"$ref":"r2"},{"$ref":"r3"}],"$defs":{` + s.String() +
			`"long":{"$id":"long","properties":{` + long.String() + `"x":{}},"$defs":{"a":{"$dynamicAnchor":"a","type":"integer"}}}}}`
	}
	compile(t, nested(900))
	_, err := jsondoc.Compile(json.RawMessage(nested(2000)))
	require.ErrorContains(t, err, "too many combinations")
}
