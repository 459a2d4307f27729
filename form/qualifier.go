package form

import (
	"slices"
	"strings"

	"github.com/procession-dev/procession/form/locale"
)

// Units returns the units of durations: designators of ISO 8601 after P, the largest first. A duration in several units, or
// another text, has the unit "".
func Units() []string { return []string{"Y", "M", "W", "D", "TH", "TM", "TS", ""} }

// Qualifier returns the second part of a value with two inputs: the offset of a time of day, Z for none, or the unit of a
// duration, days for none.
func (n *Node) Qualifier() string {
	text, isText := n.value.(string)
	switch {
	case n.Kind == KindTime:
		if _, offset := cutOffset(text); offset != "" {
			return offset
		}
		return "Z"
	case n.Kind == KindDuration && isText:
		_, unit := splitDuration(text)
		return unit
	case n.Kind == KindDuration:
		return "D"
	}
	return ""
}

func (n *Node) isQualifier(text string) bool {
	switch n.Kind { //nolint:exhaustive // the others have one input
	case KindTime:
		return isOffset(text)
	case KindDuration:
		return slices.Contains(Units(), text)
	}
	return false
}

// parseQualified returns the value of a text and a qualifier.
func (n *Node) parseQualified(text, qualifier string, in Locale) string {
	if n.Kind == KindTime {
		return parseClock(text, qualifier)
	}
	return joinDuration(text, qualifier, in)
}

// splitDuration returns the number and the unit of a duration in one unit, the whole text and "" for others.
func splitDuration(text string) (number, unit string) {
	rest, ok := strings.CutPrefix(text, "P")
	number = strings.TrimPrefix(rest, "T")
	digits := strings.TrimLeft(number, "0123456789")
	number = strings.TrimSuffix(number, digits)
	if strings.HasPrefix(rest, "T") {
		digits = "T" + digits
	}
	if !ok || number == "" || digits == "" || !slices.Contains(Units(), digits) {
		return text, ""
	}
	return number, digits
}

// joinDuration returns the duration of a number and a unit. Text that is no whole number stays.
func joinDuration(text, unit string, in Locale) string {
	text = locale.Trim(text)
	number := text
	if in.Numbers != nil {
		if read := in.Numbers.Parse(text, locale.Want{Integer: true}); read.Value != "" {
			number = read.Value
		}
	}
	if unit == "" || strings.Trim(number, "0123456789") != "" || number == "" {
		return text
	}
	if designator, isTime := strings.CutPrefix(unit, "T"); isTime {
		return "PT" + number + designator
	}
	return "P" + number + unit
}
