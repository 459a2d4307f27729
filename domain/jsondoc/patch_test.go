package jsondoc_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsondoc"
)

// patchOf reads a patch as a request carries it.
func patchOf(t *testing.T, text string) []jsondoc.Operation {
	t.Helper()
	var operations []struct {
		Op    string          `json:"op"`
		Path  string          `json:"path"`
		From  *string         `json:"from"`
		Value json.RawMessage `json:"value"`
	}
	require.NoError(t, json.Unmarshal([]byte(text), &operations))
	patch := make([]jsondoc.Operation, len(operations))
	for i, op := range operations {
		patch[i] = jsondoc.Operation{Op: op.Op, Path: op.Path, From: op.From, Value: op.Value}
	}
	return patch
}

const (
	failed    = string(domain.CodePatchFailed)
	malformed = string(domain.CodeValidation)
)

// A patchCase gives the exact text of the result, or the code of the error.
type patchCase struct{ name, document, patch, want string }

func (c patchCase) run(t *testing.T) {
	t.Helper()
	before := c.document
	document := json.RawMessage(c.document)
	got, err := jsondoc.Apply(document, patchOf(t, c.patch))
	require.Equal(t, before, string(document), "the document given was altered")
	if !strings.HasPrefix(c.want, "{") {
		require.Nil(t, got)
		require.True(t, domain.HasCode(err, domain.Code(c.want)), "%s: %v", got, err)
		return
	}
	require.NoError(t, err)
	require.Equal(t, c.want, string(got))
}

func TestPatchOperations(t *testing.T) { //nolint:funlen // most of it is a table
	t.Parallel()
	for _, c := range []patchCase{
		// Section 4.1.
		{"add a member", `{"a":1}`, `[{"op":"add","path":"/b","value":2}]`, `{"a":1,"b":2}`},
		{"add over a member keeps its place", `{"a":1,"b":2}`, `[{"op":"add","path":"/a","value":3}]`, `{"a":3,"b":2}`},
		{"add null", `{"a":1}`, `[{"op":"add","path":"/b","value":null}]`, `{"a":1,"b":null}`},
		{"add inside", `{"a":{"b":{}}}`, `[{"op":"add","path":"/a/b/c","value":[]}]`, `{"a":{"b":{"c":[]}}}`},
		{"add without a parent", `{"a":1}`, `[{"op":"add","path":"/x/y","value":2}]`, failed},
		{"add into a number", `{"a":1}`, `[{"op":"add","path":"/a/y","value":2}]`, failed},
		{"add into a string", `{"a":"[1]"}`, `[{"op":"add","path":"/a/0","value":2}]`, failed},
		{"add into null", `{"a":null}`, `[{"op":"add","path":"/a/b","value":2}]`, failed},
		{"add an element first", `{"l":[1,2]}`, `[{"op":"add","path":"/l/0","value":0}]`, `{"l":[0,1,2]}`},
		{"add an element between", `{"l":[1,3]}`, `[{"op":"add","path":"/l/1","value":2}]`, `{"l":[1,2,3]}`},
		{"add at the end by index", `{"l":[1]}`, `[{"op":"add","path":"/l/1","value":2}]`, `{"l":[1,2]}`},
		{"add at the end by dash", `{"l":[1]}`, `[{"op":"add","path":"/l/-","value":2}]`, `{"l":[1,2]}`},
		{"add to an empty array", `{"l":[]}`, `[{"op":"add","path":"/l/-","value":[1]}]`, `{"l":[[1]]}`},
		{"add beyond the end", `{"l":[1]}`, `[{"op":"add","path":"/l/2","value":2}]`, failed},
		{"add with a leading zero", `{"l":[1]}`, `[{"op":"add","path":"/l/01","value":2}]`, failed},
		{"add with a minus", `{"l":[1]}`, `[{"op":"add","path":"/l/-1","value":2}]`, failed},
		{"add with minus zero", `{"l":[1]}`, `[{"op":"add","path":"/l/-0","value":2}]`, failed},
		{"add with a plus", `{"l":[1]}`, `[{"op":"add","path":"/l/+0","value":2}]`, failed},
		{"add with a blank", `{"l":[1]}`, `[{"op":"add","path":"/l/ 0","value":2}]`, failed},
		{"add with an exponent", `{"l":[1]}`, `[{"op":"add","path":"/l/1e0","value":2}]`, failed},
		{"add with a fraction", `{"l":[1]}`, `[{"op":"add","path":"/l/0.0","value":2}]`, failed},
		{"add with foreign digits", `{"l":[1]}`, `[{"op":"add","path":"/l/٠","value":2}]`, failed},
		{"add with a name into an array", `{"l":[1]}`, `[{"op":"add","path":"/l/x","value":2}]`, failed},
		{"add with no index", `{"l":[1]}`, `[{"op":"add","path":"/l/","value":2}]`, failed},
		{"add with an index beyond all", `{"l":[1]}`, `[{"op":"add","path":"/l/99999999999999999999","value":2}]`, failed},
		{"add through an index", `{"l":[{"a":1}]}`, `[{"op":"add","path":"/l/0/b","value":2}]`, `{"l":[{"a":1,"b":2}]}`},
		{"add through a dash", `{"l":[{"a":1}]}`, `[{"op":"add","path":"/l/-/b","value":2}]`, failed},
		{"add through a leading zero", `{"l":[{"a":1}]}`, `[{"op":"add","path":"/l/00/b","value":2}]`, failed},
		{"a dash names a member of an object", `{"o":{}}`, `[{"op":"add","path":"/o/-","value":1}]`, `{"o":{"-":1}}`},
		{"a leading zero names a member of an object", `{"o":{}}`, `[{"op":"add","path":"/o/01","value":1}]`, `{"o":{"01":1}}`},
		{"add the whole document", `{"a":1}`, `[{"op":"add","path":"","value": {"b" : 2} }]`, `{"b":2}`},
		// Section 4.2.
		{"remove a member", `{"a":1,"b":2,"c":3}`, `[{"op":"remove","path":"/b"}]`, `{"a":1,"c":3}`},
		{"remove null", `{"a":null}`, `[{"op":"remove","path":"/a"}]`, `{}`},
		{"remove an element", `{"l":[1,2,3]}`, `[{"op":"remove","path":"/l/1"}]`, `{"l":[1,3]}`},
		{"remove the last element", `{"l":[1]}`, `[{"op":"remove","path":"/l/0"}]`, `{"l":[]}`},
		{"remove what is missing", `{"a":1}`, `[{"op":"remove","path":"/b"}]`, failed},
		{"remove beyond the end", `{"l":[1]}`, `[{"op":"remove","path":"/l/1"}]`, failed},
		{"remove the end itself", `{"l":[1]}`, `[{"op":"remove","path":"/l/-"}]`, failed},
		{"remove with a leading zero", `{"l":[1,2]}`, `[{"op":"remove","path":"/l/01"}]`, failed},
		{"remove the whole document", `{"a":1}`, `[{"op":"remove","path":""}]`, failed},
		{"remove and add the whole document", `{"a":1}`, `[{"op":"remove","path":""},{"op":"add","path":"","value":{}}]`, `{}`},
		{"nothing is left to remove", `{"a":1}`, `[{"op":"remove","path":""},{"op":"remove","path":"/a"}]`, failed},
		// Section 4.3.
		{"replace a member in its place", `{"a":1,"b":2}`, `[{"op":"replace","path":"/a","value":[9]}]`, `{"a":[9],"b":2}`},
		{"replace null", `{"a":null}`, `[{"op":"replace","path":"/a","value":1}]`, `{"a":1}`},
		{"replace by null", `{"a":1}`, `[{"op":"replace","path":"/a","value":null}]`, `{"a":null}`},
		{"replace an element", `{"l":[1,2]}`, `[{"op":"replace","path":"/l/1","value":3}]`, `{"l":[1,3]}`},
		{"replace what is missing", `{"a":1}`, `[{"op":"replace","path":"/b","value":1}]`, failed},
		{"replace beyond the end", `{"l":[1]}`, `[{"op":"replace","path":"/l/1","value":1}]`, failed},
		{"replace the end itself", `{"l":[1]}`, `[{"op":"replace","path":"/l/-","value":1}]`, failed},
		{"replace with a leading zero", `{"l":[1]}`, `[{"op":"replace","path":"/l/00","value":1}]`, failed},
		{"replace the whole document", `{"a":1}`, `[{"op":"replace","path":"","value":{"b":2}}]`, `{"b":2}`},
		{"replace the whole document by an array", `{"a":1}`, `[{"op":"replace","path":"","value":[]}]`, failed},
		{"replace the whole document by null", `{"a":1}`, `[{"op":"replace","path":"","value":null}]`, failed},
		{"an array may be the document for a while", `{}`, `[{"op":"replace","path":"","value":[{}]},{"op":"add","path":"/0/a","value":1},{"op":"move","from":"/0","path":""}]`, `{"a":1}`},
		// Section 4.4.
		{"move a member", `{"a":1,"b":{}}`, `[{"op":"move","from":"/a","path":"/b/c"}]`, `{"b":{"c":1}}`},
		{"move over a member", `{"a":1,"b":2}`, `[{"op":"move","from":"/a","path":"/b"}]`, `{"b":1}`},
		{"move null", `{"a":null}`, `[{"op":"move","from":"/a","path":"/b"}]`, `{"b":null}`},
		{"move an element onwards", `{"l":[1,2,3]}`, `[{"op":"move","from":"/l/0","path":"/l/2"}]`, `{"l":[2,3,1]}`},
		{"move an element to the end", `{"l":[1,2,3]}`, `[{"op":"move","from":"/l/0","path":"/l/-"}]`, `{"l":[2,3,1]}`},
		{"the index counts after the removal", `{"l":[1,2]}`, `[{"op":"move","from":"/l/0","path":"/l/2"}]`, failed},
		{"move onto itself", `{"a":1,"b":2}`, `[{"op":"move","from":"/a","path":"/a"}]`, `{"a":1,"b":2}`},
		{"move onto itself what is missing", `{"a":1}`, `[{"op":"move","from":"/b","path":"/b"}]`, failed},
		{"move what is missing", `{"a":1}`, `[{"op":"move","from":"/b","path":"/c"}]`, failed},
		{"move to nowhere", `{"a":1}`, `[{"op":"move","from":"/a","path":"/b/c"}]`, failed},
		{"move into its own child", `{"a":{"b":{}}}`, `[{"op":"move","from":"/a","path":"/a/b/c"}]`, failed},
		{"move an element into what follows it", `{"l":[{},{}]}`, `[{"op":"move","from":"/l/0","path":"/l/0/a"}]`, failed},
		{"a like-named sibling is no child", `{"a":1,"ab":{}}`, `[{"op":"move","from":"/a","path":"/ab/c"}]`, `{"ab":{"c":1}}`},
		{"move the whole document", `{"a":1}`, `[{"op":"move","from":"","path":"/b"}]`, failed},
		{"move to the whole document", `{"a":{"b":1}}`, `[{"op":"move","from":"/a","path":""}]`, `{"b":1}`},
		{"move the end itself", `{"l":[1]}`, `[{"op":"move","from":"/l/-","path":"/a"}]`, failed},
		// Section 4.5.
		{"copy a member", `{"a":{"b":1}}`, `[{"op":"copy","from":"/a","path":"/c"}]`, `{"a":{"b":1},"c":{"b":1}}`},
		{"copy null", `{"a":null}`, `[{"op":"copy","from":"/a","path":"/b"}]`, `{"a":null,"b":null}`},
		{"copy an element", `{"l":[1,2]}`, `[{"op":"copy","from":"/l/1","path":"/l/0"}]`, `{"l":[2,1,2]}`},
		{"a copy is another value", `{"a":{"b":1}}`, `[{"op":"copy","from":"/a","path":"/c"},{"op":"replace","path":"/c/b","value":2}]`, `{"a":{"b":1},"c":{"b":2}}`},
		{"copy into its own child", `{"a":{"b":1}}`, `[{"op":"copy","from":"/a","path":"/a/c"}]`, `{"a":{"b":1,"c":{"b":1}}}`},
		{"copy what is missing", `{"a":1}`, `[{"op":"copy","from":"/b","path":"/c"}]`, failed},
		{"copy to nowhere", `{"a":1}`, `[{"op":"copy","from":"/a","path":"/b/c"}]`, failed},
		{"copy the whole document", `{"a":1}`, `[{"op":"add","path":"/b","value":2},{"op":"copy","from":"","path":"/c"}]`, `{"a":1,"b":2,"c":{"a":1,"b":2}}`},
		{"copy to the whole document", `{"a":{"b":1},"c":2}`, `[{"op":"copy","from":"/a","path":""}]`, `{"b":1}`},
		{"copy a number to the whole document", `{"a":1}`, `[{"op":"copy","from":"/a","path":""}]`, failed},
		// Section 3 and 5.
		{"an empty patch", `{ "a" : 1 }`, `[]`, `{ "a" : 1 }`},
		{"operations see those before them", `{"l":[]}`, `[{"op":"add","path":"/l/-","value":1},{"op":"add","path":"/l/0","value":0},{"op":"test","path":"/l","value":[0,1]}]`, `{"l":[0,1]}`},
		{"a failure undoes everything", `{"a":1}`, `[{"op":"replace","path":"/a","value":2},{"op":"remove","path":"/b"}]`, failed},
		{"a late test undoes everything", `{"a":1}`, `[{"op":"replace","path":"/a","value":2},{"op":"test","path":"/a","value":1}]`, failed},
		{"members of other operations are ignored", `{"a":1}`, `[{"op":"remove","path":"/a","from":"not a pointer","value":1}]`, `{}`},
		// Section 4: malformed operations.
		{"no such operation", `{}`, `[{"op":"merge","path":"/a","value":1}]`, malformed},
		{"an operation in capitals", `{}`, `[{"op":"ADD","path":"/a","value":1}]`, malformed},
		{"add without a value", `{}`, `[{"op":"add","path":"/a"}]`, malformed},
		{"replace without a value", `{"a":1}`, `[{"op":"replace","path":"/a"}]`, malformed},
		{"test without a value", `{"a":1}`, `[{"op":"test","path":"/a"}]`, malformed},
		{"move without a source", `{"a":1}`, `[{"op":"move","path":"/a"}]`, malformed},
		{"copy without a source", `{"a":1}`, `[{"op":"copy","path":"/a"}]`, malformed},
		{"a path without a slash", `{"a":1}`, `[{"op":"remove","path":"a"}]`, malformed},
		{"a source without a slash", `{"a":1}`, `[{"op":"copy","path":"/b","from":"a"}]`, malformed},
		{"a tilde at the end", `{"a~":1}`, `[{"op":"remove","path":"/a~"}]`, malformed},
		{"a tilde before another digit", `{"a":1}`, `[{"op":"remove","path":"/a~2"}]`, malformed},
		{"malformed wins over failed", `{}`, `[{"op":"remove","path":"/a"},{"op":"add","path":"b","value":1}]`, malformed},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.run(t)
		})
	}
}

// Section 4.6: equality.
func TestPatchTest(t *testing.T) { //nolint:funlen // most of it is a table
	t.Parallel()
	big := strings.Repeat("9", 60)
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{`null`, `null`, true},
		{`null`, `false`, false},
		{`null`, `0`, false},
		{`[null]`, `[null]`, true},
		{`[null]`, `[1]`, false},
		{`[null]`, `[]`, false},
		{`{"x":null}`, `{"x":null}`, true},
		{`{"x":null}`, `{}`, false},
		{`{"x":null}`, `{"y":null}`, false},
		{`true`, `true`, true},
		{`true`, `false`, false},
		{`"a"`, `"a"`, true},
		{`"a"`, `"\u0061"`, true},
		{`"a/b"`, `"a\/b"`, true},
		{`"a"`, `"A"`, false},
		{`"é"`, `"e\u0301"`, false},
		{`"😀"`, `"\ud83d\ude00"`, true},
		{`"\ud800"`, `"\ud800"`, true},
		{`"\ud800"`, `"\ud801"`, false},
		{`"1"`, `1`, false},
		{`1`, `1.0`, true},
		{`1`, `2`, false},
		{`100`, `1E2`, true},
		{`100`, `1e+02`, true},
		{`0.01`, `1e-2`, true},
		{`10`, `1`, false},
		{`0.10`, `0.1`, true},
		{`0`, `-0`, true},
		{`0.0`, `-0e99999999999999999999`, true},
		{`1`, `-1`, false},
		{`-1.50`, `-15e-1`, true},
		{big, big + `.000`, true},
		{big, big[1:] + "8", false},
		{`9007199254740993`, `9007199254740992`, false},
		{`1e999999999`, `10e999999998`, true},
		{`1e999999999`, `1e999999998`, false},
		{`1e99999999999999999999`, `1e99999999999999999999`, true},
		{`1e99999999999999999999`, `1`, false},
		{`[1,2]`, `[1.0,2.0]`, true},
		{`[1,2]`, `[2,1]`, false},
		{`[1,2]`, `[1]`, false},
		{`[]`, `{}`, false},
		{`{"x":1,"y":[2]}`, ` { "y" : [ 2 ] , "x" : 1 } `, true},
		{`{"x":1}`, `{"x":1,"y":2}`, false},
		{`{"x":1}`, `{"\u0078":1}`, true},
		{`{"x":{"y":[{"z":1}]}}`, `{"x":{"y":[{"z":1e0}]}}`, true},
	} {
		for _, pair := range [][2]string{{c.a, c.b}, {c.b, c.a}} {
			t.Run(pair[0]+" "+pair[1], func(t *testing.T) {
				t.Parallel()
				document := `{"v":` + pair[0] + `}`
				want := failed
				if c.same {
					want = patchCase{document: document}.compact(t)
				}
				patchCase{document: document, patch: `[{"op":"test","path":"/v","value":` + pair[1] + `}]`, want: want}.run(t)
			})
		}
	}
	for _, c := range []patchCase{
		{"null is not absent", `{"a":1}`, `[{"op":"test","path":"/b","value":null}]`, failed},
		{"nothing is at the end", `{"l":[1]}`, `[{"op":"test","path":"/l/-","value":null}]`, failed},
		{"nothing is at the end of nothing", `{"l":[]}`, `[{"op":"test","path":"/l/0","value":null}]`, failed},
		{"a leading zero", `{"l":[1]}`, `[{"op":"test","path":"/l/00","value":1}]`, failed},
		{"an index", `{"l":[1,2]}`, `[{"op":"test","path":"/l/1","value":2}]`, `{"l":[1,2]}`},
		{"the whole document", `{"a":1,"b":2}`, `[{"op":"test","path":"","value":{"b":2,"a":1}}]`, `{"a":1,"b":2}`},
		{"another document", `{"a":1}`, `[{"op":"test","path":"","value":{"a":2}}]`, failed},
		{"a removed document", `{"a":1}`, `[{"op":"remove","path":""},{"op":"test","path":"","value":null}]`, failed},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.run(t)
		})
	}
}

func (c patchCase) compact(t *testing.T) string {
	t.Helper()
	var out strings.Builder
	quoted := false
	for i := range len(c.document) {
		if c.document[i] == '"' {
			quoted = !quoted
		}
		if quoted || c.document[i] != ' ' {
			out.WriteByte(c.document[i])
		}
	}
	return out.String()
}

// RFC 6901, sections 3 to 5.
func TestPatchPointers(t *testing.T) {
	t.Parallel()
	const document = `{"":{"":1},"a/b":2,"m~n":3,"c%d":4," ":5,"k\"l":6,"~1":7,"é":8,"g|h":9,"i\\j":10,"\u0000":11,"\ud83d\ude00":12,"<":13,"A":14}`
	for pointer, value := range map[string]string{
		"/": `{"":1}`, "//": "1", "/a~1b": "2", "/m~0n": "3", "/c%d": "4", "/ ": "5", `/k\"l`: "6", "/~01": "7",
		"/é": "8", "/g|h": "9", `/i\\j`: "10", `/\u0000`: "11", "/😀": "12", "/<": "13", "/A": "14",
	} {
		t.Run(pointer, func(t *testing.T) {
			t.Parallel()
			patchCase{document: document, want: document, patch: `[{"op":"test","path":"` + pointer + `","value":` + value + `}]`}.run(t)
			replaced := strings.Replace(document, ":"+value, ":true", 1)
			patchCase{document: document, want: replaced, patch: `[{"op":"replace","path":"` + pointer + `","value":true},{"op":"test","path":"` + pointer + `","value":true}]`}.run(t)
		})
	}
	for _, missing := range []string{"/a", "/a/b", "/m", "/m~1n", "/~1", "/c%25d", "/a~1B", "///", "/é/"} {
		t.Run("missing "+missing, func(t *testing.T) {
			t.Parallel()
			patchCase{document: document, want: failed, patch: `[{"op":"remove","path":"` + missing + `"}]`}.run(t)
		})
	}
	for _, c := range []patchCase{
		{"add an empty name", `{}`, `[{"op":"add","path":"/","value":1}]`, `{"":1}`},
		{"add under an empty name", `{"":{}}`, `[{"op":"add","path":"//a","value":1}]`, `{"":{"a":1}}`},
		{"move an empty name", `{"":1}`, `[{"op":"move","from":"/","path":"/a"}]`, `{"a":1}`},
		{"copy an empty name", `{"":1}`, `[{"op":"copy","from":"/","path":"/a"}]`, `{"":1,"a":1}`},
		{"remove an empty name", `{"":1,"a":2}`, `[{"op":"remove","path":"/"}]`, `{"a":2}`},
		{"add a name with both escapes", `{}`, `[{"op":"add","path":"/~0~1~01","value":1}]`, `{"~/~1":1}`},
		{"a name that HTML would escape", `{"a":1}`, `[{"op":"add","path":"/<&>","value":"<&>"}]`, `{"a":1,"<&>":"<&>"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.run(t)
		})
	}
}

func TestPatchKeepsText(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("1234567890", 4)
	for _, c := range []patchCase{
		{"digits", `{"z":1E22,"y":-0,"x":` + long + `,"a":1.50}`, `[{"op":"add","path":"/b","value":1.0e-07}]`, `{"z":1E22,"y":-0,"x":` + long + `,"a":1.50,"b":1.0e-07}`},
		{"digits of a copy", `{"a":[1.50,-0]}`, `[{"op":"copy","from":"/a","path":"/b"},{"op":"test","path":"/b/1","value":0}]`, `{"a":[1.50,-0],"b":[1.50,-0]}`},
		{"order", `{"z":{"y":1,"x":2,"w":3},"a":1}`, `[{"op":"replace","path":"/z/x","value":9},{"op":"test","path":"/z/x","value":9}]`, `{"z":{"y":1,"x":9,"w":3},"a":1}`},
		{"escapes", `{"a":"\u0000\u00e9\/<","b":1}`, `[{"op":"remove","path":"/b"}]`, `{"a":"\u0000\u00e9\/<"}`},
		{"names with half a pair", `{"\ud800":1,"\ud801":2,"a":3}`, `[{"op":"remove","path":"/a"}]`, `{"\ud800":1,"\ud801":2}`},
		{"names with escapes", `{"\u0061":1,"b":{"\u2028":2}," c ":3}`, `[{"op":"add","path":"/d","value":4},{"op":"remove","path":"/b"}]`, `{"\u0061":1," c ":3,"d":4}`},
		{"names with and without escapes", `{"\u0061":1,"b":{"a":2}}`, `[{"op":"add","path":"/b/d","value":4}]`, `{"\u0061":1,"b":{"a":2,"d":4}}`},
		{"names like aliases", `{"=":1,"=61":2,"+1":3}`, `[{"op":"move","from":"/=61","path":"/=62"}]`, `{"=":1,"+1":3,"=62":2}`},
		{"carriage returns", "{\"a\":\r[1\r,\r2]\r}", `[{"op":"remove","path":"/a/0"}]`, `{"a":[2]}`},
		{"white space", " {\n\t\"a\" : [ 1 , { \"b\" : 2 } ] } ", `[{"op":"replace","path":"/a/1/b","value": 3 }]`, `{"a":[1,{"b":3}]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.run(t)
		})
	}
}

// The message is for the author of the patch, and an error that names the operation names the member too.
func TestPatchErrors(t *testing.T) {
	t.Parallel()
	_, err := jsondoc.Apply(json.RawMessage(`{}`), patchOf(t, `[{"op":"add","path":"/a","value":1},{"op":"move","path":"/a","from":"b"}]`))
	var e *domain.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, []domain.Detail{{
		Code: domain.CodeValidation, Message: "is not a JSON Pointer", Location: "/1/from", LocationType: domain.LocationBody,
	}}, e.Details)

	_, err = jsondoc.Apply(json.RawMessage(`{}`), patchOf(t, `[{"op":"test","path":"/a","value":1}]`))
	require.ErrorAs(t, err, &e)
	require.Equal(t, domain.KindConflict, e.Kind)
	require.Equal(t, "a path of the patch does not exist", e.Message)
	require.ErrorContains(t, e.Cause, "operation 0")
}
