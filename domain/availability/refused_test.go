package availability

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRefusedConstructs(t *testing.T) { //nolint:funlen // most of it is a table
	t.Parallel()
	for _, test := range []struct {
		expression string
		column     int
		message    string
	}{
		// the frame
		{``, 1, "begins with ${"},
		{`.process.state == "RUNNING"`, 1, "begins with ${"},
		{`  { true }`, 3, "begins with ${"},
		{`${ true`, 8, "ends with }"},
		{`${`, 3, "ends with }"},
		{`${}`, 3, "the expression is empty"},
		{`${   }`, 6, "the expression is empty"},
		{"${ \"\xff\" == \"\" }", 1, "not valid UTF-8"},
		{`${ true }` + strings.Repeat(" ", MaxLength), 1, "longer than 4096 bytes"},

		// syntax
		{`${ .process.state = = "x" }`, 21, "unexpected token"},
		{`${ .process.state == }`, 22, "unexpected EOF"},
		{`${ true } }`, 9, "unexpected token"},
		{`${ (true }`, 10, "unexpected EOF"},
		{`${ "ä" === "a" }`, 10, "unexpected token"},
		{`${ "abc }`, 9, "unterminated string"},
		{`${ "\q" == "q" }`, 5, "invalid escape sequence"},
		{`${ 1a == 1 }`, 4, "invalid token"},
		{`${ ~true }`, 4, "unexpected token"},
		{"${ true # not\n }", 9, "comments are not allowed"},

		// size
		{`${ ` + strings.Repeat("(", 33) + `true` + strings.Repeat(")", 33) + ` }`, 36, "nests deeper than 32"},
		{`${ ` + strings.Repeat("if true then ", 33) + `true` + strings.Repeat(" end", 33) + ` }`, 420, "nests deeper than 32"},
		{`${ true` + strings.Repeat("|not", 256) + ` }`, 1029, "more than 512 words"},
		{`${ .tasks | any(` + strings.Repeat(".state == null or ", 12) + `true) }`, 153, "too many steps"},

		// language
		{`${ def f: true; f }`, 4, "def is not allowed"},
		{`${ true | def f: true; f }`, 11, "def is not allowed"},
		{`${ import "a" as a; true }`, 4, "import is not allowed"},
		{`${ include "a"; true }`, 4, "include is not allowed"},
		{`${ module {}; true }`, 4, "module is not allowed"},
		{`${ .process as {state: $s} | true }`, 13, "after as there is one variable"},
		{`${ .process as [$p] ?// $p | true }`, 13, "after as there is one variable"},
		{`${ 1 as $__now | now > 0 }`, 9, "does not begin with $__"},
		{`${ (1 as $x | true) and $x == 1 }`, 25, "there is no such variable"},
		{`${ true and $ENV.HOME == "" }`, 13, "$ENV is not allowed"},
		{`${ $__loc__ == null }`, 4, "$__loc__ is not allowed"},
		{`${ $a::b }`, 4, "$a::b is not allowed"},
		{`${ reduce .tasks[] as $t (true; true) }`, 4, "reduce is not allowed"},
		{`${ foreach .tasks[] as $t (true; true) }`, 4, "foreach is not allowed"},
		{`${ label $out | break $out }`, 4, "label is not allowed"},
		{`${ break $out }`, 4, "break is not allowed"},
		{`${ try true catch false }`, 4, "try is not allowed"},
		{`${ (1 / 2)? == 2 }`, 13, "both sides of == must be exactly one value"},
		{`${ true, .. }`, 10, ".. is not allowed"},
		{`${ {a: 1} == {a: 1} }`, 11, "this is an object"},
		{`${ {a: {b: 1}} == null }`, 5, "no other object"},
		{`${ {a: (1, 2)} == null }`, 5, "exactly one value"},
		{`${ {(.process.state): 1} == null }`, 4, "written as name: value"},
		{`${ 1 as $x | {$x} == null }`, 14, "written as name: value"},
		{`${ {a: 1}.b == null }`, 10, `an object has no field "b"`},
		{`${ [{a: 1}] | length == 1 }`, 4, "not an object"},
		{`${ @base64 == "" }`, 4, "@base64 is not allowed"},
		{`${ @json "x" == "" }`, 4, "@json is not allowed"},
		{`${ "a" == "\(.process.state)b" }`, 11, "a text cannot have an expression in it"},
		{`${ .tasks."\(.process.state)" == null }`, 11, "a text cannot have an expression in it"},
		{`${ .tasks["\(.process.state)"] == null }`, 10, "an index is a text in quotes"},
		{`${ .process.state = "x" }`, 19, "= is not allowed"},
		{`${ .process.state |= "x" }`, 19, "|= is not allowed"},
		{`${ .process.state += "x" }`, 19, "+= is not allowed"},
		{`${ .process.state -= "x" }`, 19, "-= is not allowed"},
		{`${ .process.state *= "x" }`, 19, "*= is not allowed"},
		{`${ .process.state /= "x" }`, 19, "/= is not allowed"},
		{`${ .process.state %= "x" }`, 19, "%= is not allowed"},
		{`${ .process.state //= "x" }`, 19, "//= is not allowed"},
		{`${ .process.state | match("R") }`, 21, "match is not allowed: the functions are"},
		{`${ .process.state | test(.) }`, 21, "test is for a text, and a pattern in quotes"},
		{`${ "R" as $p | .process.state | test($p) }`, 33, "test is for a text, and a pattern in quotes"},
		{`${ 1 | test("1") }`, 8, "test is for a text, and a pattern in quotes"},
		{`${ .process.state | test("R"; "i") }`, 21, "test takes one argument"},
		{`${ .process.state | test("(") }`, 21, "the pattern is not RE2: error parsing regexp: missing closing )"},
		{`${ .process.state | test("(?=R)") }`, 21, "the pattern is not RE2"},
		{`${ .process.state | test("` + strings.Repeat("é", 201) + `") }`, 21, "no more than 200 characters"},
		{`${ .process.state | test("(x{50}){50}") }`, 21, "the pattern is"},
		{`${ .tasks | any(.createdAt | test("x{150}")) }`, 30, "too many steps"},
		{`${ now(1) > 0 }`, 4, "now takes no arguments"},
		{`${ 1 | fromdate > 0 }`, 8, "fromdate is for a time, and this is a number"},
		{`${ .process.state | fromdate > 0 }`, 21, "fromdate is for a time"},
		{`${ "2026" | todate == "" }`, 13, "todate is for a number of seconds"},
		{`${ a::b }`, 4, "a::b is not allowed"},
		{`${ true == .process.state[0:1] }`, 26, "there are no slices"},

		// paths
		{`${ .case.state == "RUNNING" }`, 4, `no field "case"`},
		{`${ .process.status == "RUNNING" }`, 12, `no field "status"`},
		{`${ .tasks.SIGN.owner == null }`, 15, `no field "owner"`},
		{`${ .process["owner"] == null }`, 13, `no field "owner"`},
		{`${ .process.state.x == null }`, 18, `a process state has no field "x"`},
		{`${ null.x }`, 8, `null has no field "x"`},
		{`${ [1].x == null }`, 7, `an array has no field "x"`},
		{`${ .tasks[.process.state] == null }`, 10, "an index is a text in quotes"},
		{`${ .tasks[0] == null }`, 10, "an index is a text in quotes"},
		{`${ .tasks["A", "B"] == null }`, 10, "an index is a text in quotes"},
		{`${ .process[] == null }`, 12, "only tasks and arrays have elements, and this is the process"},
		{`${ .tasks.SIGN[] == null }`, 15, "this is null or a task"},

		// comparisons
		{`${ .process.state == "DONE" }`, 19, `"DONE" is not a process state`},
		{`${ "READY" == .process.state }`, 12, `"READY" is not a process state`},
		{`${ .tasks.SIGN.state == "RUNNING" }`, 22, `"RUNNING" is not a task state`},
		{`${ .tasks | any(.state == "Ready") }`, 24, `"Ready" is not a task state`},
		{`${ .process.state | IN("RUNNING", "DONE") }`, 21, `"DONE" is not a process state`},
		{`${ .process.createdAt < "31.01.2026" }`, 23, "cannot be compared with a time"},
		{`${ .process.createdAt < "2026-01-31T08:00:00" }`, 23, "cannot be compared with a time"},
		{`${ .tasks == .tasks }`, 11, "this is the tasks"},
		{`${ .tasks.SIGN == .tasks.NOTIFY }`, 16, "this is null or a task"},
		{`${ [1] == [1] }`, 8, "this is an array"},
		{`${ .tasks[].state == .tasks[].state }`, 19, "both sides of == must be exactly one value"},
		{`${ .process.state == ("RUNNING", "COMPLETED") }`, 19, "exactly one value"},
		{`${ select(true) and true }`, 17, "exactly one value"},

		// arithmetic
		{`${ "a" + "b" == "ab" }`, 8, "+ is for numbers, and this is a text"},
		{`${ "a" * 1000000 == "a" }`, 8, "* is for numbers"},
		{`${ 1000000 * "a" == "a" }`, 12, "* is for numbers"},
		{`${ "a,b" / "," == null }`, 10, "/ is for numbers"},
		{`${ [1] + [2] | any }`, 8, "+ is for numbers"},
		{`${ [1] - [2] | any }`, 8, "- is for numbers"},
		{`${ 1 + null == 1 }`, 6, "this is null"},
		{`${ -"a" == null }`, 4, "- is for one number"},
		{`${ 1e3 == 1000 }`, 4, "no exponent"},
		{`${ 1234567890123456 == 0 }`, 4, "no more than 15 digits"},
		{`${ 99999999999999 * 99999999999999 > 0 }`, 19, "the result of * may grow too large"},
		{`${ 9 | . * . | . * . | . * . | . * . | . * . | . * . > 0 }`, 34, "the result of * may grow too large"},

		// functions
		{`${ not(true) }`, 4, "not takes no arguments"},
		{`${ .tasks | length(1) == 1 }`, 13, "length takes no arguments"},
		{`${ .tasks | any(1; 2; 3) }`, 13, "no more than two arguments"},
		{`${ .tasks | map == null }`, 13, "map takes one argument"},
		{`${ .process | length == 3 }`, 15, "length is for tasks, arrays and texts"},
		{`${ 1 | length == 1 }`, 8, "length is for tasks, arrays and texts"},
		{`${ .process | keys | any }`, 15, "keys is for tasks"},
		{`${ .process | has("state") }`, 15, "has is for tasks"},
		{`${ .tasks | has(1) }`, 13, "has is for tasks"},
		{`${ .tasks | has("A", "B") }`, 13, "has is for tasks"},
		{`${ 1 | startswith("1") }`, 8, "startswith is for a text"},
		{`${ .process.state | startswith(.process) }`, 32, "has no field"},
		{`${ .process.state | endswith(.) }`, 21, "endswith is for a text, and a text in quotes"},
		{`${ .tasks | IN(1) }`, 13, "IN is for texts"},
		{`${ 1 | IN([1]) }`, 8, "IN is for texts"},
		{`${ .process | any }`, 15, "only tasks and arrays have elements"},
		{`${ .tasks | any(.state, .state) }`, 13, "the condition of any must be exactly one value"},
		{`${ .tasks | map(select(true, true)) | any }`, 28, "the condition of select must be exactly one value"},
		{`${ if true, true then true else false end }`, 11, "a condition must be exactly one value"},
		{`${ if true then true elif true, true then true else true end }`, 31, "a condition must be exactly one value"},
		{`${ [[1]] | any }`, 4, "an array has texts, numbers, booleans, null or tasks in it, not an array"},
		{`${ [.] | any }`, 4, "not the whole model"},

		// the result
		{`${ .process.state }`, 4, "the result is never true or false: it is a process state"},
		{`${   . }`, 6, "it is the whole model"},
		{`${ .tasks | length }`, 4, "it is a number"},
		{`${ true, false }`, 4, "no result or several"},
		{`${ .tasks[] | .state == "READY" }`, 4, "no result or several"},
		{`${ select(.process.state == "RUNNING") | true }`, 4, "no result or several"},
	} {
		expression, err := Parse(test.expression)
		require.Nil(t, expression, test.expression)
		var refused *Error
		require.ErrorAs(t, err, &refused, test.expression)
		require.Contains(t, refused.Message, test.message, test.expression)
		require.Equal(t, test.column, refused.Column, "%s: %s", test.expression, refused.Message)
	}
}

func TestErrorSaysWhere(t *testing.T) {
	t.Parallel()
	_, err := Parse(`${ env > 0 }`)
	require.EqualError(t, err, "column 4: env is not allowed: "+allowedFunctions)
}
