package jsondoc_test

import (
	"testing"
)

// The situations that appendix A of RFC 6902 goes through, each with its
// neighbours.
func TestPatchSituations(t *testing.T) { //nolint:funlen // most of it is a table
	t.Parallel()
	for _, c := range []patchCase{
		// A.1, A.10, A.12: members.
		{"a member beside another", `{"kind":"loan"}`, `[{"op":"add","path":"/state","value":"new"}]`, `{"kind":"loan","state":"new"}`},
		{"the first member", `{}`, `[{"op":"add","path":"/a","value":true}]`, `{"a":true}`},
		{"a false member", `{}`, `[{"op":"add","path":"/a","value":false}]`, `{"a":false}`},
		{"an object with a member of its own", `{"a":1}`, `[{"op":"add","path":"/child","value":{"grandchild":{}}}]`, `{"a":1,"child":{"grandchild":{}}}`},
		{"a member of an object that the patch adds", `{}`, `[{"op":"add","path":"/a","value":{}},{"op":"add","path":"/a/b","value":{}},{"op":"add","path":"/a/b/c","value":[]},{"op":"add","path":"/a/b/c/-","value":1}]`, `{"a":{"b":{"c":[1]}}}`},
		{"no parent and no grandparent", `{"a":1}`, `[{"op":"add","path":"/b/c/d","value":1}]`, failed},
		{"a parent is not made", `{"a":{}}`, `[{"op":"add","path":"/a/b/c","value":1}]`, failed},
		{"a parent that is false", `{"a":false}`, `[{"op":"add","path":"/a/b","value":1}]`, failed},
		{"a parent that is empty text", `{"a":""}`, `[{"op":"add","path":"/a/","value":1}]`, failed},
		{"a name in another case", `{"Foo":1}`, `[{"op":"replace","path":"/foo","value":2}]`, failed},
		{"add of a name in another case", `{"Foo":1}`, `[{"op":"add","path":"/foo","value":2}]`, `{"Foo":1,"foo":2}`},
		{"add replaces another type", `{"a":[1,2]}`, `[{"op":"add","path":"/a","value":"x"}]`, `{"a":"x"}`},
		{"add under a trailing slash", `{"a":{}}`, `[{"op":"add","path":"/a/","value":1}]`, `{"a":{"":1}}`},
		{"a number as a name", `{"a":1}`, `[{"op":"add","path":"/0","value":"x"},{"op":"test","path":"/0","value":"x"}]`, `{"a":1,"0":"x"}`},
		{"an exponent as a name", `{"1e0":"x"}`, `[{"op":"test","path":"/1e0","value":"x"},{"op":"remove","path":"/1e0"}]`, `{}`},
		{"a minus as a name", `{"-1":"x"}`, `[{"op":"replace","path":"/-1","value":"y"}]`, `{"-1":"y"}`},
		{"names of other languages", `{}`, `[{"op":"add","path":"/__proto__","value":1},{"op":"add","path":"/constructor","value":{}},{"op":"add","path":"/constructor/prototype","value":2}]`, `{"__proto__":1,"constructor":{"prototype":2}}`},

		// A.2, A.16: elements.
		{"an element between two", `{"l":["a","c"]}`, `[{"op":"add","path":"/l/1","value":"b"}]`, `{"l":["a","b","c"]}`},
		{"an array as an element", `{"l":["a"]}`, `[{"op":"add","path":"/l/-","value":["b","c"]}]`, `{"l":["a",["b","c"]]}`},
		{"null as an element", `{"l":[]}`, `[{"op":"add","path":"/l/-","value":null},{"op":"add","path":"/l/0","value":null}]`, `{"l":[null,null]}`},
		{"elements one after the other", `{"l":[]}`, `[{"op":"add","path":"/l/0","value":1},{"op":"add","path":"/l/1","value":2},{"op":"add","path":"/l/2","value":3}]`, `{"l":[1,2,3]}`},
		{"an array within an array", `{"l":[1,[2]]}`, `[{"op":"add","path":"/l/1/0","value":0},{"op":"add","path":"/l/1/-","value":3}]`, `{"l":[1,[0,2,3]]}`},
		{"an object within an array", `{"l":[{},{}]}`, `[{"op":"add","path":"/l/1/a","value":[]}]`, `{"l":[{},{"a":[]}]}`},
		{"beyond the end by one", `{"l":["a","b"]}`, `[{"op":"add","path":"/l/3","value":"c"}]`, failed},
		{"the end by its length, as written", `{"l":["a","b"]}`, `[{"op":"add","path":"/l/length","value":"c"}]`, failed},
		{"a name for an element", `{"l":[1,2]}`, `[{"op":"add","path":"/l/bar","value":1}]`, failed},
		{"an index with a slash after it", `{"l":[1]}`, `[{"op":"add","path":"/l/0/","value":1}]`, failed},
		{"an index in hexadecimal", `{"l":[1,2]}`, `[{"op":"replace","path":"/l/0x1","value":1}]`, failed},
		{"an index beyond 32 bits", `{"l":[1]}`, `[{"op":"remove","path":"/l/4294967296"}]`, failed},

		// A.3, A.4: removals.
		{"a member goes and the others stay", `{"a":1,"b":2}`, `[{"op":"remove","path":"/a"}]`, `{"b":2}`},
		{"a member goes with what is in it", `{"a":{"b":[1,{"c":2}]},"d":3}`, `[{"op":"remove","path":"/a"}]`, `{"d":3}`},
		{"elements move up", `{"l":["a","b","c","d"]}`, `[{"op":"remove","path":"/l/1"},{"op":"remove","path":"/l/1"}]`, `{"l":["a","d"]}`},
		{"a member of an element", `{"l":[{"a":[1,2,3]},{"b":1}]}`, `[{"op":"remove","path":"/l/0/a/1"}]`, `{"l":[{"a":[1,3]},{"b":1}]}`},
		{"a second removal finds nothing", `{"a":1}`, `[{"op":"remove","path":"/a"},{"op":"remove","path":"/a"}]`, failed},
		{"a removal deep in nothing", `{"a":1}`, `[{"op":"remove","path":"/b/c"}]`, failed},
		{"a removal within a scalar", `{"a":1}`, `[{"op":"remove","path":"/a/b"}]`, failed},
		{"a removal by an exponent", `{"l":[1,2]}`, `[{"op":"remove","path":"/l/1e0"}]`, failed},
		{"a removal by a minus", `{"l":[1,2]}`, `[{"op":"remove","path":"/l/-1"}]`, failed},
		{"a removal from nothing", `{"l":[]}`, `[{"op":"remove","path":"/l/0"}]`, failed},

		// A.5: replacements.
		{"another type", `{"a":"x"}`, `[{"op":"replace","path":"/a","value":{"b":[null]}}]`, `{"a":{"b":[null]}}`},
		{"an element by an array", `{"l":["x","y"]}`, `[{"op":"replace","path":"/l/0","value":["z"]}]`, `{"l":[["z"],"y"]}`},
		{"a replacement of what was added", `{}`, `[{"op":"add","path":"/a","value":1},{"op":"replace","path":"/a","value":2}]`, `{"a":2}`},
		{"a replacement of what was removed", `{"a":1}`, `[{"op":"remove","path":"/a"},{"op":"replace","path":"/a","value":2}]`, failed},
		{"a replacement without a parent", `{"a":1}`, `[{"op":"replace","path":"/b/c","value":2}]`, failed},
		{"a replacement by an exponent", `{"l":[1]}`, `[{"op":"replace","path":"/l/0e0","value":2}]`, failed},
		{"an empty document replaced", `{}`, `[{"op":"replace","path":"","value":{"a":{"b":1}}},{"op":"remove","path":"/a/b"}]`, `{"a":{}}`},
		{"a document replaced by text", `{}`, `[{"op":"replace","path":"","value":"{}"}]`, failed},

		// A.6, A.7: moves.
		{"from one object into another", `{"a":{"x":1,"y":2},"b":{"z":3}}`, `[{"op":"move","from":"/a/y","path":"/b/y"}]`, `{"a":{"x":1},"b":{"z":3,"y":2}}`},
		{"an element to the end by its index", `{"l":["a","b","c","d"]}`, `[{"op":"move","from":"/l/1","path":"/l/3"}]`, `{"l":["a","c","d","b"]}`},
		{"an element to the front", `{"l":["a","b","c"]}`, `[{"op":"move","from":"/l/2","path":"/l/0"}]`, `{"l":["c","a","b"]}`},
		{"an element onto itself", `{"l":["a","b"]}`, `[{"op":"move","from":"/l/0","path":"/l/0"}]`, `{"l":["a","b"]}`},
		{"the document onto itself", `{"a":1}`, `[{"op":"move","from":"","path":""}]`, `{"a":1}`},
		{"a member into an array", `{"a":1,"l":[2]}`, `[{"op":"move","from":"/a","path":"/l/0"}]`, `{"l":[1,2]}`},
		{"an element out of an array", `{"l":[1,2]}`, `[{"op":"move","from":"/l/0","path":"/a"}]`, `{"l":[2],"a":1}`},
		{"an element into the one that takes its place", `{"l":[1,{"a":2}]}`, `[{"op":"move","from":"/l/0","path":"/l/0/b"}]`, failed},
		{"a move over its parent", `{"a":{"b":{"c":1}}}`, `[{"op":"move","from":"/a/b","path":"/a"}]`, `{"a":{"c":1}}`},
		{"a move from a leading zero", `{"l":[1,2]}`, `[{"op":"move","from":"/l/01","path":"/a"}]`, failed},
		{"there and back", `{"a":[1.50]}`, `[{"op":"move","from":"/a","path":"/b"},{"op":"move","from":"/b","path":"/a"}]`, `{"a":[1.50]}`},

		// Copies.
		{"a copy of an element elsewhere", `{"l":[1,{"x":[null]}],"o":{}}`, `[{"op":"copy","from":"/l/1","path":"/o/y"}]`, `{"l":[1,{"x":[null]}],"o":{"y":{"x":[null]}}}`},
		{"a copy to the end", `{"l":[1,2]}`, `[{"op":"copy","from":"/l/0","path":"/l/-"}]`, `{"l":[1,2,1]}`},
		{"a copy over its parent", `{"a":{"b":{"c":1}}}`, `[{"op":"copy","from":"/a/b","path":"/a"}]`, `{"a":{"c":1}}`},
		{"a copy from the end itself", `{"l":[1]}`, `[{"op":"copy","from":"/l/-","path":"/a"}]`, failed},
		{"the source stays as it was", `{"a":{"x":1}}`, `[{"op":"copy","from":"/a","path":"/b"},{"op":"remove","path":"/b/x"},{"op":"add","path":"/a/y","value":2}]`, `{"a":{"x":1,"y":2},"b":{}}`},

		// A.8, A.9, A.15: tests.
		{"tests that hold change nothing", `{"a":"x","l":["a",2,"c"]}`, `[{"op":"test","path":"/a","value":"x"},{"op":"test","path":"/l/1","value":2}]`, `{"a":"x","l":["a",2,"c"]}`},
		{"a test that does not hold", `{"a":"x"}`, `[{"op":"test","path":"/a","value":"y"}]`, failed},
		{"text is not a number", `{"~1":10}`, `[{"op":"test","path":"/~01","value":"10"}]`, failed},
		{"a test of what an operation before it did", `{"a":1}`, `[{"op":"replace","path":"/a","value":2},{"op":"test","path":"/a","value":2},{"op":"remove","path":"/a"}]`, `{}`},
		{"a test of what is removed", `{"a":null}`, `[{"op":"remove","path":"/a"},{"op":"test","path":"/a","value":null}]`, failed},
		{"a test within a scalar", `{"a":null}`, `[{"op":"test","path":"/a/b","value":null}]`, failed},
		{"a test of half a document", `{"a":1,"b":2}`, `[{"op":"test","path":"","value":{"a":1}}]`, failed},
		{"a test of an array that is longer", `{"l":[1,2]}`, `[{"op":"test","path":"/l","value":[1,2,null]}]`, failed},
		{"a test between a test and a change", `{"l":[null]}`, `[{"op":"test","path":"/l","value":[null]},{"op":"add","path":"/l/0","value":1},{"op":"test","path":"/l","value":[1,null]}]`, `{"l":[1,null]}`},

		// A.11, A.13: members of operations.
		{"an unknown member", `{"a":1}`, `[{"op":"add","path":"/b","value":2,"xyz":123,"":null}]`, `{"a":1,"b":2}`},
		{"the order of members", `{"a":1}`, `[{"value":2,"path":"/b","op":"add"}]`, `{"a":1,"b":2}`},
		{"a source where none is used", `{"a":1}`, `[{"op":"add","path":"/b","value":2,"from":"/nowhere"}]`, `{"a":1,"b":2}`},
		{"a value where none is used", `{"a":1}`, `[{"op":"copy","from":"/a","path":"/b","value":3},{"op":"move","from":"/a","path":"/c","value":4}]`, `{"b":1,"c":1}`},
		{"no operation at all", `{}`, `[{"op":"","path":"/a"}]`, malformed},
		{"an operation with a blank", `{}`, `[{"op":"add ","path":"/a","value":1}]`, malformed},
		{"a fragment is no pointer", `{"a":1}`, `[{"op":"remove","path":"#/a"}]`, malformed},
		{"a relative pointer is none", `{"a":1}`, `[{"op":"remove","path":"0/a"}]`, malformed},
		{"a tilde before a slash", `{"a":1}`, `[{"op":"add","path":"/~/a","value":1}]`, malformed},
		{"an empty source is the document", `{"a":1}`, `[{"op":"copy","from":"","path":"/b"}]`, `{"a":1,"b":{"a":1}}`},

		// A.14: escapes.
		{"a tilde and a one", `{"/":9,"~1":10}`, `[{"op":"test","path":"/~01","value":10},{"op":"test","path":"/~1","value":9}]`, `{"/":9,"~1":10}`},
		{"a tilde and a zero", `{"~":1,"~0":2}`, `[{"op":"replace","path":"/~00","value":3},{"op":"remove","path":"/~0"}]`, `{"~0":3}`},
		{"escapes in the source", `{"a/b":{"m~n":1}}`, `[{"op":"move","from":"/a~1b/m~0n","path":"/x~1~0y"}]`, `{"a/b":{},"x/~y":1}`},
		{"slashes only", `{"":{"":{"":1}}}`, `[{"op":"replace","path":"///","value":2}]`, `{"":{"":{"":2}}}`},

		// Section 5: a patch is atomic.
		{"the last of many fails", `{"l":[1,2,3]}`, `[{"op":"add","path":"/l/-","value":4},{"op":"move","from":"/l/0","path":"/a"},{"op":"copy","from":"/a","path":"/b"},{"op":"test","path":"/b","value":2}]`, failed},
		{"a failure after the document was replaced", `{"a":1}`, `[{"op":"replace","path":"","value":{"b":2}},{"op":"remove","path":"/a"}]`, failed},
		{"a failure is not made good later", `{"a":1}`, `[{"op":"remove","path":"/b"},{"op":"add","path":"/b","value":1}]`, failed},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.run(t)
		})
	}
}
