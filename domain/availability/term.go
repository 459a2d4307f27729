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
	path := t.Type == gojq.TermTypeIdentity || t.Type == gojq.TermTypeIndex ||
		t.Type == gojq.TermTypeFunc && strings.HasPrefix(t.Func.Name, "$")
	for _, suffix := range t.SuffixList {
		if refused != nil {
			break
		}
		switch {
		case suffix.Optional:
			c.at("?")
			// What fails has no output. Paths never fail: their types are known.
			v.exact = v.exact && path
			refused = c.spend(3 * v.outputs)
		case suffix.Iter:
			c.at("[")
			v, refused = c.iterate(v)
		default:
			v, refused = c.index(suffix.Index, v)
		}
	}
	return v, refused
}

// base checks a term without its suffixes.
func (c *checker) base(t *gojq.Term, in value) (value, *refusal) {
	switch t.Type {
	case gojq.TermTypeIdentity:
		c.at(".")
		return in.each(), c.spend(1)
	case gojq.TermTypeIndex:
		return c.index(t.Index, in.each())
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
	v := one(number)
	v.bits = bits.Len64(uint64(math.Ceil(f)))
	return v, c.spend(1)
}

func (c *checker) literal(s *gojq.String) (value, *refusal) {
	c.at(`"`)
	if s.Queries != nil {
		return value{}, c.refuse("a text cannot have an expression in it")
	}
	v := one(text)
	v.longest, v.literals = len(s.Str), []*gojq.String{s}
	return v, c.spend(1)
}

func (c *checker) unary(u *gojq.Unary, in value) (value, *refusal) {
	c.at(u.Op.String())
	offset := c.offset
	v, refused := c.term(u.Term, in)
	if refused != nil {
		return value{}, refused
	}
	c.offset = offset
	if !v.exact || v.kinds != number {
		return value{}, c.refuse("%s is for one number", u.Op)
	}
	return v, c.spend(1)
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
	if !v.kinds.within(plain | task) {
		return value{}, c.refuse("an array has texts, numbers, booleans, null or tasks in it, not %s", v.kinds&^(plain|task))
	}
	out := one(array)
	out.elements, out.length, out.bits, out.longest = v.kinds, v.outputs, v.bits, v.longest
	return out, c.spend(1 + v.outputs)
}

// iterate returns the outputs of .[] for those of v.
func (c *checker) iterate(v value) (value, *refusal) {
	if v.kinds == 0 || !v.kinds.within(array|tasks) {
		return value{}, c.refuse("only tasks and arrays have elements, and this is %s", v.kinds)
	}
	out := value{outputs: 0, bits: v.bits, longest: v.longest}
	if v.kinds&array != 0 {
		out.kinds, out.outputs = v.elements, v.length
	}
	if v.kinds&tasks != 0 {
		c.needs.every = true
		out.kinds, out.outputs = out.kinds|task, max(out.outputs, assumedTasks)
	}
	out.outputs *= v.outputs
	return out, c.spend(1 + out.outputs)
}

func (c *checker) branches(f *gojq.If, in value) (value, *refusal) {
	const what = "a condition"
	if refused := c.condition(f.Cond, in, what); refused != nil {
		return value{}, refused
	}
	out, refused := c.query(f.Then, in)
	if refused != nil {
		return value{}, refused
	}
	for _, elif := range f.Elif {
		if refused := c.condition(elif.Cond, in, what); refused != nil {
			return value{}, refused
		}
		then, refused := c.query(elif.Then, in)
		if refused != nil {
			return value{}, refused
		}
		out = out.or(then)
	}
	if f.Else == nil {
		return out.or(in.each()), c.spend(1)
	}
	otherwise, refused := c.query(f.Else, in)
	if refused != nil {
		return value{}, refused
	}
	return out.or(otherwise), c.spend(1)
}

// index follows a path by one name.
func (c *checker) index(i *gojq.Index, v value) (value, *refusal) {
	name := i.Name
	switch {
	case i.IsSlice:
		return value{}, c.forbid("[", "there are no slices")
	case i.Str != nil:
		literal, refused := c.literal(i.Str)
		if refused != nil {
			return value{}, refused
		}
		name = literal.literals[0].Str
	case i.Start != nil:
		c.at("[")
		term := i.Start.Term
		if term == nil || term.Type != gojq.TermTypeString || term.Str.Queries != nil || term.SuffixList != nil {
			return value{}, c.refuse("an index is a text in quotes, such as [\"CODE\"]")
		}
		c.at(`"`)
		name = term.Str.Str
	default:
		c.at("." + name)
	}
	out, refused := c.member(name, v)
	if refused != nil {
		return value{}, refused
	}
	out.exact, out.outputs = v.exact, v.outputs
	return out, c.spend(v.outputs)
}

// member returns the value of a name in a value, which may be an object that the expression made.
func (c *checker) member(name string, v value) (value, *refusal) {
	if v.kinds&record == 0 {
		return c.field(name, v.kinds)
	}
	out, ok := v.members[name]
	if !ok || !v.kinds.within(record|null) {
		return value{}, c.refuse("%s has no field %q", v.kinds, name)
	}
	if v.kinds&null != 0 {
		out = out.or(one(null))
	}
	return out, nil
}

// object checks an object of single values, none of which is itself a constructed object.
func (c *checker) object(o *gojq.Object, in value) (value, *refusal) {
	c.at("{")
	out := one(record)
	out.members = make(map[string]value, len(o.KeyVals))
	for _, pair := range o.KeyVals {
		name := pair.Key
		switch {
		case pair.KeyString != nil && pair.KeyString.Queries == nil:
			name = pair.KeyString.Str
			c.at(`"`)
		case name == "" || pair.Val == nil:
			return value{}, c.refuse("a member of an object is written as name: value")
		default:
			c.at(name)
		}
		if pair.Val == nil || strings.HasPrefix(name, "$") {
			return value{}, c.refuse("a member of an object is written as name: value")
		}
		offset := c.offset
		member, refused := c.query(pair.Val, in)
		if refused != nil {
			return value{}, refused
		}
		c.offset = offset
		if !member.exact || member.kinds&record != 0 {
			return value{}, c.refuse("a member of an object is exactly one value, and no other object")
		}
		out.members[name] = member
	}
	return out, c.spend(1 + len(o.KeyVals))
}

// field returns the value of a name in values of the given types.
func (c *checker) field(name string, from kind) (value, *refusal) {
	if from&object == 0 || !from.within(object|null) {
		return value{}, c.refuse("%s has no field %q", from, name)
	}
	var out kind
	if from&null != 0 {
		out = null
	}
	if from&tasks != 0 {
		c.needs.codes[name] = struct{}{}
		out |= task | null
	}
	if from&root != 0 {
		switch name {
		case "process":
			out |= process
		case "tasks":
			out |= tasks
		default:
			return value{}, c.refuse("the model has no field %q: it has process and tasks", name)
		}
	}
	if from&(process|task) == 0 {
		return one(out), nil
	}
	switch name {
	case "state":
		if from&process != 0 {
			out |= processState
		}
		if from&task != 0 {
			out |= taskState
		}
	case "createdAt", "lastModifiedAt":
		out |= timestamp
	default:
		return value{}, c.refuse("%s has no field %q: it has state, createdAt and lastModifiedAt", from&(process|task), name)
	}
	return one(out), nil
}
