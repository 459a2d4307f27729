package availability

import (
	"fmt"
	"strings"

	"github.com/itchyny/gojq"
)

// Limits of expressions.
const (
	// assumedTasks is the number of tasks assumed in a process.
	assumedTasks = 1000
	// maxSteps limits the evaluations of parts of an expression, each repetition counted, in a process with
	// assumedTasks.
	maxSteps = 50_000
	// maxBits keeps numbers within a machine word.
	maxBits = 62
)

// A checker walks a syntax tree in the order of its text, determines the type and number of the outputs of every
// part, and refuses constructs without a rule.
type checker struct {
	text   string
	tokens []token
	// next is the first token of a part not visited yet, and offset is where the part visited last begins.
	next   int
	offset int
	// steps counts the cost so far and times is how often the current part is evaluated.
	steps int
	times int
	needs needs
	// variables are the variables in scope at the current part.
	variables map[string]value
	// patterns are the patterns of test, and patternSize is their total size.
	patterns    patterns
	patternSize int
}

func newChecker(text string, tokens []token) *checker {
	return &checker{
		text: text, tokens: tokens, times: 1, needs: needs{codes: map[string]struct{}{}},
		variables: map[string]value{}, patterns: patterns{},
	}
}

// checkExpression checks a whole expression. A result that may be a boolean but need not is checked by Evaluate.
func (c *checker) checkExpression(q *gojq.Query) *refusal {
	if q.Meta == nil && q.Imports == nil && q.FuncDefs == nil && q.Term == nil && q.Right == nil {
		return &refusal{len(c.text), "the expression is empty"}
	}
	result, fault := c.checkQuery(q, singleOf(root))
	if fault != nil {
		return fault
	}
	c.offset = len(c.text) - len(strings.TrimLeft(c.text, " \t\r\n"))
	switch {
	case result.kinds&boolean == 0:
		return c.refuse("the result is %s, never true or false", result.kinds)
	case !result.exact:
		return c.refuse("the expression may have no result or several: it needs exactly one, as any(...) and all(...) have")
	}
	return nil
}

func (c *checker) refuse(format string, args ...any) *refusal {
	return &refusal{c.offset, fmt.Sprintf(format, args...)}
}

// advanceTo advances to the next token with the given text, or for a quote to the next string. The tree is visited in
// the order of the text and every name, literal and operator is searched, so the first match is the right one.
func (c *checker) advanceTo(word string) {
	for i := c.next; i < len(c.tokens); i++ {
		if found := c.tokens[i]; found.text == word || word == `"` && found.text[0] == '"' {
			c.next, c.offset = i+1, found.offset
			return
		}
	}
}

// spend counts a part that is evaluated for the given number of inputs.
func (c *checker) spend(inputs int) *refusal {
	c.steps += c.times * inputs
	if c.steps > maxSteps {
		return c.refuse("the expression takes too many steps in a process with many tasks")
	}
	return nil
}

// spendRepeats counts once more, the given number of times, the steps that a part took which is evaluated for every
// output of another one.
func (c *checker) spendRepeats(steps, times int) *refusal {
	c.steps += multiplyCosts(steps, max(times, 0))
	return c.spend(0)
}

// checkNested checks a part that is evaluated the given number of times for every evaluation of its parent.
func (c *checker) checkNested(q *gojq.Query, in value, times int) (value, *refusal) {
	defer func(outer int) { c.times = outer }(c.times)
	c.times *= times
	return c.checkQuery(q, in)
}

func (c *checker) checkQuery(q *gojq.Query, in value) (value, *refusal) {
	switch {
	case q.Meta != nil:
		return value{}, c.forbid("module", "there are no modules")
	case q.Imports != nil:
		word := "import"
		if q.Imports[0].ImportPath == "" {
			word = "include"
		}
		return value{}, c.forbid(word, "there are no modules")
	case q.FuncDefs != nil:
		return value{}, c.forbid("def", "functions cannot be defined")
	case q.Term != nil:
		return c.checkTerm(q.Term, in)
	}
	return c.checkBinary(q, in)
}

func (c *checker) checkPipe(q *gojq.Query, in value) (value, *refusal) {
	out, fault := c.checkNested(q, in.eachOutput(), in.outputs)
	if fault != nil {
		return value{}, fault
	}
	return c.multiplyOutputs(out, in)
}

// separateQuery returns a query with the same outputs that gojq compiles to instructions which do not begin with a
// constant or a variable. gojq 0.12.20 merges these with the last instruction before them, and leaves a value on its
// stack if it jumps there from elsewhere, as in (A or B) | null.
func separateQuery(q *gojq.Query) *gojq.Query {
	first := q
	for first.Left != nil {
		first = first.Left
	}
	if first.Term == nil {
		return q
	}
	switch first.Term.Type {
	case gojq.TermTypeNull, gojq.TermTypeTrue, gojq.TermTypeFalse, gojq.TermTypeNumber, gojq.TermTypeUnary, gojq.TermTypeString,
		gojq.TermTypeArray, gojq.TermTypeObject, gojq.TermTypeFunc, gojq.TermTypeQuery:
		return &gojq.Query{
			Left: &gojq.Query{Term: &gojq.Term{Type: gojq.TermTypeIdentity}}, Op: gojq.OpPipe, Right: q,
			Patterns: []*gojq.Pattern{{Name: reserved + "input"}},
		}
	case gojq.TermTypeIdentity, gojq.TermTypeIndex, gojq.TermTypeIf, gojq.TermTypeRecurse, gojq.TermTypeFormat, gojq.TermTypeTry,
		gojq.TermTypeReduce, gojq.TermTypeForeach, gojq.TermTypeLabel, gojq.TermTypeBreak:
	}
	return q
}

// multiplyOutputs returns the outputs of v for every output of another part.
func (c *checker) multiplyOutputs(v, by value) (value, *refusal) {
	v.exact, v.some = v.exact && by.exact, v.some && by.some
	v.outputs = multiplyCosts(v.outputs, by.outputs)
	if v.outputs > maxSteps {
		return value{}, c.spend(maxSteps + 1)
	}
	return v, nil
}

// checkBinding checks the part after "as $name", which is evaluated with each of the outputs.
func (c *checker) checkBinding(q *gojq.Query, outputs, in value) (value, *refusal) {
	c.advanceTo("as")
	if len(q.Patterns) != 1 || q.Patterns[0].Name == "" {
		return value{}, c.refuse("after as there is one variable, such as $time")
	}
	name := q.Patterns[0].Name
	c.advanceTo(name)
	if strings.HasPrefix(name, reserved) {
		return value{}, c.refuse("%s is not allowed: the name of a variable does not begin with %s", name, reserved)
	}
	variable, shadowed := c.variables[name]
	defer func() {
		if delete(c.variables, name); shadowed {
			c.variables[name] = variable
		}
	}()
	c.variables[name] = outputs.eachOutput()
	out, fault := c.checkNested(q.Right, in.eachOutput(), outputs.outputs)
	if fault != nil {
		return value{}, fault
	}
	if fault := c.spend(outputs.outputs); fault != nil {
		return value{}, fault
	}
	return c.multiplyOutputs(out, outputs)
}
