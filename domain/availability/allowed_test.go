package availability

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAllowedConstructs(t *testing.T) { //nolint:funlen // most of it is a table
	t.Parallel()
	for _, test := range []struct {
		expression string
		expected   bool
	}{
		// expressions of administrators
		{`${ .process.state == "RUNNING" }`, true},
		{`${ .tasks.LOAN_APPLICATION.state == "COMPLETED" }`, true},
		{`${ .tasks | any(.state == "READY") }`, true},
		{`${ (.tasks | length) > 2 and .process.createdAt < "2027-01-01T00:00:00Z" }`, true},
		{`${ .tasks["A-B"].state != null }`, true},
		{`${ .process.state == "RUNNING" and (.tasks.APPROVE_LOAN.state | IN("READY", "CLAIMED")) }`, true},
		{`${ ([.tasks[] | select(.state == "COMPLETED")] | length) >= 2 }`, true},
		{`${ .tasks | map(select(.state == "COMPLETED")) | length == 2 }`, true},
		{`${ .tasks.SIGN.lastModifiedAt > .tasks.LOAN_APPLICATION.createdAt }`, true},
		{`${ if .process.state == "RUNNING" then .tasks.NONE == null else false end }`, true},

		// the frame
		{"${true}", true},
		{" \n\t${\n  false\n}\r\n", false},
		{`${ "}" == "}" }`, true},

		// paths
		{`${ . != null }`, true},
		{`${ .process != null }`, true},
		{`${ .process | .state == "RUNNING" }`, true},
		{`${ .["process"]["state"] == "RUNNING" }`, true},
		{`${ ."process"."state" == "RUNNING" }`, true},
		{`${ .process.["state"] == "RUNNING" }`, true},
		{`${ (.process).lastModifiedAt == "2026-01-31T09:00:00.25Z" }`, true},
		{`${ .tasks.NONE == null }`, true},
		{`${ .tasks.NONE.state == null }`, true},
		{`${ .tasks.NONE.state == "READY" }`, false},
		{`${ (if .tasks.NONE == null then .process else .tasks.NONE end).state == "RUNNING" }`, true},

		// literals and comparisons
		{`${ null == null }`, true},
		{`${ 1 == 1.0 }`, true},
		{`${ 1 != 2 }`, true},
		{`${ .5 < 1 }`, true},
		{`${ 2 <= 1 }`, false},
		{`${ 2 > 1 }`, true},
		{`${ 2 >= 3 }`, false},
		{`${ "a\u0062\"" == "ab\"" }`, true},
		{`${ "ä" > "z" }`, true},
		{`${ .process.createdAt >= "2026-01-31" }`, true},
		{`${ .process.createdAt < "2026-01" }`, false},
		{`${ .process.createdAt > "2026" }`, true},
		{`${ .process.createdAt == "2026-01-31T08:00:00Z" }`, true},
		{`${ .tasks.NONE.createdAt < "2026-01-31" }`, true},

		// logic
		{`${ true and false }`, false},
		{`${ true or false }`, true},
		{`${ true | not }`, false},
		{`${ if (true or false) | null then .tasks.NONE else .process end | .state == "RUNNING" }`, true},
		{`${ 1 as $x | if (.tasks.NONE or true) | $x then .process else .tasks.NONE end | .state == "RUNNING" }`, true},
		{`${ .tasks.SIGN and (.tasks.NONE | not) }`, true},
		{`${ (.tasks.NONE.state // "READY") == "READY" }`, true},
		{`${ (.tasks.SIGN.state // "READY") == "READY" }`, false},
		{`${ null // true }`, true},
		{`${ if 1 > 2 then false elif 1 > 3 then false else true end }`, true},
		{`${ true | if 1 > 2 then false end }`, true},

		// numbers
		{`${ 1 + 2 * 3 - 4 / 2 == 5 }`, true},
		{`${ 7 % 4 == 3 }`, true},
		{`${ -(1) == -1 and +1 == 1 }`, true},
		{`${ (.tasks | length) * 100 / 3 > 166 }`, true},
		{`${ 999999999999999 + 1 > 999999999999999 }`, true},

		// arrays and iteration
		{`${ [] | length == 0 }`, true},
		{`${ [1, 2, 3] | length == 3 }`, true},
		{`${ [.tasks[].state] | any(. == "READY") }`, true},
		{`${ [.tasks | .[] | .state] | all(. == "READY") }`, false},
		{`${ ["A", "B"] | any(. == "B") }`, true},
		{`${ [[1, 2][] | . + 1] | all(. > 1) }`, true},

		// times, with their fractions and whatever the offset
		{`${ .process.lastModifiedAt > "2026-01-31T09:00:00Z" }`, true},
		{`${ .process.lastModifiedAt == "2026-01-31T10:00:00.250000+01:00" }`, true},
		{`${ .process.lastModifiedAt | IN("2026-01-31T09:00:00.25Z") }`, true},
		{`${ (.tasks.NONE.createdAt // "2026-01-31T09:00:00.25Z") == .process.lastModifiedAt }`, true},
		{`${ now == 1769853600.5 }`, true},
		{`${ (now | todate) == "2026-01-31T10:00:00.5Z" }`, true},
		{`${ .process.lastModifiedAt < (now - 3600 | todate) }`, true},
		{`${ now - (.process.lastModifiedAt | fromdate) == 3600.25 }`, true},
		{`${ (now - (.process.createdAt | fromdate)) / 86400 > 1 }`, false},
		{`${ .process.createdAt | fromdate | todate == "2026-01-31T08:00:00Z" }`, true},
		{`${ "2026-01-31T09:00:00+01:00" | fromdate == 1769846400 }`, true},

		// variables
		{`${ .process.createdAt as $start | .tasks | all(.createdAt >= $start) }`, true},
		{`${ .tasks as $t | $t.SIGN.state == "COMPLETED" and ($t | length) == 5 }`, true},
		{`${ 1 as $x | 2 as $y | (3 as $x | $x + $y) + $x == 6 }`, true},
		{`${ [(1, 2) as $x | $x + 1] | all(. > 1) }`, true},

		// failures and objects
		{`${ .tasks.SIGN?.state == "COMPLETED" }`, true},
		{`${ [.tasks[]?] | length == 5 }`, true},
		{`${ ((.tasks.NONE.createdAt | fromdate)? // 0) == 0 }`, true},
		{`${ (1 / ((.tasks | length) - 5) > 0)? // true }`, true},
		{`${ {a: .process.state, "b": (.tasks | length)} | .a == "RUNNING" and .b == 5 }`, true},
		{`${ (if true then {a: 1} else {b: 2} end).b == null }`, true},

		// functions
		{`${ .tasks | keys | any(test("^LOAN_")) }`, true},
		{`${ .tasks | keys | map(select(test("(?i)[_-](b|loan)$"))) | length == 2 }`, true},
		{`${ .process.createdAt | test("^\\d{4}-01") }`, true},
		{`${ .tasks | keys | any(test("_(LOAN|APPROVE|REVIEW)$")) }`, true},
		{`${ .tasks | keys | any(test("^(LOAN|APPROVE|REVIEW|DECIDE|SIGN|NOTIFY)_[A-Z]+_?[0-9]*$")) }`, true},
		{`${ any(.tasks[]; .state == "CANCELLED") }`, true},
		{`${ all(.tasks[]; .state == "CANCELLED") }`, false},
		{`${ any(.tasks.SIGN, .tasks.NONE; . == null) }`, true},
		{`${ .tasks | all(.createdAt >= "2026-01-31") }`, true},
		{`${ .tasks | map(.state == "READY") | any }`, true},
		{`${ [.process.state == "RUNNING", .tasks.NONE == null] | all }`, true},
		{`${ [] | any }`, false},
		{`${ [] | all }`, true},
		{`${ .tasks | length == 5 }`, true},
		{`${ .process.state | length == 7 }`, true},
		{`${ .tasks | has("A-B") and (has("NONE") | not) }`, true},
		{`${ .tasks | keys | any(startswith("LOAN_")) }`, true},
		{`${ .tasks | keys | length == 5 }`, true},
		{`${ .tasks | keys | map(select(endswith("_LOAN"))) | length == 1 }`, true},
		{`${ .process.createdAt | startswith("2026-01") }`, true},
		{`${ .process.createdAt | endswith("Z") }`, true},
		{`${ .process.state | IN("COMPLETED", "CANCELLED") }`, false},
		{`${ .tasks.NONE.state | IN(null) }`, true},
		{`${ 3 | IN(1, 2, 3) }`, true},
		{`${ [.tasks[] | select(.state == "READY" | not)] | length == 4 }`, true},
	} {
		expression, err := Parse(test.expression)
		require.NoError(t, err, test.expression)
		result, err := expression.Evaluate(t.Context(), sample())
		require.NoError(t, err, test.expression)
		require.Equal(t, test.expected, result, test.expression)
	}
}
