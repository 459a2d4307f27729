package jsondoc_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain/jsondoc"
)

func TestSchemaErrorSaysWhere(t *testing.T) {
	t.Parallel()
	const without = "refers to itself without ever reaching a value"
	for _, c := range []struct{ name, schema, pointer, message string }{
		{"not JSON", `{`, "", "it is not JSON"},
		{"not a schema", `[]`, "", "is not JSON Schema: expected object or boolean, but got array"},
		{"a wrong keyword", `{"properties":{"a/b c":{"minLength":-1}}}`, "/properties/a~1b c/minLength", "is not JSON Schema: must be >= 0 but found -1"},
		{"a wrong pattern", `{"items":{"pattern":"("}}`, "/items/pattern", "is not a regular expression: it has an unmatched `(` at position 1"},
		{"a reference to itself", `{"$ref":"#"}`, "/$ref", without},
		{"a reference to itself below", `{"properties":{"a":{"$ref":"#/properties/a"}}}`, "/properties/a/$ref", without},
		{"a circle", `{"items":{"$ref":"#/$defs/a"},"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"anyOf":[{"$ref":"#/$defs/a"}]}}}`, "/items/$ref", without},
		{"a circle in a list", `{"allOf":[{},{"not":{"$ref":"#"}}]}`, "/allOf/1/not/$ref", without},
		{"a dynamic circle", `{"$dynamicAnchor":"a","not":{"$dynamicRef":"#a"}}`, "/not/$dynamicRef", without},
		{"a remote reference", `{"properties":{"a":{"$ref":"https://example.test/s#/a"}}}`, "/properties/a/$ref", "refers to https://example.test/s, which is outside the schema: put it under $defs and refer to it there"},
		{"a file", `{"anyOf":[true,{"$ref":"file:///etc/passwd"}]}`, "/anyOf/1/$ref", "refers to file:///etc/passwd, which is outside the schema: put it under $defs and refer to it there"},
		{"a relative reference", `{"$id":"http://example.test/a/b","items":{"$ref":"../c"}}`, "/items/$ref", "refers to http://example.test/c, which is outside the schema: put it under $defs and refer to it there"},
		{"another draft", `{"$schema":"http://example.test/schema"}`, "/$schema", "refers to http://example.test/schema, which is outside the schema: put it under $defs and refer to it there"},
		{"a reference to nothing", `{"properties":{"a":{"$ref":"#/$defs/b"}}}`, "/properties/a/$ref", "refers to #/$defs/b, which does not exist"},
		{"an anchor that is none", `{"items":{"$ref":"#b"}}`, "/items/$ref", "refers to #b, which does not exist"},
		{"too much", `{"allOf":[{}` + strings.Repeat(`,{}`, 5000) + `]}`, "", "it has more than 5000 objects and arrays"},
		{"too deep", strings.Repeat(`{"not":`, 65) + `{}` + strings.Repeat(`}`, 65), "", "it is nested deeper than 64"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := jsondoc.Compile(json.RawMessage(c.schema))
			var fault *jsondoc.SchemaError
			require.ErrorAs(t, err, &fault)
			require.Equal(t, c.pointer, fault.Pointer)
			require.Equal(t, c.message, fault.Message)
		})
	}
}
