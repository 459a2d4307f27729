package jsondoc_test

import "testing"

func TestKeywordsOfDraft7(t *testing.T) {
	t.Parallel()
	for _, c := range []keywordCase{
		{"items as an array", `{"items":[{"type":"integer"},{"type":"string"}]}`, []string{`[1,"a"]`, "[1]", `[1,"a",true]`, "[]", `{"0":"x"}`}, []string{`["a",1]`, `[1,2]`}},
		{"items as an array of boolean schemas", `{"items":[true,false]}`, []string{"[1]", "[]"}, []string{`[1,"a"]`}},
		{"additionalItems", `{"items":[{}],"additionalItems":{"type":"integer"}}`, []string{"[null,2,3]", `["a"]`}, []string{`[null,2,"a"]`}},
		{"additionalItems is false", `{"items":[{},{}],"additionalItems":false}`, []string{"[]", "[1,2]", `"a"`}, []string{"[1,2,3]"}},
		{"additionalItems beside items for all", `{"items":{"type":"integer"},"additionalItems":{"type":"string"}}`, []string{"[1,2]"}, []string{`[1,"a"]`}},
		{"additionalItems without items", `{"additionalItems":false}`, []string{"[1,2]"}, nil},
		{"additionalItems does not look into allOf", `{"allOf":[{"items":[{"type":"integer"},{"type":"string"}]}],"items":[{"type":"integer"}],"additionalItems":{"type":"boolean"}}`, []string{"[1]"}, []string{`[1,"a"]`, "[1,true]"}},
		{"uniqueItems beside items as an array", `{"items":[{"type":"boolean"},{"type":"boolean"}],"uniqueItems":true,"additionalItems":false}`, []string{"[false,true]"}, []string{"[true,true]", "[false,true,null]"}},
		{"dependencies", `{"dependencies":{"bar":["foo"]}}`, []string{"{}", `{"foo":1}`, `{"foo":1,"bar":2}`, `["bar"]`, `"bar"`}, []string{`{"bar":2}`}},
		{"dependencies on nothing", `{"dependencies":{"bar":[]}}`, []string{"{}", `{"bar":2}`, "1"}, nil},
		{"dependencies on several", `{"dependencies":{"quux":["foo","bar"]}}`, []string{"{}", `{"foo":1,"bar":2}`, `{"foo":1,"bar":2,"quux":3}`}, []string{`{"foo":1,"quux":2}`, `{"quux":1}`}},
		{"dependencies as a schema", `{"dependencies":{"bar":{"properties":{"foo":{"type":"integer"},"bar":{"type":"integer"}}}}}`, []string{`{"foo":1,"bar":2}`, `{"foo":"x"}`}, []string{`{"foo":"x","bar":2}`, `{"foo":2,"bar":"x"}`}},
		{"dependencies as boolean schemas", `{"dependencies":{"foo":true,"bar":false}}`, []string{`{"foo":1}`, "{}"}, []string{`{"bar":2}`, `{"foo":1,"bar":2}`}},
		{"dependencies with escapes", `{"dependencies":{"a\tb":{"minProperties":4},"a'b":["a\"b"]}}`, []string{`{"a\tb":1,"a":2,"b":3,"c":4}`, `{"a'b":1,"a\"b":2}`}, []string{`{"a\tb":1}`, `{"a'b":1}`}},
		{"what is beside a reference is ignored", `{"definitions":{"a":{"type":"array"}},"properties":{"foo":{"$ref":"#/definitions/a","maxItems":2}}}`, []string{`{"foo":[]}`, `{"foo":[1,2,3]}`}, []string{`{"foo":"x"}`}},
		{"an $id beside a reference is ignored", `{"$id":"http://example.test/root","properties":{"a":{"$id":"http://example.test/other/","$ref":"leaf"}},"definitions":{"x":{"$id":"leaf","type":"integer"},"y":{"$id":"http://example.test/other/leaf","type":"string"}}}`, []string{`{"a":1}`}, []string{`{"a":"x"}`}},
		{"an $id as an anchor", `{"allOf":[{"$ref":"#foo"}],"definitions":{"a":{"$id":"#foo","type":"integer"}}}`, []string{"1"}, []string{`"a"`}},
		{"an anchor under a base", `{"$id":"http://example.test/root","allOf":[{"$ref":"http://example.test/nested.json#foo"}],"definitions":{"A":{"$id":"nested.json","definitions":{"B":{"$id":"#foo","type":"integer"}}}}}`, []string{"1"}, []string{`"a"`}},
		{"the draft's own schema", `{"properties":{"s":{"$ref":"http://json-schema.org/draft-07/schema#"}}}`, []string{`{"s":{"minLength":1,"items":[{}]}}`, `{"s":true}`}, []string{`{"s":{"minLength":-1}}`, `{"s":{"type":"x"}}`, `{"s":{"definitions":{"foo":{"type":1}}}}`}},
		{"keywords of later drafts", `{"dependentRequired":{"a":["b"]},"dependentSchemas":{"a":false},"unevaluatedProperties":false,"prefixItems":[false],"unevaluatedItems":false,"contains":{"const":1},"minContains":2,"maxContains":0,"$defs":{"x":{}}}`, []string{`{"a":1}`, "[1]", "[2,1,3]"}, []string{"[2]"}},
		{"contains does not evaluate", `{"contains":{"const":1},"items":[{}],"additionalItems":false}`, []string{"[1]"}, []string{"[1,1]", "[2]"}},
		{"a reference in dependencies", `{"definitions":{"n":{"required":["b"]}},"dependencies":{"a":{"$ref":"#/definitions/n"}}}`, []string{`{"a":1,"b":1}`, "{}"}, []string{`{"a":1}`}},
	} {
		c.run(t, draft7)
	}
}

func TestKeywordsOfDraft2020(t *testing.T) {
	t.Parallel()
	for _, cases := range [][]keywordCase{arrayCases2020(), dependentCases2020(), referenceCases2020(), dynamicCases2020()} {
		for _, c := range cases {
			c.run(t, draft202)
		}
	}
}

func arrayCases2020() []keywordCase {
	return []keywordCase{
		{"prefixItems", `{"prefixItems":[{"type":"integer"},{"type":"string"}]}`, []string{`[1,"a"]`, "[1]", `[1,"a",true]`, "[]", `{"0":"x","length":1}`}, []string{`["a",1]`}},
		{"prefixItems of boolean schemas", `{"prefixItems":[true,false]}`, []string{"[1]", "[]"}, []string{`[1,"a"]`}},
		{"items after prefixItems", `{"prefixItems":[{"type":"string"}],"items":{"type":"integer"}}`, []string{`["x",2,3]`, `["x"]`, "[]"}, []string{`["x","y"]`, "[1]"}},
		{"items is false after prefixItems", `{"prefixItems":[{},{}],"items":false}`, []string{"[]", "[1,2]"}, []string{"[1,2,3]"}},
		{"items does not look into allOf", `{"allOf":[{"prefixItems":[{"minimum":3}]}],"items":{"minimum":5}}`, []string{"[5,5]"}, []string{"[3,5]", "[5,3]"}},
		{"prefixItems in allOf beside prefixItems", `{"allOf":[{"prefixItems":[{"minimum":3}]}],"prefixItems":[{"maximum":5}]}`, []string{"[4]", "[3,9]"}, []string{"[2]", "[6]"}},
		{"additionalItems is gone", `{"prefixItems":[{}],"additionalItems":false}`, []string{"[1,2]"}, nil},
		{"uniqueItems beside prefixItems", `{"prefixItems":[{"type":"boolean"},{"type":"boolean"}],"uniqueItems":true,"items":false}`, []string{"[false,true]"}, []string{"[false,false]", "[false,true,null]"}},
		{"enum of nothing", `{"enum":[]}`, nil, all()},
		{"minContains without contains", `{"minContains":1}`, []string{"[]", "[1]"}, nil},
		{"maxContains without contains", `{"maxContains":1}`, []string{"[1,2]"}, nil},
		{"minContains", `{"contains":{"const":1},"minContains":2}`, []string{"[1,1]", "[1,2,1]", `"a"`}, []string{"[]", "[1]", "[1,2]"}},
		{"minContains with a fraction of zero", `{"contains":{"const":1},"minContains":2.0}`, []string{"[1,1]"}, []string{"[1]"}},
		{"minContains of nothing", `{"contains":{"const":1},"minContains":0}`, []string{"[]", "[2]", "[1]"}, nil},
		{"minContains of nothing and maxContains", `{"contains":{"const":1},"minContains":0,"maxContains":1}`, []string{"[]", "[1]", "[2]"}, []string{"[1,1]"}},
		{"maxContains", `{"contains":{"const":1},"maxContains":1}`, []string{"[1]", "[1,2]"}, []string{"[]", "[1,1]", "[2,2]"}},
		{"both of them", `{"contains":{"const":1},"minContains":1,"maxContains":3}`, []string{"[1,1]"}, []string{"[]", "[1,1,1,1]"}},
		{"maxContains below minContains", `{"contains":{"const":1},"minContains":3,"maxContains":1}`, nil, []string{"[]", "[1]", "[1,1]", "[1,1,1]"}},

		{"unevaluatedItems is true", `{"unevaluatedItems":true}`, []string{"[]", "[1]", "{}"}, nil},
		{"unevaluatedItems is false", `{"unevaluatedItems":false}`, []string{"[]", `"a"`, `{"a":1}`}, []string{"[1]", "[null]"}},
		{"unevaluatedItems as a schema", `{"unevaluatedItems":{"type":"string"}}`, []string{`["a"]`}, []string{"[42]"}},
		{"unevaluatedItems after items", `{"items":{"type":"string"},"unevaluatedItems":false}`, []string{`["a","b"]`}, []string{"[1]"}},
		{"unevaluatedItems after prefixItems", `{"prefixItems":[{"type":"string"}],"unevaluatedItems":false}`, []string{`["a"]`}, []string{`["a","b"]`}},
		{"unevaluatedItems after both", `{"prefixItems":[{"type":"string"}],"items":true,"unevaluatedItems":false}`, []string{`["a",42]`}, nil},
		{"unevaluatedItems after allOf", `{"prefixItems":[{"type":"string"}],"allOf":[{"prefixItems":[true,{"type":"number"}]}],"unevaluatedItems":false}`, []string{`["a",42]`}, []string{`["a",42,true]`}},
		{"unevaluatedItems after items in allOf", `{"allOf":[{"prefixItems":[{"type":"string"}],"items":true}],"unevaluatedItems":false}`, []string{`["a"]`, `["a",42,true]`}, nil},
		{"unevaluatedItems in allOf too", `{"allOf":[{"prefixItems":[{"type":"string"}]},{"unevaluatedItems":true}],"unevaluatedItems":false}`, []string{`["a"]`, `["a",42]`}, nil},
		{"unevaluatedItems after anyOf", `{"prefixItems":[{"const":"foo"}],"anyOf":[{"prefixItems":[true,{"const":"bar"}]},{"prefixItems":[true,true,{"const":"baz"}]}],"unevaluatedItems":false}`, []string{`["foo","bar"]`, `["foo","bar","baz"]`}, []string{`["foo","bar",42]`, `["foo","bar","baz",42]`}},
		{"unevaluatedItems after oneOf", `{"prefixItems":[{"const":"foo"}],"oneOf":[{"prefixItems":[true,{"const":"bar"}]},{"prefixItems":[true,{"const":"baz"}]}],"unevaluatedItems":false}`, []string{`["foo","bar"]`}, []string{`["foo","bar",42]`}},
		{"unevaluatedItems after not", `{"prefixItems":[{"const":"foo"}],"not":{"not":{"prefixItems":[true,{"const":"bar"}]}},"unevaluatedItems":false}`, nil, []string{`["foo","bar"]`}},
		{"unevaluatedItems after if", `{"prefixItems":[{"const":"foo"}],"if":{"prefixItems":[true,{"const":"bar"}]},"then":{"prefixItems":[true,true,{"const":"then"}]},"else":{"prefixItems":[true,true,true,{"const":"else"}]},"unevaluatedItems":false}`, []string{`["foo","bar","then"]`, `["foo",42,42,"else"]`}, []string{`["foo","bar","then","else"]`, `["foo",42,42,"else",42]`}},
		{"unevaluatedItems after a reference", `{"$ref":"#/$defs/bar","prefixItems":[{"type":"string"}],"unevaluatedItems":false,"$defs":{"bar":{"prefixItems":[true,{"type":"string"}]}}}`, []string{`["foo","bar"]`}, []string{`["foo","bar","baz"]`}},
		{"unevaluatedItems does not see a cousin", `{"allOf":[{"prefixItems":[true]},{"unevaluatedItems":false}]}`, []string{"[]"}, []string{"[1]"}},
		{"unevaluatedItems beside a boolean schema", `{"allOf":[true],"unevaluatedItems":false}`, []string{"[]"}, []string{"[1]"}},
		{"unevaluatedItems does not see uncles", `{"properties":{"foo":{"prefixItems":[{"type":"string"}],"unevaluatedItems":false}},"anyOf":[{"properties":{"foo":{"prefixItems":[true,{"type":"string"}]}}}]}`, []string{`{"foo":["x"]}`}, []string{`{"foo":["x","y"]}`}},
		{"unevaluatedItems after contains", `{"prefixItems":[true],"contains":{"type":"string"},"unevaluatedItems":false}`, []string{`[1,"foo"]`, `["a"]`}, []string{"[1,2]", `[1,2,"foo"]`}},
		{"unevaluatedItems after several contains", `{"allOf":[{"contains":{"multipleOf":2}},{"contains":{"multipleOf":3}}],"unevaluatedItems":{"multipleOf":5}}`, []string{"[2,3,4,5,6]"}, []string{"[2,3,4,7,8]"}},
		{"unevaluatedItems and minContains of nothing", `{"contains":{"type":"string"},"minContains":0,"unevaluatedItems":false}`, []string{"[]", `["a","b"]`}, []string{`["a",1]`, "[1]"}},
		{"unevaluatedItems of only one kind", `{"if":{"contains":{"const":"a"}},"then":{"if":{"contains":{"const":"b"}},"then":{"if":{"contains":{"const":"c"}}}},"unevaluatedItems":false}`, []string{"[]", `["a","a"]`, `["a","b","a"]`, `["c","a","c","b"]`}, []string{`["b","b"]`, `["c","c"]`, `["b","c"]`, `["a","c"]`}},
		{"unevaluatedItems with null", `{"unevaluatedItems":{"type":"null"}}`, []string{"[null]"}, []string{"[0]"}},
	}
}

func dependentCases2020() []keywordCase {
	return []keywordCase{
		{"dependentRequired", `{"dependentRequired":{"bar":["foo"]}}`, []string{"{}", `{"foo":1}`, `{"foo":1,"bar":2}`, `["bar"]`, `"bar"`}, []string{`{"bar":2}`}},
		{"dependentRequired of nothing", `{"dependentRequired":{"bar":[]}}`, []string{"{}", `{"bar":2}`}, nil},
		{"dependentRequired of several", `{"dependentRequired":{"quux":["foo","bar"]}}`, []string{`{"foo":1,"bar":2,"quux":3}`}, []string{`{"foo":1,"quux":2}`, `{"bar":1,"quux":2}`, `{"quux":1}`}},
		{"dependentRequired with escapes", `{"dependentRequired":{"a\nb":["a\rb"],"a\"b":["a'b"]}}`, []string{`{"a\nb":1,"a\rb":2}`, `{"a'b":1,"a\"b":2}`}, []string{`{"a\nb":1,"a":2}`, `{"a\"b":2}`}},
		{"dependentSchemas", `{"dependentSchemas":{"bar":{"properties":{"foo":{"type":"integer"},"bar":{"type":"integer"}}}}}`, []string{`{"foo":1,"bar":2}`, `{"foo":"x"}`, `["bar"]`, "12"}, []string{`{"foo":"x","bar":2}`, `{"foo":2,"bar":"x"}`}},
		{"dependentSchemas of boolean schemas", `{"dependentSchemas":{"foo":true,"bar":false}}`, []string{`{"foo":1}`, "{}"}, []string{`{"bar":2}`, `{"foo":1,"bar":2}`}},
		{"dependentSchemas with escapes", `{"dependentSchemas":{"a/b":{"minProperties":2},"m~n":{"required":["x"]}}}`, []string{`{"a/b":1,"c":2}`, `{"m~n":1,"x":1}`}, []string{`{"a/b":1}`, `{"m~n":1}`}},
		{"dependentSchemas see what the root does not allow", `{"properties":{"foo":{}},"dependentSchemas":{"foo":{"properties":{"bar":{}},"additionalProperties":false}}}`, []string{`{"bar":1}`}, []string{`{"foo":1}`, `{"foo":1,"bar":2}`}},

		{"unevaluatedProperties is true", `{"unevaluatedProperties":true}`, []string{"{}", `{"a":1}`}, nil},
		{"unevaluatedProperties is false", `{"unevaluatedProperties":false}`, []string{"{}", "[1]", `"a"`}, []string{`{"a":1}`}},
		{"unevaluatedProperties as a schema", `{"unevaluatedProperties":{"type":"string","minLength":3}}`, []string{"{}", `{"a":"foo"}`}, []string{`{"a":"fo"}`}},
		{"unevaluatedProperties after properties", `{"properties":{"foo":{"type":"string"}},"unevaluatedProperties":false}`, []string{`{"foo":"x"}`}, []string{`{"foo":"x","bar":1}`}},
		{"unevaluatedProperties after patternProperties", `{"patternProperties":{"^foo":{"type":"string"}},"unevaluatedProperties":false}`, []string{`{"foo":"x"}`}, []string{`{"foo":"x","bar":1}`}},
		{"unevaluatedProperties after additionalProperties", `{"properties":{"foo":{}},"additionalProperties":true,"unevaluatedProperties":false}`, []string{`{"foo":"x","bar":1}`}, nil},
		{"unevaluatedProperties after additionalProperties as a schema", `{"properties":{"foo":{}},"additionalProperties":{"type":"string"},"unevaluatedProperties":false}`, []string{`{"foo":"x","bar":"y"}`}, []string{`{"bar":1}`}},
		{"unevaluatedProperties after allOf", `{"properties":{"foo":{}},"allOf":[{"properties":{"bar":{}}}],"unevaluatedProperties":false}`, []string{`{"foo":1,"bar":1}`}, []string{`{"foo":1,"bar":1,"baz":1}`}},
		{"unevaluatedProperties after patterns in allOf", `{"allOf":[{"patternProperties":{"^bar":{}}}],"unevaluatedProperties":false}`, []string{`{"bar1":1}`}, []string{`{"baz":1}`}},
		{"unevaluatedProperties after additionalProperties in allOf", `{"allOf":[{"additionalProperties":true}],"unevaluatedProperties":false}`, []string{`{"bar":1}`}, nil},
		{"unevaluatedProperties in allOf too", `{"allOf":[{"unevaluatedProperties":true}],"unevaluatedProperties":false}`, []string{`{"bar":1}`}, nil},
		{"unevaluatedProperties after anyOf", `{"properties":{"foo":{}},"anyOf":[{"properties":{"bar":{"const":"bar"}},"required":["bar"]},{"properties":{"baz":{"const":"baz"}},"required":["baz"]}],"unevaluatedProperties":false}`, []string{`{"foo":1,"bar":"bar"}`, `{"foo":1,"bar":"bar","baz":"baz"}`}, []string{`{"foo":1,"bar":"bar","baz":"not-baz"}`, `{"foo":1,"bar":"bar","quux":1}`}},
		{"unevaluatedProperties after oneOf", `{"oneOf":[{"properties":{"bar":{"const":"bar"}},"required":["bar"]},{"properties":{"baz":{"const":"baz"}},"required":["baz"]}],"unevaluatedProperties":false}`, []string{`{"bar":"bar"}`}, []string{`{"bar":"bar","quux":1}`}},
		{"unevaluatedProperties after not", `{"not":{"not":{"properties":{"bar":{"const":"bar"}},"required":["bar"]}},"unevaluatedProperties":false}`, nil, []string{`{"bar":"bar"}`}},
		{"unevaluatedProperties after if, then and else", `{"if":{"properties":{"foo":{"const":"then"}},"required":["foo"]},"then":{"properties":{"bar":{}},"required":["bar"]},"else":{"properties":{"baz":{}},"required":["baz"]},"unevaluatedProperties":false}`, []string{`{"foo":"then","bar":1}`, `{"baz":1}`}, []string{`{"foo":"then","bar":1,"baz":1}`, `{"foo":"else","baz":1}`}},
		{"unevaluatedProperties after if alone", `{"if":{"patternProperties":{"foo":{"type":"string"}}},"unevaluatedProperties":false}`, []string{`{"foo":"x"}`}, []string{`{"bar":"x"}`}},
		{"unevaluatedProperties after dependentSchemas", `{"properties":{"foo":{}},"dependentSchemas":{"foo":{"properties":{"bar":{"const":"bar"}},"required":["bar"]}},"unevaluatedProperties":false}`, []string{`{"foo":1,"bar":"bar"}`, "{}"}, []string{`{"bar":"bar"}`}},
		{"unevaluatedProperties beside a boolean schema", `{"properties":{"foo":{}},"allOf":[true],"unevaluatedProperties":false}`, []string{`{"foo":1}`}, []string{`{"bar":1}`}},
		{"unevaluatedProperties after a reference", `{"$ref":"#/$defs/bar","properties":{"foo":{}},"unevaluatedProperties":false,"$defs":{"bar":{"properties":{"bar":{}}}}}`, []string{`{"foo":1,"bar":1}`}, []string{`{"foo":1,"bar":1,"baz":1}`}},
		{"unevaluatedProperties before a reference", `{"unevaluatedProperties":false,"properties":{"foo":{}},"$defs":{"bar":{"properties":{"bar":{}}}},"$ref":"#/$defs/bar"}`, []string{`{"foo":1,"bar":1}`}, []string{`{"baz":1}`}},
		{"unevaluatedProperties does not see cousins", `{"allOf":[{"properties":{"foo":true}},{"unevaluatedProperties":false}]}`, []string{"{}"}, []string{`{"foo":1}`}},
		{"unevaluatedProperties does not see cousins the other way", `{"allOf":[{"unevaluatedProperties":false},{"properties":{"foo":true}}]}`, []string{"{}"}, []string{`{"foo":1}`}},
		{"unevaluatedProperties does not see uncles", `{"properties":{"foo":{"properties":{"bar":{}},"unevaluatedProperties":false}},"anyOf":[{"properties":{"foo":{"properties":{"faz":{}}}}}]}`, []string{`{"foo":{"bar":1}}`}, []string{`{"foo":{"bar":1,"faz":1}}`}},
		{"unevaluatedProperties is no applicator in place", `{"allOf":[{"properties":{"foo":{}},"unevaluatedProperties":false}],"anyOf":[{"properties":{"bar":{}}}]}`, []string{`{"foo":1}`}, []string{`{"foo":1,"bar":1}`}},
		{"unevaluatedProperties after a branch that fails", `{"anyOf":[{"properties":{"a":{}},"required":["x"]},{"properties":{"b":{}}}],"unevaluatedProperties":false}`, []string{`{"b":1}`}, []string{`{"a":1}`, `{"a":1,"b":1}`}},
		{"unevaluatedProperties with null", `{"unevaluatedProperties":{"type":"null"}}`, []string{`{"a":null}`}, []string{`{"a":0}`}},
		{"unevaluatedProperties in a circle", `{"type":"object","properties":{"x":{"$ref":"#"}},"unevaluatedProperties":false}`, []string{"{}", `{"x":{}}`, `{"x":{"x":{}}}`}, []string{`{"x":{"y":{}}}`, `{"y":{}}`}},
		{"unevaluatedProperties after propertyNames", `{"propertyNames":{"maxLength":1},"unevaluatedProperties":{"type":"number"}}`, []string{`{"a":1}`}, []string{`{"a":"b"}`}},
	}
}

func referenceCases2020() []keywordCase {
	return []keywordCase{
		{"what is beside a reference counts", `{"$defs":{"a":{"type":"array"}},"properties":{"foo":{"$ref":"#/$defs/a","maxItems":2}}}`, []string{`{"foo":[]}`}, []string{`{"foo":[1,2,3]}`, `{"foo":"x"}`}},
		{"an $id beside a reference counts", `{"$id":"http://example.test/root","properties":{"a":{"$id":"http://example.test/other/","$ref":"leaf"}},"$defs":{"x":{"$id":"leaf","type":"integer"},"y":{"$id":"http://example.test/other/leaf","type":"string"}}}`, []string{`{"a":"x"}`}, []string{`{"a":1}`}},
		{"an anchor", `{"$ref":"#foo","$defs":{"A":{"$anchor":"foo","type":"integer"}}}`, []string{"1"}, []string{`"a"`}},
		{"an anchor by the whole address", `{"$id":"http://example.test/root","$ref":"http://example.test/bar#foo","$defs":{"A":{"$id":"http://example.test/bar","$anchor":"foo","type":"integer"}}}`, []string{"1"}, []string{`"a"`}},
		{"one anchor under two bases", `{"$id":"http://example.test/foobar","$defs":{"A":{"$id":"child1","allOf":[{"$id":"child2","$anchor":"my_anchor","type":"number"},{"$anchor":"my_anchor","type":"string"}]}},"$ref":"child1#my_anchor"}`, []string{`"a"`}, []string{"1"}},
		{"an anchor among the values of const", `{"$defs":{"c":{"const":{"$anchor":"not_a_real_anchor"}},"s":{"$anchor":"a","type":"null"}},"anyOf":[{"$ref":"#/$defs/c"},{"$ref":"#a"}]}`, []string{`{"$anchor":"not_a_real_anchor"}`, "null"}, []string{"1"}},
		{"the draft's own schema", `{"$ref":"https://json-schema.org/draft/2020-12/schema"}`, []string{`{"minLength":1}`, "true", `{"$defs":{"a":{"type":"integer"}}}`}, []string{`{"minLength":-1}`, `{"$defs":{"a":{"type":1}}}`, "1", `{"properties":[]}`, `{"required":["a","a"]}`}},
		{"a relative pointer under an $id", `{"$id":"http://example.test/a.json","$defs":{"x":{"$id":"http://example.test/b/c.json","not":{"$defs":{"y":{"$id":"d.json","type":"number"}}}}},"allOf":[{"$ref":"http://example.test/b/d.json"}]}`, []string{"1"}, []string{`"a"`}},
		{"the order of $id and $ref", `{"$id":"http://example.test/ref-and-id1/base.json","$ref":"int.json","$defs":{"bigint":{"$id":"http://example.test/ref-and-id1/int.json","maximum":10},"smallint":{"$id":"/ref-and-id1-int.json","maximum":2}}}`, []string{"5"}, []string{"50"}},
		{"a URN with an anchor", `{"$id":"urn:uuid:deadbeef-1234-ff00-00ff-4321feebdaed","properties":{"foo":{"$ref":"urn:uuid:deadbeef-1234-ff00-00ff-4321feebdaed#something"}},"$defs":{"bar":{"$anchor":"something","type":"string"}}}`, []string{`{"foo":"bar"}`}, []string{`{"foo":12}`}},
		{"a reference to an inner URN", `{"$ref":"urn:uuid:deadbeef-4321-ffff-ffff-1234feebdaed","$defs":{"foo":{"$id":"urn:uuid:deadbeef-4321-ffff-ffff-1234feebdaed","$defs":{"bar":{"type":"string"}},"$ref":"#/$defs/bar"}}}`, []string{`"bar"`}, []string{"12"}},
		{"a reference to then and else", `{"$id":"http://example.test/root","$ref":"http://example.test/in-then","if":false,"then":{"$id":"http://example.test/in-then","type":"integer"}}`, []string{"1"}, []string{`"a"`}},
		{"a reference into unknown keywords", `{"properties":{"a":{"$ref":"#/x-shared/n"}},"x-shared":{"n":{"type":"integer"}}}`, []string{`{"a":1}`}, []string{`{"a":"x"}`}},
		{"an empty token in a pointer", `{"$defs":{"":{"$defs":{"":{"type":"number"}}}},"allOf":[{"$ref":"#/$defs//$defs/"}]}`, []string{"1"}, []string{`"a"`}},
	}
}

func dynamicCases2020() []keywordCase {
	return []keywordCase{
		{"like a reference, to an anchor", `{"$id":"http://example.test/root","type":"array","items":{"$dynamicRef":"#items"},"$defs":{"foo":{"$anchor":"items","type":"string"}}}`, []string{`["a","b"]`}, []string{`["a",42]`}},
		{"like a reference, to a dynamic anchor of the same", `{"$id":"http://example.test/root","type":"array","items":{"$dynamicRef":"#items"},"$defs":{"foo":{"$dynamicAnchor":"items","type":"string"}}}`, []string{`["a","b"]`}, []string{`["a",42]`}},
		{"a $ref to a dynamic anchor", `{"$id":"http://example.test/root","type":"array","items":{"$ref":"#items"},"$defs":{"foo":{"$dynamicAnchor":"items","type":"string"}}}`, []string{`["a","b"]`}, []string{`["a",42]`}},
		{"the outermost anchor is meant", `{"$id":"http://example.test/typical","$ref":"list","$defs":{"foo":{"$dynamicAnchor":"items","type":"string"},"list":{"$id":"list","type":"array","items":{"$dynamicRef":"#items"},"$defs":{"items":{"$comment":"for the list by itself","$dynamicAnchor":"items"}}}}}`, []string{`["a","b"]`}, []string{`["a",42]`}},
		{"without an anchor in the dynamic scope", `{"$id":"http://example.test/without","$ref":"list","$defs":{"foo":{"$anchor":"items","type":"string"},"list":{"$id":"list","type":"array","items":{"$dynamicRef":"#items"},"$defs":{"items":{"$dynamicAnchor":"items"}}}}}`, []string{`["a",42]`}, []string{"1"}},
		{"what lies between does not matter", `{"$id":"http://example.test/between","$ref":"intermediate","$defs":{"foo":{"$dynamicAnchor":"items","type":"string"},"intermediate":{"$id":"intermediate","$ref":"list"},"list":{"$id":"list","type":"array","items":{"$dynamicRef":"#items"},"$defs":{"items":{"$dynamicAnchor":"items"}}}}}`, []string{`["a","b"]`}, []string{`["a",42]`}},
		{"an anchor that is not dynamic ends it", `{"$id":"http://example.test/not-dynamic","$ref":"list","$defs":{"foo":{"$dynamicAnchor":"items","type":"string"},"list":{"$id":"list","type":"array","items":{"$dynamicRef":"#items"},"$defs":{"items":{"$anchor":"items"}}}}}`, []string{`["a",42]`}, []string{"1"}},
		{"a pointer is an ordinary reference", `{"$id":"http://example.test/pointer","$ref":"list","$defs":{"foo":{"$dynamicAnchor":"items","type":"string"},"list":{"$id":"list","type":"array","items":{"$dynamicRef":"#/$defs/items"},"$defs":{"items":{"$dynamicAnchor":"items","type":"integer"}}}}}`, []string{"[42]"}, []string{`["a"]`}},
		{"the outermost of several", `{"$id":"http://example.test/several","if":{"$id":"first_scope","$defs":{"thingy":{"$comment":"left by then","$dynamicAnchor":"thingy","type":"number"}}},"then":{"$id":"second_scope","$ref":"start","$defs":{"thingy":{"$comment":"meant","$dynamicAnchor":"thingy","type":"null"}}},"$defs":{"start":{"$id":"start","$dynamicRef":"inner_scope#thingy"},"thingy":{"$id":"inner_scope","$dynamicAnchor":"thingy","type":"string"}}}`, []string{"null"}, []string{`"a"`, "42"}},
		{"a strict tree", `{"$id":"http://example.test/strict-tree","$dynamicAnchor":"node","$ref":"tree","unevaluatedProperties":false,"$defs":{"tree":{"$id":"tree","$dynamicAnchor":"node","type":"object","properties":{"data":true,"children":{"type":"array","items":{"$dynamicRef":"#node"}}}}}}`, []string{`{"children":[{"data":1}]}`, `{"data":1}`}, []string{`{"children":[{"daat":1}]}`, `{"daat":1}`, `{"children":[{"children":[{"daat":1}]}]}`}},
		{"a loose tree", `{"$id":"http://example.test/tree","$dynamicAnchor":"node","type":"object","properties":{"data":true,"children":{"type":"array","items":{"$dynamicRef":"#node"}}}}`, []string{`{"children":[{"daat":1}]}`}, []string{`{"children":[1]}`, `{"children":[{"children":[1]}]}`}},
		{"unevaluatedProperties after a dynamic reference", `{"$id":"http://example.test/derived","$ref":"./baseSchema","$defs":{"derived":{"$dynamicAnchor":"addons","properties":{"bar":{"type":"string"}}},"baseSchema":{"$id":"./baseSchema","unevaluatedProperties":false,"type":"object","properties":{"foo":{"type":"string"}},"$dynamicRef":"#addons","$defs":{"defaultAddons":{"$dynamicAnchor":"addons"}}}}}`, []string{`{"foo":"x","bar":"y"}`}, []string{`{"foo":"x","bar":"y","baz":"z"}`, `{"bar":1}`}},
		{"unevaluatedItems after a dynamic reference", `{"$id":"http://example.test/derived","$ref":"./baseSchema","$defs":{"derived":{"$dynamicAnchor":"addons","prefixItems":[true,{"type":"string"}]},"baseSchema":{"$id":"./baseSchema","unevaluatedItems":false,"type":"array","prefixItems":[{"type":"string"}],"$dynamicRef":"#addons","$defs":{"defaultAddons":{"$dynamicAnchor":"addons"}}}}}`, []string{`["foo","bar"]`}, []string{`["foo","bar","baz"]`, `["foo",1]`}},
		{"a resource that is passed by", `{"$id":"http://example.test/skips","type":"object","properties":{"bar-item":{"$ref":"item"}},"$defs":{"bar":{"$id":"bar","type":"array","items":{"$ref":"item"},"$defs":{"item":{"$id":"item","type":"object","properties":{"content":{"$dynamicRef":"#content"}},"$defs":{"defaultContent":{"$dynamicAnchor":"content","type":"integer"}}},"content":{"$dynamicAnchor":"content","type":"string"}}}}}`, []string{`{"bar-item":{"content":42}}`}, []string{`{"bar-item":{"content":"value"}}`}},
		{"a resource that is not passed by", `{"$id":"http://example.test/skips-not","type":"object","properties":{"bar":{"$ref":"bar"}},"$defs":{"bar":{"$id":"bar","type":"array","items":{"$ref":"item"},"$defs":{"item":{"$id":"item","type":"object","properties":{"content":{"$dynamicRef":"#content"}},"$defs":{"defaultContent":{"$dynamicAnchor":"content","type":"integer"}}},"content":{"$dynamicAnchor":"content","type":"string"}}}}}`, []string{`{"bar":[{"content":"value"}]}`}, []string{`{"bar":[{"content":42}]}`}},
		{"an anchor of a resource that is never entered", `{"$id":"http://example.test/detached","$ref":"list","$defs":{"other":{"$id":"other","$defs":{"x":{"$dynamicAnchor":"items","type":"string"}}},"list":{"$id":"list","items":{"$dynamicRef":"#items"},"$defs":{"items":{"$dynamicAnchor":"items","type":"integer"}}}}}`, []string{"[42]"}, []string{`["a"]`}},
		{"an anchor beside the way", `{"$ref":"#/$defs/foo","$defs":{"foo":{"$dynamicRef":"#detached"},"detached":{"$dynamicAnchor":"detached","type":"integer"}}}`, []string{"1"}, []string{`"a"`}},
		{"an anchor at a boolean schema", `{"$defs":{"t":{"$dynamicAnchor":"x","not":{}}},"properties":{"f":{"$dynamicRef":"#x"}}}`, []string{"{}"}, []string{`{"f":1}`}},
		{"a resource is entered at its side", `{"$id":"http://example.test/base","$ref":"first#/$defs/stuff","$defs":{"first":{"$id":"first","$defs":{"stuff":{"$ref":"second#/$defs/stuff"},"length":{"$comment":"of a resource that is passed, though not its root","$dynamicAnchor":"length","maxLength":1}}},"second":{"$id":"second","$defs":{"stuff":{"$ref":"third#/$defs/stuff"},"length":{"$dynamicAnchor":"length","maxLength":2}}},"third":{"$id":"third","$defs":{"stuff":{"$dynamicRef":"#length"},"length":{"$dynamicAnchor":"length","maxLength":3}}}}}`, []string{`"a"`, "1"}, []string{`"hi"`, `"hey"`}},
		{"several dynamic ways", `{"$id":"http://example.test/main","if":{"properties":{"kindOfList":{"const":"numbers"}},"required":["kindOfList"]},"then":{"$ref":"numberList"},"else":{"$ref":"stringList"},"$defs":{"genericList":{"$id":"genericList","properties":{"list":{"items":{"$dynamicRef":"#itemType"}}},"$defs":{"defaultItemType":{"$dynamicAnchor":"itemType"}}},"numberList":{"$id":"numberList","$defs":{"itemType":{"$dynamicAnchor":"itemType","type":"number"}},"$ref":"genericList"},"stringList":{"$id":"stringList","$defs":{"itemType":{"$dynamicAnchor":"itemType","type":"string"}},"$ref":"genericList"}}}`, []string{`{"kindOfList":"numbers","list":[1.1]}`, `{"kindOfList":"strings","list":["foo"]}`}, []string{`{"kindOfList":"numbers","list":["foo"]}`, `{"kindOfList":"strings","list":[1.1]}`}},
		{"the first anchor is the one that is asked for", `{"$id":"http://example.test/own","$dynamicAnchor":"node","type":["object","integer"],"properties":{"next":{"$ref":"sub"}},"$defs":{"leaf":{"$dynamicRef":"#node"},"sub":{"$id":"sub","$dynamicAnchor":"node","type":"object","properties":{"leaf":{"$ref":"own#/$defs/leaf"}}}}}`, []string{`{"next":{"leaf":1}}`}, []string{`{"next":{"leaf":"x"}}`, `{"next":1}`}},
		{"both kinds of reference in one place", `{"$ref":"list","$defs":{"item":{"$dynamicAnchor":"item","type":"string"},"long":{"minLength":3},"list":{"$id":"list","items":{"$ref":"#/$defs/short","$dynamicRef":"#item","allOf":[{"pattern":"^a"}]},"$defs":{"short":{"maxLength":4},"item":{"$dynamicAnchor":"item"}}}}}`, []string{`["abc"]`, `["a"]`}, []string{"[1]", `["abcde"]`, `["bcd"]`}},
		{"values beside dynamic references", `{"$ref":"list","$defs":{"item":{"$dynamicAnchor":"item","const":{"$id":"x","$ref":"#nowhere","$dynamicAnchor":"y"}},"list":{"$id":"list","items":{"$dynamicRef":"#item"},"$defs":{"item":{"$dynamicAnchor":"item"}}}}}`, []string{`[{"$id":"x","$ref":"#nowhere","$dynamicAnchor":"y"}]`}, []string{"[{}]"}},
		{"the draft's own schema beside dynamic references", `{"$id":"https://json-schema.org/draft/2020-12/root","$ref":"mine","$defs":{"item":{"$dynamicAnchor":"item","$ref":"schema"},"list":{"$id":"mine","items":{"$dynamicRef":"#item"},"$defs":{"item":{"$dynamicAnchor":"item"}}}}}`, []string{`[{"minLength":1}]`}, []string{`[{"minLength":-1}]`}},
		{"properties of the names of keywords", `{"$ref":"list","properties":{"$id":{"type":"string"},"$dynamicRef":{"type":"string"},"$ref":{"type":"integer"}},"$defs":{"item":{"$dynamicAnchor":"item","type":"string"},"list":{"$id":"list","properties":{"l~/%":{"$dynamicRef":"#item"}},"$defs":{"item":{"$dynamicAnchor":"item"}}}}}`, []string{`{"$id":"a","$dynamicRef":"b","$ref":1,"l~/%":"c"}`}, []string{`{"$id":1}`, `{"$dynamicRef":1}`, `{"$ref":"a"}`, `{"l~/%":1}`}},
		{"format is asserted here", `{"format":"date"}`, []string{`"2024-02-29"`, "1"}, []string{`"2023-02-29"`, `"x"`}},
		{"content is not looked at", `{"contentMediaType":"application/json","contentEncoding":"base64","contentSchema":{"type":"object"}}`, []string{`"{:"`, `"%"`, "1"}, nil},
	}
}
