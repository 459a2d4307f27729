package manifest_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/internal/manifest"
)

func mustParse(t *testing.T, name, text string) []manifest.Source {
	t.Helper()
	sources, err := manifest.Parse(name, []byte(text))
	require.NoError(t, err)
	return sources
}

func jsonTexts(sources []manifest.Source) []string {
	texts := make([]string, len(sources))
	for i := range sources {
		texts[i] = string(sources[i].JSON)
	}
	return texts
}

func TestParse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, file, text string
		want             []string
	}{
		{"plain values", "f.yaml", "a: text\nb: true\nc: True\nd: ~\ne: null\nf:\n", []string{`{"a":"text","b":true,"c":true,"d":null,"e":null,"f":null}`}},
		{"numbers in their spelling", "f.yaml", "a: [1, -0, 1E22, 0.10, 12345678901234567890.12345678901234567890, 1e9999999]", []string{`{"a":[1,-0,1E22,0.10,12345678901234567890.12345678901234567890,1e9999999]}`}},
		{"numbers that JSON lacks", "f.yaml", "a: [0x1F, 0o17, 010, 1_000, +1, .5, 1., .inf, .NaN]", []string{`{"a":["0x1F","0o17","010","1_000","+1",".5","1.",".inf",".NaN"]}`}},
		{"times and words", "f.yaml", "a: [2024-01-31, 2024-01-31T10:00:00Z, yes, no, on, off, y]", []string{`{"a":["2024-01-31","2024-01-31T10:00:00Z","yes","no","on","off","y"]}`}},
		{"tags with an equivalent in JSON", "f.yaml", "a: !!str 12\nb: !!float 3\nc: !!bool \"true\"\nd: !!map {}\ne: !!seq []\n", []string{`{"a":"12","b":3,"c":true,"d":{},"e":[]}`}},
		{"quotes", "f.yaml", "a: '12'\nb: \"true\"\nc: \"\\u0000\\x41\"\nd: 'it''s'\n", []string{`{"a":"12","b":"true","c":"\u0000A","d":"it's"}`}},
		{"blocks", "f.yaml", "a: |\n  x\n   y\nb: >-\n  x\n  y\n", []string{`{"a":"x\n y\n","b":"x y"}`}},
		{"the order of members", "f.yaml", "z: 1\na: 2\nm: {y: 1, b: 2}\n", []string{`{"z":1,"a":2,"m":{"y":1,"b":2}}`}},
		{"characters that HTML escapes", "f.yaml", "a: <b> & c\n", []string{`{"a":"<b> & c"}`}},
		{"an alias", "f.yaml", "a: &x {b: 1}\nc: *x\nd: [*x]\n", []string{`{"a":{"b":1},"c":{"b":1},"d":[{"b":1}]}`}},
		{"a merge", "f.yaml", "a: &x {b: 1, c: 2}\nd:\n  <<: *x\n  c: 3\ne: {<<: [{b: 4}, *x], f: 5}\n", []string{`{"a":{"b":1,"c":2},"d":{"c":3,"b":1},"e":{"f":5,"b":4,"c":2}}`}},
		{"several documents, some of them empty", "f.yaml", "---\n---\n# none\n---\na: 1\n...\n---\nb: 2\n", []string{`{"a":1}`, `{"b":2}`}},
		{"a list of documents", "f.yml", "- a: 1\n- b: 2\n", []string{`{"a":1}`, `{"b":2}`}},
		{"an empty file", "f.yaml", "# none\n", []string{}},
		{"JSON", "f.json", "{\"a\": [1E22, \"x\\u0041\\/\", true, null, {}]}\n{\"b\": 1}", []string{`{"a":[1E22,"xA/",true,null,{}]}`, `{"b":1}`}},
		{"JSON that is not YAML", "-", "{\n\t\"a\": \"\\ud83d\\ude00\"}", []string{`{"a":"😀"}`}},
		{"a JSON list of documents", "f.json", `[{"a": 1}, {"b": 2}]`, []string{`{"a":1}`, `{"b":2}`}},
		{"an empty JSON file", "f.json", " ", []string{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, jsonTexts(mustParse(t, c.file, c.text)))
		})
	}
}

func TestParseRefuses(t *testing.T) { //nolint:funlen // a table of cases
	t.Parallel()
	laughs := "a: &a [" + strings.Repeat("1, ", 9) + "1]\n"
	for i := 'b'; i <= 'j'; i++ {
		laughs += string(i) + ": &" + string(i) + " [" + strings.Repeat("*"+string(i-1)+", ", 9) + "*" + string(i-1) + "]\n"
	}
	for _, c := range []struct{ name, file, text, want string }{
		{"an open list", "f.yaml", "a: 1\nb: [\n", "f.yaml:2:5: is not YAML: a value, or the end of a [ or {, is missing\n    2 | b: [\n            ^"},
		{"an open mapping before another one", "f.yaml", "a:\n  - {x: 1, y: it's\n  - {x: 2}\n", "f.yaml:2:5: is not YAML: the { is not closed"},
		{"a bracket closed by another one", "f.yaml", "a: {x: \"]\", y: [1, 2}\n", "f.yaml:1:16: is not YAML: the [ is not closed"},
		{"an open list below text and comments", "f.yaml", "a: |\n  [ text\nb: 'x[' # {\nc: {x: [1,2\n\nd: e\n", "f.yaml:4:8: is not YAML: the [ is not closed"},
		{"an open list in the first of two documents", "f.yaml", "a: [b]\nc: ä[\nd: [1\n---\ne: 1\n", "f.yaml:3:4: is not YAML: the [ is not closed"},
		{"a bracket too many", "f.yaml", "a: 1\nb: }\n", "f.yaml:2:4: is not YAML: a value, or the end of a [ or {, is missing\n    2 | b: }\n           ^"},
		{"an open quote", "f.yaml", "a: 1\nb: \"x\nc: 1\n", "f.yaml:2:4: is not YAML: the quote is not closed"},
		{"a text that YAML reserves", "f.yaml", "é: @x", "f.yaml:1:4: is not YAML: this character cannot begin a value"},
		{"a wide line", "f.yaml", "a: [" + strings.Repeat("1, ", 100) + "}]", "f.yaml:1:305: is not YAML: a value, or the end of a [ or {, is missing\n    1 | "},
		{"brackets that exceed the depth of the library", "f.yaml", strings.Repeat("[", 20000), "f.yaml:1:10001: is not YAML: exceeded max depth"},
		{"dashes that exceed the depth of the library", "f.yaml", strings.Repeat("- ", 20000), "is not YAML: exceeded max depth"},
		{"wrong indentation", "f.yaml", "a: b\n c: d\n", "f.yaml:2:3: is not YAML: mapping values"},
		{"a tab", "f.yaml", "\ta: 1", "f.yaml:1:1: is not YAML: this character cannot begin a value"},
		{"an error in a later document", "f.yaml", "a: 1\n---\nb: 2\n---\nc: {\n", "f.yaml:5:5: is not YAML"},
		{"a control character", "f.yaml", "a: 1\nb: \x01", "f.yaml:2:4: is not YAML: control characters"},
		{"invalid UTF-8", "f.yaml", "a: \xff", "f.yaml: is not valid UTF-8"},
		{"an anchor that does not exist", "f.yaml", "a: 1\nb: *x\n", "f.yaml:2:4: is not YAML: unknown anchor 'x'"},
		{"an alias inside its own value", "f.yaml", "a: 1\nb: &x [1, {c: *x}]\n", "f.yaml:2:15: the value of the alias *x contains the alias"},
		{"a merge of itself", "f.yaml", "a: &x\n  b: 1\n  <<: *x\n", "f.yaml:3:7: the value of the alias *x contains the alias"},
		{"aliases that multiply", "f.yaml", laughs, "f.yaml:1:23: the document has more than 200000 values"},
		{"text that multiplies", "f.yaml", "a: &a " + strings.Repeat("x", 100_000) + "\nb: [" + strings.Repeat("*a, ", 50) + "]", "f.yaml:1:4: the document has more than 4194304 bytes"},
		{"nesting", "f.yaml", "a: " + strings.Repeat("[", 129) + strings.Repeat("]", 129), "f.yaml:1:132: the document is nested deeper than 128"},
		{"a member twice", "f.yaml", "a:\n  b: 1\n  b: 2\n", "f.yaml:3:3: b is given twice"},
		{"a member twice with an escape", "f.yaml", "b: 1\n\"\\u0062\": 2\n", "f.yaml:2:1: b is given twice"},
		{"two merges", "f.yaml", "a: {<<: {b: 1}, <<: {c: 2}}\n", "f.yaml:1:21: << is given twice"},
		{"a merge of text", "f.yaml", "a:\n  <<: b\n", "f.yaml:2:7: << must be followed by a mapping"},
		{"a number for a name", "f.yaml", "1: a\n", `f.yaml:1:1: the name of a member must be text: put "1" in quotes`},
		{"a boolean for a name", "f.yaml", "true: a\n", `put "true" in quotes`},
		{"null for a name", "f.yaml", "~: a\n", `put "~" in quotes`},
		{"a list for a name", "f.yaml", "? [a]\n: b\n", "f.yaml:1:3: the name of a member must be text"},
		{"bytes", "f.yaml", "a: 1\nb: !!binary aGk=\n", "f.yaml:2:4: JSON has no equivalent of the tag !!binary"},
		{"a set", "f.yaml", "a: !!set {b}\n", "f.yaml:1:4: JSON has no equivalent of the tag !!set"},
		{"an unknown tag", "f.yaml", "a: !env HOME\n", "f.yaml:1:4: JSON has no equivalent of the tag !env"},
		{"an unknown tag of a list", "f.yaml", "a: !list [b]\n", "f.yaml:1:4: JSON has no equivalent of the tag !list"},
		{"an invalid number", "f.yaml", "a: !!int 0x1F\n", "f.yaml:1:4: 0x1F is not a number in JSON"},
		{"an invalid boolean", "f.yaml", "a: !!bool yes\n", "f.yaml:1:4: yes is neither true nor false"},
		{"text for a document", "f.yaml", "a: 1\n---\nhello\n", "f.yaml:3:1: a document must have members"},
		{"a list in a list", "f.yaml", "- a: 1\n- [b]\n", "f.yaml:2:3: a document must have members"},
		{"JSON that does not end", "f.json", "{\n\"a\": [1,", "f.json:2:9: is not JSON"},
		{"JSON with a comma too many", "f.json", "{\n\"a\": 1,\n}", "f.json:3:1: is not JSON"},
		{"JSON with text after it", "f.json", "{}\nx", "f.json:2:1: is not JSON"},
		{"JSON with a member twice", "f.json", "{\"a\": 1,\n\"a\": 2}", "f.json:2:1: a is given twice"},
		{"YAML in a JSON file", "f.json", "a: 1", "f.json:1:1: is not JSON"},
		{"JSON nesting", "f.json", `{"a":` + strings.Repeat("[", 129) + strings.Repeat("]", 129) + "}", "nested deeper than 128"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			sources, err := manifest.Parse(c.file, []byte(c.text))
			require.ErrorContains(t, err, c.want)
			require.Nil(t, sources)
			var fault *manifest.Error
			require.ErrorAs(t, err, &fault)
			require.Equal(t, c.file, fault.File)
		})
	}
}

func TestPosition(t *testing.T) {
	t.Parallel()
	yaml := "r: &r {deep: 1}\nspec:\n  items:\n    - code: A\n      a/b~c: 1\n    - {code: B, x: 1}\nbase:\n  deep: 1\nmerged:\n  <<: *r\n"
	json := "{\n  \"spec\": {\"items\": [\n    {\"code\": \"A\"},\n    {\"ü\": 1, \"code\": \"B\"}]}}"
	for _, c := range []struct {
		file, text, pointer string
		line, column        int
	}{
		{"f.yaml", yaml, "", 1, 1},
		{"f.yaml", yaml, "/spec", 2, 1},
		{"f.yaml", yaml, "/spec/items/0/code", 4, 7},
		{"f.yaml", yaml, "/spec/items/0", 4, 7},
		{"f.yaml", yaml, "/spec/items/0/a~1b~0c", 5, 7},
		{"f.yaml", yaml, "/spec/items/1/code", 6, 8},
		{"f.yaml", yaml, "/spec/items/1/missing/further", 6, 7},
		{"f.yaml", yaml, "/spec/items/2", 3, 3},
		{"f.yaml", yaml, "/spec/items/x", 3, 3},
		{"f.yaml", yaml, "/spec/items/0/code/further", 4, 7},
		{"f.yaml", yaml, "/missing", 1, 1},
		{"f.yaml", yaml, "/merged/deep", 10, 7},
		{"f.json", json, "", 1, 1},
		{"f.json", json, "/spec/items/0/code", 3, 6},
		{"f.json", json, "/spec/items/1", 4, 5},
		{"f.json", json, "/spec/items/1/code", 4, 14},
		{"f.json", json, "/spec/nothing", 2, 3},
	} {
		t.Run(c.file+c.pointer, func(t *testing.T) {
			t.Parallel()
			line, column := mustParse(t, c.file, c.text)[0].Position(c.pointer)
			require.Equal(t, [2]int{c.line, c.column}, [2]int{line, column})
		})
	}
}

func TestExplain(t *testing.T) {
	t.Parallel()
	sources := append(mustParse(t, "a.yaml", "a: 1\n"), mustParse(t, "b.yaml", "x: 1\n---\nspec:\n  items:\n    - code: A\n      \"a b\": {c: 1}\n")...)
	require.Equal(t, "b.yaml:5: spec.items[0].code", manifest.Explain(sources, "/documents/2/spec/items/0/code"))
	require.Equal(t, `b.yaml:6: spec.items[0]["a b"].c`, manifest.Explain(sources, "/documents/2/spec/items/0/a b/c"))
	require.Equal(t, "b.yaml:3: spec.name", manifest.Explain(sources, "/documents/2/spec/name"))
	require.Equal(t, "a.yaml:1", manifest.Explain(sources, "/documents/0"))
	for _, elsewhere := range []string{"", "/prune/tenant", "/documents", "/documents/3/spec", "/documents/x", "/documents/99999999999999999999"} {
		require.Equal(t, elsewhere, manifest.Explain(sources, elsewhere))
	}
}

func TestWhatTheServiceShowedCanBeApplied(t *testing.T) {
	t.Parallel()
	sources, err := manifest.Parse("shown.yaml", []byte("kind: Group\nspec:\n  status: kept\nstatus:\n  createdBy: another\n"))
	require.NoError(t, err)
	require.JSONEq(t, `{"kind":"Group","spec":{"status":"kept"}}`, string(sources[0].JSON))
}
