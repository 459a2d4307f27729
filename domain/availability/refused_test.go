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
		{`${ true }` + strings.Repeat(" ", MaxLength), 1, "longer than 4000 characters"},

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
		{`${ .tasks | any(` + strings.Repeat(".state == null or ", 20) + `true) }`, 240, "too many steps"},

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
		{`${ (1 / 2)? == 2 }`, 4, "no result or several"},
		{`${ true, .. }`, 10, ".. is not allowed"},
		{`${ {a: (1, 2)} == null }`, 5, "exactly one value"},
		{`${ {a: 1}.b == null }`, 10, `an object has no field "b"`},
		{`${ @base64 == "" }`, 4, "@base64 is not allowed"},
		{`${ @json "x" == "" }`, 4, "@json is not allowed"},
		{`${ .process.state = "x" }`, 19, "= is not allowed"},
		{`${ .process.state |= "x" }`, 19, "|= is not allowed"},
		{`${ .process.state += "x" }`, 19, "+= is not allowed"},
		{`${ .process.state -= "x" }`, 19, "-= is not allowed"},
		{`${ .process.state *= "x" }`, 19, "*= is not allowed"},
		{`${ .process.state /= "x" }`, 19, "/= is not allowed"},
		{`${ .process.state %= "x" }`, 19, "%= is not allowed"},
		{`${ .process.state //= "x" }`, 19, "//= is not allowed"},
		{`${ .process.state | match("R") }`, 21, "match is not allowed: write test"},
		{`${ .process.state | test(.) }`, 21, "test takes a text in quotes"},
		{`${ "R" as $p | .process.state | test($p) }`, 33, "test takes a text in quotes"},
		{`${ 1 | test("1") }`, 8, "test is for a text, and this is a number"},
		{`${ .process.state | test("(") }`, 21, "the pattern is not RE2: error parsing regexp: missing closing )"},
		{`${ .process.state | test("(?=R)") }`, 21, "the pattern is not RE2"},
		{`${ .process.state | test("` + strings.Repeat("é", 201) + `") }`, 21, "no more than 200 characters"},
		{`${ .process.state | test("(x{50}){50}") }`, 21, "the pattern is"},
		{`${ .tasks | any(.createdAt | test("x{150}")) }`, 30, "too many steps"},
		{`${ now(1) > 0 }`, 4, "now takes no arguments"},
		{`${ 1 | fromdate > 0 }`, 8, "fromdate is for a text or a time, and this is a number"},
		{`${ .process.state | fromdate > 0 }`, 21, "fromdate is for a text or a time, and this is a process state"},
		{`${ "2026" | todate == "" }`, 13, "todate is for a number, and this is a text"},
		{`${ a::b }`, 4, "a::b is not a function"},

		// paths
		{`${ .case.state == "RUNNING" }`, 4, `no field "case"`},
		{`${ .process.status == "RUNNING" }`, 12, `no field "status"`},
		{`${ .tasks.SIGN.owner == null }`, 15, `no field "owner"`},
		{`${ .process["owner"] == null }`, 12, `no field "owner"`},
		{`${ .process.state.x == null }`, 18, `a process state has no field "x"`},
		{`${ null.x }`, 8, `null has no field "x"`},
		{`${ [1].x == null }`, 7, `an array has no field "x"`},
		{`${ .tasks[0] == null }`, 10, "an index is a text for an object or a number for an array, and these are a number and the tasks"},
		{`${ .tasks["A", "B"] == null }`, 10, "an index must be exactly one value"},
		{`${ .process.state[] == null }`, 18, "only arrays and objects have elements, and this is a process state"},

		// comparisons
		{`${ .process.state == "DONE" }`, 19, `"DONE" is not a process state`},
		{`${ "READY" == .process.state }`, 12, `"READY" is not a process state`},
		{`${ .tasks.SIGN.state == "RUNNING" }`, 22, `"RUNNING" is not a task state`},
		{`${ .tasks | any(.state == "Ready") }`, 24, `"Ready" is not a task state`},
		{`${ .process.state | IN("RUNNING", "DONE") }`, 21, `"DONE" is not a process state`},
		{`${ .process.createdAt < "31.01.2026" }`, 23, "cannot be compared with a time"},
		{`${ .process.createdAt < "2026-01-31T08:00:00" }`, 23, "cannot be compared with a time"},
		{`${ .tasks[].state == .tasks[].state }`, 19, "too many steps"},
		{`${ .process.state == ("RUNNING", "COMPLETED") }`, 4, "no result or several"},
		{`${ select(true) and true }`, 4, "no result or several"},

		// arithmetic
		{`${ "a" * 1000000 == "a" }`, 8, "* is for numbers"},
		{`${ 1000000 * "a" == "a" }`, 12, "* is for numbers"},
		{`${ "a,b" / "," == null }`, 10, "/ is for numbers"},
		{`${ 1 + null == 1 }`, 6, "this is null"},
		{`${ -"a" == null }`, 4, "- is for a number, and this is a text"},
		{`${ 1e3 == 1000 }`, 4, "no exponent"},
		{`${ 1234567890123456 == 0 }`, 4, "no more than 15 digits"},
		{`${ 99999999999999 * 99999999999999 > 0 }`, 19, "the result of * may grow too large"},
		{`${ 9 | . * . | . * . | . * . | . * . | . * . | . * . > 0 }`, 34, "the result of * may grow too large"},

		// functions
		{`${ not(true) }`, 4, "not takes no arguments"},
		{`${ .tasks | length(1) == 1 }`, 13, "length takes no arguments"},
		{`${ .tasks | any(1; 2; 3) }`, 13, "any takes no arguments or one argument or two arguments"},
		{`${ .tasks | map == null }`, 13, "map takes one argument"},
		{`${ 1 | length == 1 }`, 8, "length is for a text, an array or an object, and this is a number"},
		{`${ .tasks | has(1) }`, 13, "has is for the name of a member of an object"},
		{`${ .tasks | has("A", "B") }`, 4, "no result or several"},
		{`${ 1 | startswith("1") }`, 8, "startswith is for a text"},
		{`${ .process.state | startswith(.process) }`, 32, "has no field"},

		// the result
		{`${ .process.state }`, 4, "the result is a process state, never true or false"},
		{`${   . }`, 6, "the result is the whole model"},
		{`${ .tasks | length }`, 4, "the result is a number"},
		{`${ true, false }`, 4, "no result or several"},
		{`${ .tasks[] | .state == "READY" }`, 4, "no result or several"},
		{`${ select(.process.state == "RUNNING") | true }`, 4, "no result or several"},
	} {
		expression, err := Parse(test.expression)
		var fault *Error
		require.Nil(t, expression, test.expression)
		require.ErrorAs(t, err, &fault, test.expression)
		require.Contains(t, fault.Message, test.message, test.expression)
		require.Equal(t, test.column, fault.Column, "%s: %s", test.expression, fault.Message)
	}
}

func TestErrorSaysWhere(t *testing.T) {
	t.Parallel()
	_, err := Parse(`${ env > 0 }`)
	require.EqualError(t, err, "column 4: env is not a function of expressions: see docs/process-definitions.md")
}
