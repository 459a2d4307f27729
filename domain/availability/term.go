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

func (c *checker) term(t *gojq.Term, in value) (value, *refusal) {
	v, refused := c.base(t, in)
	path := t.Type == gojq.TermTypeIdentity || t.Type == gojq.TermTypeIndex && cannotFail(t.Index) ||
		t.Type == gojq.TermTypeFunc && strings.HasPrefix(t.Func.Name, "$")
	for _, suffix := range t.SuffixList {
		if refused != nil {
			break
		}
		switch {
		case suffix.Optional:
			c.at("?")
			// What fails has no output. Paths never fail: their types are known.
			v.exact, v.some = v.exact && path, v.some && path
			refused = c.spend(3 * v.outputs)
		case suffix.Iter:
			c.at("[")
			v, refused = c.iterate(v)
		default:
			path = path && cannotFail(suffix.Index)
			v, refused = c.index(suffix.Index, v, in)
		}
	}
	return v, refused
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

// base checks a term without its suffixes.
func (c *checker) base(t *gojq.Term, in value) (value, *refusal) {
	switch t.Type {
	case gojq.TermTypeIdentity:
		c.at(".")
		return in.each(), c.spend(1)
	case gojq.TermTypeIndex:
		return c.index(t.Index, in.each(), in)
	case gojq.TermTypeNull:
		c.at("null")
		return one(null), c.spend(1)
	case gojq.TermTypeTrue:
		c.at("true")
		return one(boolean), c.spend(1)
	case gojq.TermTypeFalse:
		c.at("false")
		return one(boolean), c.spend(1)
	case gojq.TermTypeNumber:
		return c.number(t.Number)
	case gojq.TermTypeString:
		if t.Str.Queries != nil {
			return c.interpolation(t.Str, in)
		}
		return c.literal(t.Str)
	case gojq.TermTypeUnary:
		return c.unary(t.Unary, in)
	case gojq.TermTypeQuery:
		return c.query(t.Query, in)
	case gojq.TermTypeArray:
		return c.array(t.Array, in)
	case gojq.TermTypeIf:
		return c.branches(t.If, in)
	case gojq.TermTypeFunc:
		return c.function(t.Func, in)
	case gojq.TermTypeObject:
		return c.object(t.Object, in)
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
	c.at(word)
	return c.refuse("%s is not allowed: %s", word, why)
}

func (c *checker) number(literal string) (value, *refusal) {
	c.at(literal)
	f, err := strconv.ParseFloat(literal, 64)
	if err != nil || len(literal) > maxDigits || strings.ContainsAny(literal, "eE") {
		return value{}, c.refuse("a number has no more than %d digits and no exponent", maxDigits)
	}
	v := numberOf(bits.Len64(uint64(math.Ceil(f))))
	v.constant = &f
	return v, c.spend(1)
}

func (c *checker) literal(s *gojq.String) (value, *refusal) {
	c.at(`"`)
	v := textOf(len(s.Str))
	v.literals = []*gojq.String{s}
	return v, c.spend(1 + readCost(v))
}

// interpolation checks a text with expressions in it, which gojq joins piece by piece.
func (c *checker) interpolation(s *gojq.String, in value) (value, *refusal) {
	c.at(`"`)
	offset := c.offset
	out := textOf(0)
	for _, part := range s.Queries {
		if part.Term != nil && part.Term.Type == gojq.TermTypeString {
			// A piece between two expressions, which is no token.
			out.longest += len(part.Term.Str.Str)
			continue
		}
		piece, refused := c.query(part, in)
		if refused != nil {
			return value{}, refused
		}
		if c.offset = offset; !piece.exact {
			return value{}, c.refuse("an expression in a text must be exactly one value")
		}
		c.readWhole(piece)
		out.longest = min(out.longest+printedLength(piece), enormous)
		if refused := c.spend(2 + piece.nodes() + writeCost(out)); refused != nil {
			return value{}, refused
		}
	}
	return out, c.spend(1)
}

func (c *checker) unary(u *gojq.Unary, in value) (value, *refusal) {
	c.at(u.Op.String())
	offset := c.offset
	v, refused := c.term(u.Term, in)
	if refused != nil {
		return value{}, refused
	}
	c.offset = offset
	if !v.kinds.mostly(number) {
		return value{}, c.refuse("%s is for a number, and this is %s", u.Op, v.kinds)
	}
	v.kinds = number
	if v.constant != nil && u.Op == gojq.OpSub {
		negative := -*v.constant
		v.constant = &negative
	}
	return v, c.spend(v.outputs)
}

func (c *checker) array(a *gojq.Array, in value) (value, *refusal) {
	c.at("[")
	if a.Query == nil {
		return one(array), c.spend(1)
	}
	offset := c.offset
	elements, refused := c.query(a.Query, in)
	if refused != nil {
		return value{}, refused
	}
	c.offset = offset
	return c.collect(elements)
}

// collect returns an array of the outputs of v.
func (c *checker) collect(v value) (value, *refusal) {
	return c.limitShape(arrayOf(v, v.outputs), 1+v.outputs)
}

// limitShape returns a value that the expression makes, with the cost of making it.
func (c *checker) limitShape(v value, cost int) (value, *refusal) {
	if v.shape() > maxShape {
		return value{}, c.refuse("this is too complex: no more than %d types of values within each other", maxShape)
	}
	return v, c.spend(cost)
}

// iterate returns the outputs of .[] for the outputs of v.
func (c *checker) iterate(v value) (value, *refusal) {
	if !v.kinds.mostly(container) {
		return value{}, c.refuse("only arrays and objects have elements, and this is %s", v.kinds)
	}
	if v.kinds&tasks != 0 {
		c.needs.every = true
	}
	out, length := v.contents()
	out.exact, out.some, out.outputs = false, false, product(length, v.outputs)
	return out, c.spend(1 + out.outputs)
}

func (c *checker) branches(f *gojq.If, in value) (value, *refusal) {
	condition, refused := c.query(f.Cond, in)
	if refused != nil {
		return value{}, refused
	}
	defer func(outer int) { c.times = outer }(c.times)
	c.times *= condition.outputs
	out, refused := c.query(f.Then, in)
	if refused != nil {
		return value{}, refused
	}
	otherwise := in.each()
	switch {
	case len(f.Elif) > 0:
		next := &gojq.If{Cond: f.Elif[0].Cond, Then: f.Elif[0].Then, Elif: f.Elif[1:], Else: f.Else}
		otherwise, refused = c.branches(next, in)
	case f.Else != nil:
		otherwise, refused = c.query(f.Else, in)
	}
	if refused != nil {
		return value{}, refused
	}
	if refused := c.spend(1); refused != nil {
		return value{}, refused
	}
	return c.multiply(out.or(otherwise), condition)
}
