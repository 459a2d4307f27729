package persistence

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/procession-dev/procession/domain/filter"
	"github.com/procession-dev/procession/persistence/internal/listquery"
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

// foldedText is SQL for text_folded of a row v: the key of a text if it differs from the text, and a date with a time as written.
const foldedText = `CASE WHEN v.text_value IS NULL THEN v.text_folded
            ELSE nullif(search_key(v.text_value || coalesce(v.text_rest, '')), v.text_value || coalesce(v.text_rest, '')) END`

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

// matchCriterion returns the condition under which a row x of the index fulfils the criterion.
func matchCriterion(x string, c filter.Criterion) listquery.Condition {
	compare := func(operator, operand string) listquery.Condition {
		return listquery.Match(x+".number_value "+operator+" %s::text::numeric", operand)
	}
	switch {
	case c.Operator == filter.Contains:
		return listquery.Match(indexedAs(x, c.Type)+" IS NOT NULL AND "+indexedText(x)+" LIKE search_key(%s)", listquery.Pattern(c.Operands[0]))
	case c.Type == filter.String:
		compare = func(operator, operand string) listquery.Condition { return compareText(x, operator, operand) }
	case c.Type == filter.Date:
		compare = func(operator, operand string) listquery.Condition { return compareDate(x, operator, operand) }
	}
	switch c.Operator {
	case filter.Le:
		return compare("<=", c.Operands[0])
	case filter.Ge:
		return compare(">=", c.Operands[0])
	case filter.Between:
		return listquery.Join("AND", compare(">=", c.Operands[0]), compare("<=", c.Operands[1]))
	case filter.Eq, filter.Contains:
		return compare("=", c.Operands[0])
	case filter.In:
	}
	switch c.Type {
	case filter.String:
		return matchTexts(x, c.Operands)
	case filter.Date:
		return matchDates(x, c.Operands)
	case filter.Number:
	}
	return listquery.Match(x+".number_value = ANY(%s::text[]::numeric[])", c.Operands)
}

// indexedText returns SQL for the text of a row's value without regard to case. Numbers are written in plain digits,
// without an exponent. It is the expression of the index business_artifact_index_words, so dates are written by functions
// that depend on no setting.
func indexedText(x string) string {
	return strings.ReplaceAll(`coalesce(x.text_folded, x.text_value || coalesce(x.text_rest, ''), x.number_value::text,
       lpad(extract(year FROM x.date_value)::text, 4, '0') || '-' || lpad(extract(month FROM x.date_value)::text, 2, '0')
       || '-' || lpad(extract(day FROM x.date_value)::text, 2, '0'))`, "x.", x+".")
}

// compareText compares the indexed beginning of the text, and the whole only where the operand is long enough for the rest to
// matter.
func compareText(x, operator, operand string) listquery.Condition {
	begin := listquery.Match(x+".text_value "+operator+" %s", beginOf(operand))
	if !exceedsIndex(operand) {
		return begin
	}
	return listquery.Join("AND", begin, listquery.Match(wholeText(x)+" "+operator+" %s", operand))
}

// matchTexts is compareText for alternatives.
func matchTexts(x string, operands []string) listquery.Condition {
	begins := make([]string, len(operands))
	for i, operand := range operands {
		begins[i] = beginOf(operand)
	}
	begin := listquery.Match(x+".text_value = ANY(%s::text[])", begins)
	if !slices.ContainsFunc(operands, exceedsIndex) {
		return begin
	}
	return listquery.Join("AND", begin, listquery.Match(wholeText(x)+" = ANY(%s::text[])", operands))
}

func wholeText(x string) string { return "(" + x + ".text_value || coalesce(" + x + ".text_rest, ''))" }

func beginOf(text string) string {
	begin, _ := splitText(text)
	return begin
}

// exceedsIndex reports whether a text with the same indexed part as the operand may differ in the rest.
func exceedsIndex(operand string) bool { return utf8.RuneCountInString(operand) >= indexedLength }

// matchDates is compareDate for alternatives.
func matchDates(x string, operands []string) listquery.Condition {
	var days []string
	var alternatives []listquery.Condition
	for _, operand := range operands {
		if day, _, timed := filter.Moment(operand); !timed {
			days = append(days, day)
		} else {
			alternatives = append(alternatives, listquery.Match("(%s)", compareDate(x, "=", operand)))
		}
	}
	if len(days) > 0 {
		alternatives = append(alternatives, listquery.Match(x+".date_value = ANY(%s::text[]::date[])", days))
	}
	return listquery.Match("(%s)", listquery.Join("OR", alternatives...))
}

// compareDate compares days where the operand is a day, and moments otherwise. The index holds days: the moment of a date is
// within a day of the beginning of the day as written.
func compareDate(x, operator, operand string) listquery.Condition {
	day, at, timed := filter.Moment(operand)
	if !timed {
		return listquery.Match(x+".date_value "+operator+" %s::text::date", day)
	}
	var near []listquery.Condition
	for _, bound := range []struct {
		operator string
		days     int
	}{{">=", -1}, {"<=", 1}} {
		if operator == "=" || operator == bound.operator {
			near = append(near, listquery.Match(x+".date_value "+bound.operator+" %s::date", at.AddDate(0, 0, bound.days)))
		}
	}
	return listquery.Join("AND", append(near, listquery.Match("coalesce(CASE WHEN "+x+".text_folded IS NOT NULL THEN "+x+".time_value END, "+
		x+".date_value::timestamp AT TIME ZONE 'UTC') "+operator+" %s", at))...)
}
