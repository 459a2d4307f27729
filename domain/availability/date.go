package availability

import (
	"fmt"
	"math"
	"time"

	"github.com/itchyny/gojq"
)

const (
	// clock is the variable with the time of an evaluation.
	clock = reserved + "now"
	// secondBits is the maximum length in bits of a time in seconds since 1970.
	secondBits = 38
)

// The names under which the replacement functions are compiled: jq's own names stay jq's.
const (
	fromDate = "__fromdate"
	toDate   = "__todate"
	matches  = "__matches"
)

// date checks the time functions and replaces jq's by ours: jq's read the clock of the machine and lose
// fractions of a second.
func (c *checker) date(f *gojq.Func, in value) (value, *refusal) {
	seconds := one(number)
	seconds.bits = secondBits
	switch f.Name {
	case "now":
		f.Name = clock
		return seconds, nil
	case "fromdate":
		if in.kinds&(timestamp|text) == 0 || !in.kinds.within(timestamp|text|null) {
			return value{}, c.refuse("fromdate is for a time, and this is %s", in.kinds)
		}
		f.Name = fromDate
		return seconds, c.spend(3)
	}
	if in.kinds != number {
		return value{}, c.refuse("todate is for a number of seconds, and this is %s", in.kinds)
	}
	f.Name = toDate
	return one(timestamp), c.spend(3)
}

// options returns the options with which the expression is compiled.
func (c *checker) options() []gojq.CompilerOption {
	patterns := c.patterns
	return []gojq.CompilerOption{
		gojq.WithVariables([]string{clock}),
		gojq.WithFunction(fromDate, 0, 0, func(in any, _ []any) any { return seconds(in) }),
		gojq.WithFunction(toDate, 0, 0, func(in any, _ []any) any { return written(in) }),
		gojq.WithFunction(matches, 1, 1, func(in any, args []any) any {
			text, ok := in.(string)
			pattern, literal := args[0].(string)
			if !ok || !literal {
				return fmt.Errorf("test cannot be applied to %s", gojq.TypeOf(in))
			}
			return patterns[pattern].MatchString(text)
		}),
	}
}

// seconds returns the time of a text in seconds since 1970.
func seconds(in any) any {
	text, ok := in.(string)
	if !ok {
		return fmt.Errorf("fromdate cannot be applied to %s", gojq.TypeOf(in))
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return fmt.Errorf("fromdate cannot be applied to %.50q: it is not a time such as 2026-01-31T08:00:00Z", text)
	}
	return float64(at.UnixMicro()) / 1e6
}

// written returns the text of a time in seconds since 1970, within the years that a text can represent.
func written(in any) any {
	var at float64
	switch n := in.(type) {
	case int:
		at = float64(n)
	case float64:
		at = n
	default:
		return fmt.Errorf("todate cannot be applied to %s", gojq.TypeOf(in))
	}
	const limit = 1 << secondBits // in year 10680
	if math.IsNaN(at) || math.Abs(at) > limit {
		return fmt.Errorf("todate cannot be applied to %g: it is out of range", at)
	}
	moment := time.UnixMicro(int64(math.Round(at * 1e6))).UTC()
	if moment.Year() < 0 || moment.Year() > 9999 {
		return fmt.Errorf("todate cannot be applied to %g: it is out of range", at)
	}
	return moment.Format(timeLayout)
}
