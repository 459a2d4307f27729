package jsondoc_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	draft7   = "http://json-schema.org/draft-07/schema#"
	draft202 = "https://json-schema.org/draft/2020-12/schema"
)

// A keywordCase is a schema with values that it must accept and values that it must refuse. The values are
// wrapped in an object, because keywords apply to all types of value.
type keywordCase struct {
	name, schema   string
	valid, invalid []string
}

func (c keywordCase) run(t *testing.T, draft string) {
	t.Helper()
	t.Run(c.name, func(t *testing.T) {
		t.Parallel()
		source := c.schema
		if rest, ok := strings.CutPrefix(source, "{"); ok && rest != "}" {
			source = `{"$schema":"` + draft + `",` + rest
		}
		schema := compile(t, source)
		for _, value := range c.valid {
			result, err := schema.Validate(json.RawMessage(value))
			require.NoError(t, err, value)
			require.Truef(t, result.Valid, "%s must be valid: %v", value, result.Errors)
		}
		for _, value := range c.invalid {
			result, err := schema.Validate(json.RawMessage(value))
			require.NoError(t, err, value)
			require.Falsef(t, result.Valid, "%s must not be valid", value)
			require.NotEmpty(t, result.Errors)
		}
	})
}

// Keywords common to draft 7 and draft 2020-12.
func TestKeywordsOfBothDrafts(t *testing.T) {
	t.Parallel()
	for name, draft := range map[string]string{"draft 7": draft7, "draft 2020-12": draft202} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, cases := range [][]keywordCase{anyTypeCases(), numberCases(), textCases(), arrayCases(), objectCases(), applicatorCases(), commonReferenceCases()} {
				for _, c := range cases {
					c.run(t, draft)
				}
			}
		})
	}
}

func all() []string {
	return []string{"null", "true", "false", "0", "-1.5", `""`, `"a"`, "[]", "[1]", "{}", `{"a":1}`}
}

func except(values ...string) []string {
	var left []string
	for _, value := range all() {
		keep := true
		for _, other := range values {
			keep = keep && value != other
		}
		if keep {
			left = append(left, value)
		}
	}
	return left
}

func plus(values []string, more ...string) []string {
	return slices.Concat(values, more)
}

func anyTypeCases() []keywordCase {
	return []keywordCase{
		{"the empty schema", `{}`, all(), nil},
		{"the true schema", `true`, all(), nil},
		{"the false schema", `false`, nil, all()},
		{"unknown keywords", `{"x-unknown":{"type":"string"},"$comment":"type","title":"t","description":"d","examples":[1],"default":"x","readOnly":true,"writeOnly":true}`, all(), nil},
		{"type null", `{"type":"null"}`, []string{"null"}, except("null")},
		{"type boolean", `{"type":"boolean"}`, []string{"true", "false"}, except("true", "false")},
		{"type number", `{"type":"number"}`, []string{"0", "-1.5", "1e300", "123456789012345678901234567890"}, except("0", "-1.5")},
		{"type string", `{"type":"string"}`, []string{`""`, `"1"`, `"null"`}, except(`""`, `"a"`)},
		{"type array", `{"type":"array"}`, []string{"[]", "[null]"}, except("[]", "[1]")},
		{"type object", `{"type":"object"}`, []string{"{}"}, except("{}", `{"a":1}`)},
		{
			"type integer", `{"type":"integer"}`,
			[]string{"0", "-1", "1.0", "-0.0", "1e2", "1.5e1", "100e-2", "12345678901234567890123", "12345678901234567890123.000", "1e400"},
			plus(except("0"), "1.5", "1e-1", "15e-1", "12345678901234567890123.5", `"1"`),
		},
		{"types", `{"type":["integer","string","null"]}`, []string{"1", `"a"`, "null"}, []string{"1.5", "true", "[]", "{}"}},
		{"one type in an array", `{"type":["array"]}`, []string{"[]"}, []string{"{}"}},
		{"enum", `{"enum":[6,"foo",[],true,{"foo":12}]}`, []string{"6", "6.0", `"foo"`, "[]", "true", `{"foo":12.0}`}, []string{"null", `"6"`, "[1]", "false", `{"foo":1}`, `{"foo":12,"b":1}`, "{}"}},
		{"enum with null", `{"enum":[null]}`, []string{"null"}, except("null")},
		{"enum distinguishes false from zero", `{"enum":[false]}`, []string{"false"}, []string{"0", "0.0", "null", `""`}},
		{"enum distinguishes zero from false", `{"enum":[0]}`, []string{"0", "0.0", "-0", "0e5"}, []string{"false", "null", `""`}},
		{"enum distinguishes true from one", `{"enum":[true]}`, []string{"true"}, []string{"1", "1.0"}},
		{"enum distinguishes one from true", `{"enum":[1]}`, []string{"1", "1.0", "10e-1"}, []string{"true"}},
		{"enum within arrays", `{"enum":[[false],[1]]}`, []string{"[false]", "[1.0]"}, []string{"[0]", "[true]", "false", "1"}},
		{"enum with escapes", `{"enum":["a\nb","é"]}`, []string{`"a\nb"`, `"\u00e9"`}, []string{`"a\rb"`, `"e\u0301"`}},
		{"enum with a NUL", `{"enum":["a\u0000b"]}`, []string{`"a\u0000b"`}, []string{`"ab"`}},
		{"const", `{"const":2}`, []string{"2", "2.0", "0.2e1"}, plus(all(), "5", `"2"`)},
		{"const object", `{"const":{"a":1,"b":[2]}}`, []string{`{"b":[2],"a":1}`, `{"a":1.0,"b":[2e0]}`}, []string{`{"a":1}`, `{"a":1,"b":[2],"c":3}`, `[1]`, `{"a":1,"b":2}`}},
		{"const array", `{"const":[{"a":1}]}`, []string{`[{"a":1}]`}, []string{"[2]", "[]", `[{"a":1},{"a":1}]`, `{"a":1}`}},
		{"const null", `{"const":null}`, []string{"null"}, except("null")},
		{"const false", `{"const":false}`, []string{"false"}, []string{"0", "[]", `{"a":false}`, "null"}},
		{"const true", `{"const":true}`, []string{"true"}, []string{"1", "1.0"}},
		{"const zero", `{"const":0}`, []string{"0", "-0", "0.0"}, []string{"false", "[]", "{}", `""`}},
		{"const with a false within", `{"const":{"a":false}}`, []string{`{"a":false}`}, []string{`{"a":0}`, `{"a":null}`}},
		{"const with many digits", `{"const":9007199254740993}`, []string{"9007199254740993", "9007199254740993.0"}, []string{"9007199254740992", "9007199254740994"}},
		{"const with a fraction", `{"const":0.1}`, []string{"0.1", "1e-1", "0.10"}, []string{"0.1000000000000000055511151231257827"}},
		{"const with no normal form", `{"const":"é"}`, []string{`"é"`}, []string{`"e\u0301"`}},
	}
}

func numberCases() []keywordCase {
	others := except("0", "-1.5")
	return []keywordCase{
		{"multipleOf", `{"multipleOf":2}`, plus(others, "10", "0", "-4", "1e1", "4.0"), []string{"7", "-1", "0.5", "1e-1"}},
		{"multipleOf a fraction", `{"multipleOf":1.5}`, []string{"0", "4.5", "-3"}, []string{"35", "1"}},
		{"multipleOf a small fraction", `{"multipleOf":0.0001}`, []string{"0.0075", "1", "1e-4"}, []string{"0.00751", "1e-5"}},
		{"multipleOf a hundredth", `{"multipleOf":0.01}`, []string{"19.99", "0.07", "4.35", "1.10", "1e20"}, []string{"19.999", "0.001"}},
		{"multipleOf with an exponent", `{"multipleOf":1e-8}`, []string{"12391239123", "3e-8"}, []string{"1.5e-8"}},
		{"multipleOf of a huge value", `{"type":"integer","multipleOf":0.123456789}`, []string{"0"}, []string{"1e308"}},
		{"multipleOf a half of a huge value", `{"type":"integer","multipleOf":0.5}`, []string{"1e308"}, nil},
		{"maximum", `{"maximum":3.0}`, plus(others, "3", "3.0", "2.6", "-1e9"), []string{"3.5", "3.000000000000000000001", "1e1"}},
		{"maximum as an integer", `{"maximum":300}`, []string{"299.97", "300", "300.00"}, []string{"300.5"}},
		{"minimum", `{"minimum":1.1}`, plus(others, "2.6", "1.1", "11e-1"), []string{"0.6", "1.09999999999999999999"}},
		{"minimum below zero", `{"minimum":-2}`, []string{"-1", "0", "-2", "-2.0", "-0"}, []string{"-2.0001", "-3"}},
		{"exclusiveMaximum", `{"exclusiveMaximum":3}`, plus(others, "2.2", "2.99999999999999999999"), []string{"3", "3.0", "3.5"}},
		{"exclusiveMinimum", `{"exclusiveMinimum":1.1}`, plus(others, "1.2", "1.10000000000000000001"), []string{"1.1", "1.10", "0.6"}},
		{"both bounds", `{"minimum":1,"exclusiveMaximum":2}`, []string{"1", "1.999"}, []string{"2", "0.999"}},
		{"bounds with many digits", `{"minimum":9007199254740993,"maximum":9007199254740993}`, []string{"9007199254740993"}, []string{"9007199254740992", "9007199254740994", "9007199254740993.1"}},
		{"a bound beyond 64 bits", `{"maximum":18446744073709551615}`, []string{"18446744073709551600"}, []string{"18446744073709551616"}},
		{"a bound beyond doubles", `{"exclusiveMaximum":972783798187987123879878123.18878137}`, nil, []string{"972783798187987123879878123.188781371"}},
		{"a lower bound beyond doubles", `{"exclusiveMinimum":-972783798187987123879878123.18878137}`, nil, []string{"-972783798187987123879878123.188781371"}},
		{"bounds with exponents", `{"minimum":1e-400,"maximum":1e400}`, []string{"1e-400", "1e400", "1"}, []string{"0", "2e400", "-1"}},
		{"a lower bound below 64 bits", `{"minimum":-18446744073709551615}`, []string{"-18446744073709551615"}, []string{"-18446744073709551616"}},
	}
}

func textCases() []keywordCase {
	others := except(`""`, `"a"`)
	return []keywordCase{
		{"maxLength", `{"maxLength":2}`, plus(others, `"f"`, `"fo"`, `"\ud83d\ude00😀"`, "100"), []string{`"foo"`, `"😀😀😀"`}},
		{"maxLength with a fraction of zero", `{"maxLength":2.0}`, []string{`"f"`}, []string{`"foo"`}},
		{"maxLength of nothing", `{"maxLength":0}`, []string{`""`}, []string{`"f"`}},
		{"minLength", `{"minLength":2}`, plus(others, `"foo"`, `"fo"`, "1"), []string{`"f"`, `"😀"`, `""`}},
		{"minLength with a fraction of zero", `{"minLength":2.0}`, []string{`"fo"`}, []string{`"f"`}},
		{"lengths count code points", `{"minLength":2,"maxLength":2}`, []string{`"e\u0301"`, `"é\n"`}, []string{`"\u00e9"`}},
		{"pattern", `{"pattern":"^a*$"}`, plus(others, `"aaa"`, `""`, "123"), []string{`"abc"`, `"a\n"`}},
		{"pattern is not anchored", `{"pattern":"a+"}`, []string{`"xxaayy"`}, []string{`"xxyy"`}},
		{"pattern beyond ASCII", `{"pattern":"^\\p{L}+$"}`, []string{`"é"`, `"日本"`}, []string{`"1"`, `"é1"`}},
		{"pattern with classes", `{"pattern":"^\\d\\w\\s.$"}`, []string{`"1a 😀"`}, []string{`"1a😀"`, `"aa a"`}},
		{"pattern sees code points", `{"pattern":"^.$"}`, []string{`"😀"`}, []string{`"😀😀"`}},
	}
}

func arrayCases() []keywordCase {
	others := except("[]", "[1]")
	return []keywordCase{
		{"maxItems", `{"maxItems":2}`, plus(others, "[]", "[1,2]"), []string{"[1,2,3]"}},
		{"maxItems with a fraction of zero", `{"maxItems":2.0}`, []string{"[1]"}, []string{"[1,2,3]"}},
		{"minItems", `{"minItems":1}`, plus(others, "[1]", "[null]"), []string{"[]"}},
		{"minItems with a fraction of zero", `{"minItems":1.0}`, []string{"[1,2]"}, []string{"[]"}},
		{"items for all", `{"items":{"type":"integer"}}`, plus(others, "[]", "[1,2,3]"), []string{`[1,"x"]`, "[null]"}},
		{"items is true", `{"items":true}`, []string{"[]", `[1,"x",null]`}, nil},
		{"items is false", `{"items":false}`, plus(others, "[]"), []string{"[1]", "[null]"}},
		{"items within items", `{"items":{"items":{"items":{"type":"number"}}}}`, []string{"[[[1]],[[2],[3]]]", "[]", "[[]]"}, []string{`[[["1"]]]`}},
		{
			"uniqueItems", `{"uniqueItems":true}`,
			plus(others, "[]", "[1]", "[1,2]", "[1,true]", "[0,false]", `["1",1]`, "[[1],[true]]", "[[0],[false]]", `[{"a":1},{"a":true}]`, `[{"a":false},{"a":0}]`,
				`[{"a":"b"},{"a":"c"}]`, `[[["a"]],[["b"]]]`, `[{},[1],true,null,1,"{}"]`, `["a","A","aa"]`, `[{"a":1},{"b":1}]`, `["\u00e9","e\u0301"]`, "[9007199254740992,9007199254740993]"),
			[]string{
				"[1,1]", "[1,2,1]", "[1.0,1.00,1]", "[0,-0]", `["a","b","a"]`, `[{"a":1,"b":2},{"b":2,"a":1}]`, `[["a"],["a"]]`, `[["a"],["b"],["a"]]`,
				`[{"a":{"b":{"c":true}}},{"a":{"b":{"c":true}}}]`, "[null,null]", "[[1],[1.0]]", `["\u0061","a"]`, "[{},{}]", "[[],[]]", "[true,true]", "[1e2,100]",
			},
		},
		{
			"uniqueItems of many", `{"uniqueItems":true}`,
			[]string{"[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,0,true,false]", `[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,{"a":1},{"a":true},[1],[true]]`},
			[]string{"[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,1.0]", `[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,{"a":1,"b":0},{"b":-0,"a":1.0}]`},
		},
		{"uniqueItems is false", `{"uniqueItems":false}`, []string{"[1,1]", "[{},{}]"}, nil},
		{"contains", `{"contains":{"minimum":5}}`, plus(others, "[3,4,5]", "[5]", `["a"]`), []string{"[]", "[2,3,4]"}},
		{"contains true", `{"contains":true}`, []string{`["a"]`}, []string{"[]"}},
		{"contains false", `{"contains":false}`, others, []string{`["a"]`, "[]"}},
		{"contains null", `{"contains":{"type":"null"}}`, []string{"[null]"}, []string{"[1]"}},
		{"contains and items", `{"items":{"multipleOf":2},"contains":{"multipleOf":3}}`, []string{"[6,2]"}, []string{"[2,4,8]", "[3,6,9]", "[1,5]"}},
	}
}

func objectCases() []keywordCase {
	others := except("{}", `{"a":1}`)
	return []keywordCase{
		{"maxProperties", `{"maxProperties":1}`, plus(others, "{}", `{"a":1}`, "[1,2,3]"), []string{`{"a":1,"b":2}`}},
		{"maxProperties of nothing", `{"maxProperties":0}`, []string{"{}"}, []string{`{"a":1}`}},
		{"minProperties", `{"minProperties":1}`, plus(others, `{"a":1}`, `{"":null}`), []string{"{}"}},
		{"minProperties with a fraction of zero", `{"minProperties":1.0}`, []string{`{"a":1}`}, []string{"{}"}},
		{"required", `{"properties":{"a":{},"b":{}},"required":["a"]}`, plus(others, `{"a":1}`, `{"a":null}`), []string{`{"b":1}`, "{}"}},
		{"required of nothing", `{"required":[]}`, all(), nil},
		{"required names with escapes", `{"required":["a\nb","a\"b","a\\b","a/b","a~b","é"]}`, []string{`{"a\nb":1,"a\"b":1,"a\\b":1,"a\/b":1,"a~b":1,"\u00e9":1}`}, []string{`{"a\nb":1,"a\"b":1}`}},
		{"required names of other languages", `{"required":["__proto__","toString","constructor"]}`, []string{`{"__proto__":1,"toString":1,"constructor":1}`, `"a"`, "[]"}, []string{"{}", `{"__proto__":1}`, `{"toString":1}`}},
		{"properties", `{"properties":{"a":{"type":"integer"},"b":{"type":"string"}}}`, plus(others, `{"a":1,"b":"x"}`, "{}", `{"c":[]}`), []string{`{"a":1,"b":{}}`, `{"a":[],"b":"x"}`, `{"a":null}`}},
		{"properties with boolean schemas", `{"properties":{"a":true,"b":false}}`, []string{"{}", `{"a":1}`}, []string{`{"b":2}`, `{"a":1,"b":2}`}},
		{"properties with escapes", `{"properties":{"a\nb":{"type":"number"},"a/b":{"type":"number"},"a~b%":{"type":"number"}}}`, []string{`{"a\nb":1,"a/b":1,"a~b%":1}`}, []string{`{"a\nb":"1"}`, `{"a/b":"1"}`, `{"a~b%":"1"}`}},
		{"properties of other languages", `{"properties":{"__proto__":{"type":"number"},"toString":{"properties":{"length":{"type":"string"}}}}}`, []string{"{}", `{"__proto__":1}`, `{"toString":{"length":"x"}}`}, []string{`{"__proto__":"x"}`, `{"toString":{"length":1}}`}},
		{"patternProperties", `{"patternProperties":{"f.*o":{"type":"integer"}}}`, plus(others, `{"foo":1}`, `{"foo":1,"foooooo":2}`, `{"bar":"x"}`), []string{`{"foo":"x"}`, `{"foo":1,"fxo":"x"}`, `{"affo1":"x"}`}},
		{"several patterns", `{"patternProperties":{"a*":{"type":"integer"},"aaa*":{"maximum":20}}}`, []string{`{"a":21}`, `{"aaaa":18}`, `{"a":21,"aaaa":18}`}, []string{`{"a":"bar"}`, `{"aaaa":31}`, `{"aaa":"foo","aaaa":31}`}},
		{"patterns are not anchored and mind the case", `{"patternProperties":{"[0-9]{2,}":{"type":"boolean"},"X_":{"type":"string"}}}`, []string{`{"answer 1":"42"}`, `{"a_x_3":3}`, `{"a31b":true}`}, []string{`{"a31b":null}`, `{"a_X_3":3}`}},
		{"patternProperties with boolean schemas", `{"patternProperties":{"f.*":true,"b.*":false}}`, []string{`{"foo":1}`, "{}"}, []string{`{"bar":2}`, `{"foobar":1}`}},
		{"additionalProperties is false", `{"properties":{"foo":{},"bar":{}},"patternProperties":{"^v":{}},"additionalProperties":false}`, plus(others, `{"foo":1}`, `{"foo":1,"vroom":2}`, "[1,2]"), []string{`{"foo":1,"quux":"x"}`, `{"xv":1}`}},
		{"additionalProperties beyond ASCII", `{"patternProperties":{"^á":{}},"additionalProperties":false}`, []string{`{"ármányos":2}`}, []string{`{"élmény":2}`}},
		{"additionalProperties as a schema", `{"properties":{"foo":{}},"additionalProperties":{"type":"boolean"}}`, []string{`{"foo":1}`, `{"foo":1,"quux":true}`}, []string{`{"foo":1,"quux":12}`}},
		{"additionalProperties by itself", `{"additionalProperties":{"type":"boolean"}}`, []string{`{"foo":true}`}, []string{`{"foo":1}`}},
		{"additionalProperties does not look into allOf", `{"allOf":[{"properties":{"foo":{}}}],"additionalProperties":{"type":"boolean"}}`, []string{`{"foo":true}`}, []string{`{"foo":1}`}},
		{"properties, patterns and the rest", `{"properties":{"foo":{"type":"array","maxItems":3},"bar":{"type":"array"}},"patternProperties":{"f.o":{"minItems":2}},"additionalProperties":{"type":"integer"}}`, []string{`{"foo":[1,2]}`, `{"fxo":[1,2]}`, `{"bar":[]}`, `{"quux":3}`}, []string{`{"foo":[1,2,3,4]}`, `{"foo":[]}`, `{"fxo":[]}`, `{"quux":"x"}`}},
		{"propertyNames", `{"propertyNames":{"maxLength":3}}`, plus(others, `{"f":{},"foo":{}}`, "{}"), []string{`{"foo":{},"foobar":{}}`}},
		{"propertyNames with a pattern", `{"propertyNames":{"pattern":"^a+$"}}`, []string{`{"a":{},"aa":{}}`, "{}"}, []string{`{"aaA":{}}`}},
		{"propertyNames is true", `{"propertyNames":true}`, []string{`{"a":1}`, "{}"}, nil},
		{"propertyNames is false", `{"propertyNames":false}`, []string{"{}"}, []string{`{"a":1}`}},
		{"propertyNames with const and enum", `{"propertyNames":{"enum":["a","b"]}}`, []string{`{"a":1,"b":1}`}, []string{`{"c":1}`}},
	}
}

func applicatorCases() []keywordCase {
	return []keywordCase{
		{"allOf", `{"allOf":[{"properties":{"bar":{"type":"integer"}},"required":["bar"]},{"properties":{"foo":{"type":"string"}},"required":["foo"]}]}`, []string{`{"foo":"baz","bar":2}`}, []string{`{"foo":"baz"}`, `{"bar":2}`, `{"foo":"baz","bar":"quux"}`}},
		{"allOf beside others", `{"properties":{"bar":{"type":"integer"}},"required":["bar"],"allOf":[{"required":["foo"]},{"properties":{"baz":{"type":"null"}}}]}`, []string{`{"foo":1,"bar":2,"baz":null}`}, []string{`{"foo":1}`, `{"bar":2}`, `{"foo":1,"bar":2,"baz":1}`}},
		{"allOf with boolean schemas", `{"allOf":[true,true]}`, all(), nil},
		{"allOf with a false schema", `{"allOf":[true,false]}`, nil, all()},
		{"allOf with the empty schema", `{"allOf":[{},{"type":"number"}]}`, []string{"1"}, []string{`"a"`}},
		{"allOf within allOf", `{"allOf":[{"allOf":[{"type":"null"}]}]}`, []string{"null"}, []string{"1"}},
		{"allOf with anyOf and oneOf", `{"allOf":[{"multipleOf":2}],"anyOf":[{"multipleOf":3}],"oneOf":[{"multipleOf":5}]}`, []string{"30"}, []string{"1", "2", "3", "5", "6", "10", "15"}},
		{"anyOf", `{"anyOf":[{"type":"integer"},{"minimum":2}]}`, []string{"1", "2.5", "3", `"a"`}, []string{"1.5"}},
		{"anyOf beside others", `{"type":"string","anyOf":[{"maxLength":2},{"minLength":4}]}`, []string{`"foobar"`, `"fo"`}, []string{"3", `"foo"`}},
		{"anyOf with a true schema", `{"anyOf":[true,false]}`, all(), nil},
		{"anyOf with false schemas", `{"anyOf":[false,false]}`, nil, all()},
		{"anyOf with the empty schema", `{"anyOf":[{"type":"number"},{}]}`, all(), nil},
		{"anyOf within anyOf", `{"anyOf":[{"anyOf":[{"type":"null"}]}]}`, []string{"null"}, []string{"1"}},
		{"oneOf", `{"oneOf":[{"type":"integer"},{"minimum":2}]}`, []string{"1", "2.5"}, []string{"3", "1.5"}},
		{"oneOf beside others", `{"type":"string","oneOf":[{"minLength":2},{"maxLength":4}]}`, []string{`"foobar"`, `"f"`}, []string{"3", `"foo"`}},
		{"oneOf with true schemas", `{"oneOf":[true,true,false]}`, nil, all()},
		{"oneOf with one true schema", `{"oneOf":[false,true,false]}`, all(), nil},
		{"oneOf with the empty schema", `{"oneOf":[{"type":"number"},{}]}`, []string{`"a"`}, []string{"1"}},
		{"oneOf with required", `{"oneOf":[{"required":["a","b"]},{"required":["a","c"]}]}`, []string{`{"a":1,"b":2}`, `{"a":1,"c":3}`}, []string{`{"b":2}`, `{"a":1,"b":2,"c":3}`}},
		{"oneOf with an absent property", `{"oneOf":[{"properties":{"bar":true,"baz":true},"required":["bar"]},{"properties":{"foo":true},"required":["foo"]}]}`, []string{`{"bar":8}`, `{"foo":"x"}`}, []string{`{"foo":"x","bar":8}`, `{"baz":"x"}`}},
		{"not", `{"not":{"type":"integer"}}`, []string{`"a"`, "1.5"}, []string{"1", "1.0"}},
		{"not of several types", `{"not":{"type":["integer","boolean"]}}`, []string{`"a"`}, []string{"1", "true"}},
		{"not of a property", `{"properties":{"a":{"not":{}}}}`, []string{`{"b":1}`, "{}"}, []string{`{"a":1}`}},
		{"not of the true schema", `{"not":true}`, nil, all()},
		{"not of the false schema", `{"not":false}`, all(), nil},
		{"not of not", `{"not":{"not":{"type":"null"}}}`, []string{"null"}, []string{"1"}},
		{"if alone", `{"if":{"const":0}}`, all(), nil},
		{"then alone", `{"then":{"const":0}}`, all(), nil},
		{"else alone", `{"else":{"const":0}}`, all(), nil},
		{"if and then", `{"if":{"exclusiveMaximum":0},"then":{"minimum":-10}}`, []string{"-1", "3"}, []string{"-100"}},
		{"if and else", `{"if":{"exclusiveMaximum":0},"else":{"multipleOf":2}}`, []string{"-1", "4"}, []string{"3"}},
		{"if, then and else", `{"if":{"exclusiveMaximum":0},"then":{"minimum":-10},"else":{"multipleOf":2}}`, []string{"-1", "4"}, []string{"-100", "3"}},
		{"if in another branch", `{"allOf":[{"if":{"exclusiveMaximum":0}},{"then":{"minimum":-10}},{"else":{"multipleOf":2}}]}`, []string{"-100", "3"}, nil},
		{"if is true", `{"if":true,"then":{"const":"then"},"else":{"const":"else"}}`, []string{`"then"`}, []string{`"else"`}},
		{"if is false", `{"if":false,"then":{"const":"then"},"else":{"const":"else"}}`, []string{`"else"`}, []string{`"then"`}},
		{"the order of if, then and else", `{"then":{"const":"yes"},"else":{"const":"other"},"if":{"maxLength":4}}`, []string{`"yes"`, `"other"`}, []string{`"no"`, `"invalid"`}},
		{"then is false", `{"if":{"type":"null"},"then":false}`, []string{"1"}, []string{"null"}},
	}
}

func commonReferenceCases() []keywordCase {
	return []keywordCase{
		{"a reference to the root", `{"properties":{"foo":{"$ref":"#"}},"additionalProperties":false}`, []string{`{"foo":false}`, `{"foo":{"foo":false}}`}, []string{`{"bar":false}`, `{"foo":{"bar":false}}`}},
		{"a reference to a property", `{"properties":{"foo":{"type":"integer"},"bar":{"$ref":"#/properties/foo"}}}`, []string{`{"bar":3}`}, []string{`{"bar":true}`}},
		{"a reference to an element", `{"allOf":[{"type":"integer"},{"$ref":"#/allOf/0"}]}`, []string{"1"}, []string{`"a"`}},
		{"references with escapes", `{"definitions":{"tilde~field":{"type":"integer"},"slash/field":{"type":"integer"},"percent%field":{"type":"integer"}},"properties":{"tilde":{"$ref":"#/definitions/tilde~0field"},"slash":{"$ref":"#/definitions/slash~1field"},"percent":{"$ref":"#/definitions/percent%25field"}}}`, []string{`{"slash":123,"tilde":123,"percent":123}`}, []string{`{"slash":"x"}`, `{"tilde":"x"}`, `{"percent":"x"}`}},
		{"a reference with quotes", `{"properties":{"a":{"$ref":"#/definitions/foo%22bar"}},"definitions":{"foo\"bar":{"type":"number"}}}`, []string{`{"a":1}`}, []string{`{"a":"1"}`}},
		{"references in a row", `{"definitions":{"a":{"type":"integer"},"b":{"$ref":"#/definitions/a"},"c":{"$ref":"#/definitions/b"}},"allOf":[{"$ref":"#/definitions/c"}]}`, []string{"5"}, []string{`"a"`}},
		{"a property called $ref", `{"properties":{"$ref":{"type":"string"}}}`, []string{`{"$ref":"a"}`}, []string{`{"$ref":2}`}},
		{"a property called $ref with a reference", `{"properties":{"$ref":{"$ref":"#/definitions/is-string"}},"definitions":{"is-string":{"type":"string"}}}`, []string{`{"$ref":"a"}`}, []string{`{"$ref":2}`}},
		{"a reference to true", `{"allOf":[{"$ref":"#/definitions/b"}],"definitions":{"b":true}}`, all(), nil},
		{"a reference to false", `{"allOf":[{"$ref":"#/definitions/b"}],"definitions":{"b":false}}`, nil, all()},
		{"a tree", `{"$id":"http://example.test/tree","type":"object","properties":{"nodes":{"type":"array","items":{"$ref":"node"}}},"required":["nodes"],"definitions":{"node":{"$id":"http://example.test/node","type":"object","properties":{"value":{"type":"number"},"subtree":{"$ref":"tree"}},"required":["value"]}}}`, []string{`{"nodes":[{"value":1,"subtree":{"nodes":[{"value":1.1}]}}]}`}, []string{`{"nodes":[{"value":1,"subtree":{"nodes":[{"value":"x"}]}}]}`, `{"nodes":[{"value":1,"subtree":{}}]}`}},
		{"an $id among the values of enum", `{"definitions":{"e":{"enum":[{"$id":"http://example.test/in-enum","type":"null"}]},"r":{"$id":"http://example.test/real","type":"string"}},"anyOf":[{"$ref":"#/definitions/e"},{"$ref":"http://example.test/real"}]}`, []string{`{"$id":"http://example.test/in-enum","type":"null"}`, `"a"`}, []string{"null", "1"}},
		{"a $ref among the values of const", `{"const":{"$ref":"#/definitions/nowhere"}}`, []string{`{"$ref":"#/definitions/nowhere"}`}, []string{`"a"`}},
		{"a relative reference under an inner base", `{"$id":"http://example.test/root","properties":{"a":{"$id":"folder/","items":{"$ref":"leaf"}}},"definitions":{"leaf":{"$id":"folder/leaf","type":"integer"}}}`, []string{`{"a":[1]}`}, []string{`{"a":["1"]}`}},
		{"a pointer relative to an inner base", `{"$id":"http://example.test/root","definitions":{"a":{"$id":"inner","definitions":{"x":{"type":"integer"}},"allOf":[{"$ref":"#/definitions/x"}]},"x":{"type":"string"}},"allOf":[{"$ref":"inner"}]}`, []string{"1"}, []string{`"a"`}},
		{"a URN as base", `{"$id":"urn:uuid:deadbeef-1234-00ff-ff00-4321feebdaed","properties":{"foo":{"$ref":"#/definitions/bar"}},"definitions":{"bar":{"type":"string"}}}`, []string{`{"foo":"bar"}`}, []string{`{"foo":12}`}},
		{"a reference by the whole address", `{"$id":"http://example.test/root.json","definitions":{"x":{"type":"integer"}},"allOf":[{"$ref":"http://example.test/root.json#/definitions/x"}]}`, []string{"1"}, []string{`"a"`}},
		{"one definition reached twice", `{"definitions":{"int":{"type":"integer"}},"allOf":[{"properties":{"foo":{"$ref":"#/definitions/int"}}},{"additionalProperties":{"$ref":"#/definitions/int"}}]}`, []string{`{"foo":1}`}, []string{`{"foo":"x"}`}},
		{"definitions are not applied", `{"definitions":{"a":{"type":"string"},"b":false}}`, all(), nil},
		{"a reference into if", `{"allOf":[{"$ref":"#/if"}],"if":{"type":"integer"}}`, []string{"1"}, []string{`"a"`}},
	}
}
