package jsondoc

import (
	"encoding/json"
	"math/big"

	"github.com/procession-dev/procession/domain/jsontext"
)

// Types is a set of types of JSON values. The whole numbers are a type of their own: "number" contains them.
type Types uint8

// The types of JSON values.
const (
	TypeNull Types = 1 << iota
	TypeBoolean
	TypeInteger
	TypeFraction
	TypeString
	TypeArray
	TypeObject

	TypeNumber = TypeInteger | TypeFraction
	TypeScalar = TypeBoolean | TypeNumber | TypeString
	TypeAny    = TypeNull | TypeScalar | TypeArray | TypeObject
)

var typesByName = map[string]Types{ //nolint:gochecknoglobals // it is constant
	"null": TypeNull, "boolean": TypeBoolean, "integer": TypeInteger, "number": TypeNumber, "string": TypeString,
	"array": TypeArray, "object": TypeObject,
}

// Has reports whether the set contains one of the types.
func (t Types) Has(other Types) bool { return t&other != 0 }

// Only reports whether the set contains no types but the others.
func (t Types) Only(others Types) bool { return t&^others == 0 }

// typeOf returns the type of a decoded value.
func typeOf(value any) Types {
	switch v := value.(type) {
	case nil:
		return TypeNull
	case bool:
		return TypeBoolean
	case string:
		return TypeString
	case json.Number:
		if isWhole(v) {
			return TypeInteger
		}
		return TypeFraction
	case []any:
		return TypeArray
	case Deep:
		switch v[0] {
		case '[':
			return TypeArray
		case '"':
			return TypeString
		}
	}
	return TypeObject
}

// TypeOf returns the type of a value that Decode returned.
func TypeOf(value any) Types { return typeOf(value) }

func isWhole(number json.Number) bool {
	d := readDecimal(number.String())
	return d.spelled == "" && d.exponent >= len(d.digits)
}

// CompareNumbers returns a negative number if a is less than b, 0 if they are equal, and a positive number otherwise.
// Numbers that arithmetic must not be applied to are equal to all numbers.
func CompareNumbers(a, b json.Number) int {
	if !jsontext.Computable(a.String()) || !jsontext.Computable(b.String()) {
		return 0
	}
	x, ok := new(big.Rat).SetString(a.String())
	y, other := new(big.Rat).SetString(b.String())
	if !ok || !other {
		return 0
	}
	return x.Cmp(y)
}
