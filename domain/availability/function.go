package availability

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/itchyny/gojq"
)

// A mode is the way in which a function evaluates an argument.
type mode int

const (
	// single arguments are evaluated on the input, and the function is called for each of their outputs.
	single mode = iota
	// quoted arguments are texts in quotes.
	quoted
	// stream arguments are evaluated on the input, and the function uses all of their outputs.
	stream
	// perElement arguments are evaluated on every value in the input.
	perElement
	// perEntry arguments are evaluated on an object with key and value for every member of the input.
	perEntry
	// perOutput arguments are evaluated on every output of the argument before.
	perOutput
)

// A function is a row of the table of functions.
type function struct {
	// in are the types of the input, in addition to null, on which the evaluation may fail. Zero allows all types.
	in   kind
	args []mode
	// check finds mistakes in the types of the arguments. It may be nil.
	check func(*checker, *call) *refusal
	// out returns the outputs for single values of the single arguments.
	out func(*call) value
	// cost returns the steps in addition to one and to the evaluation of the arguments. It may be nil.
	cost func(*call) int
	// shallow functions do not read the values in their input.
	shallow bool
	// run replaces jq's function, and as is a variable that replaces it.
	run func(p patterns, in any, args []any) any
	as  string
}

// A call contains the types of the input and of the arguments of a function.
type call struct {
	name string
	in   value
	// contents are the values in the input, and length is their maximum number.
	contents value
	length   int
	args     []value
}

// replaced begins the names under which functions with a run of their own are compiled: jq's names stay jq's.
const replaced = "__"

// hints are the messages for functions of jq that administrators may look for.
//
//nolint:gochecknoglobals // a constant table: Go has no constant maps
var hints = map[string]string{
	"localtime":     "times are in UTC, so write gmtime",
	"strflocaltime": "times are in UTC, so write strftime",
	"dateadd":       "add seconds with +",
	"datesub":       "subtract seconds with -",
	"limit":         "write first(...), or a slice such as [...][0:3]",
	"match":         "write test",
	"capture":       "write test",
	"scan":          "write test",
	"sub":           "texts are cut with slices, split, ltrimstr and rtrimstr",
	"gsub":          "texts are cut with slices, split, ltrimstr and rtrimstr",
	"del":           "write with_entries(select(...))",
	"delpaths":      "write with_entries(select(...))",
	"keys_unsorted": "write keys",
}

// Functions returns the names of the functions that expressions can call, in their order.
func Functions() []string {
	var names []string
	for _, signature := range functionSignatures() {
		name, _, _ := strings.Cut(signature, "/")
		names = append(names, name)
	}
	return slices.Compact(names)
}

// functionSignatures returns the functions as name/number of arguments, in their order.
func functionSignatures() []string { return slices.Sorted(maps.Keys(functions)) }

// checkFunction checks a call. jq treats variables as functions too.
func (c *checker) checkFunction(f *gojq.Func, in value) (value, *refusal) {
	c.advanceTo(f.Name)
	if strings.HasPrefix(f.Name, "$") {
		return c.variableValue(f.Name)
	}
	row, ok := functions[fmt.Sprintf("%s/%d", f.Name, len(f.Args))]
	if !ok {
		return value{}, c.refuseUnknown(f.Name)
	}
	if row.in != 0 && !in.kinds.isMostly(row.in) {
		return value{}, c.refuse("%s is for %s, and this is %s", f.Name, row.in, in.kinds)
	}
	if fault := c.spend(1); fault != nil {
		return value{}, fault
	}
	offset := c.offset
	callee := &call{name: f.Name, in: in}
	callee.contents, callee.length = in.contentValues()
	if fault := c.checkArguments(f, row, callee); fault != nil {
		return value{}, fault
	}
	c.offset = offset
	if row.check != nil {
		if fault := row.check(c, callee); fault != nil {
			return value{}, fault
		}
	}
	if row.run != nil {
		f.Name = replaced + f.Name
	} else if row.as != "" {
		f.Name = row.as
	}
	return c.callResult(row, callee)
}

// callResult returns the outputs of a call and counts its cost.
func (c *checker) callResult(row function, callee *call) (value, *refusal) {
	if !row.shallow {
		c.readWhole(callee.in)
	}
	out, cost := row.out(callee), 0
	if row.cost != nil {
		cost = row.cost(callee)
	}
	for i, mode := range row.args {
		if !row.shallow {
			c.readWhole(callee.args[i])
		}
		if mode != single {
			continue
		}
		var fault *refusal
		if out, fault = c.multiplyOutputs(out, callee.args[i]); fault != nil {
			return value{}, fault
		}
		cost = multiplyCosts(cost, callee.args[i].outputs)
	}
	return c.limitShape(out, max(cost, out.outputs-1))
}

// checkArguments checks the arguments of a call.
func (c *checker) checkArguments(f *gojq.Func, row function, callee *call) *refusal {
	for i, mode := range row.args {
		begin := c.steps
		var v value
		var fault *refusal
		switch q := f.Args[i]; mode {
		case single:
			v, fault = c.checkQuery(q, callee.in.eachOutput())
			if fault == nil && !v.exact && len(row.args) > 1 {
				fault = c.refuse("an argument of %s must be exactly one value", f.Name)
			}
		case quoted:
			if q.Term == nil || q.Term.Type != gojq.TermTypeString || q.Term.Str.Queries != nil || q.Term.SuffixList != nil {
				return c.refuse("%s takes a text in quotes", f.Name)
			}
			v, fault = c.literalValue(q.Term.Str)
		case stream:
			v, fault = c.checkQuery(q, callee.in.eachOutput())
			if fault == nil && i > 0 {
				fault = c.spendRepeats(c.steps-begin, callee.args[0].outputs-1)
			}
		case perElement:
			v, fault = c.checkNested(q, callee.contents, callee.length)
		case perEntry:
			v, fault = c.checkNested(q, entryOf(callee), callee.length)
		case perOutput:
			v, fault = c.checkNested(q, callee.args[i-1].eachOutput(), callee.args[i-1].outputs)
		}
		if fault != nil {
			return fault
		}
		callee.args = append(callee.args, v)
	}
	return nil
}

func (c *checker) variableValue(name string) (value, *refusal) {
	bound, ok := c.variables[name]
	if !ok {
		return value{}, c.refuse("%s is not allowed: there is no such variable", name)
	}
	return bound, c.spend(1)
}

// refuseUnknown refuses a function that is not in the table, or that takes another number of arguments.
func (c *checker) refuseUnknown(name string) *refusal {
	var counts []string
	for n, words := range []string{"no arguments", "one argument", "two arguments", "three arguments"} {
		if _, ok := functions[fmt.Sprintf("%s/%d", name, n)]; ok {
			counts = append(counts, words)
		}
	}
	if len(counts) > 0 {
		return c.refuse("%s takes %s", name, strings.Join(counts, " or "))
	}
	if hint, ok := hints[name]; ok {
		return c.refuse("%s is not allowed: %s", name, hint)
	}
	return c.refuse("%s is not a function of expressions: see docs/process-definitions.md", name)
}
