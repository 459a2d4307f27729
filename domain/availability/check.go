package availability

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/itchyny/gojq"
)

// Limits of expressions.
const (
	// assumedTasks is the number of tasks assumed in a process.
	assumedTasks = 1000
	// maxSteps limits the evaluations of parts of an expression, each repetition counted, in a process with
	// assumedTasks.
	maxSteps = 30_000
	// maxBits keeps numbers within a machine word.
	maxBits = 62
)

// A checker walks a syntax tree in the order of its text, determines the type and the number of the outputs of
// every part, and refuses what is not known to be harmless. It is an allow-list: constructs without a rule are
// refused.
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
	patterns    map[string]*regexp.Regexp
	patternSize int
}

func newChecker(text string, tokens []token) *checker {
	return &checker{
		text: text, tokens: tokens, times: 1, needs: needs{codes: map[string]struct{}{}},
		variables: map[string]value{}, patterns: map[string]*regexp.Regexp{},
	}
}

// expression checks a whole expression. A result that may be a boolean but need not is checked by Evaluate.
func (c *checker) expression(q *gojq.Query) *refusal {
	if q.Meta == nil && q.Imports == nil && q.FuncDefs == nil && q.Term == nil && q.Right == nil {
		return &refusal{len(c.text), "the expression is empty"}
	}
	result, refused := c.query(q, one(root))
	if refused != nil {
		return refused
	}
	c.offset = len(c.text) - len(strings.TrimLeft(c.text, " \t\r\n"))
	switch {
	case result.kinds&boolean == 0:
		return c.refuse("the result is never true or false: it is %s", result.kinds)
	case !result.exact:
		return c.refuse("the expression may have no result or several: it needs exactly one")
	}
	return nil
}

func (c *checker) refuse(format string, args ...any) *refusal {
	return &refusal{c.offset, fmt.Sprintf(format, args...)}
}

// at advances to the next token with the given text, or for a quote to the next string. The tree is visited in
// the order of the text and every name, literal and operator is searched, so the first match is the right one.
func (c *checker) at(word string) {
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

// nested checks a part that is evaluated the given number of times for every evaluation of its parent.
func (c *checker) nested(q *gojq.Query, in value, times int) (value, *refusal) {
	defer func(outer int) { c.times = outer }(c.times)
	c.times *= times
	return c.query(q, in)
}

// condition checks a part whose output is only tested for being true: there must be exactly one.
func (c *checker) condition(q *gojq.Query, in value, what string) *refusal {
	v, refused := c.query(q, in)
	if refused == nil && !v.exact {
		refused = c.refuse("%s must be exactly one value", what)
	}
	return refused
}

func (c *checker) query(q *gojq.Query, in value) (value, *refusal) {
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
		return c.term(q.Term, in)
	}
	left, refused := c.query(q.Left, in)
	if refused != nil {
		return value{}, refused
	}
	if q.Patterns != nil {
		return c.bind(q, left, in)
	}
	c.at(q.Op.String())
	offset := c.offset
	if q.Op == gojq.OpPipe {
		return c.pipe(q.Right, left)
	}
	switch q.Op {
	case gojq.OpAssign, gojq.OpModify, gojq.OpUpdateAdd, gojq.OpUpdateSub, gojq.OpUpdateMul,
		gojq.OpUpdateDiv, gojq.OpUpdateMod, gojq.OpUpdateAlt:
		return value{}, c.refuse("%s is not allowed: nothing can be changed", q.Op)
	case gojq.OpPipe, gojq.OpComma, gojq.OpAdd, gojq.OpSub, gojq.OpMul, gojq.OpDiv, gojq.OpMod, gojq.OpEq,
		gojq.OpNe, gojq.OpGt, gojq.OpLt, gojq.OpGe, gojq.OpLe, gojq.OpAnd, gojq.OpOr, gojq.OpAlt:
	}
	right, refused := c.query(q.Right, in)
	if refused != nil {
		return value{}, refused
	}
	c.offset = offset
	if refused := c.spend(1); refused != nil {
		return value{}, refused
	}
	return c.operation(q.Op, left, right)
}

func (c *checker) pipe(q *gojq.Query, in value) (value, *refusal) {
	out, refused := c.nested(q, in.each(), in.outputs)
	if refused != nil {
		return value{}, refused
	}
	out.exact = out.exact && in.exact
	out.outputs *= in.outputs
	return out, nil
}

// bind checks what follows "as $name", which is evaluated with each of the outputs.
func (c *checker) bind(q *gojq.Query, outputs, in value) (value, *refusal) {
	c.at("as")
	if len(q.Patterns) != 1 || q.Patterns[0].Name == "" {
		return value{}, c.refuse("after as there is one variable, such as $time")
	}
	name := q.Patterns[0].Name
	c.at(name)
	if strings.HasPrefix(name, reserved) {
		return value{}, c.refuse("%s is not allowed: the name of a variable does not begin with %s", name, reserved)
	}
	known, shadowed := c.variables[name]
	defer func() {
		if delete(c.variables, name); shadowed {
			c.variables[name] = known
		}
	}()
	c.variables[name] = outputs.each()
	out, refused := c.nested(q.Right, in.each(), outputs.outputs)
	if refused != nil {
		return value{}, refused
	}
	out.exact = out.exact && outputs.exact
	out.outputs *= outputs.outputs
	return out, c.spend(outputs.outputs)
}

func (c *checker) operation(op gojq.Operator, left, right value) (value, *refusal) {
	if op == gojq.OpComma {
		return left.then(right), nil
	}
	if op == gojq.OpAlt && left.outputs <= 1 {
		left.exact = true
	}
	if !left.exact || !right.exact {
		return value{}, c.refuse("both sides of %s must be exactly one value", op)
	}
	switch op {
	case gojq.OpAnd, gojq.OpOr:
		return one(boolean), nil
	case gojq.OpAlt:
		left.kinds &^= null
		return left.or(right).each(), nil
	case gojq.OpEq, gojq.OpNe, gojq.OpGt, gojq.OpLt, gojq.OpGe, gojq.OpLe:
		return one(boolean), c.comparison(op, left, right)
	case gojq.OpAdd, gojq.OpSub, gojq.OpMul, gojq.OpDiv, gojq.OpMod:
		return c.arithmetic(op, left, right)
	case gojq.OpPipe, gojq.OpComma, gojq.OpAssign, gojq.OpModify, gojq.OpUpdateAdd, gojq.OpUpdateSub,
		gojq.OpUpdateMul, gojq.OpUpdateDiv, gojq.OpUpdateMod, gojq.OpUpdateAlt:
	}
	return value{}, c.refuse("%s is not allowed", op)
}

// comparison allows comparing plain values with each other, and anything with null: comparing whole objects and
// arrays would cost more than one step.
func (c *checker) comparison(op gojq.Operator, left, right value) *refusal {
	if left.kinds != null && right.kinds != null && !(left.kinds | right.kinds).within(plain) {
		for _, side := range []value{left, right} {
			if !side.kinds.within(plain) {
				return c.refuse("%s compares texts, numbers, booleans and null, and this is %s", op, side.kinds)
			}
		}
	}
	if refused := c.comparable(left, right); refused != nil {
		return refused
	}
	return c.comparable(right, left)
}

// comparable refuses literals that can only be a mistake beside a state or a time.
func (c *checker) comparable(v, beside value) *refusal {
	kinds := v.kinds &^ null
	if kinds&timestamp != 0 {
		defer alignTimes(beside.literals)
	}
	for _, node := range beside.literals {
		literal := node.Str
		switch {
		case kinds == processState && !isProcessState(literal):
			return c.refuse("%q is not a process state: they are RUNNING, COMPLETED and CANCELLED", literal)
		case kinds == taskState && !isTaskState(literal):
			return c.refuse("%q is not a task state: they are READY, CLAIMED, COMPLETED and CANCELLED", literal)
		case kinds == timestamp && !isTime(literal):
			return c.refuse("%q cannot be compared with a time: write 2026-01-31, or 2026-01-31T08:00:00Z", literal)
		}
	}
	return nil
}

// arithmetic allows operations on numbers as long as no number can become longer than a word. A division that
// leaves no integer returns a float, and floats do not grow.
func (c *checker) arithmetic(op gojq.Operator, left, right value) (value, *refusal) {
	for _, side := range []value{left, right} {
		if side.kinds != number {
			return value{}, c.refuse("%s is for numbers, and this is %s", op, side.kinds)
		}
	}
	out := one(number)
	out.bits = max(left.bits, right.bits) + 1
	if op == gojq.OpMul {
		out.bits = left.bits + right.bits
	}
	if out.bits > maxBits {
		return value{}, c.refuse("the result of %s may grow too large", op)
	}
	return out, nil
}
