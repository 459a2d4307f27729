package jsondoc

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain/jsontext"
	"github.com/procession-dev/procession/test/kit/cputime"
)

// FuzzApply checks that no patch makes Apply panic, that a result is an object, and that the library and the tree
// agree on patches that both can apply.
func FuzzApply(f *testing.F) {
	f.Add(`{"a":[1,{"b":null}]}`, "test", "/a/1", "", `{"b":null}`, "move", "/c", "/a/0", "1")
	f.Add(`{"a":{"b":1}}`, "copy", "/a/c", "/a", "0", "remove", "/a/b", "", "0")
	f.Add(`{"":1,"a":"\ud800"}`, "replace", "/", "", "[1e5]", "add", "/a/-", "", "-0")
	f.Fuzz(func(t *testing.T, document, op1, path1, from1, value1, op2, path2, from2, value2 string) {
		if !jsontext.Valid([]byte(document)) || strings.TrimLeft(document, " \t\r\n")[0] != '{' {
			return
		}
		patch := []Operation{
			{Op: op1, Path: path1, From: &from1, Value: json.RawMessage(value1)},
			{Op: op2, Path: path2, From: &from2, Value: json.RawMessage(value2)},
		}
		result, err := Apply(json.RawMessage(document), patch)
		if err != nil {
			require.Nil(t, result)
			return
		}
		require.True(t, json.Valid(result))
		require.Equal(t, byte('{'), result[0])
		steps, err := parseSteps(patch)
		require.NoError(t, err)
		if !isConforming([]byte(document), steps) {
			return
		}
		expected, err := applySteps([]byte(document), steps)
		require.NoError(t, err)
		require.Equal(t, string(expected), string(result))
	})
}

// FuzzValidate checks that no schema or document causes a panic, and that repeated validations have the same
// result.
func FuzzValidate(f *testing.F) {
	f.Add(`{"properties":{"a":{"format":"kuflow-file","accept":"image/*,.pdf","maxSize":"1 KB","requiredOnUpdate":true}}}`, `{"a":"kuflow-file:"}`)
	f.Add(`{"$ref":"b","$defs":{"x":{"$dynamicAnchor":"i","type":"string"},"b":{"$id":"b","items":{"$dynamicRef":"#i"},"$defs":{"y":{"$dynamicAnchor":"i"}}}}}`, `[1,"a"]`)
	f.Add(`{"$schema":"http://json-schema.org/draft-07/schema#","dependencies":{"a":["b"]},"required":["~/"],"requiredOnUpdate":["c"]}`, `{"a":1e400}`)
	f.Fuzz(func(t *testing.T, source, document string) {
		// Invalid UTF-8 would make different names equal.
		if len(source) > 2000 || !utf8.ValidString(source) || !json.Valid([]byte(document)) {
			return
		}
		schema, err := Compile(json.RawMessage(source))
		if err != nil || schema == nil {
			return
		}
		again, err := Compile(json.RawMessage(source))
		require.NoError(t, err)
		for _, options := range [][]Option{nil, {OnUpdate()}} {
			first, firstErr := schema.Validate(json.RawMessage(document), options...)
			second, secondErr := again.Validate(json.RawMessage(document), options...)
			require.Equal(t, first, second)
			require.Equal(t, firstErr, secondErr)
			for _, e := range first.Errors {
				_, ok := jsontext.SplitPointer(e.PropertyPath)
				require.True(t, ok, e.PropertyPath)
				require.NotEmpty(t, e.Type)
			}
		}
	})
}

// FuzzValidationCost checks that validations take no more processor time than they charge. The document is an element
// of an array.
func FuzzValidationCost(f *testing.F) {
	f.Add(`{"pattern":"(a?){100}b"}`, `"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"`)
	f.Add(`{"uniqueItems":true,"enum":[[1],[2.0]],"contains":{"multipleOf":1e-9}}`, `[[1,[2]],[[1],2],1e30]`)
	f.Add(`{"anyOf":[{"format":"duration"},{"format":"regex"},{"format":"email"}],"not":{"type":"string"}}`, `"P1Y2M"`)
	f.Add(`{"patternProperties":{"^a|b$":{"$ref":"#"}},"propertyNames":{"maxLength":3},"unevaluatedProperties":false}`, `{"a":{"b":{"ccccc":1}}}`)
	f.Add(`{"dependentSchemas":{"a":{"required":["b","c"]}},"if":{"minProperties":2},"then":{"allOf":[false,false]}}`, `{"a":1,"d":2}`)
	f.Fuzz(func(t *testing.T, source, element string) {
		if len(source) > 2000 || len(element) > 2000 || !jsontext.Valid([]byte(element)) {
			return
		}
		schema, err := Compile(json.RawMessage(`{"items":` + source + `}`))
		if err != nil {
			return
		}
		value, levels, err := decodeText([]byte("[" + strings.Repeat(element+",", 20_000/(len(element)+1)) + element + "]"))
		var r reading
		if err != nil || levels > jsontext.MaxDepth || !r.measureValue(value, 0) {
			return
		}
		run := newRun(schema)
		var took, allowed time.Duration
		for range 5 {
			took = cputime.Of(func() { _, _ = run.validateValue(value, levels, r.longest, validationOptions{limit: MaxWork / 4}) })
			if allowed = 5*time.Millisecond + time.Duration(run.meter.spent)*100; took < allowed {
				return
			}
		}
		t.Errorf("it takes %v and may take %v, at %d units", took, allowed, run.meter.spent)
	})
}
