package jsondoc

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/procession-dev/procession/domain/jsontext"
)

// maxExponentDigits limits the exponents used in arithmetic. Numbers with longer exponents are equal only if they are
// spelled alike.
const maxExponentDigits = 15

// equalNodes compares two values as a test does (RFC 6902, section 4.6): numbers by
// value, objects without regard to the order of their members.
func (t *tree) equalNodes(a, b *node) (bool, error) {
	if kindOf(a) != kindOf(b) {
		return false, nil
	}
	switch a.text[0] {
	case '{':
		return t.equalObjects(a, b)
	case '[':
		return t.equalArrays(a, b)
	}
	if err := t.spend(len(a.text) + len(b.text)); err != nil {
		return false, err
	}
	switch {
	case bytes.Equal(a.text, b.text):
		return true, nil
	case a.text[0] == '"':
		return jsontext.Key(a.text) == jsontext.Key(b.text), nil
	case kindOf(a) == '0':
		return readDecimal(string(a.text)) == readDecimal(string(b.text)), nil
	}
	return false, nil
}

// kindOf returns the first byte of a value, a zero for every number.
func kindOf(n *node) byte {
	if c := n.text[0]; c != '-' && (c < '0' || c > '9') {
		return c
	}
	return '0'
}

func (t *tree) equalArrays(a, b *node) (bool, error) {
	a.expand()
	b.expand()
	if len(a.elements) != len(b.elements) {
		return false, t.spend(1)
	}
	for i := range a.elements {
		if same, err := t.equalNodes(a.elements[i], b.elements[i]); !same || err != nil {
			return false, err
		}
	}
	return true, t.spend(len(a.elements))
}

func (t *tree) equalObjects(a, b *node) (bool, error) {
	a.expand()
	b.expand()
	if len(a.places) != len(b.places) {
		return false, t.spend(1)
	}
	if err := t.spend(len(a.members)); err != nil {
		return false, err
	}
	for _, m := range a.members {
		if m.value == nil {
			continue
		}
		other := b.childAt(m.key)
		if other == nil {
			return false, nil
		}
		if same, err := t.equalNodes(m.value, other); !same || err != nil {
			return false, err
		}
	}
	return true, nil
}

// A decimal is the number 0.digits times ten to the power of exponent, where digits begin and end with a digit
// other than zero. Equal numbers have equal decimals. Zero is the zero value.
type decimal struct {
	negative bool
	digits   string
	exponent int
	// spelled is the whole text of a number that is not used in arithmetic.
	spelled string
}

func readDecimal(text string) decimal {
	mantissa, power, _ := strings.Cut(strings.ToLower(text), "e")
	var d decimal
	mantissa, d.negative = strings.CutPrefix(mantissa, "-")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	d.digits = strings.TrimLeft(whole+fraction, "0")
	if d.digits == "" {
		return decimal{}
	}
	d.exponent = len(d.digits) - len(fraction)
	d.digits = strings.TrimRight(d.digits, "0")
	power, negative := strings.CutPrefix(strings.TrimPrefix(power, "+"), "-")
	power = strings.TrimLeft(power, "0")
	if power == "" {
		return d
	}
	n, err := strconv.Atoi(power)
	if err != nil || len(power) > maxExponentDigits {
		return decimal{spelled: text}
	}
	if negative {
		n = -n
	}
	d.exponent += n
	return d
}

// EqualNumbers reports whether two JSON numbers have the same value. All their digits count.
func EqualNumbers(a, b json.Number) bool {
	return a == b || readDecimal(a.String()) == readDecimal(b.String())
}

// Equal reports whether two values that Decode or DecodeExactly returned are equal (RFC 6902, section 4.6): numbers by
// value, objects without regard to the order of their members. A Deep value equals the same text only.
func Equal(a, b any) bool {
	switch a := a.(type) {
	case json.Number:
		b, ok := b.(json.Number)
		return ok && EqualNumbers(a, b)
	case *Object:
		b, ok := b.(*Object)
		if !ok || len(a.Names) != len(b.Names) {
			return false
		}
		for name, member := range a.Members {
			other, ok := b.Members[name]
			if !ok || !Equal(member, other) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, Equal)
	case Deep:
		b, ok := b.(Deep)
		return ok && bytes.Equal(a, b)
	case string:
		b, ok := b.(string)
		return ok && a == b
	case bool:
		b, ok := b.(bool)
		return ok && a == b
	}
	return a == nil && b == nil
}
