package availability

import (
	"context"
	"sync"
	"testing"

	"github.com/itchyny/gojq"
	"github.com/stretchr/testify/require"
)

func TestEvaluateFailsWhereTheModelDoesNotFit(t *testing.T) {
	t.Parallel()
	for expression, message := range map[string]string{
		`${ 1 / ((.tasks | length) - 5) > 0 }`:                "cannot divide",
		`${ 1 % ((.tasks | length) - 5) > 0 }`:                "cannot modulo",
		`${ .tasks.NONE.createdAt | startswith("2026") }`:     "startswith",
		`${ .tasks.NONE.createdAt | endswith("2026") }`:       "endswith",
		`${ .tasks.NONE.createdAt | fromdate > 0 }`:           "fromdate cannot be applied to null",
		`${ "soon" | fromdate > 0 }`:                          "it is not a time",
		`${ 99999999 * 999999 | todate == "2026" }`:           "out of range",
		`${ .tasks.NONE.state | test("R") }`:                  "test cannot be applied to null",
		`${ if .tasks.NONE == null then null else true end }`: "the result is of type null, not boolean",
	} {
		parsed, err := Parse(expression)
		require.NoError(t, err, expression)
		result, err := parsed.Evaluate(t.Context(), sample())
		require.False(t, result, expression)
		require.ErrorContains(t, err, "evaluating the availability expression: ", expression)
		require.ErrorContains(t, err, message, expression)
	}
}

// If the checker ever accepts such an expression, it must still not yield a result.
func TestEvaluateWantsOneBoolean(t *testing.T) {
	t.Parallel()
	for text, message := range map[string]string{
		`empty`:            "there is no result",
		`true, true`:       "there is more than one result",
		`true, error("x")`: "there is more than one result",
		`error("x")`:       "x",
		`.process.state`:   "the result is of type string, not boolean",
	} {
		query, err := gojq.Parse(text)
		require.NoError(t, err)
		code, err := gojq.Compile(query, newChecker("", nil).compilerOptions()...)
		require.NoError(t, err)
		result, err := (&Expression{code: code}).Evaluate(t.Context(), sample())
		require.ErrorContains(t, err, message, text)
		require.False(t, result)
	}
}

func TestEvaluateEndsWithTheContext(t *testing.T) {
	t.Parallel()
	expression, err := Parse(`${ .tasks | all(.state != null) }`)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	result, err := expression.Evaluate(ctx, sample())
	require.NoError(t, err)
	require.True(t, result)
	cancel()
	result, err = expression.Evaluate(ctx, sample())
	require.ErrorIs(t, err, context.Canceled)
	require.False(t, result)
}

func TestEvaluateAtTheSameTime(t *testing.T) {
	t.Parallel()
	expression, err := Parse(`${ .tasks | keys | map(select(startswith("LOAN"))) | length == 1 }`)
	require.NoError(t, err)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			m := sample()
			for i := range 100 {
				if i == 50 {
					delete(m.Tasks, "LOAN_APPLICATION")
				}
				result, err := expression.Evaluate(t.Context(), m)
				if err != nil || result != (i < 50) {
					t.Errorf("evaluation %d: %v, %v", i, result, err)
				}
			}
		})
	}
	group.Wait()
}

func TestEvaluateWithoutTasks(t *testing.T) {
	t.Parallel()
	expression, err := Parse(`${ (.tasks | length) == 0 and .tasks.SIGN == null and (.tasks | all(.state == "READY")) }`)
	require.NoError(t, err)
	result, err := expression.Evaluate(t.Context(), Model{})
	require.NoError(t, err)
	require.True(t, result)
}

func BenchmarkEvaluate(b *testing.B) {
	for name, text := range map[string]string{
		"process": `${ .process.state == "RUNNING" }`,
		"task":    `${ .tasks.LOAN_APPLICATION.state == "COMPLETED" }`,
		"any":     `${ .tasks | any(.state == "READY") }`,
		"both":    `${ (.tasks | length) > 2 and .process.createdAt < "2027-01-01T00:00:00Z" and (.tasks | any(.state == "READY")) }`,
		"count":   `${ ([.tasks[] | select(.state == "COMPLETED")] | length) >= 2 }`,
	} {
		b.Run(name, func(b *testing.B) {
			expression, err := Parse(text)
			require.NoError(b, err)
			m := sample()
			b.ReportAllocs()
			for b.Loop() {
				if result, err := expression.Evaluate(b.Context(), m); err != nil || !result {
					b.Fatal(result, err)
				}
			}
		})
	}
}

func BenchmarkParse(b *testing.B) {
	for b.Loop() {
		if _, err := Parse(`${ (.tasks | length) > 2 and .process.createdAt < "2027-01-01T00:00:00Z" }`); err != nil {
			b.Fatal(err)
		}
	}
}
