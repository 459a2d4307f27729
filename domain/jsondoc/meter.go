package jsondoc

import "errors"

// The costs of steps of a validation, in units of some 20 to 30 ns on a slow processor.
const (
	// MaxWork limits one validation. It takes less than two seconds of processor time.
	MaxWork = 33_000_000
	// unitsPerWatch is the work between two calls of the function that Watch passes.
	unitsPerWatch = 64 << 10
	// unitsPerCheck is the cost of applying a subschema, and unitsPerViolation of listing a violation.
	unitsPerCheck     = 40
	unitsPerViolation = 80
	// unitsPerMember is the cost of a member or an element of a container that a subschema looks at.
	unitsPerMember = 4
	unitsPerNumber = 8
	unitsPerFormat = 16
	// unitsPerRegexByte is the cost of parsing a byte of a regular expression, which may be a class of 600 ranges.
	unitsPerRegexByte = 600
	// instructionsPerUnit is how many instructions of a pattern are applied to a byte at the cost of a unit.
	instructionsPerUnit = 2
	// bytesPerUnit is how many bytes are copied or compared at the cost of a unit.
	bytesPerUnit = 32
)

var (
	errWork  = errors.New("takes too much work to be checked against its schema")
	errRegex = errors.New("has a regular expression that is too long to be checked against its schema")
)

// A meter counts the work of a validation. It aborts the validation by a panic, because the library has no other way
// to stop one.
type meter struct {
	spent, next, limit int
	// reserved is the cost of all violations that may be found before the next charge.
	reserved int
	// check is the cost of applying a subschema to a value, and failure the cost of a violation.
	check, failure int
	watch          func() error
}

// stopped is the panic of a validation that its caller has stopped.
type stopped struct{ err error }

// startRun begins a validation of a document with pointers of up to longest bytes, in which at most depth subschemas are
// entered at a time, by keyword locations of up to step bytes each.
func (m *meter) startRun(longest, depth, step int, options validationOptions) {
	*m = meter{next: min(unitsPerWatch, options.limit), limit: options.limit, watch: options.watch}
	// The library makes the pointer of each value that it enters, and the location of each violation step by step.
	m.check = unitsPerCheck + longest/(2*bytesPerUnit)
	m.failure = 4*depth + depth*depth*step/2/(4*bytesPerUnit)
}

// reserve reserves work, which may be negative to release it.
func (m *meter) reserve(units int) {
	if m.reserved += units; m.spent+m.reserved > m.limit {
		panic(errWork)
	}
}

func (m *meter) spend(units int) {
	m.spent += units
	if m.spent < m.next {
		return
	}
	if m.spent > m.limit {
		panic(errWork)
	}
	m.next = min(m.spent+unitsPerWatch, m.limit)
	if m.watch != nil {
		if err := m.watch(); err != nil {
			panic(stopped{err})
		}
	}
}
