package availability

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// hostile returns expressions that must be refused or stay within the bounds.
func hostile() []string { //nolint:funlen // most of it is a table
	rep := strings.Repeat
	return []string{
		// growth of texts
		`"x" * 1000000000 == ""`,
		`1000000000 * "x" == ""`,
		`"x" * (.tasks | length) * 1000000 == ""`,
		`.process.state * 1e9 == ""`,
		`"x" | (. + .) | (. + .) | (. + .) | length > 0`,
		`"x"` + rep(`|.+.`, 40) + ` == ""`,
		`"x"` + rep(`|"\(.)\(.)"`, 40) + ` == ""`,
		`[.tasks[].state] | join("` + rep("x", 3000) + `") == ""`,
		`[limit(100000000; repeat("x"))] | add == ""`,
		`.tasks | tojson | length > 0`,
		`.tasks | tostring | ascii_downcase | explode | implode == ""`,
		`"x" | ltrimstr("a") | @base64 | @uri | @html == ""`,
		`"` + rep("a,", 1500) + `" / "," | length > 0`,
		`"` + rep("a,", 1500) + `" | split(",") | length > 0`,

		// growth of numbers
		`9` + rep(`|.*.`, 100) + ` > 0`,
		`999999999999999` + rep(` * 999999999999999`, 200) + ` > 0`,
		rep("9", 4000) + ` > 0`,
		`1e1000000000 > 0`,
		`pow(10; 1000000000) > 0`,
		`1 | exp10 | exp10 | exp10 > 0`,

		// growth of arrays and objects
		`[range(1000000000)] | length > 0`,
		`[range(1e9)] | any`,
		`any(range(1000000000); . < 0)`,
		`[1] * 1000000000 | any`,
		`null | .[1000000000] = 1 | length > 0`,
		`null | setpath([1000000000]; 1) | length > 0`,
		`[[.tasks[]], [.tasks[]]] | combinations | length > 0`,
		`[.tasks[] | [.tasks[]]] | flatten | length > 0`,
		`.tasks | to_entries | from_entries | with_entries(.) | length > 0`,
		`.tasks * .tasks * .tasks | length > 0`,
		`[.] | until(length > 100000000; . + .) | length > 0`,
		`[.]` + rep(`|[.,.]`, 30) + ` | any`,
		`[paths] | any`,
		`[leaf_paths, tostream] | any`,
		`.tasks | map([.,.,.,.]) | map(map([.,.,.,.])) | any`,
		`[.tasks[]` + rep(`, .tasks[]`, 100) + `] | length > 0`,
		`[.tasks | keys, keys] | any`,

		// cartesian products
		`.tasks[] == .tasks[]`,
		`[.tasks[].state == .tasks[].state] | any`,
		`[.tasks[].state < .tasks[].state and .tasks[].state < .tasks[].state] | any`,
		`.tasks as $t | .tasks | any(. as $x | $t | any(. == $x))`,
		`any(.tasks[] | (.,.,.,.) | (.,.,.,.) | (.,.,.,.); .state == "CANCELLED")`,
		`.tasks | keys | any(. == ("a", "b", "c"))`,
		`.tasks | keys | map((., .) | (., .) | (., .) | (., .) | (., .)) | any(. == "")`,
		`["a"` + rep(`,"a"`, 110) + `] | map(["a"` + rep(`,"a"`, 110) + `] | any(. == "b")) | any`,
		`.tasks | keys | any(IN("` + rep("a", 30) + `"` + rep(`, "b"`, 200) + `))`,
		`[(1,2,3)` + rep(`|(1,2,3)`, 25) + `] | any`,
		`if (true,true,true) and (true,true,true) and (true,true,true) then true else false end`,
		`any(.tasks[]; any(.tasks[]; any(.tasks[]; true)))`,
		`[.tasks[] | select(.state == "READY")] == [.tasks[] | select(.state == "READY")]`,

		// recursion and loops
		`def f: f; f`,
		`def f: f, f; [f] | any`,
		`def f(g): f(f(g)); f(.)`,
		`[recurse] | any`,
		`[recurse(.)] | any`,
		`[..] | any`,
		`.. == 1`,
		`[repeat(1)] | any`,
		`[while(true; .)] | any`,
		`until(false; .)`,
		`first(repeat(false))`,
		`[limit(1000000000; repeat(1))] | any`,
		`isempty(repeat(empty))`,
		`reduce range(1000000000) as $i (0; . + $i) > 0`,
		`foreach range(1000000000) as $i (0; . + $i) > 0`,
		`label $out | repeat(if false then break $out else . end)`,
		`walk(.) == null`,
		`last(range(1000000000)) == 1`,
		`nth(1000000000; repeat(1)) == 1`,

		// regular expressions and sorting
		`"` + rep("a", 2000) + `" | test("(a*)*b")`,
		`"` + rep("a", 3800) + `" | test("(a|aa)*b")`,
		`if .process.state == "RUNNING" then "` + rep("a", 3700) + `" else .process.state end | test("(a?){30}a{30}$")`,
		`.process.state | test("(x{1000}){1000}")`,
		`.process.state | test("` + rep("x{1000}", 28) + `")`,
		`.process.state | test("` + rep(`\\pL`, 40) + `")`,
		`.process.state | test("` + rep(`(?i)\\pL{9}`, 10) + `")`,
		`.process.state | [` + rep(`test("`+rep(`\\pL`, 30)+`"), `, 10) + `true] | any`,
		`.process.state | [` + rep(`test("[^\\pL\\pN]"), `, 60) + `true] | any`,
		`.process.state | test("` + rep("(", 190) + `")`,
		`.process.state | test("` + rep("(", 99) + "x" + rep(")*", 50) + rep(")", 49) + `")`,
		`.process.state | test(` + rep("a", 5) + `)`,
		`.tasks | keys | any(test("^(A|B|TASK)_[0-9]+$") and test("x{500}"))`,
		`.tasks | any(.createdAt | test("(.*)*:(.*)*:(.*)*Z$"))`,
		`.tasks | any(.createdAt as $a | .lastModifiedAt as $b | [$a, $b] | any(test("9")))`,
		`.process.state | test("` + rep("(a?){100}", 100) + `")`,
		`.process.state | match("x{1000}{1000}") | any`,
		`[.process.state | scan(".*")] | any`,
		`.process.state | gsub(""; "` + rep("x", 1000) + `") == ""`,
		`.process.state | sub("(?<x>.)"; "\(.x)") == ""`,
		`.process.state | splits("") == ""`,
		`.process.state | capture("(?<x>.)") | any`,
		`.tasks | map(.) | sort_by(.state) | group_by(.createdAt) | unique_by(.state) | length > 0`,
		`[.tasks | tojson | fromjson] | any`,
		`.process.createdAt | strptime("%Y") | mktime > 0`,

		// outside the model
		`env | length > 0`,
		`$ENV.PATH == ""`,
		`env.HOME | test("root")`,
		`$__loc__ | .line == 1`,
		`$__prog_args == null`,
		`input == null`,
		`[inputs] | any`,
		`input_line_number == 0`,
		`input_filename == ""`,
		`now > 0`,
		`localtime | any`,
		`debug | true`,
		`stderr | true`,
		`halt`,
		`halt_error`,
		`error("x")`,
		`error(null) // true`,
		`get_search_list | any`,
		`modulemeta | true`,
		`import "a" as $a; true`,
		`include "/etc/passwd"; true`,
		`builtins | length > 0`,
		`getpath(["tasks"]) | any`,
		`[path(..)] | any`,
		`del(.tasks) | true`,
		`splits("a") | true`,
		`ltrimstr(1) | true`,
		`@sh "\(.)" == ""`,
		`getpath(["a"]) ?// true`,
		`. as [$a] ?// $a | true`,

		// variables, objects and dates
		`.tasks as $a | .tasks as $b | [$a[] | $b[]] | any`,
		`.tasks[] as $a | .tasks[] as $b | $a == $b`,
		`[.tasks[] as $a | .tasks[] as $b | $a.state == $b.state] | any`,
		`. as $a` + rep(` | [$a, $a] as $a`, 40) + ` | $a != null`,
		`. as $a` + rep(` | {a: $a, b: $a} as $a`, 40) + ` | $a != null`,
		`{a: 1}` + rep(` | {a: ., b: .}`, 40) + ` | .a != null`,
		`{a: 1} | [., .] | length == 2`,
		`{a: .tasks, b: .tasks} | [.a[] | .state] | any(. == "READY")`,
		`{(.process.state): 1} | length == 1`,
		`. as {process: $p} | $p.state == "RUNNING"`,
		`. as [$a, $b] | $a == $b`,
		`now` + rep(` * now`, 20) + ` > 0`,
		`now` + rep(` | todate | fromdate`, 100) + ` > 0`,
		`.tasks | any(.createdAt | fromdate | . - 1 | todate | fromdate > now)`,
		`[.tasks[] | .createdAt | fromdate] | map(. - now) | map(todate) | any(. == "")`,
		`999999999999999 * 1000 | todate == ""`,
		`1 as $__now | now > 0`,
		`$__now > 0`,
		`__fromdate > 0`,
		`"x" | __matches("x")`,
		rep(`(1/0)?, `, 100) + `true`,
		`[.tasks[] | (1 / 0)?] | any`,

		// depth and size
		rep("(", 2000) + `true` + rep(")", 2000),
		rep("[", 2000) + `1` + rep("]", 2000) + ` | any`,
		rep("-", 500) + `1 > 0`,
		rep("if true then ", 150) + `true` + rep(" end", 150),
		`true` + rep(" | not", 250),
		`.tasks` + rep(`["a"]`, 100) + ` == null`,
		`.tasks` + rep(`.a`, 400) + ` == null`,
		`true` + rep(" and true", 250),
		`null` + rep(" // null", 250) + ` // true`,
		rep("any(", 500) + `true` + rep(")", 500),
		`"` + rep("x", 1<<20) + `" == ""`,
		rep("true and ", 1<<17) + `true`,
		rep(" ", 1<<20),
		"true #" + rep("x", 1<<20),
		rep("(", 1<<20),
		`"` + rep(`\u0000`, 600) + `" == ""`,

		// values within each other
		`[.]` + rep(`|[.]`, 200) + ` | any`,
		`{a: 1}` + rep(`|{a: ., b: .}`, 20) + ` | tostring | length > 0`,
		`{a: 1}` + rep(`|{a: ., b: .}`, 20) + ` == {a: 1}`,
		`[.tasks[]] | [.[], .[]] | [.[], .[]] | group_by(.) | group_by(.) | tostring | length > 0`,
		`[.tasks | to_entries[] | {key, value: .}] | from_entries == {}`,
		`.tasks as $t | .tasks | map_values($t) | tostring == ""`,
		`.tasks as $t | [.tasks[] | $t] | flatten | length > 0`,
		`.tasks as $t | [$t, $t, $t] | sort == []`,
		`.tasks as $t | [range(100)] | map($t) | unique == []`,
		`[range(100)] | map([range(100)]) | add | add > 0`,
		`[range(1000)] | map([range(1000)]) | flatten | add > 0`,
		`[range(1000)] | contains([range(1000)])`,
		`[range(1000)] - [range(1000)] == []`,
		`[range(1000)] | index([range(500)]) > 0`,
		`range(1000) == range(1000)`,
		`IN(range(1000); range(1000))`,
		`range(0; 1; 0.000000000001) == 1`,
		`range(0; 999999999999999; 1) == 1`,
		`(1, 2)` + rep(` == (1, 2)`, 1) + rep(` and (true, true)`, 30),
		`[.tasks | keys[] | "\(.)\(.)\(.)\(.)\(.)\(.)\(.)\(.)"] | add | test("(a*)*b")`,
		`"` + rep("a", 2000) + `" | index("` + rep("a", 1000) + `b") == 1`,
		`[.tasks | keys[] | explode] | add == []`,
		`[.tasks | keys[] | split("")] | add | join("` + rep("x", 100) + `") == ""`,
		`"` + rep("9", 3000) + `" | tonumber > 0`,
		`"1e999999999" | tonumber > 0`,
		`now | strftime("%1000000000d") == ""`,
		`now | strftime("` + rep("%c", 1900) + `") == ""`,
		`999999999999999 | gmtime | mktime | strftime("%Y") == ""`,
		`[999999999999999, 999999999999999, 1, 1, 1, 1] | mktime > 0`,
		`[1, 2] | .[999999999999999] == 1`,
		`"abc"[-999999999999999:999999999999999] == ""`,
		`"\("\("\("\("\("x")")")")")" == "x"`,
		`"` + rep(`\("`, 200) + rep(`")`, 200) + `" == ""`,
		`"` + rep(`\(1)`, 600) + `" == ""`,

		// close to the limits
		`.tasks | all(` + rep(`.state != null and `, 5) + `true)`,
		`any(.tasks[], .tasks[], .tasks[], .tasks[], .tasks[]; .state == "CANCELLED" and false)`,
		`.tasks | keys | map(select(startswith("TASK"))) | map(select(endswith("9"))) | any(. == "")`,
		`[.tasks[] | ["a", "b"] | any(. == "c")] | any`,
		`[.tasks[] | [.state, .createdAt] | map(.) | any(. == "READY")] | all(. | not)`,
		`[.tasks[] | ., ., ., ., ., ., ., .] | length > 0`,
		`.tasks | keys | all(. == "` + rep("x", 3500) + `" or true)`,
		`.tasks | any(.state | IN("COMPLETED", "COMPLETED", "COMPLETED", "COMPLETED") and false)`,
		`(.tasks|keys|length)` + rep(` + (.tasks|keys|length)`, 13) + ` > 0`,
	}
}

func TestHostileExpressions(t *testing.T) { //nolint:paralleltest // it counts what the whole program allocates
	expressions := hostile()
	require.GreaterOrEqual(t, len(expressions), 100)
	m := crowd()
	accepted := 0
	for _, expression := range expressions {
		label := expression[:min(len(expression), 80)]
		var parseErr error
		requireBounded(t, label, func() {
			var parsed *Expression
			parsed, parseErr = Parse("${" + expression + "}")
			if parseErr == nil {
				_, err := parsed.Evaluate(t.Context(), m)
				require.True(t, err == nil || foreseen(err), "%s: %s", label, err)
			}
		})
		if parseErr == nil {
			accepted++
		}
		t.Logf("%s: %v", label, parseErr)
	}
	t.Logf("%d refused, %d evaluated", len(expressions)-accepted, accepted)
	require.Less(t, accepted, 45)
}
