package availability

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A writer writes random expressions that are valid in syntax, and often enough in types, to find errors of the
// checker.
type writer struct{ *rand.Rand }

func (w writer) one(choices ...string) string { return choices[w.IntN(len(choices))] }

func (w writer) expression(depth int) string {
	if depth == 0 {
		return w.one(".", ".", ".tasks", ".process", ".state", ".createdAt", ".tasks.SIGN", ".tasks.NONE.state",
			".process.state", ".tasks.SIGN.lastModifiedAt", "now", "$x", "$y", `"2026-01-31T08:00:00Z"`, "null", "true", "false", "0", "1", "2.5", "[]",
			`"READY"`, `"2026-01-31"`, strconv.Itoa(w.IntN(1_000_000_000)))
	}
	part := func() string { return w.expression(w.IntN(depth)) }
	switch w.IntN(22) {
	case 18, 19:
		name, arguments, _ := strings.Cut(w.one(functionSignatures()...), "/")
		switch arguments {
		case "1":
			name += "(" + part() + ")"
		case "2":
			name += "(" + part() + "; " + part() + ")"
		case "3":
			name += "(0; 100; 3)"
		}
		return w.one("(.tasks | "+name+")", name, "("+part()+" | "+name+")", "("+part()+" | "+name+")")
	case 20:
		return w.one("(.tasks | to_entries)", `"<\(`+part()+`)>"`, "("+part()+")[1:]", "("+part()+")["+part()+"]", "("+part()+")[:3]",
			"(now | gmtime)", `(now | strftime("%c"))`, "range(10)", "group_by(.state)", `split("-")`)
	case 21:
		return "{key: " + part() + ", value: " + part() + ", (" + part() + "): 1}"
	case 14:
		return "(" + part() + " as " + w.one("$x", "$y") + " | " + part() + ")"
	case 15:
		return "{a: " + part() + ", b: " + part() + "}" + w.one(".a", ".b", " | .a", "")
	case 16:
		return "(" + part() + ")?"
	case 17:
		return w.one("fromdate", "todate", `test("^(A|B)+.*[0-9]$")`)
	case 0, 1:
		return "(" + part() + " | " + part() + ")"
	case 2:
		return "(" + part() + " " + w.one("==", "!=", "<", "<=", ">", ">=") + " " + part() + ")"
	case 3:
		return "(" + part() + " " + w.one("and", "or", "//", ",") + " " + part() + ")"
	case 4:
		return "(" + part() + " " + w.one("+", "-", "*", "/", "%") + " " + part() + ")"
	case 5:
		return "[" + part() + "]"
	case 6, 7:
		return w.one(".tasks[]", "("+part()+")[]", ".tasks[] | "+part())
	case 8:
		return w.one("any", "all", "length", "not", "keys", "-", "+") + w.one("", "", "("+part()+")")
	case 9, 10:
		return w.one(".tasks | ", "") + w.one("any", "all", "map", "select", "IN") + "(" + part() + ")"
	case 11:
		return w.one("any", "all") + "(" + part() + "; " + part() + ")"
	case 12:
		return w.one("has", "startswith", "endswith") + `("` + w.one("SIGN", "NONE", "2026", "READY") + `")`
	default:
		return "if " + part() + " then " + part() + w.one("", " else "+part(), " elif "+part()+" then "+part()) + " end"
	}
}

func TestRandomExpressions(t *testing.T) { //nolint:paralleltest // it counts what the whole program allocates
	w := writer{rand.New(rand.NewPCG(1, 2))}
	m := crowd()
	accepted, refusals := 0, map[string]int{}
	for range 12_000 {
		text := "${" + w.expression(4+w.IntN(5)) + w.one("", " == null", " | any", " and true") + "}"
		expression, err := Parse(text)
		if err != nil {
			var fault *Error
			require.ErrorAs(t, err, &fault, text)
			refusals[strings.Join(strings.Fields(fault.Message)[:2], " ")]++
			continue
		}
		accepted++
		holds(t, text, expression, m)
	}
	t.Logf("%d evaluated", accepted)
	require.Greater(t, accepted, 1000)
	require.Greater(t, len(refusals), 20)
}
