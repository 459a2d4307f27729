package availability

import (
	"strings"

	"github.com/itchyny/gojq"
)

// allowedFunctions is the end of a message.
const allowedFunctions = "the functions are all, any, endswith, fromdate, has, IN, keys, length, map, not, now, select, " +
	"startswith, test and todate"

// lengthBits is the maximum length in bits of the length of anything in a model.
const lengthBits = 32

// function checks a call. jq treats variables as functions too.
func (c *checker) function(f *gojq.Func, in value) (value, *refusal) {
	c.at(f.Name)
	if strings.HasPrefix(f.Name, "$") {
		known, ok := c.variables[f.Name]
		if !ok {
			return value{}, c.refuse("%s is not allowed: there is no such variable", f.Name)
		}
		return known, c.spend(1)
	}
	if refused := c.spend(1); refused != nil {
		return value{}, refused
	}
	switch f.Name {
	case "now", "fromdate", "todate":
		if len(f.Args) != 0 {
			return value{}, c.refuse("%s takes no arguments", f.Name)
		}
		return c.date(f, in)
	case "not", "length", "keys":
		if len(f.Args) != 0 {
			return value{}, c.refuse("%s takes no arguments", f.Name)
		}
		return c.plainFunction(f.Name, in)
	case "any", "all":
		return c.quantifier(f, in)
	case "test":
		if len(f.Args) != 1 {
			return value{}, c.refuse("test takes one argument")
		}
		return c.test(f, in)
	case "map", "select", "has", "startswith", "endswith", "IN":
		if len(f.Args) != 1 {
			return value{}, c.refuse("%s takes one argument", f.Name)
		}
		return c.unaryFunction(f.Name, f.Args[0], in)
	}
	return value{}, c.refuse("%s is not allowed: %s", f.Name, allowedFunctions)
}

func (c *checker) plainFunction(name string, in value) (value, *refusal) {
	switch name {
	case "length":
		if in.kinds&(array|tasks|texts) == 0 || !in.kinds.within(array|tasks|texts|null) {
			return value{}, c.refuse("length is for tasks, arrays and texts, and this is %s", in.kinds)
		}
		c.needs.every = c.needs.every || in.kinds&tasks != 0
		out := one(number)
		out.bits = lengthBits
		return out, nil
	case "keys":
		if in.kinds != tasks {
			return value{}, c.refuse("keys is for tasks, and this is %s", in.kinds)
		}
		c.needs.every = true
		out := one(array)
		out.elements, out.length = text, assumedTasks
		return out, c.spend(2 * assumedTasks)
	}
	return one(boolean), nil
}

// quantifier checks any and all: without argument, with a condition for the
// elements, or with values and a condition for them.
func (c *checker) quantifier(f *gojq.Func, in value) (value, *refusal) {
	var elements value
	var refused *refusal
	switch len(f.Args) {
	case 0, 1:
		elements, refused = c.iterate(in)
	case 2:
		elements, refused = c.query(f.Args[0], in)
	default:
		return value{}, c.refuse("%s takes no more than two arguments", f.Name)
	}
	if refused != nil {
		return value{}, refused
	}
	if len(f.Args) > 0 {
		offset := c.offset
		condition, refused := c.nested(f.Args[len(f.Args)-1], elements.each(), elements.outputs)
		if refused != nil {
			return value{}, refused
		}
		if c.offset = offset; !condition.exact {
			return value{}, c.refuse("the condition of %s must be exactly one value", f.Name)
		}
	}
	return one(boolean), c.spend(3 * elements.outputs)
}

func (c *checker) unaryFunction(name string, arg *gojq.Query, in value) (value, *refusal) {
	offset := c.offset
	switch name {
	case "map":
		elements, refused := c.iterate(in)
		if refused != nil {
			return value{}, refused
		}
		mapped, refused := c.pipe(arg, elements)
		if refused != nil {
			return value{}, refused
		}
		c.offset = offset
		return c.collect(mapped)
	case "select":
		if refused := c.condition(arg, in, "the condition of select"); refused != nil {
			return value{}, refused
		}
		in.exact = false
		return in, nil
	}
	v, refused := c.query(arg, in)
	if refused != nil {
		return value{}, refused
	}
	c.offset = offset
	switch name {
	case "IN":
		if !in.kinds.within(plain) || !v.kinds.within(plain) {
			return value{}, c.refuse("IN is for texts, numbers, booleans and null")
		}
		if refused := c.comparable(in, v); refused != nil {
			return value{}, refused
		}
		return one(boolean), c.spend(3 * v.outputs)
	case "has":
		if in.kinds != tasks || len(v.literals) != 1 {
			return value{}, c.refuse("has is for tasks and the code of one of them in quotes")
		}
		c.needs.codes[v.literals[0].Str] = struct{}{}
	default:
		if in.kinds&texts == 0 || !in.kinds.within(texts|null) || len(v.literals) != 1 {
			return value{}, c.refuse("%s is for a text, and a text in quotes", name)
		}
	}
	return one(boolean), nil
}
