package availability

import (
	"errors"
	"strings"
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
	m := crowd(assumedTasks)
	f.Fuzz(func(t *testing.T, text string) {
		expression, err := Parse(text)
		if err != nil {
			var refused *Error
			require.ErrorAs(t, err, &refused)
			require.Nil(t, expression)
			require.NotEmpty(t, refused.Message)
			require.Positive(t, refused.Column)
			require.LessOrEqual(t, refused.Column, len(text)+1)
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
	bounded(t, text, func() { result, err = expression.Evaluate(m) })
	if err != nil {
		require.True(t, foreseen(err), "%s: %s", text, err)
	}

	all := &Expression{code: expression.code, needs: needs{every: true}}
	again, errAgain := all.Evaluate(m)
	require.Equal(t, result, again, text)
	require.Equal(t, err == nil, errAgain == nil, text)
}

// foreseen reports whether an evaluation failed by one of the operations that depend on values and not on types
// alone.
func foreseen(err error) bool {
	for cause := err; cause != nil; cause = errors.Unwrap(cause) {
		err = cause
	}
	for _, start := range []string{
		"cannot divide", "cannot modulo", "startswith(", "endswith(", "fromdate cannot", "todate cannot", "test cannot", "evaluating the availability expression: the result is of type",
	} {
		if strings.HasPrefix(err.Error(), start) {
			return true
		}
	}
	return false
}
