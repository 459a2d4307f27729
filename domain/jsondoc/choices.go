package jsondoc

import (
	"encoding/json"
	"slices"
	"strconv"
)

// choices are the values that an enum or a const allows. Scalars are found by hash, for an enum may have thousands.
type choices struct {
	texts   map[string]bool
	numbers map[decimal]bool
	// literals are null, true and false.
	literals map[any]bool
	nested   []any
}

func newChoices(values []any) *choices {
	c := &choices{texts: map[string]bool{}, numbers: map[decimal]bool{}, literals: map[any]bool{}}
	for _, value := range values {
		switch v := value.(type) {
		case string:
			c.texts[v] = true
		case json.Number:
			c.numbers[readDecimal(v.String())] = true
		case map[string]any, []any:
			c.nested = append(c.nested, v)
		default:
			c.literals[v] = true
		}
	}
	return c
}

// has reports whether a value is one of the choices.
func (c *choices) has(m *meter, value any) bool {
	switch v := value.(type) {
	case string:
		m.spend(len(v) / bytesPerUnit)
		return c.texts[v]
	case json.Number:
		m.spend(unitsPerNumber + len(v))
		return c.numbers[readDecimal(v.String())]
	case map[string]any, []any:
		return slices.ContainsFunc(c.nested, func(choice any) bool { return m.equalValues(v, choice) })
	}
	return c.literals[value]
}

// equalValues compares two values, numbers by value.
func (m *meter) equalValues(a, b any) bool {
	m.spend(1)
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for name, member := range a {
			m.spend(unitsPerMember)
			if other, ok := b[name]; !ok || !m.equalValues(member, other) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, m.equalValues)
	case json.Number:
		b, ok := b.(json.Number)
		m.spend(unitsPerNumber + len(a) + len(b))
		return ok && readDecimal(a.String()) == readDecimal(b.String())
	case string:
		m.spend(len(a) / bytesPerUnit)
	}
	return a == b
}

// areUnique reports whether no two elements are equal. The library compares elements with equal hashes one by one, and
// its hash is the same for different arrays.
func (m *meter) areUnique(elements []any) bool {
	seen := make(map[string]bool, len(elements))
	var key []byte
	for _, element := range elements {
		key = m.appendKey(key[:0], element)
		if seen[string(key)] {
			return false
		}
		seen[string(key)] = true
	}
	return true
}

// appendKey appends a text that is the same for equal values only.
func (m *meter) appendKey(key []byte, value any) []byte {
	m.spend(unitsPerMember)
	switch v := value.(type) {
	case map[string]any:
		names := make([]string, 0, len(v))
		for name := range v {
			m.spend(2*unitsPerMember + len(name)/bytesPerUnit)
			names = append(names, name)
		}
		slices.Sort(names)
		key = strconv.AppendInt(append(key, '{'), int64(len(v)), 10)
		for _, name := range names {
			key = m.appendKey(m.appendKey(key, name), v[name])
		}
	case []any:
		key = strconv.AppendInt(append(key, '['), int64(len(v)), 10)
		for _, element := range v {
			key = m.appendKey(key, element)
		}
	case string:
		m.spend(len(v) / bytesPerUnit)
		key = append(append(strconv.AppendInt(append(key, '"'), int64(len(v)), 10), ' '), v...)
	case json.Number:
		m.spend(unitsPerNumber + len(v))
		d := readDecimal(v.String())
		sign := byte('+')
		if d.negative {
			sign = '-'
		}
		key = append(append(key, sign), d.digits...)
		key = append(strconv.AppendInt(append(key, 'e'), int64(d.exponent), 10), ' ')
	case bool:
		key = strconv.AppendBool(key, v)
	case nil:
		key = append(key, 'n')
	}
	return key
}
