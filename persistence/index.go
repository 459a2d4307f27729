package persistence

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/procession-dev/procession/domain/filter"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

// IndexedValue is a member of a value by which resources can be filtered, in the form that filter.Normalize
// returns.
type IndexedValue struct {
	Field string
	Type  filter.Type
	Value string
}

// indexedLength is how many characters of a text an index holds.
const indexedLength = 200

// splitText divides a text into the indexed part and the rest, nil without one.
func splitText(text string) (begin string, rest *string) {
	if utf8.RuneCountInString(text) <= indexedLength {
		return text, nil
	}
	at := len(string([]rune(text)[:indexedLength]))
	after := text[at:]
	return text[:at], &after
}

// foldCase maps texts that differ only in case to one text: each character becomes the smallest of its
// equivalents under Unicode's simple case folding. The result does not depend on the locale of the database.
func foldCase(text string) string {
	return strings.Map(func(c rune) rune {
		smallest := c
		for other := unicode.SimpleFold(c); other != c; other = unicode.SimpleFold(other) {
			smallest = min(smallest, other)
		}
		return smallest
	}, text)
}

// indexColumns are values by the columns of an index.
type indexColumns struct {
	fields                              []string
	begins, rests, folds, numbers, days []*string
	times                               []*time.Time
}

func (i *indexColumns) add(v IndexedValue) {
	var begin, rest, folded, number, day *string
	var moment *time.Time
	switch v.Type {
	case filter.String:
		text, after := splitText(v.Value)
		begin, rest = &text, after
		if same := foldCase(v.Value); same != v.Value {
			folded = &same
		}
	case filter.Number:
		number = &v.Value
	case filter.Date:
		written, at, timed := filter.Moment(v.Value)
		if day = &written; timed {
			moment, folded = &at, &v.Value
		}
	}
	i.fields = append(i.fields, v.Field)
	i.begins, i.rests, i.folds = append(i.begins, begin), append(i.rests, rest), append(i.folds, folded)
	i.numbers, i.days, i.times = append(i.numbers, number), append(i.days, day), append(i.times, moment)
}

// args returns the columns in the order of their declaration.
func (i *indexColumns) args() []any {
	return []any{i.fields, i.begins, i.rests, i.folds, i.numbers, i.days, i.times}
}

func indexedAs(x string, t filter.Type) string {
	switch t {
	case filter.Number:
		return x + ".number_value"
	case filter.Date:
		return x + ".date_value"
	case filter.String:
	}
	return x + ".text_value"
}

// criterionConditions returns the conditions under which a row x of the index fulfils the criterion.
func criterionConditions(l *pg.List, x string, c filter.Criterion) []string {
	switch {
	case c.Operator == filter.Contains:
		return []string{indexedAs(x, c.Type) + " IS NOT NULL", indexedText(x) + " LIKE " + l.Arg(likePattern(foldCase(c.Operands[0])))}
	case c.Type == filter.String:
		return fulfilsText(l, x, c)
	case c.Type == filter.Date:
		return fulfilsDate(l, x, c)
	}
	column := x + ".number_value"
	operand := func(i int) string { return l.Arg(c.Operands[i]) + "::text::numeric" }
	switch c.Operator {
	case filter.Le:
		return []string{column + " <= " + operand(0)}
	case filter.Ge:
		return []string{column + " >= " + operand(0)}
	case filter.Between:
		return []string{column + " >= " + operand(0), column + " <= " + operand(1)}
	case filter.In:
		return []string{column + " = ANY(" + l.Arg(c.Operands) + "::text[]::numeric[])"}
	case filter.Eq, filter.Contains:
	}
	return []string{column + " = " + operand(0)}
}

// indexedText returns SQL for the text of a row's value without regard to case. Numbers are written in plain digits,
// without an exponent. It is the expression of the index business_artifact_index_words, so dates are written by functions
// that depend on no setting.
func indexedText(x string) string {
	return strings.ReplaceAll(`coalesce(x.text_folded, x.text_value || coalesce(x.text_rest, ''), x.number_value::text,
       lpad(extract(year FROM x.date_value)::text, 4, '0') || '-' || lpad(extract(month FROM x.date_value)::text, 2, '0')
       || '-' || lpad(extract(day FROM x.date_value)::text, 2, '0'))`, "x.", x+".")
}

// fulfilsText compares the indexed beginning of the text, and the whole only where an operand is long enough for
// the rest to matter.
func fulfilsText(l *pg.List, x string, c filter.Criterion) []string {
	begin, whole := x+".text_value", fmt.Sprintf("(%[1]s.text_value || coalesce(%[1]s.text_rest, ''))", x)
	compare := func(operator, operand string) []string {
		conditions := []string{begin + operator + l.Arg(beginOf(operand))}
		if exceedsIndex(operand) {
			conditions = append(conditions, whole+operator+l.Arg(operand))
		}
		return conditions
	}
	switch c.Operator {
	case filter.Le:
		return compare(" <= ", c.Operands[0])
	case filter.Ge:
		return compare(" >= ", c.Operands[0])
	case filter.Between:
		return append(compare(" >= ", c.Operands[0]), compare(" <= ", c.Operands[1])...)
	case filter.Eq, filter.Contains:
		return compare(" = ", c.Operands[0])
	case filter.In:
	}
	begins := make([]string, len(c.Operands))
	for i, operand := range c.Operands {
		begins[i] = beginOf(operand)
	}
	conditions := []string{begin + " = ANY(" + l.Arg(begins) + "::text[])"}
	if slices.ContainsFunc(c.Operands, exceedsIndex) {
		conditions = append(conditions, whole+" = ANY("+l.Arg(c.Operands)+"::text[])")
	}
	return conditions
}

func beginOf(text string) string {
	begin, _ := splitText(text)
	return begin
}

// exceedsIndex reports whether a text with the same indexed part as the operand may differ in the rest.
func exceedsIndex(operand string) bool { return utf8.RuneCountInString(operand) >= indexedLength }

// fulfilsDate compares days where the operand is a day, and moments otherwise. The index holds days: the moment
// of a date is within a day of the beginning of the day as written.
func fulfilsDate(l *pg.List, x string, c filter.Criterion) []string {
	switch c.Operator {
	case filter.Le:
		return []string{compareDate(l, x, " <= ", c.Operands[0])}
	case filter.Ge:
		return []string{compareDate(l, x, " >= ", c.Operands[0])}
	case filter.Between:
		return []string{compareDate(l, x, " >= ", c.Operands[0]), compareDate(l, x, " <= ", c.Operands[1])}
	case filter.Eq, filter.In, filter.Contains:
	}
	var days []string
	var alternatives []string
	for _, operand := range c.Operands {
		if day, _, timed := filter.Moment(operand); !timed {
			days = append(days, day)
			continue
		}
		alternatives = append(alternatives, "("+compareDate(l, x, " = ", operand)+")")
	}
	if len(days) > 0 {
		alternatives = append(alternatives, x+".date_value = ANY("+l.Arg(days)+"::text[]::date[])")
	}
	return []string{"(" + strings.Join(alternatives, " OR ") + ")"}
}

func compareDate(l *pg.List, x, operator, operand string) string {
	day, at, timed := filter.Moment(operand)
	if !timed {
		return x + ".date_value" + operator + l.Arg(day) + "::text::date"
	}
	moment := fmt.Sprintf("coalesce(CASE WHEN %[1]s.text_folded IS NOT NULL THEN %[1]s.time_value END, "+
		"%[1]s.date_value::timestamp AT TIME ZONE 'UTC')%[2]s%[3]s", x, operator, l.Arg(at))
	near := func(operator string, days int) string {
		return x + ".date_value" + operator + l.Arg(at.AddDate(0, 0, days)) + "::date"
	}
	switch operator {
	case " <= ":
		return near(operator, 1) + " AND " + moment
	case " >= ":
		return near(operator, -1) + " AND " + moment
	}
	return near(" >= ", -1) + " AND " + near(" <= ", 1) + " AND " + moment
}
