package availability

import (
	"slices"
	"strings"
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
)

const (
	texts  = text | timestamp | processState | taskState
	plain  = null | boolean | number | texts
	object = root | process | task | tasks
)

// within reports whether all the types of k are among those of other.
func (k kind) within(other kind) bool { return k&^other == 0 }

// String names the types for a person, for example "null or a text".
func (k kind) String() string {
	if k == 0 {
		return "nothing"
	}
	var names []string
	for i, name := range []string{
		"null", "a boolean", "a number", "a text", "a time", "a process state", "a task state",
		"an array", "the whole model", "the process", "a task", "the tasks",
	} {
		if k&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, " or ")
}

// A value is what is known of the outputs of a part of an expression.
type value struct {
	kinds kind
	// exact means one output and no other number of them; outputs is how many
	// there are at most.
	exact   bool
	outputs int
	// elements are the types of the elements of an array and length is how many
	// it has at most. An array of arrays does not exist.
	elements kind
	length   int
	// bits is how long a number, also one in an array, can be.
	bits int
	// literals are the outputs if all of them are texts written down.
	literals []string
}

// one is a single value of the given types.
func one(kinds kind) value { return value{kinds: kinds, exact: true, outputs: 1} }

// each is what an expression behind v gets to see: one of its outputs.
func (v value) each() value {
	v.exact, v.outputs = true, 1
	return v
}

// or is a value that is either of the two.
func (v value) or(other value) value {
	joined := value{
		kinds:    v.kinds | other.kinds,
		exact:    v.exact && other.exact,
		outputs:  max(v.outputs, other.outputs),
		elements: v.elements | other.elements,
		length:   max(v.length, other.length),
		bits:     max(v.bits, other.bits),
	}
	if v.literals != nil && other.literals != nil {
		joined.literals = slices.Concat(v.literals, other.literals)
	}
	return joined
}

// then is a value followed by another one.
func (v value) then(other value) value {
	joined := v.or(other)
	joined.exact = false
	joined.outputs = v.outputs + other.outputs
	return joined
}
