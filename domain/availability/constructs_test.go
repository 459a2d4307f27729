package availability

import (
	"testing"

	"github.com/stretchr/testify/require"
)

type example struct {
	expression string
	expected   bool
}

// constructs are two expressions or more of every construct, evaluated on the process of sample.
var constructs = map[string][]example{
	"all, any": {
		{`${ .tasks | to_entries | any(.value.state == "READY") }`, true},
		{`${ .process | all(length > 0) }`, true},
	},
	"to_entries": {
		{`${ .tasks | to_entries | map(.key) | index("SIGN") == 4 }`, true},
		{`${ [.tasks | to_entries[] | select(.value.state == "COMPLETED").key] == ["LOAN_APPLICATION", "SIGN"] }`, true},
		{`${ .process | to_entries | any(.value == "RUNNING") }`, true},
	},
	"with_entries": {
		{`${ .tasks | with_entries(select(.value.state == "CANCELLED")) | keys == ["A-B"] }`, true},
		{`${ .tasks | with_entries({key: .key, value: .value.state}) | .SIGN == "COMPLETED" }`, true},
		{`${ .tasks | with_entries(select(.key | startswith("X"))) == {} }`, true},
	},
	"from_entries": {
		{`${ [{key: "a", value: 1}] | from_entries | .a == 1 }`, true},
		{`${ .tasks | to_entries | map({key, value: .value.state}) | from_entries | .SIGN == "COMPLETED" }`, true},
	},
	"map_values": {
		{`${ .tasks | map_values(.state) | .SIGN == "COMPLETED" }`, true},
		{`${ .tasks | map_values(select(.state == "READY")) | length == 1 }`, true},
		{`${ [1, 2] | map_values(. + 1) == [2, 3] }`, true},
	},
	"contains": {
		{`${ [.tasks[].state] | contains(["READY"]) }`, true},
		{`${ .tasks | contains({SIGN: {state: "COMPLETED"}}) }`, true},
		{`${ .process.createdAt | contains("2026-01") }`, true},
	},
	"inside": {
		{`${ ["READY"] | inside([.]) | not }`, true},
		{`${ .process.state | inside("RUNNING or COMPLETED") }`, true},
		{`${ [.tasks.SIGN.state] - ["READY"] | inside(["COMPLETED"]) }`, true},
	},
	"index, rindex, indices": {
		{`${ [.tasks[].state] | index("READY") == 3 }`, true},
		{`${ .process.createdAt | index("T") == 10 }`, true},
		{`${ .process.createdAt | rindex("0") > 20 }`, true},
		{`${ [.tasks[].state] | indices("COMPLETED") | length == 2 }`, true},
	},
	"equality of arrays and objects": {
		{`${ .tasks == {} }`, false},
		{`${ .tasks != {} and [.tasks[] | select(.state == "NEVER"[0:5])] == [] }`, true},
		{`${ .tasks.SIGN == .tasks.SIGN }`, true},
		{`${ (.tasks | keys) == ["A-B", "APPROVE_LOAN", "LOAN_APPLICATION", "NOTIFY", "SIGN"] }`, true},
		{`${ [.process.createdAt] == ["2026-01-31T09:00:00+01:00"] }`, true},
	},
	"slices": {
		{`${ .process.createdAt[0:10] == "2026-01-31" }`, true},
		{`${ [.tasks[].state][:2] | length == 2 }`, true},
		{`${ .process.createdAt[11:13] | tonumber >= 8 }`, true},
	},
	"indexes of arrays": {
		{`${ [.tasks[].state][0] == "CANCELLED" }`, true},
		{`${ [.tasks[].state] | .[-1] == "COMPLETED" }`, true},
		{`${ .tasks as $t | ["SIGN", "LOAN_APPLICATION"] | all($t[.].state == "COMPLETED") }`, true},
	},
	"max, min, max_by, min_by": {
		{`${ [.tasks[].lastModifiedAt] | max > "2026-01-01" }`, true},
		{`${ ([.tasks[].createdAt] | min) == .process.createdAt }`, true},
		{`${ [.tasks[]] | max_by(.lastModifiedAt).state == "READY" }`, true},
		{`${ .tasks | to_entries | min_by(.value.lastModifiedAt).key == "A-B" }`, true},
	},
	"sort, sort_by, reverse": {
		{`${ [.tasks[].state] | sort | .[0] == "CANCELLED" }`, true},
		{`${ [.tasks[]] | sort_by(.createdAt) | last.state == "READY" }`, true},
		{`${ [1, 3, 2] | sort | reverse == [3, 2, 1] }`, true},
	},
	"unique, unique_by, group_by": {
		{`${ [.tasks[].state] | unique == ["CANCELLED", "CLAIMED", "COMPLETED", "READY"] }`, true},
		{`${ [.tasks[]] | unique_by(.state) | length == 4 }`, true},
		{`${ [.tasks[]] | group_by(.state) | map(length) | max == 2 }`, true},
	},
	"add": {
		{`${ [.tasks[] | if .state == "READY" then 1 else 0 end] | add == 1 }`, true},
		{`${ ["a", "b"] | add == "ab" }`, true},
		{`${ .tasks | map_values(1) | add == 5 }`, true},
	},
	"first, last, nth": {
		{`${ [.tasks[].state] | first == "CANCELLED" }`, true},
		{`${ [first(.tasks[] | select(.state == "READY"))] | length == 1 }`, true},
		{`${ [.tasks[].state] | last == nth(4) }`, true},
	},
	"isempty, empty, values": {
		{`${ isempty(.tasks[] | select(.state == "READY")) }`, false},
		{`${ isempty(empty) }`, true},
		{`${ [.tasks.NONE, .tasks.SIGN | values] | length == 1 }`, true},
	},
	"type": {
		{`${ .tasks | type == "object" }`, true},
		{`${ .tasks.NONE | type == "null" }`, true},
	},
	"in, has": {
		{`${ .tasks as $t | "SIGN" | in($t) }`, true},
		{`${ .process | has("state") }`, true},
		{`${ 1 | in([1]) }`, false},
		{`${ [.tasks | has("SIGN", "NONE")] == [true, false] }`, true},
	},
	"split, join": {
		{`${ .process.createdAt | split("T")[0] == "2026-01-31" }`, true},
		{`${ .tasks | keys | map(split("_")[0]) | join(",") == "A-B,APPROVE,LOAN,NOTIFY,SIGN" }`, true},
	},
	"ascii_downcase, ascii_upcase": {
		{`${ .process.state | ascii_downcase == "running" }`, true},
		{`${ ("sign" | ascii_upcase) as $code | .tasks[$code].state == "COMPLETED" }`, true},
	},
	"ltrimstr, rtrimstr, trim": {
		{`${ .tasks | keys | map(ltrimstr("LOAN_")) | index("APPLICATION") != null }`, true},
		{`${ .process.lastModifiedAt | rtrimstr("Z") | endswith("250000") }`, true},
		{`${ " a " | trim == "a" and ltrim == "a " and rtrim == " a" }`, true},
	},
	"tostring, tonumber": {
		{`${ .tasks | length | tostring == "5" }`, true},
		{`${ .process.createdAt[0:4] | tonumber == 2026 }`, true},
		{`${ [1, "a", null] | tostring == "[1,\"a\",null]" }`, true},
	},
	"interpolation": {
		{`${ "\(.process.state)-\(.tasks | length)" == "RUNNING-5" }`, true},
		{`${ "LOAN" as $prefix | .tasks["\($prefix)_APPLICATION"].state == "COMPLETED" }`, true},
		{`${ "a\("b\("c")d")e" == "abcde" }`, true},
	},
	"sums of texts and arrays": {
		{`${ .process.state + "!" == "RUNNING!" }`, true},
		{`${ ([1] + [2]) - [1] == [2] }`, true},
		{`${ (.tasks | keys) - ["SIGN", "NOTIFY"] | length == 3 }`, true},
	},
	"flags of test": {
		{`${ .process.state | test("run"; "i") }`, true},
		{`${ .tasks | keys | any(test("^sign$"; "i")) }`, true},
		{`${ .process.state | test("run"; "g") }`, false},
	},
	"fromdateiso8601, todateiso8601": {
		{`${ .process.createdAt | fromdateiso8601 == 1769846400 }`, true},
		{`${ (now | todateiso8601) == (now | todate) and (now | todate) > .process.createdAt }`, true},
		{`${ now - (.process.createdAt | fromdateiso8601) > 7200 }`, true},
	},
	"strptime, mktime": {
		{`${ .process.createdAt | strptime("%Y-%m-%dT%H:%M:%SZ") | mktime == 1769846400 }`, true},
		{`${ "31.01.2026" | strptime("%d.%m.%Y")[6] == 6 }`, true},
		{`${ now | gmtime | mktime == 1769853600 }`, true},
	},
	"strftime, gmtime": {
		{`${ now | strftime("%H:%M") >= "08:00" }`, true},
		{`${ now | strftime("%A") == "Saturday" }`, true},
		{`${ (now | gmtime)[3] == 10 }`, true},
		{`${ (now + 3600 | gmtime) as $t | $t[6] >= 1 and $t[6] <= 5 and $t[3] >= 8 and $t[3] < 17 }`, false},
	},
	"floor, ceil, round, fabs, abs": {
		{`${ (now | floor) == 1769853600 and (now | ceil) == 1769853601 }`, true},
		{`${ (-1.4 | round) == -1 and (-1.5 | fabs) == 1.5 and (-2 | abs) == 2 }`, true},
	},
	"flatten": {
		{`${ [[1, [2]], 3] | flatten == [1, 2, 3] }`, true},
		{`${ [[.tasks | keys], "X"] | flatten | length == 6 }`, true},
	},
	"range": {
		{`${ [range(3)] == [0, 1, 2] }`, true},
		{`${ [range(2; 4)] + [range(10; 0; -5)] == [2, 3, 10, 5] }`, true},
	},
	"IN": {
		{`${ IN(.tasks[].state; "READY", "CLAIMED") }`, true},
		{`${ .process.state | IN("RUNNING", "COMPLETED") }`, true},
		{`${ .tasks as $t | $t.SIGN | IN($t[]) }`, true},
	},
	"comparison with a stream": {
		{`${ any(.process.state == ("RUNNING", "COMPLETED"); .) }`, true},
		{`${ .tasks | any(.state == ("READY", "CLAIMED")) }`, true},
		{`${ [.tasks[] | select(.state == ("READY", "CLAIMED"))] | length == 2 }`, true},
		{`${ [.process.state == ("RUNNING", "COMPLETED")] | any }`, true},
	},
	"objects": {
		{`${ .process | {state, at: .createdAt[0:10]} == {state: "RUNNING", at: "2026-01-31"} }`, true},
		{`${ 1 as $x | {$x, (.process.state): 2} == {RUNNING: 2, x: 1} }`, true},
		{`${ {a: {b: [1]}}.a.b[0] == 1 }`, true},
	},
}

func TestConstructs(t *testing.T) {
	t.Parallel()
	for construct, examples := range constructs {
		require.GreaterOrEqual(t, len(examples), 2, construct)
		for _, test := range examples {
			expression, err := Parse(test.expression)
			require.NoError(t, err, test.expression)
			result, err := expression.Evaluate(t.Context(), sample())
			require.NoError(t, err, test.expression)
			require.Equal(t, test.expected, result, test.expression)
		}
	}
	require.Len(t, constructs, 35)
}
