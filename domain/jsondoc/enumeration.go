package jsondoc

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
)

// Enumeration contains the values to choose from at a place.
type Enumeration struct {
	Values []EnumValue
	// Closed reports whether no other value is allowed.
	Closed bool
}

// EnumValue is a value of an Enumeration, decoded as by Decode.
type EnumValue struct {
	Value any
	// Title is "" for a value without a title.
	Title string
	// I18n is the key of the translation of the title, "" for none of its own.
	I18n string
	// Branch is the pointer of the alternative that contains the value, "" for none.
	Branch string
}

// valueKey returns a text that is the same for equal values only.
func valueKey(value any) string { return string(appendValueKey(nil, value)) }

func appendValueKey(key []byte, value any) []byte {
	switch v := value.(type) {
	case *Object:
		names := slices.Sorted(slices.Values(v.Names))
		key = strconv.AppendInt(append(key, '{'), int64(len(names)), 10)
		for _, name := range names {
			key = appendValueKey(appendValueKey(key, name), v.Members[name])
		}
		return key
	case []any:
		key = strconv.AppendInt(append(key, '['), int64(len(v)), 10)
		for _, element := range v {
			key = appendValueKey(key, element)
		}
		return key
	case json.Number:
		d := readDecimal(v.String())
		return strconv.AppendInt(append(strconv.AppendBool(append(key, '0'), d.negative), d.digits+d.spelled+"e"...), int64(d.exponent), 10)
	case string:
		return append(strconv.AppendInt(append(key, '"'), int64(len(v)), 10), " "+v...)
	case bool:
		return strconv.AppendBool(key, v)
	case Deep:
		return append(append(key, 'd'), v...)
	}
	return append(key, 'n')
}

func findOption(options []EnumValue, value any) int {
	return slices.IndexFunc(options, func(o EnumValue) bool { return Equal(o.Value, value) })
}

// intersectOptions returns the options that are among others as well. Options that are not finite contain all values.
func intersectOptions(options []EnumValue, finite bool, others []EnumValue) ([]EnumValue, bool) {
	if !finite {
		return others, true
	}
	known := make(map[string]EnumValue, len(others))
	for _, other := range others {
		known[valueKey(other.Value)] = other
	}
	var both []EnumValue
	for _, option := range options {
		other, ok := known[valueKey(option.Value)]
		if !ok {
			continue
		}
		option.Title, option.I18n = cmp.Or(option.Title, other.Title), cmp.Or(option.I18n, other.I18n)
		both = append(both, option)
	}
	return both, true
}
