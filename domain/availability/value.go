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
	// record is an object of known members, and dict one of members with unknown names and the same type.
	record
	dict
)

const (
	texts     = text | timestamp | processState | taskState
	plain     = null | boolean | number | texts
	made      = record | dict
	objects   = root | process | task | tasks | made
	container = array | objects
)

// The lengths of texts in a model in bytes: a time has timeLength, a state no more than stateLength, and a code no
// more than codeLength.
const (
	timeLength  = len(timeLayout)
	stateLength = 9
	codeLength  = 50
	// maxName limits the names of members that an expression computes.
	maxName = 64
)

// isWithin reports whether other includes all types of k.
func (k kind) isWithin(other kind) bool { return k&^other == 0 }

// isMostly reports whether k has some of the given types, and no others but null. A value without a type never
// exists, as in an empty array, and is accepted everywhere.
func (k kind) isMostly(kinds kind) bool { return k == 0 || k&kinds != 0 && k.isWithin(kinds|null) }

// jqClasses replaces the types of k by the types that jq knows: it has one type of texts and one of objects.
func (k kind) jqClasses() kind {
	if k&texts != 0 {
		k = k&^texts | text
	}
	if k&objects != 0 {
		k = k&^objects | dict
	}
	return k
}

// String describes the types in words, for example "null or a text".
func (k kind) String() string {
	if k == 0 {
		return "nothing"
	}
	for _, class := range []kind{texts, objects} {
		if class.isWithin(k) {
			k = k&^class | class.jqClasses()
		}
	}
	var names []string
	for i, name := range []string{
		"null", "a boolean", "a number", "a text", "a time", "a process state", "a task state",
		"an array", "the whole model", "the process", "a task", "the tasks", "an object", "an object",
	} {
		if k&(1<<i) != 0 && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if last := len(names) - 1; last > 1 {
		names = []string{strings.Join(names[:last], ", "), names[last]}
	}
	return strings.Join(names, " or ")
}

// A value is the static type of the outputs of a part of an expression.
type value struct {
	kinds kind
	// exact means that the number of outputs is always one, and some that there is one or more; outputs is the
	// maximum number.
	exact   bool
	some    bool
	outputs int
	// elements are the values in an array or a dict, nil for none, and length is their maximum number.
	elements *value
	length   int
	// members are the members of a record.
	members map[string]value
	// bits is the maximum length of a number in bits, and constant the number if it is known.
	bits     int
	constant *float64
	// longest is the maximum length of a text in bytes.
	longest int
	// literals are the texts in the syntax tree if all texts of the value are literals.
	literals []*gojq.String
}

// singleOf returns a single value of the given types, in the lengths of the model.
func singleOf(kinds kind) value {
	v := value{kinds: kinds, exact: true, some: true, outputs: 1}
	switch {
	case kinds&text != 0:
		v.longest = codeLength
	case kinds&timestamp != 0:
		v.longest = timeLength
	case kinds&texts != 0:
		v.longest = stateLength
	}
	return v
}

// textOf returns a text of the given maximum length.
func textOf(longest int) value {
	v := singleOf(text)
	v.longest = longest
	return v
}

// numberOf returns a number of the given maximum length in bits.
func numberOf(bits int) value {
	v := singleOf(number)
	v.bits = bits
	return v
}

// arrayOf returns an array of the given elements.
func arrayOf(elements value, length int) value {
	v := singleOf(array)
	elements = elements.eachOutput()
	v.elements, v.length = &elements, length
	return v
}

// dictOf returns an object of the given members.
func dictOf(elements value, length int) value {
	v := arrayOf(elements, length)
	v.kinds, v.longest = dict, maxName
	return v
}

// eachOutput returns the input of an expression after v: one of its outputs.
func (v value) eachOutput() value {
	v.exact, v.some, v.outputs = true, true, 1
	return v
}

// withoutKinds returns v without the given types.
func (v value) withoutKinds(kinds kind) value {
	v.kinds &^= kinds
	return v
}

// orNull returns a value that is v or null.
func (v value) orNull() value {
	v.kinds |= null
	return v
}

// contentValues returns the values in v, whatever it is, and their maximum number.
func (v value) contentValues() (value, int) {
	var found value
	length := 0
	add := func(elements value, n int) {
		if elements = elements.eachOutput(); found.kinds == 0 {
			found = elements
		} else {
			found = found.unionWith(elements)
		}
		length = max(length, n)
	}
	if v.kinds&(array|dict) != 0 && v.elements != nil {
		add(*v.elements, v.length)
	}
	if v.kinds&tasks != 0 {
		add(singleOf(task), assumedTasks)
	}
	if v.kinds&root != 0 {
		add(singleOf(process|tasks), 2)
	}
	if v.kinds&process != 0 {
		add(singleOf(processState|timestamp), 3)
	}
	if v.kinds&task != 0 {
		add(singleOf(taskState|timestamp), 3)
	}
	if v.kinds&record != 0 {
		for _, name := range slices.Sorted(maps.Keys(v.members)) {
			add(v.members[name], len(v.members))
		}
	}
	return found.eachOutput(), length
}

// unionWith returns a value that is either of the two.
func (v value) unionWith(other value) value {
	joined := value{
		kinds:    v.kinds | other.kinds,
		exact:    v.exact && other.exact,
		some:     v.some && other.some,
		outputs:  max(v.outputs, other.outputs),
		elements: joinElements(v.elements, other.elements),
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

// followedBy returns the outputs of v followed by the outputs of another value.
func (v value) followedBy(other value) value {
	joined := v.unionWith(other)
	joined.exact, joined.some = false, v.some || other.some
	joined.outputs = v.outputs + other.outputs
	return joined
}

func joinElements(v, other *value) *value {
	switch {
	case v == nil:
		return other
	case other == nil:
		return v
	}
	joined := v.unionWith(*other)
	return &joined
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
		if existing, ok := joined[name]; ok {
			joined[name] = existing.unionWith(member)
		} else {
			joined[name] = member.orNull()
		}
	}
	for name, member := range joined {
		if _, ok := other.members[name]; !ok {
			joined[name] = member.orNull()
		}
	}
	return joined
}
