package persistence

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/procession-dev/procession/domain/criteria"
)

// IndexedValue is a member of a value that resources can be filtered by, in the
// form that criteria.Normalize gives it.
type IndexedValue struct {
	Field string
	Type  criteria.Type
	Value string
}

// indexedLength is how many characters of a text an index holds.
const indexedLength = 200

// splitText divides a text into what an index holds of it and the rest, nil
// without one.
func splitText(text string) (begin string, rest *string) {
	if utf8.RuneCountInString(text) <= indexedLength {
		return text, nil
	}
	at := len(string([]rune(text)[:indexedLength]))
	after := text[at:]
	return text[:at], &after
}

// foldCase makes texts equal that differ in nothing but case: each character
// becomes the smallest of those that Unicode's simple case folding takes for the
// same. What the database makes of case depends on how it was set up.
func foldCase(text string) string {
	return strings.Map(func(c rune) rune {
		smallest := c
		for other := unicode.SimpleFold(c); other != c; other = unicode.SimpleFold(other) {
			smallest = min(smallest, other)
		}
		return smallest
	}, text)
}

// indexColumns are values by the columns of an index: the fields and, for each
// field, what it is found by.
type indexColumns struct {
	fields                              []string
	begins, rests, folds, numbers, days []*string
}

func (i *indexColumns) add(v IndexedValue) {
	var begin, rest, folded, number, day *string
	switch v.Type {
	case criteria.String:
		text, after := splitText(v.Value)
		begin, rest = &text, after
		if same := foldCase(v.Value); same != v.Value {
			folded = &same
		}
	case criteria.Number:
		number = &v.Value
	case criteria.Date:
		day = &v.Value
	}
	i.fields = append(i.fields, v.Field)
	i.begins, i.rests, i.folds = append(i.begins, begin), append(i.rests, rest), append(i.folds, folded)
	i.numbers, i.days = append(i.numbers, number), append(i.days, day)
}

// args are the columns in the order of their declaration.
func (i *indexColumns) args() []any {
	return []any{i.fields, i.begins, i.rests, i.folds, i.numbers, i.days}
}

func indexedAs(x string, t criteria.Type) string {
	switch t {
	case criteria.Number:
		return x + ".number_value"
	case criteria.Date:
		return x + ".date_value"
	case criteria.String:
	}
	return x + ".text_value"
}

// fulfils are the conditions under which a row x of the index fulfils the
// criterion.
func (l *list) fulfils(x string, c criteria.Criterion) []string {
	if c.Type == criteria.String {
		return l.fulfilsText(x, c)
	}
	column, cast := x+".number_value", "::numeric"
	if c.Type == criteria.Date {
		column, cast = x+".date_value", "::date"
	}
	operand := func(i int) string { return l.arg(c.Operands[i]) + "::text" + cast }
	switch c.Operator {
	case criteria.Le:
		return []string{column + " <= " + operand(0)}
	case criteria.Ge:
		return []string{column + " >= " + operand(0)}
	case criteria.Between:
		return []string{column + " >= " + operand(0), column + " <= " + operand(1)}
	case criteria.In:
		return []string{column + " = ANY(" + l.arg(c.Operands) + "::text[]" + cast + "[])"}
	case criteria.Eq, criteria.Contains:
	}
	return []string{column + " = " + operand(0)}
}

// fulfilsText compares the beginning of the text, which the index has, and the
// rest only for operands that are long enough to have one.
func (l *list) fulfilsText(x string, c criteria.Criterion) []string {
	if c.Operator == criteria.Contains {
		return []string{fmt.Sprintf("strpos(coalesce(%[1]s.text_folded, %[1]s.text_value || coalesce(%[1]s.text_rest, '')), %[2]s) > 0",
			x, l.arg(foldCase(c.Operands[0])))}
	}
	begins := make([]string, len(c.Operands))
	long := false
	for i, operand := range c.Operands {
		var rest *string
		begins[i], rest = splitText(operand)
		// A text may have exactly the indexed length, or be longer.
		long = long || rest != nil || len([]rune(begins[i])) == indexedLength
	}
	var conditions []string
	if len(begins) == 1 {
		conditions = []string{x + ".text_value = " + l.arg(begins[0])}
	} else {
		conditions = []string{x + ".text_value = ANY(" + l.arg(begins) + "::text[])"}
	}
	if long {
		conditions = append(conditions, fmt.Sprintf("%[1]s.text_value || coalesce(%[1]s.text_rest, '') = ANY(%[2]s::text[])",
			x, l.arg(c.Operands)))
	}
	return conditions
}
