package availability

import (
	"slices"

	"github.com/itchyny/gojq"
)

// checkBinary checks two parts with an operator between them.
func (c *checker) checkBinary(q *gojq.Query, in value) (value, *refusal) {
	begin := c.steps
	left, fault := c.checkQuery(q.Left, in)
	if fault != nil {
		return value{}, fault
	}
	if q.Patterns != nil {
		return c.checkBinding(q, left, in)
	}
	c.advanceTo(q.Op.String())
	offset := c.offset
	switch q.Op {
	case gojq.OpPipe:
		right := q.Right
		q.Right = separateQuery(right)
		return c.checkPipe(right, left)
	case gojq.OpAssign, gojq.OpModify, gojq.OpUpdateAdd, gojq.OpUpdateSub, gojq.OpUpdateMul,
		gojq.OpUpdateDiv, gojq.OpUpdateMod, gojq.OpUpdateAlt:
		return value{}, c.refuse("%s is not allowed: nothing can be changed", q.Op)
	case gojq.OpComma, gojq.OpAdd, gojq.OpSub, gojq.OpMul, gojq.OpDiv, gojq.OpMod, gojq.OpEq,
		gojq.OpNe, gojq.OpGt, gojq.OpLt, gojq.OpGe, gojq.OpLe, gojq.OpAnd, gojq.OpOr, gojq.OpAlt:
	}
	middle := c.steps
	right, fault := c.checkQuery(q.Right, in)
	if fault != nil {
		return value{}, fault
	}
	c.offset = offset
	if q.Op == gojq.OpComma {
		return left.followedBy(right), c.spend(1)
	}
	if q.Op == gojq.OpAlt {
		return c.checkAlternative(left, right)
	}
	// Each side is evaluated for every output of the other one.
	leftSteps, rightSteps := middle-begin, c.steps-middle
	if fault := c.spendRepeats(leftSteps, right.outputs-1); fault != nil {
		return value{}, fault
	}
	if fault := c.spendRepeats(rightSteps, left.outputs-1); fault != nil {
		return value{}, fault
	}
	out, cost, fault := c.checkOperation(q.Op, left, right)
	if fault != nil {
		return value{}, fault
	}
	if q.Op == gojq.OpAnd || q.Op == gojq.OpOr {
		// The left side may decide alone.
		right.outputs = max(right.outputs, 1)
	}
	if out, fault = c.multiplyOutputs(out, left); fault != nil {
		return value{}, fault
	}
	if out, fault = c.multiplyOutputs(out, right); fault != nil {
		return value{}, fault
	}
	return out, c.spend(multiplyCosts(cost, out.outputs))
}

func (c *checker) checkAlternative(left, right value) (value, *refusal) {
	if left.outputs <= 1 {
		left.exact = true
	}
	left.some = true
	return left.withoutKinds(null).unionWith(right), c.spend(1 + left.outputs)
}

// checkOperation returns the type of an operation on single values and its cost.
func (c *checker) checkOperation(op gojq.Operator, left, right value) (value, int, *refusal) {
	comparisons := []gojq.Operator{gojq.OpEq, gojq.OpNe, gojq.OpGt, gojq.OpLt, gojq.OpGe, gojq.OpLe}
	switch both := left.kinds | right.kinds; {
	case op == gojq.OpAnd || op == gojq.OpOr:
		return singleOf(boolean), 1, nil
	case slices.Contains(comparisons, op):
		return c.checkComparison(op, left, right)
	case op == gojq.OpAdd && left.kinds&^null != 0 && right.kinds&^null != 0:
		if sum, cost, ok := addValues(left, right); ok {
			return c.limitBits(op, sum, cost)
		}
		return value{}, 0, c.refuse("+ is for two numbers, two texts or two arrays, and these are %s and %s", left.kinds, right.kinds)
	case op == gojq.OpSub && both&array != 0 && both.isMostly(array):
		c.readWhole(left)
		c.readWhole(right)
		of, _ := left.contentValues()
		from, _ := right.contentValues()
		cost := 1 + left.length + multiplyCosts(left.length, right.length, comparisonCost(of, from))
		return left.withoutKinds(null), cost, c.checkComparable(left, right)
	}
	for _, side := range []value{left, right} {
		if !side.kinds.isMostly(number) {
			return value{}, 0, c.refuse("%s is for numbers, and this is %s", op, side.kinds)
		}
	}
	out := numberOf(max(left.bits, right.bits) + 1)
	if op == gojq.OpMul {
		out.bits = left.bits + right.bits
	}
	return c.limitBits(op, out, 1)
}

// limitBits refuses numbers that can become longer than a word. A division that leaves no integer returns a float,
// and floats do not grow.
func (c *checker) limitBits(op gojq.Operator, out value, cost int) (value, int, *refusal) {
	if out.bits > maxBits {
		return value{}, 0, c.refuse("the result of %s may grow too large", op)
	}
	return out, cost, nil
}

// addValues returns the sum of two values and the cost of making it, or false for values that have none.
func addValues(left, right value) (value, int, bool) {
	kinds := (left.kinds | right.kinds) &^ null
	sum := left.unionWith(right)
	if left.kinds&right.kinds&null == 0 {
		sum = sum.withoutKinds(null)
	}
	sum = sum.eachOutput()
	sum.literals = nil
	switch {
	case kinds == number:
		sum.bits = max(left.bits, right.bits) + 1
		return sum, 1, true
	case kinds.isWithin(texts):
		sum.kinds, sum.longest = sum.kinds&null|text, min(left.longest+right.longest, enormous)
		return sum, 1 + writeCost(sum), true
	case kinds == array:
		sum.length = min(left.length+right.length, enormous)
		return sum, 1 + sum.length/4, true
	}
	return value{}, 0, false
}

// checkComparison checks a comparison, which refuses values that are never equal by their types.
func (c *checker) checkComparison(op gojq.Operator, left, right value) (value, int, *refusal) {
	if left.kinds == null || right.kinds == null {
		return singleOf(boolean), 1, nil
	}
	if fault := c.checkComparable(left, right); fault != nil {
		return value{}, 0, fault
	}
	if !(left.kinds | right.kinds).isWithin(plain) && left.kinds.jqClasses()&right.kinds.jqClasses() == 0 {
		return value{}, 0, c.refuse("%s compares values of one type, and these are %s and %s", op, left.kinds, right.kinds)
	}
	c.readWhole(left)
	c.readWhole(right)
	return singleOf(boolean), comparisonCost(left, right), nil
}

// checkComparable refuses literals that can only be a mistake next to a state or a time, also within arrays and objects.
func (c *checker) checkComparable(v, other value) *refusal {
	if fault := c.comparableLiterals(v, other); fault != nil {
		return fault
	}
	if fault := c.comparableLiterals(other, v); fault != nil {
		return fault
	}
	if v.elements != nil && other.elements != nil {
		return c.checkComparable(*v.elements, *other.elements)
	}
	for name, member := range v.members {
		if same, ok := other.members[name]; ok {
			if fault := c.checkComparable(member, same); fault != nil {
				return fault
			}
		}
	}
	return nil
}

func (c *checker) comparableLiterals(v, other value) *refusal {
	kinds := v.kinds &^ null
	if kinds&timestamp != 0 {
		defer alignTimes(other.literals)
	}
	for _, node := range other.literals {
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

// readWhole records that all tasks within a value are read.
func (c *checker) readWhole(v value) {
	if v.kinds&(root|tasks) != 0 {
		c.needs.every = true
	}
	if v.elements != nil {
		c.readWhole(*v.elements)
	}
	for _, member := range v.members {
		c.readWhole(member)
	}
}
