package availability

import (
	"math"
	"math/bits"
	"strconv"
	"strings"

	"github.com/itchyny/gojq"
)

// maxDigits is the maximum number of digits of a number in an expression.
const maxDigits = 15

func (c *checker) checkTerm(t *gojq.Term, in value) (value, *refusal) {
	v, fault := c.checkBase(t, in)
	path := t.Type == gojq.TermTypeIdentity || t.Type == gojq.TermTypeIndex && cannotFail(t.Index) ||
		t.Type == gojq.TermTypeFunc && strings.HasPrefix(t.Func.Name, "$")
	for _, suffix := range t.SuffixList {
		if fault != nil {
			break
		}
		switch {
		case suffix.Optional:
			c.advanceTo("?")
			// A failing part has no output. Paths never fail: their types are known.
			v.exact, v.some = v.exact && path, v.some && path
			fault = c.spend(3 * v.outputs)
		case suffix.Iter:
			c.advanceTo("[")
			v, fault = c.iterateOutputs(v)
		default:
			path = path && cannotFail(suffix.Index)
			v, fault = c.followIndex(suffix.Index, v, in)
		}
	}
	return v, fault
}

// cannotFail reports whether a step of a path has no expression in it.
func cannotFail(i *gojq.Index) bool {
	for _, q := range []*gojq.Query{i.Start, i.End} {
		if q == nil {
			continue
		}
		t := q.Term
		if t == nil || t.Type != gojq.TermTypeNumber && (t.Type != gojq.TermTypeString || t.Str.Queries != nil) {
			return false
		}
	}
	return i.Str == nil || i.Str.Queries == nil
}

// checkBase checks a term without its suffixes.
func (c *checker) checkBase(t *gojq.Term, in value) (value, *refusal) {
	switch t.Type {
	case gojq.TermTypeIdentity:
		c.advanceTo(".")
		return in.eachOutput(), c.spend(1)
	case gojq.TermTypeIndex:
		return c.followIndex(t.Index, in.eachOutput(), in)
	case gojq.TermTypeNull:
		c.advanceTo("null")
		return singleOf(null), c.spend(1)
	case gojq.TermTypeTrue:
		c.advanceTo("true")
		return singleOf(boolean), c.spend(1)
	case gojq.TermTypeFalse:
		c.advanceTo("false")
		return singleOf(boolean), c.spend(1)
	case gojq.TermTypeNumber:
		return c.numberValue(t.Number)
	case gojq.TermTypeString:
		if t.Str.Queries != nil {
			return c.checkInterpolation(t.Str, in)
		}
		return c.literalValue(t.Str)
	case gojq.TermTypeUnary:
		return c.checkUnary(t.Unary, in)
	case gojq.TermTypeQuery:
		return c.checkQuery(t.Query, in)
	case gojq.TermTypeArray:
		return c.checkArray(t.Array, in)
	case gojq.TermTypeIf:
		return c.checkBranches(t.If, in)
	case gojq.TermTypeFunc:
		return c.checkFunction(t.Func, in)
	case gojq.TermTypeObject:
		return c.checkObject(t.Object, in)
	case gojq.TermTypeRecurse:
		return value{}, c.forbid("..", "there is no recursion")
	case gojq.TermTypeFormat:
		return value{}, c.forbid(t.Format, "texts cannot be made")
	case gojq.TermTypeTry:
		return value{}, c.forbid("try", "errors cannot be handled")
	case gojq.TermTypeReduce:
		return value{}, c.forbid("reduce", "there are no loops")
	case gojq.TermTypeForeach:
		return value{}, c.forbid("foreach", "there are no loops")
	case gojq.TermTypeLabel:
		return value{}, c.forbid("label", "there are no loops")
	case gojq.TermTypeBreak:
		return value{}, c.forbid("break", "there are no loops")
	}
	return value{}, c.refuse("this is not allowed")
}

func (c *checker) forbid(word, why string) *refusal {
	c.advanceTo(word)
	return c.refuse("%s is not allowed: %s", word, why)
}

func (c *checker) numberValue(literal string) (value, *refusal) {
	c.advanceTo(literal)
	f, err := strconv.ParseFloat(literal, 64)
	if err != nil || len(literal) > maxDigits || strings.ContainsAny(literal, "eE") {
		return value{}, c.refuse("a number has no more than %d digits and no exponent", maxDigits)
	}
	v := numberOf(bits.Len64(uint64(math.Ceil(f))))
	v.constant = &f
	return v, c.spend(1)
}

func (c *checker) literalValue(s *gojq.String) (value, *refusal) {
	c.advanceTo(`"`)
	v := textOf(len(s.Str))
	v.literals = []*gojq.String{s}
	return v, c.spend(1 + readCost(v))
}

// checkInterpolation checks a text with expressions in it, which gojq joins piece by piece.
func (c *checker) checkInterpolation(s *gojq.String, in value) (value, *refusal) {
	c.advanceTo(`"`)
	offset := c.offset
	out := textOf(0)
	for _, part := range s.Queries {
		if part.Term != nil && part.Term.Type == gojq.TermTypeString {
			// A piece between two expressions, which is no token.
			out.longest += len(part.Term.Str.Str)
			continue
		}
		piece, fault := c.checkQuery(part, in)
		if fault != nil {
			return value{}, fault
		}
		if c.offset = offset; !piece.exact {
			return value{}, c.refuse("an expression in a text must be exactly one value")
		}
		c.readWhole(piece)
		out.longest = min(out.longest+printedLength(piece), enormous)
		if fault := c.spend(2 + piece.countValues() + writeCost(out)); fault != nil {
			return value{}, fault
		}
	}
	return out, c.spend(1)
}

func (c *checker) checkUnary(u *gojq.Unary, in value) (value, *refusal) {
	c.advanceTo(u.Op.String())
	offset := c.offset
	v, fault := c.checkTerm(u.Term, in)
	if fault != nil {
		return value{}, fault
	}
	c.offset = offset
	if !v.kinds.isMostly(number) {
		return value{}, c.refuse("%s is for a number, and this is %s", u.Op, v.kinds)
	}
	v.kinds = number
	if v.constant != nil && u.Op == gojq.OpSub {
		negative := -*v.constant
		v.constant = &negative
	}
	return v, c.spend(v.outputs)
}

func (c *checker) checkArray(a *gojq.Array, in value) (value, *refusal) {
	c.advanceTo("[")
	if a.Query == nil {
		return singleOf(array), c.spend(1)
	}
	offset := c.offset
	elements, fault := c.checkQuery(a.Query, in)
	if fault != nil {
		return value{}, fault
	}
	c.offset = offset
	return c.collectOutputs(elements)
}

// collectOutputs returns an array of the outputs of v.
func (c *checker) collectOutputs(v value) (value, *refusal) {
	return c.limitShape(arrayOf(v, v.outputs), 1+v.outputs)
}

// limitShape returns a value that the expression makes, with the cost of making it.
func (c *checker) limitShape(v value, cost int) (value, *refusal) {
	if v.countTypes() > maxShape {
		return value{}, c.refuse("this is too complex: no more than %d types of values within each other", maxShape)
	}
	return v, c.spend(cost)
}

// iterateOutputs returns the outputs of .[] for the outputs of v.
func (c *checker) iterateOutputs(v value) (value, *refusal) {
	if !v.kinds.isMostly(container) {
		return value{}, c.refuse("only arrays and objects have elements, and this is %s", v.kinds)
	}
	if v.kinds&tasks != 0 {
		c.needs.every = true
	}
	out, length := v.contentValues()
	out.exact, out.some, out.outputs = false, false, multiplyCosts(length, v.outputs)
	return out, c.spend(1 + out.outputs)
}

func (c *checker) checkBranches(f *gojq.If, in value) (value, *refusal) {
	condition, fault := c.checkQuery(f.Cond, in)
	if fault != nil {
		return value{}, fault
	}
	defer func(outer int) { c.times = outer }(c.times)
	c.times *= condition.outputs
	out, fault := c.checkQuery(f.Then, in)
	if fault != nil {
		return value{}, fault
	}
	otherwise := in.eachOutput()
	switch {
	case len(f.Elif) > 0:
		next := &gojq.If{Cond: f.Elif[0].Cond, Then: f.Elif[0].Then, Elif: f.Elif[1:], Else: f.Else}
		otherwise, fault = c.checkBranches(next, in)
	case f.Else != nil:
		otherwise, fault = c.checkQuery(f.Else, in)
	}
	if fault != nil {
		return value{}, fault
	}
	if fault := c.spend(1); fault != nil {
		return value{}, fault
	}
	return c.multiplyOutputs(out.unionWith(otherwise), condition)
}
