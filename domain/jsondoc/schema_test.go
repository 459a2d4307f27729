package jsondoc_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsondoc"
)

func compile(t *testing.T, schema string) *jsondoc.Schema {
	t.Helper()
	compiled, err := jsondoc.Compile(json.RawMessage(schema))
	require.NoError(t, err)
	return compiled
}

// violations validates a document and lists the violations as "path keyword".
func violations(t *testing.T, schema *jsondoc.Schema, document string) []string {
	t.Helper()
	result, err := schema.Validate(json.RawMessage(document))
	require.NoError(t, err)
	require.Equal(t, document, string(result.Value))
	require.Equal(t, len(result.Errors) == 0, result.Valid)
	found := []string{}
	for _, e := range result.Errors {
		found = append(found, e.PropertyPath+" "+e.Type)
	}
	return found
}

func TestNoSchemaAcceptsEverything(t *testing.T) {
	t.Parallel()
	for _, source := range []json.RawMessage{nil, {}} {
		schema, err := jsondoc.Compile(source)
		require.NoError(t, err)
		require.Nil(t, schema)
		require.Empty(t, violations(t, schema, `{"a":1e9999999}`))
	}
}

func TestViolations(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, schema, document string
		want                   []string
	}{
		{"none", `{"type":"object"}`, `{"a":1}`, []string{}},
		{"at the root", `{"minProperties":1}`, `{}`, []string{" minProperties"}},
		{"the false schema", `false`, `{}`, []string{" false"}},
		{"a false property", `{"properties":{"a":false}}`, `{"a":1}`, []string{"/a properties"}},
		{
			"sorted by path, then keyword", `{"properties":{"b":{"minimum":5,"multipleOf":2,"enum":[8]},"a":{"type":"string"}},"required":["0"]}`, `{"b":3,"a":1}`,
			[]string{"/0 required", "/a type", "/b enum", "/b minimum", "/b multipleOf"},
		},
		{
			"each missing property", `{"properties":{"o":{"required":["x","a/b","m~n","y"]}}}`, `{"o":{"y":1}}`,
			[]string{"/o/a~1b required", "/o/m~0n required", "/o/x required"},
		},
		{"missing at the root", `{"required":["a"]}`, `{}`, []string{"/a required"}},
		{
			"missing by reference", `{"$defs":{"d":{"required":["a"]}},"properties":{"l":{"items":{"$ref":"#/$defs/d"}}}}`, `{"l":[{},{"a":1},{}]}`,
			[]string{"/l/0/a required", "/l/2/a required"},
		},
		{
			"names are escaped", `{"additionalProperties":{"type":"string"}}`, `{"a/b":1,"m~n":1," ":1,"c%d":1,"é":1}`,
			[]string{"/  type", "/a~1b type", "/c%d type", "/m~0n type", "/é type"},
		},
		{
			"each superfluous property", `{"properties":{"a":true},"patternProperties":{"^x":true},"additionalProperties":false}`, `{"a":1,"x1":2,"b/c":3,"d":4}`,
			[]string{"/b~1c additionalProperties", "/d additionalProperties"},
		},
		{"each unevaluated property", `{"properties":{"a":true},"unevaluatedProperties":false}`, `{"a":1,"b":2}`, []string{"/b unevaluatedProperties"}},
		{"dependentRequired", `{"dependentRequired":{"a/b":["c","d~"]}}`, `{"a/b":1,"c":2}`, []string{"/d~0 dependentRequired"}},
		{"a keyword's name as a property", `{"properties":{"properties":{"properties":{"0":{"type":"string"}}}}}`, `{"properties":{"0":1}}`, []string{"/properties/0 type"}},
		{"elements", `{"properties":{"l":{"prefixItems":[{"type":"string"}],"items":false}}}`, `{"l":[1,2]}`, []string{"/l/0 type", "/l/1 items"}},
		{"no element fits", `{"properties":{"l":{"contains":{"type":"string"}}}}`, `{"l":[1,2]}`, []string{"/l contains"}},
		{"too few elements fit", `{"properties":{"l":{"contains":{"type":"string"},"minContains":2}}}`, `{"l":[1,"a"]}`, []string{"/l minContains"}},
		{"leaves of anyOf", `{"properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"},{"minimum":5}]}}}`, `{"a":1}`, []string{"/a minimum", "/a type"}},
		{"oneOf twice", `{"properties":{"a":{"oneOf":[{"minimum":1},{"minimum":2}]}}}`, `{"a":3}`, []string{"/a oneOf"}},
		{"not", `{"not":{"required":["a"]}}`, `{"a":1}`, []string{" not"}},
		{"if and then", `{"if":{"required":["a"]},"then":{"required":["b"]}}`, `{"a":1}`, []string{"/b required"}},
		{"names of properties", `{"propertyNames":{"maxLength":2}}`, `{"abc":1}`, []string{"/abc maxLength"}},
		{"a name that is not one for a pattern", `{"patternProperties":{"^[/%]$":{"type":"string"}}}`, `{"/":1,"%":1}`, []string{"/% type", "/~1 type"}},
		{"format", `{"properties":{"d":{"format":"date"}}}`, `{"d":"2024-02-30"}`, []string{"/d format"}},
		{"const", `{"properties":{"d":{"const":{"a":[1]}}}}`, `{"d":{"a":[2]}}`, []string{"/d const"}},
		{"big numbers are exact", `{"properties":{"n":{"maximum":9007199254740992}}}`, `{"n":9007199254740993}`, []string{"/n maximum"}},
		{"uniqueItems", `{"properties":{"l":{"uniqueItems":true}}}`, `{"l":[1,1.0]}`, []string{"/l uniqueItems"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			schema := compile(t, c.schema)
			for range 10 {
				require.Equal(t, c.want, violations(t, schema, c.document))
			}
		})
	}
}

func TestDrafts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		draft, schema, document string
		want                    []string
	}{
		{
			"http://json-schema.org/draft-04/schema#", `"id":"http://example.test/s","definitions":{"d":{"minimum":1,"exclusiveMinimum":true}},"properties":{"a":{"$ref":"#/definitions/d"}},"dependencies":{"a":["b"]}`, `{"a":1}`,
			[]string{"/a exclusiveMinimum", "/b dependencies"},
		},
		{
			"http://json-schema.org/draft-06/schema#", `"properties":{"a":{"const":1},"l":{"contains":{"const":1}}},"propertyNames":{"maxLength":1}`, `{"a":2,"l":[]}`,
			[]string{"/a const", "/l contains"},
		},
		{
			"http://json-schema.org/draft-07/schema#", `"if":{"required":["a"]},"then":{"required":["b"]},"properties":{"l":{"items":[true],"additionalItems":false}}`, `{"a":2,"l":[1,2]}`,
			[]string{"/b required", "/l additionalItems"},
		},
		{
			"https://json-schema.org/draft/2019-09/schema", `"$defs":{"d":{"$anchor":"x","type":"string"}},"properties":{"a":{"$ref":"#x"}},"dependentRequired":{"a":["b"]},"unevaluatedProperties":false`, `{"a":2,"c":1}`,
			[]string{"/a type", "/b dependentRequired", "/c unevaluatedProperties"},
		},
		{
			"https://json-schema.org/draft/2020-12/schema", `"properties":{"l":{"prefixItems":[{"type":"string"}]},"d":{"$dynamicRef":"#x"}},"$defs":{"d":{"$dynamicAnchor":"x","type":"null"}}`, `{"l":[1],"d":1}`,
			[]string{"/d type", "/l/0 type"},
		},
	} {
		t.Run(c.draft, func(t *testing.T) {
			t.Parallel()
			schema := compile(t, `{"$schema":"`+c.draft+`",`+c.schema+`}`)
			require.Equal(t, c.want, violations(t, schema, c.document))
		})
	}
	t.Run("the newest is assumed", func(t *testing.T) {
		t.Parallel()
		schema := compile(t, `{"dependentRequired":{"a":["b"]},"dependencies":{"a":["c"]},"prefixItems":[true]}`)
		require.Contains(t, violations(t, schema, `{"a":1}`), "/b dependentRequired")
	})
	t.Run("a draft's own schema may be referred to", func(t *testing.T) {
		t.Parallel()
		for _, draft := range []string{"http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2020-12/schema"} {
			schema := compile(t, `{"properties":{"s":{"$ref":"`+draft+`"}}}`)
			require.Equal(t, []string{"/s/minLength type"}, violations(t, schema, `{"s":{"minLength":"x"}}`))
		}
	})
}

func TestCompileRefuses(t *testing.T) { //nolint:funlen // most of it is a table
	t.Parallel()
	chain := func(links int) string {
		var s strings.Builder
		s.WriteString(`{"$ref":"#/$defs/0","$defs":{`)
		for i := range links {
			next := `{"$ref":"#/$defs/` + strconv.Itoa(i+1) + `"}`
			s.WriteString(`"` + strconv.Itoa(i) + `":{"allOf":[` + next + `,` + next + `]},`)
		}
		return s.String() + `"` + strconv.Itoa(links) + `":true}}`
	}
	row := func(links int) string {
		var s strings.Builder
		s.WriteString(`{"$ref":"#/$defs/0","$defs":{`)
		for i := range links {
			s.WriteString(`"` + strconv.Itoa(i) + `":{"$ref":"#/$defs/` + strconv.Itoa(i+1) + `"},`)
		}
		return s.String() + `"` + strconv.Itoa(links) + `":true}}`
	}
	const out = "leads out of the schema"
	for _, c := range []struct{ name, schema, why string }{
		{"text", `{"type":`, "not JSON"},
		{"two values", `{} {}`, "not JSON"},
		{"no schema", `[]`, "compiling the schema"},
		{"an unknown type", `{"type":"text"}`, "compiling the schema"},
		{"a pattern that is none", `{"pattern":"("}`, "compiling the schema"},
		{"a missing definition", `{"$ref":"#/$defs/x"}`, "not found"},
		{"http", `{"$ref":"http://127.0.0.1:9/s"}`, out},
		{"https", `{"properties":{"a":{"$ref":"https://example.test/s#/a"}}}`, out},
		{"file", `{"$ref":"file:///etc/passwd"}`, out},
		{"a path", `{"$ref":"/etc/passwd"}`, out},
		{"a relative path", `{"$ref":"other.json"}`, out},
		{"a path under a base", `{"$id":"file:///etc/","properties":{"a":{"$ref":"passwd"}}}`, out},
		{"a path under an inner base", `{"properties":{"a":{"$id":"file:///etc/x","items":{"$ref":"passwd"}}}}`, out},
		{"another host by two slashes", `{"$id":"http://example.test/a","allOf":[{"$ref":"//127.0.0.1/s"}]}`, out},
		{"a URN", `{"$ref":"urn:example:other"}`, out},
		{"a dynamic reference", `{"$dynamicRef":"http://example.test/s#x"}`, out},
		{"a recursive reference", `{"$schema":"https://json-schema.org/draft/2019-09/schema","$recursiveRef":"http://example.test/s"}`, "compiling the schema"},
		{"an unused definition", `{"$defs":{"a":{"$ref":"http://example.test/s"}},"properties":{"b":{"$ref":"#/$defs/a"}}}`, out},
		{"another metaschema", `{"$schema":"http://example.test/schema"}`, out},
		{"a metaschema on disk", `{"$schema":"file:///etc/passwd"}`, out},
		{"draft 3", `{"$schema":"http://json-schema.org/draft-03/schema#"}`, out},
		{"itself as metaschema", `{"$schema":"schema:document"}`, "unsupported draft"},
		{"a reference to itself", `{"$ref":"#"}`, "infinite loop"},
		{"a reference in a circle", `{"$ref":"#/$defs/a","$defs":{"a":{"allOf":[{"$ref":"#/$defs/b"}]},"b":{"$ref":"#/$defs/a"}}}`, "infinite loop"},
		{"a huge exponent", `{"maximum":1e9999999}`, "exponent"},
		{"a tiny exponent", `{"properties":{"a":{"enum":[1e-9999999]}}}`, "/properties/a/enum/0"},
		{"a long number", `{"maximum":` + strings.Repeat("1", 1001) + `}`, "1000 characters"},
		{"nesting", strings.Repeat(`{"not":`, 65) + `{}` + strings.Repeat(`}`, 65), "nested deeper than 64"},
		{"size", `{"description":"` + strings.Repeat("x", 256<<10) + `"}`, "bytes"},
		{"many subschemas", `{"allOf":[{}` + strings.Repeat(`,{}`, 5000) + `]}`, "objects and arrays"},
		{"a doubling chain", chain(25), "once its references are followed"},
		{"a long row of references", row(100), "in a row"},
		{"many dynamic anchors", `{"$defs":{` + anchors(9) + `}}`, "dynamic anchors"},
		{"a costly pattern", `{"pattern":"` + strings.Repeat("(a?b?){500}", 20) + `"}`, "too complex"},
		{"a costly pattern of names", `{"patternProperties":{"` + strings.Repeat("(a?b?){500}", 20) + `":true}}`, "too complex"},
		{"a long name", `{"properties":{"` + strings.Repeat("x", 3000) + `":{"items":{}}}}`, "location of a subschema"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			schema, err := jsondoc.Compile(json.RawMessage(c.schema))
			require.ErrorContains(t, err, c.why)
			require.Nil(t, schema)
		})
	}
	t.Run("not what is just below", func(t *testing.T) {
		t.Parallel()
		compile(t, chain(12))
		compile(t, row(60))
		compile(t, `{"$defs":{`+anchors(8)+`}}`)
		compile(t, strings.Repeat(`{"not":`, 63)+`{}`+strings.Repeat(`}`, 63))
		compile(t, `{"allOf":[{}`+strings.Repeat(`,{}`, 4900)+`]}`)
	})
}

func anchors(n int) string {
	var all []string
	for i := range n {
		all = append(all, `"d`+strconv.Itoa(i)+`":{"$dynamicAnchor":"a`+strconv.Itoa(i)+`"}`)
	}
	return strings.Join(all, ",")
}

func TestValidateRefusesWhatCannotBeChecked(t *testing.T) {
	t.Parallel()
	nested := func(depth int) string {
		return strings.Repeat(`{"a":`, depth-1) + `{}` + strings.Repeat(`}`, depth-1)
	}
	for _, c := range []struct{ name, schema, document, at, why string }{
		{"a huge exponent", `{"properties":{"a":{"minimum":0}}}`, `{"a":1e9999999}`, "/a", "exponent"},
		{"a tiny exponent", `{}`, `{"a/b":[0,1E-401]}`, "/a~1b/1", "exponent"},
		{"an exponent beyond any integer", `{}`, `{"a":1e99999999999999999999}`, "/a", "exponent"},
		{"a long number", `{}`, `{"a":` + strings.Repeat("9", 1001) + `}`, "/a", "characters"},
		{"nesting", `{}`, nested(129), "", "nested deeper"},
		{"doubling with every level", `{"properties":{"a":{"allOf":[{"$ref":"#"},{"$ref":"#"}]}}}`, nested(100), "", "too much work"},
		{"doubling in a dead end", `{"not":{"properties":{"a":{"anyOf":[{"$ref":"#"},{"$ref":"#"}]}}}}`, nested(100), "", "too much work"},
		{
			"long messages", `{"items":true,"additionalProperties":{"items":{"required":["` + strings.Repeat("x", 100_000) + `"]}}}`,
			`{"l":[{}` + strings.Repeat(`,{}`, 50_000) + `]}`, "", "too much work",
		},
		{"long names above many values", `{}`, `{"` + strings.Repeat("x", 10_000) + `":[0` + strings.Repeat(`,0`, 10_000) + `]}`, "", "too much work"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := compile(t, c.schema).Validate(json.RawMessage(c.document))
			require.True(t, domain.HasCode(err, domain.CodeValidation), "%v", err)
			var e *domain.Error
			require.ErrorAs(t, err, &e)
			require.Equal(t, c.at, e.Details[0].Location)
			require.Contains(t, e.Details[0].Message, c.why)
		})
	}
	t.Run("not what is just below", func(t *testing.T) {
		t.Parallel()
		schema := compile(t, `{"properties":{"a":{"$ref":"#"}},"maxProperties":5}`)
		require.Empty(t, violations(t, schema, nested(128)))
		require.Empty(t, violations(t, schema, `{"n":[1e400,1E-400,-0,`+strings.Repeat("9", 1000)+`]}`))
	})
	t.Run("a schema works on after a refusal", func(t *testing.T) {
		t.Parallel()
		schema := compile(t, `{"properties":{"a":{"allOf":[{"$ref":"#"},{"$ref":"#"}]}},"maxProperties":1}`)
		_, err := schema.Validate(json.RawMessage(nested(100)))
		require.Error(t, err)
		require.Equal(t, []string{" maxProperties"}, violations(t, schema, `{"a":1,"b":2}`))
	})
	t.Run("text that is not JSON", func(t *testing.T) {
		t.Parallel()
		for _, text := range []string{`{"a":`, `{} {}`, `{}"`, ``} {
			_, err := compile(t, `{}`).Validate(json.RawMessage(text))
			require.Error(t, err, text)
		}
	})
}

func TestViolationsAreBounded(t *testing.T) {
	t.Parallel()
	schema := compile(t, `{"additionalProperties":{"items":{"type":"string"}}}`)
	found := violations(t, schema, `{"l":[0`+strings.Repeat(`,0`, 5000)+`]}`)
	require.Len(t, found, 1000)
	require.Equal(t, "/l/0 type", found[0])
}

// Content in another encoding is an annotation: the numbers in it are not checked.
func TestContentIsNotValidated(t *testing.T) {
	t.Parallel()
	schema := compile(t, `{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"contentMediaType":"application/json","contentSchema":{"maximum":1}}}}`)
	require.Empty(t, violations(t, schema, `{"a":"5"}`))
}

func TestSchemaIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	schema := compile(t, `{"required":["a"]}`)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 50 {
				result, err := schema.Validate(json.RawMessage(`{}`))
				if err != nil || result.Valid {
					t.Errorf("valid %t, error %v", result.Valid, err)
				}
			}
		})
	}
	group.Wait()
}
