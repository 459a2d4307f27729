package availability

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/itchyny/gojq"
	"github.com/itchyny/timefmt-go"
)

const (
	// clock is the variable with the time of an evaluation.
	clock = reserved + "now"
	// secondBits is the maximum length in bits of a time in seconds since 1970.
	secondBits = 38
	// brokenDownLength is the number of the parts of a time: year, month from 0, day, hours, minutes, seconds,
	// weekday from Sunday and day of the year from 0.
	brokenDownLength = 8
	// longestConversion is the maximum length of the text of a conversion of strftime, divided by two.
	longestConversion = 20
	// conversions are the conversions of strftime and strptime, without widths and flags.
	conversions = "aAbBcCdDeFgGhHIjklmMnpRsStTuUVwWyYzZ%"
)

// compilerOptions returns the options with which the expression is compiled.
func (c *checker) compilerOptions() []gojq.CompilerOption {
	compiled := c.patterns
	options := []gojq.CompilerOption{gojq.WithVariables([]string{clock})}
	for signature, row := range functions {
		if row.run == nil {
			continue
		}
		name, _, _ := strings.Cut(signature, "/")
		options = append(options, gojq.WithFunction(replaced+name, len(row.args), len(row.args), func(in any, args []any) any {
			return row.run(compiled, in, args)
		}))
	}
	return options
}

// requireFormat checks a format of times.
func requireFormat(c *checker, callee *call) *refusal {
	if callee.in.kinds&array != 0 {
		if fault := requireTimeParts(c, callee); fault != nil {
			return fault
		}
	}
	text := callee.args[0].literals[0].Str
	for i := 0; i < len(text); i++ {
		if text[i] != '%' {
			continue
		}
		if i++; i == len(text) || !strings.Contains(conversions, text[i:i+1]) {
			return c.refuse("a format of %s has the conversions %s, each after a %%", callee.name, conversions)
		}
	}
	return nil
}

func requireTimeParts(c *checker, callee *call) *refusal {
	if kinds := callee.contents.kinds; !kinds.isMostly(number) {
		return c.refuse("%s is for the parts of a time, as gmtime returns them, and this is an array of %s", callee.name, kinds)
	}
	return nil
}

// parseFormat is strptime. The times of the model match formats without a fraction of a second too.
func parseFormat(_ patterns, in any, args []any) any {
	text, ok := in.(string)
	format, _ := args[0].(string)
	if !ok {
		return fmt.Errorf("strptime cannot be applied to %s", gojq.TypeOf(in))
	}
	if at, err := time.Parse(timeLayout, text); err == nil {
		text = at.Format("2006-01-02T15:04:05Z")
	}
	at, err := timefmt.Parse(text, format)
	if err != nil {
		return fmt.Errorf("strptime cannot be applied to %.50q: it is not a time in the format %.50q", text, format)
	}
	at = at.UTC()
	return []any{
		at.Year(), int(at.Month()) - 1, at.Day(), at.Hour(), at.Minute(), at.Second(), int(at.Weekday()), at.YearDay() - 1,
	}
}

// makeTime is mktime, which returns whole seconds. It needs at least the six parts down to seconds.
func makeTime(_ patterns, in any, _ []any) any {
	parts, _ := in.([]any)
	var numbers [brokenDownLength - 2]int
	for i := range numbers {
		if i == len(parts) {
			return fmt.Errorf("mktime cannot be applied to an array of %d parts: it needs %d", len(parts), len(numbers))
		}
		part, ok := gojq.ToFloat64(parts[i])
		if !ok || !(math.Abs(part) < 1<<lengthBits) {
			return fmt.Errorf("mktime cannot be applied to an array with %.50v", parts[i])
		}
		numbers[i] = int(math.Floor(part))
	}
	at := time.Date(numbers[0], time.Month(numbers[1]+1), numbers[2], numbers[3], numbers[4], numbers[5], 0, time.UTC)
	return float64(at.Unix())
}

// parseTime returns the time of a text in seconds since 1970. jq's fromdate does not read fractions of a second.
func parseTime(_ patterns, in any, _ []any) any {
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

// formatTime returns the text of a time in seconds since 1970, within the years that a text can represent, in the
// form of the model.
func formatTime(_ patterns, in any, _ []any) any {
	at, ok := gojq.ToFloat64(in)
	if !ok {
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
