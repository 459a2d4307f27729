package availability

import (
	"maps"
	"slices"
	"strings"

	"github.com/itchyny/gojq"
)

// A kind is a set of the types that a value may have.
type kind uint16

const (
	null kind = 1 << iota
	boolean
	number
	text
	timestamp
	processState
	taskState
	array
	root
	process
	task
	tasks
	record
)

const (
	texts  = text | timestamp | processState | taskState
	plain  = null | boolean | number | texts
	object = root | process | task | tasks
)

// within reports whether all the types of k are among those of other.
func (k kind) within(other kind) bool { return k&^other == 0 }

// String describes the types in words, for example "null or a text".
func (k kind) String() string {
	if k == 0 {
		return "nothing"
	}
	var names []string
	for i, name := range []string{
		"null", "a boolean", "a number", "a text", "a time", "a process state", "a task state",
		"an array", "the whole model", "the process", "a task", "the tasks", "an object",
	} {
		if k&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, " or ")
}

// A value is what is known statically about the outputs of a part of an expression.
type value struct {
	kinds kind
	// exact means that the number of outputs is always one; outputs is the maximum number.
	exact   bool
	outputs int
	// elements are the types of the elements of an array and length is their maximum number. Arrays of arrays do
	// not exist.
	elements kind
	length   int
	// bits is the maximum length of a number in bits, including numbers in an array.
	bits int
	// longest is the maximum length of a text, including texts in an array, if it exceeds the usual length in a
	// model.
	longest int
	// literals are the outputs, as in the syntax tree, if all of them are literal texts.
	literals []*gojq.String
	// members are the members of an object that the expression makes.
	members map[string]value
}

// one returns a single value of the given types.
func one(kinds kind) value { return value{kinds: kinds, exact: true, outputs: 1} }

// each returns the input of an expression after v: one of its outputs.
func (v value) each() value {
	v.exact, v.outputs = true, 1
	return v
}

// or returns a value that is either of the two.
func (v value) or(other value) value {
	joined := value{
		kinds:    v.kinds | other.kinds,
		exact:    v.exact && other.exact,
		outputs:  max(v.outputs, other.outputs),
		elements: v.elements | other.elements,
		length:   max(v.length, other.length),
		bits:     max(v.bits, other.bits),
		longest:  max(v.longest, other.longest),
	}
	if joined.kinds&timestamp != 0 {
		alignTimes(v.literals)
		alignTimes(other.literals)
	}
	joined.members = joinMembers(v, other)
	if v.literals != nil && other.literals != nil {
		joined.literals = slices.Concat(v.literals, other.literals)
	}
	return joined
}

// then returns the outputs of v followed by those of another value.
func (v value) then(other value) value {
	joined := v.or(other)
	joined.exact = false
	joined.outputs = v.outputs + other.outputs
	return joined
}

// joinMembers returns the members of an object that is either of the two. A member that only one of them has is
// null in the other.
func joinMembers(v, other value) map[string]value {
	switch {
	case v.kinds&record == 0:
		return other.members
	case other.kinds&record == 0:
		return v.members
	}
	joined := maps.Clone(v.members)
	for name, member := range other.members {
		known, ok := joined[name]
		if !ok {
			known = one(null)
		}
		joined[name] = known.or(member)
	}
	for name, member := range joined {
		if _, ok := other.members[name]; !ok {
			joined[name] = member.or(one(null))
		}
	}
	return joined
}
