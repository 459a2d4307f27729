package jsondoc_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain/jsondoc"
)

var everyDraft = []string{
	"http://json-schema.org/draft-04/schema#", "http://json-schema.org/draft-06/schema#", draft7,
	"https://json-schema.org/draft/2019-09/schema", draft202,
}

func TestPatternsAreECMA262(t *testing.T) {
	t.Parallel()
	for _, draft := range everyDraft {
		schema := compile(t, `{"$schema":"`+draft+`","type":"object","properties":{"name":{"pattern":"^[\\u4e00-\\u9fa5]+$"}},
  "patternProperties":{"^\\u{4e2d}[^]":{"type":"integer","not":{"enum":[5]}},"^a/~.":{"$ref":"#/definitions/x"}},"additionalProperties":false,
  "definitions":{"x":{"patternProperties":{"\\cA/":{"pattern":"^\\s$"}},"enum":[{"pattern":"\\u{61}"},{"\u0001/":"\u00a0"},{"\u0001/":"b"}]}}}`)
		for document, want := range map[string][]string{
			`{"name":"王小明","中a":1,"a/~b":{"\u0001/":"\u00a0"}}`: nil,
			`{"name":"Wang"}`:                 {"/name pattern"},
			`{"中a":"b"}`:                      {"/中a type"},
			`{"中a":5}`:                        {"/中a not"},
			`{"中":1}`:                         {"/中 additionalProperties"},
			`{"a/~b":{"\u0001/":"b"}}`:        {"/a~1~0b/\u0001~1 pattern"},
			`{"a/~b":{"pattern":"\\u{61}"}}`:  nil,
			`{"a/~b":{"pattern":"a"}}`:        {"/a~1~0b enum"},
			`{"a/~\r":{"pattern":"\\u{61}"}}`: {"/a~1~0\r additionalProperties"},
		} {
			require.ElementsMatch(t, want, violations(t, schema, document), document)
		}
	}
}

func TestPatternsWithoutRE2AreRefusedAtTheirPlace(t *testing.T) {
	t.Parallel()
	const ahead = "uses a look-ahead (`(?=`) at position 2, which is not supported: combine several patterns with allOf and not"
	for source, want := range map[string][2]string{
		`{"pattern":"^(?=a)"}`:                {"/pattern", ahead},
		`{"patternProperties":{"^(?=a)":{}}}`: {"/patternProperties/^(?=a)", ahead},
		`{"patternProperties":{"\\u0061/":{"patternProperties":{"^(?=a)":{}}}}}`: {`/patternProperties/\u0061~1/patternProperties/^(?=a)`, ahead},
		`{"allOf":[true,{"items":{"pattern":"(a)\\1"}}]}`: {
			"/allOf/1/items/pattern", "uses a back-reference (`\\1`) at position 4, which is not supported: combine several patterns with allOf and not",
		},
		`{"pattern":"[^\\u{61}]","not":{"pattern":"("}}`: {"/not/pattern", "is not a regular expression: it has an unmatched `(` at position 1"},
	} {
		for _, draft := range everyDraft {
			_, err := jsondoc.Compile(json.RawMessage(`{"$schema":"` + draft + `",` + source[1:]))
			var fault *jsondoc.SchemaError
			require.ErrorAs(t, err, &fault, source)
			require.Equal(t, want, [2]string{fault.Pointer, fault.Message}, source)
		}
	}
	// These are data.
	for _, source := range []string{
		`{"x-rules":{"pattern":"^(?=a)"}}`, `{"const":{"pattern":"^(?=a)"}}`, `{"default":{"pattern":"("}}`, `{"properties":{"pattern":{"const":"("}}}`,
	} {
		compile(t, source)
	}
}

// Patterns with equal translations are applied both.
func TestEqualPatternsAreApplied(t *testing.T) {
	t.Parallel()
	schema := compile(t, `{"patternProperties":{"^a$":{"minimum":1},"^\\u0061$":{"maximum":3},"^\\u{61}$":{"multipleOf":2}}}`)
	require.Equal(t, []string{"/a minimum", "/a multipleOf"}, violations(t, schema, `{"a":-1}`))
	require.Equal(t, []string{"/a maximum", "/a multipleOf"}, violations(t, schema, `{"a":5}`))
}

// Patterns of RE2 that are not patterns of ECMA-262 compile as before, and so do patterns with a longer translation.
func TestPatternsOfRE2Compile(t *testing.T) {
	t.Parallel()
	long := strings.Repeat(`\\s`, 4999)
	schema := compile(t, `{"pattern":"`+long+`","patternProperties":{"(?i)^ab$":{"pattern":"\\A[[:digit:]]\\z"},"`+strings.Repeat(".", 600)+`":{}}}`)
	for document, valid := range map[string]bool{`{"AB":"1"}`: true, `{"aB":"11"}`: false} {
		result, err := schema.Validate(json.RawMessage(document))
		require.NoError(t, err)
		require.Equal(t, valid, result.Valid, document)
	}
}

func TestRegexValuesAreECMA262(t *testing.T) {
	t.Parallel()
	schema := compile(t, `{"additionalProperties":{"format":"regex"}}`)
	for text, valid := range map[string]bool{
		`^\u4e00[^]\cA$`: true, `(?<n>a)`: true, `(?i)a`: true, `^(?=a)`: false, `(a)\1`: false, `(`: false, `^\S(|(.|\n)*\S)\Z`: false,
	} {
		document, err := json.Marshal(map[string]string{"a": text})
		require.NoError(t, err)
		result, err := schema.Validate(document)
		require.NoError(t, err)
		require.Equal(t, valid, result.Valid, text)
	}
}
