package availability

import (
	"errors"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzParse checks that Parse never panics, that a refusal has a place in the text, and that an accepted
// expression stays within the bounds on a process with a thousand tasks, fails only in the ways that the checker
// foresees, and has the same result as with the whole model.
func FuzzParse(f *testing.F) {
	for _, expression := range hostile() {
		if len(expression) < 200 {
			f.Add("${" + expression + "}")
		}
	}
	f.Add(`${ .process.state == "RUNNING" and (.tasks.SIGN.createdAt // "2026" | startswith("2026")) }`)
	f.Add(`${ [.tasks[] | select(.state | IN("READY", null)) | .["lastModifiedAt"] > "2026-01-31"] | all }`)
	f.Add(`${ if (.tasks | keys | length) % 2 == -1 then null elif .tasks | has("A-B") then .tasks.SIGN == null else 1 / 0 > .5 end }`)
	m := crowd()
	f.Fuzz(func(t *testing.T, text string) {
		expression, err := Parse(text)
		if err != nil {
			var fault *Error
			require.ErrorAs(t, err, &fault)
			require.Nil(t, expression)
			require.NotEmpty(t, fault.Message)
			require.Positive(t, fault.Column)
			require.LessOrEqual(t, fault.Column, len(text)+1)
			return
		}
		holds(t, text, expression, m)
	})
}

// holds requires the properties that the checker guarantees of an expression.
func holds(t *testing.T, text string, expression *Expression, m Model) {
	t.Helper()
	var result bool
	var err error
	requireBounded(t, text, func() { result, err = expression.Evaluate(t.Context(), m) })
	if err != nil {
		require.True(t, foreseen(err), "%s: %s", text, err)
	}

	all := &Expression{code: expression.code, needs: needs{every: true}}
	again, errAgain := all.Evaluate(t.Context(), m)
	require.Equal(t, result, again, text)
	require.Equal(t, err == nil, errAgain == nil, text)
}

// possibleFailures matches the errors of operations that depend on values and not on types alone: a divisor of zero,
// a text that is no time or no number, null where a task does not exist, and values that are one of several types.
var possibleFailures = regexp.MustCompile(`^cannot (divide|modulo) |^cannot (add|subtract|multiply|negate).*null|` +
	`^cannot iterate over: null|cannot be applied to:? null|but got: null|` +
	`^(fromdate|todate|strptime|tonumber|gmtime|strftime|mktime)\b.* cannot be applied|^(contains|has|join|add)\(|` +
	`evaluating the availability expression: the result is of type`)

// foreseen reports whether an evaluation failed in one of the possible ways.
func foreseen(err error) bool {
	for cause := err; cause != nil; cause = errors.Unwrap(cause) {
		err = cause
	}
	return possibleFailures.MatchString(err.Error())
}
