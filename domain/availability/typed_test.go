package availability

import (
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
)

// templates are parts of expressions by the type of their result. A hole such as <text> is filled with a part of
// that type, which reads the model from $root, so that it does not depend on its place. The first templates of
// every type have no holes.
var templates = map[string][]string{
	"bool": {
		`true`, `false`, `(<text> == "READY")`, `($root.tasks.NONE == null)`, `($root.process.state == "RUNNING")`,
		`(<bool> and <bool>)`, `(<bool> or <bool>)`, `(<bool> | not)`, `(if <bool> then <bool> else <bool> end)`,
		`(<num> == <num>)`, `(<num> < <num>)`, `(<num> >= <num>)`, `(<text> != <text>)`, `(<text> < <text>)`,
		`(<time> == <time>)`, `(<time> <= <time>)`, `(<time> > "2026-01-31")`, `(<task> == <task>)`, `(<task> == null)`,
		`(<texts> == <texts>)`, `(<texts> < <texts>)`, `(<tasks> == <tasks>)`, `(<tasks> != {})`, `(<nums> == [])`,
		`(<texts> | contains(<texts>))`, `(<text> | contains(<text>))`, `(<tasks> | contains({SIGN: {state: "COMPLETED"}}))`,
		`(<text> | inside(<text>))`, `(<texts> | inside(<texts>))`, `(<text> | startswith(<text>))`, `(<text> | endswith(<text>))`,
		`(<texts> | any(. == <text>))`, `(<texts> | all(length > <num>))`, `any(<texts>[]; . == <text>)`, `all(<nums>[]; . > <num>)`,
		`(<tasks> | any(.state == ("READY", "CLAIMED")))`, `(<texts> | map(. == <text>) | any)`, `(<nums> | map(. > 1) | all)`,
		`(<tasks> | has(<text>))`, `(<tasks> | has("SIGN"))`, `(<text> | in(<tasks>))`, `(<nums> | has(2))`, `($root.process | has("state"))`,
		`isempty(<texts>[] | select(. == <text>))`, `isempty(empty)`, `(<text> | test("^[A-Z]+_?"))`, `(<text> | test("(o|a)n"; "i"))`,
		`(<text> | IN(<texts>[]))`, `IN(<texts>[]; <text>, <text>)`, `(<text> | IN("READY", "SIGN"))`, `(<any> | type == "string")`,
		`(<any> == <any>)`, `(<any> < <any>)`, `([<text> == (<text>, <text>)] | any)`, `first(<bool>, <bool>)`, `last(<bool>, <bool>)`,
		`(<bool>)? // <bool>`, `(<entries> | any(.value.state == "CLAIMED"))`, `(first(<texts>[] | select(. > "B")) // "" | length > 2)`,
		`((<task> | .state) == "READY")`, `(<task>.createdAt | startswith("2026"))`, `(<task> | has("state"))`, `([<texts>[] | values] | length > 1)`,
	},
	"num": {
		`0`, `1`, `2.5`, `17`, `(now | floor)`, `($root.tasks | length)`, `(-(3))`,
		`(<num> + <num>)`, `(<num> - <num>)`, `(<num> * 2)`, `(<num> / 4)`, `((<num> | floor) % 7)`, `(-(<num>))`,
		`(<num> | floor)`, `(<num> | ceil)`, `(<num> | round)`, `(<num> | fabs)`, `(<text> | length)`, `(<texts> | length)`, `(<tasks> | length)`,
		`(<nums> | add // 0)`, `(<nums> | max // 0)`, `(<nums> | min // 0)`, `(<nums> | first // 0)`, `(<nums> | last // 0)`, `(<nums> | nth(1) // 0)`,
		`(<nums>[0] // 0)`, `(<nums>[-1] // 0)`, `(<text> | index("A") // 0)`, `(<text> | rindex("-") // 0)`, `(<text> | indices("0") | length)`,
		`(<texts> | index("SIGN") // 0)`, `(<texts> | indices("SIGN") | length)`, `(<texts> | rindex("SIGN") // 0)`,
		`(<time> | fromdate)`, `(<time> | fromdateiso8601)`, `(<time> | strptime("%Y-%m-%dT%H:%M:%SZ") | mktime)`, `(<time> | fromdate | floor | gmtime[6])`,
		`(now | gmtime[3])`, `(now | gmtime | mktime)`, `(<time>[0:4] | tonumber)`, `(["1.5", "-2"] | map(tonumber) | add)`, `(<texts> | group_by(.[0:1]) | length)`,
		`([range(5)] | length)`, `([range(2; 9; 3)] | add)`, `([range(1; 4)] | max)`, `(<tasks> | map_values(1) | add // 0)`, `(now | strftime("%u") | tonumber)`,
		`(if <bool> then <num> else <num> end)`, `("x" | tonumber)`,
	},
	"text": {
		`"READY"`, `"SIGN"`, `""`, `"a-b_C"`, `$root.process.state`, `($root.tasks | keys[0])`, `$root.tasks.SIGN.state`,
		`(<text> + <text>)`, `(<text> | ascii_downcase)`, `(<text> | ascii_upcase)`, `(<text> | ltrimstr("LOAN_"))`, `(<text> | rtrimstr("D"))`,
		`<text>[1:4]`, `<text>[:-1]`, `(<text> | split("_") | join("-"))`, `(<text> | split("") | first // "")`, `"<\(<text>)/\(<texts> | length)>"`,
		`(<texts> | first // "")`, `(<texts> | max // "")`, `(<texts> | min // "")`, `(<texts> | add // "")`, `(<texts> | join(","))`,
		`(<num> | floor | tostring)`, `(<bool> | tostring)`, `(<texts> | tostring)`, `(<any> | type)`, `(now | strftime("%A %d %B %Y %H:%M:%S"))`,
		`(<time> | fromdate | strftime("%Y-%j %G-W%V-%u %U %W %e %k %l %I %p %a %b %D %F %T %R %y %C %m %%"))`, `(now | floor | gmtime | strftime("%H:%M"))`,
		`(<tasks> | map_values(.state) | .SIGN // "none")`, `(<entries> | min_by(.value.createdAt).key // "")`, `(<entries> | max_by(.value.state).key // "")`,
		`(<time>[0:10])`, `([1, <text>, null] | tostring)`, `(if <bool> then <text> else <text> end)`, `({a: <text>, b: 1} | .a)`, `(<texts>[1] // "")`,
	},
	"time": {
		`$root.process.createdAt`, `$root.tasks.SIGN.lastModifiedAt`, `$root.process.lastModifiedAt`, `"2026-01-31T08:01:00.000000Z"`,
		`($root.tasks.NONE.createdAt // $root.process.createdAt)`, `(<time> | fromdate + 60 | todate)`, `(<time> | fromdate | todateiso8601)`,
		`([$root.tasks[].createdAt] | max)`, `([$root.tasks[].lastModifiedAt] | min)`, `([$root.tasks[]] | sort_by(.createdAt) | last.createdAt)`, `(now | todate)`,
	},
	"task": {
		`$root.tasks.SIGN`, `$root.tasks.NONE`, `$root.tasks["A-B"]`, `$root.tasks[<text>]`, `([<tasks>[]] | first)`, `([<tasks>[]] | max_by(.createdAt))`,
		`([<tasks>[]] | min_by(.state))`, `([<tasks>[]] | sort_by(.lastModifiedAt, .state)[1])`,
	},
	"texts": {
		`["READY", "SIGN"]`, `[]`, `($root.tasks | keys)`, `[$root.tasks[].state]`, `[<text>, <text>]`, `[<texts>[] | select(. > <text>)]`,
		`(<texts> | sort)`, `(<texts> | unique)`, `(<texts> | reverse)`, `(<texts> + <texts>)`, `(<texts> - <texts>)`, `(<texts> | map(ascii_downcase))`,
		`<texts>[1:]`, `<texts>[:2]`, `(<text> | split("_"))`, `([<texts>, [<texts>]] | flatten)`, `(<texts> | sort_by(length))`, `(<texts> | unique_by(length))`,
		`(<texts> | group_by(length) | map(.[0]))`, `(<entries> | map(.key))`, `(<tasks> | with_entries(select(.value.state == "READY")) | keys)`,
		`[<texts>[] | empty, .]`,
	},
	"nums": {
		`[1, 3, 2]`, `[]`, `[<num>, <num>]`, `[range(4)]`, `(<texts> | map(length))`, `(<nums> | sort)`, `(<nums> | unique)`, `(<nums> | map(. + 1))`,
		`(<nums> | map_values(. * 2))`, `(<nums> | reverse)`, `(<texts> | keys)`,
	},
	"tasks": {
		`$root.tasks`, `($root.tasks | with_entries(select(.value.state != "READY")))`, `($root.tasks | to_entries | from_entries)`,
		`($root.tasks | map_values(select(.state == "COMPLETED")))`, `(<entries> | map({key, value}) | from_entries)`,
	},
	"entries": {
		`($root.tasks | to_entries)`, `[]`, `[$root.tasks | to_entries[] | select(.key > <text>)]`, `(<entries> | sort_by(.value.createdAt))`,
		`(<entries> | reverse)`, `[<entries>[] | select(.value.state == "COMPLETED")]`,
	},
	"any": {`null`, `<num>`, `<text>`, `<texts>`, `<bool>`, `<task>`, `<nums>`, `<tasks>`, `{}`, `$root`, `$root.process`, `{a: <num>, b: <text>}`},
}

var hole = regexp.MustCompile(`<([a-z]+)>`)

// A typist writes random expressions that are right in their types.
type typist struct{ *rand.Rand }

// everyTemplate returns expressions that contain all templates.
func (w typist) everyTemplate() []string {
	var all []string
	for _, result := range slices.Sorted(maps.Keys(templates)) {
		for _, template := range templates[result] {
			var expression string
			for range 100 {
				part := w.fill(template, 1)
				expression = ". as $root | " + part
				if result != "bool" {
					expression += " == " + w.write(result, 1)
				}
				if parses(expression) {
					break
				}
			}
			all = append(all, expression)
		}
	}
	return all
}

// write returns a part of the given type. Only the first templates are used at depth zero.
func (w typist) write(result string, depth int) string {
	choices := templates[result]
	if depth == 0 {
		choices = choices[:2]
	}
	return w.fill(choices[w.IntN(len(choices))], depth)
}

func (w typist) fill(template string, depth int) string {
	return hole.ReplaceAllStringFunc(template, func(found string) string {
		return w.write(found[1:len(found)-1], max(depth-1, 0))
	})
}
