package availability

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// costly are the worst known calls of every function of the table, on a process with many tasks: $t are the tasks,
// $k their codes, $r the codes in the other direction, $s their times, $e entries and $long a long text.
var costly = map[string]string{
	"IN/1":              `$s | IN($s, $s)`,
	"IN/2":              `IN($k[:10][]; $r[:10][])`,
	"abs/0":             `-1.5 | abs`,
	"add/0":             `$k | add`,
	"all/0":             `$k | all`,
	"all/1":             `$k | all(. != null)`,
	"all/2":             `all($k[]; . != null)`,
	"any/0":             `$k | map(false) | any`,
	"any/1":             `$k | any(. == null)`,
	"any/2":             `any($k[]; . == null)`,
	"ascii_downcase/0":  `$long | ascii_downcase`,
	"ascii_upcase/0":    `$long | ascii_upcase`,
	"ceil/0":            `1.5 | ceil`,
	"contains/1":        `$s[:30] | contains($k[:30])`,
	"empty/0":           `empty`,
	"endswith/1":        `$long | endswith($long)`,
	"fabs/0":            `-1.5 | fabs`,
	"first/0":           `$k | first`,
	"first/1":           `first($k[] | select(. == ""))`,
	"flatten/0":         `[$k, $s] | flatten`,
	"floor/0":           `1.5 | floor`,
	"from_entries/0":    `$e | from_entries`,
	"fromdate/0":        `"2026-01-31T08:00:00.123456+01:00" | fromdate`,
	"fromdateiso8601/0": `"2026-01-31T08:00:00.123456+01:00" | fromdateiso8601`,
	"gmtime/0":          `now | gmtime`,
	"group_by/1":        `$r | group_by(.)`,
	"has/1":             `$t | has("TASK_0100")`,
	"in/1":              `"TASK_0100" | in($t)`,
	"index/1":           `"` + repeatText("a", 200) + `" | index("` + repeatText("a", 100) + `b")`,
	"indices/1":         `[$k, $k, $k] | indices([$k, $k])`,
	"inside/1":          `$s[:30] | inside($k[:30])`,
	"isempty/1":         `isempty($k[] | select(. == ""))`,
	"join/1":            `$k | join(",")`,
	"keys/0":            `$t | keys`,
	"last/0":            `$k | last`,
	"last/1":            `last($k[])`,
	"length/0":          `$long | length`,
	"ltrim/0":           `"` + repeatText(" ", 1000) + `" | ltrim`,
	"ltrimstr/1":        `$long | ltrimstr($long)`,
	"map/1":             `$k | map(., .)`,
	"map_values/1":      `$t | map_values(.)`,
	"max/0":             `$k | max`,
	"max_by/1":          `$k | max_by(.)`,
	"min/0":             `$r | min`,
	"min_by/1":          `$r | min_by(.)`,
	"mktime/0":          `[2026, 1, 2, 3, 4, 5, 6, 7] | mktime`,
	"not/0":             `not`,
	"now/0":             `now`,
	"nth/1":             `$k | nth(500)`,
	"range/1":           `range(1000)`,
	"range/2":           `range(0; 1000)`,
	"range/3":           `range(0; 1; 0.001)`,
	"reverse/0":         `$k | reverse`,
	"rindex/1":          `"` + repeatText("a", 200) + `" | rindex("b` + repeatText("a", 100) + `")`,
	"round/0":           `1.5 | round`,
	"rtrim/0":           `"` + repeatText(" ", 1000) + `" | rtrim`,
	"rtrimstr/1":        `$long | rtrimstr($long)`,
	"select/1":          `select(true, true, true)`,
	"sort/0":            `$r | sort`,
	"sort_by/1":         `$r | sort_by(., .)`,
	"split/1":           `$long | split("")`,
	"startswith/1":      `$long | startswith($long)`,
	"strftime/1":        `now | strftime("%A %B %c %D %j %G %V")`,
	"strptime/1":        `"2026-01-31T08:00:00Z" | strptime("%Y-%m-%dT%H:%M:%SZ")`,
	"test/1":            `$long | test("(a*)*b$")`,
	"test/2":            `$long | test("(a*)*B$"; "i")`,
	"to_entries/0":      `$t | to_entries`,
	"todate/0":          `now | todate`,
	"todateiso8601/0":   `now | todateiso8601`,
	"tonumber/0":        `"1234567.12345678" | tonumber`,
	"tostring/0":        `$s | tostring`,
	"trim/0":            `"` + repeatText(" ", 1000) + `" | trim`,
	"type/0":            `$t | type`,
	"unique/0":          `$r | unique`,
	"unique_by/1":       `$r | unique_by(.)`,
	"values/0":          `$t | values`,
	"with_entries/1":    `{a: $t.A, b: $t.B, c: 1, d: 2} | with_entries(.)`,
}

// operations are the worst known uses of the other constructs.
var operations = map[string]string{
	"comparison of arrays":  `$k == ($k[:1000])`,
	"comparison of objects": `$t == $t`,
	"comparison with none":  `$t == {}`,
	"interpolation":         `"\($k[:200])\(1)\($k[:200])"`,
	"slice of a text":       `$long[100:900]`,
	"slice of an array":     `$k[1:999]`,
	"sum of texts":          `$long + $long`,
	"sum of arrays":         `$k + $k`,
	"difference":            `$k[:30] - $r[:30]`,
	"object":                `{a: 1, b: 2, c: 3, ("d"): 4}`,
	"index of an object":    `$t[$k[0]]`,
	"product of streams":    `($k[:10][] == $r[:10][])`,
	"logic of streams":      `($k[:10][] and $r[:10][])`,
	"alternatives of test":  `$long | test("(aab|b|c)*$")`,
	"pattern of literals":   `$long | test("(aaaaaaaaaaaaaaaaaaaaaab|ba|c)")`,
	"pattern at the start":  `$long | test("^(aa)+(a|b)*b$")`,
	"long separator":        `$k[:500] | join($long)`,
	"optional":              `(1 / 0)?`,
	"alternatives":          `(null, null, null) // 1`,
}

func repeatText(text string, times int) string {
	var all []byte
	for range times {
		all = append(all, text...)
	}
	return string(all)
}

// fill returns the expression that repeats a call as often as the checker allows.
func fill(t *testing.T, call string) (string, int) {
	t.Helper()
	const frame = `${ .tasks as $t | ($t | keys) as $k | ($k | reverse) as $r | [$t[].createdAt] as $s | ` +
		`[{key: "a", value: 1}, {key: "b", value: 2}] as $e | "%s" as $long | [range(%d) | (%s)] | length >= 0 }`
	accepted, times := "", 0
	for step := 1 << 14; step > 0; step /= 2 {
		expression := fmt.Sprintf(frame, repeatText("a", 1000), times+step, call)
		if _, err := Parse(expression); err == nil {
			accepted, times = expression, times+step
		} else {
			require.ErrorContains(t, err, "too many steps", call)
		}
	}
	require.Positive(t, times, "%s is too costly", call)
	return accepted, times
}

// TestCostOfFunctions repeats every function as often as the checker allows, and requires that the evaluation
// stays within the bounds of all expressions.
func TestCostOfFunctions(t *testing.T) { //nolint:paralleltest // it counts the allocations of the whole program
	require.Equal(t, functionSignatures(), slices.Sorted(maps.Keys(costly)))
	m := crowd()
	calls := maps.Clone(costly)
	maps.Copy(calls, operations)
	for _, name := range slices.Sorted(maps.Keys(calls)) {
		expression, times := fill(t, calls[name])
		parsed, err := Parse(expression)
		require.NoError(t, err)
		requireBounded(t, fmt.Sprintf("%s: %d times", name, times), func() {
			_, err := parsed.Evaluate(t.Context(), m)
			require.NoError(t, err, name)
		})
	}
}
