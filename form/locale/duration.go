package locale

import (
	"strconv"
	"strings"
	"time"
)

// Width is the length of words in relative times and durations.
type Width bool

// Widths of words.
const (
	Words         Width = false
	Abbreviations Width = true
)

const (
	minute = time.Minute
	hour   = time.Hour
	day    = 24 * time.Hour
	week   = 7 * day
	month  = 30 * day
	year   = 365 * day
)

// Relative returns a time relative to now, in the largest unit that has passed: in 5 minutes, 2 weeks ago.
// Less than a second is now. Months have 30 days and years 365.
func (c *Calendar) Relative(t, now time.Time, width Width) string {
	direction, distance := "past-", now.Sub(t)
	if distance < 0 {
		direction, distance = "future-", -distance
	}
	for _, unit := range []struct {
		name   string
		length time.Duration
	}{{"year", year}, {"month", month}, {"week", week}, {"day", day}, {"hour", hour}, {"minute", minute}, {"second", time.Second}} {
		if distance < unit.length {
			continue
		}
		key := direction + unit.name
		if width == Abbreviations {
			key += "-short"
		}
		return c.formatCount(key, int(distance/unit.length))
	}
	return c.chooseAlternative("words", 3)
}

// Day returns yesterday, today or tomorrow for a time in the zone of now, "" for other days.
func (c *Calendar) Day(t, now time.Time) string {
	y, m, d := now.Date()
	for i := range 3 {
		ty, tm, td := t.In(now.Location()).Date()
		at := time.Date(y, m, d+i-1, 12, 0, 0, 0, time.UTC)
		if at.Year() == ty && at.Month() == tm && at.Day() == td {
			return c.chooseAlternative("words", i)
		}
	}
	return ""
}

// Span is a duration of ISO 8601 in units, as format duration of JSON Schema has it.
type Span struct{ Years, Months, Weeks, Days, Hours, Minutes, Seconds int }

// SpanOf returns a duration in days, hours, minutes and seconds. Fractions of seconds are cut.
func SpanOf(d time.Duration) Span {
	return Span{
		Days: int(d / day), Hours: int(d % day / hour), Minutes: int(d % hour / minute), Seconds: int(d % minute / time.Second),
	}
}

// ParseSpan reads a duration of RFC 3339, appendix A. Numbers of more than nine digits are refused.
func ParseSpan(text string) (Span, bool) {
	var s Span
	rest, ok := strings.CutPrefix(text, "P")
	dates, times, hasTime := strings.Cut(rest, "T")
	if !ok || rest == "" || hasTime && times == "" {
		return s, false
	}
	for _, part := range []struct {
		text, designators string
		units             []*int
	}{
		{dates, "YMWD", []*int{&s.Years, &s.Months, &s.Weeks, &s.Days}},
		{times, "HMS", []*int{&s.Hours, &s.Minutes, &s.Seconds}},
	} {
		next := 0
		for left := part.text; left != ""; {
			unit := strings.TrimLeft(left, "0123456789")
			value, err := strconv.Atoi(left[:len(left)-len(unit)])
			if err != nil || unit == "" || len(left)-len(unit) > 9 {
				return s, false
			}
			at := strings.IndexByte(part.designators[next:], unit[0])
			if at < 0 {
				return s, false
			}
			*part.units[next+at] = value
			next += at + 1
			left = unit[1:]
		}
	}
	return s, true
}

// Duration returns the units of a span that are not zero: 1 day, 2 hours.
func (c *Calendar) Duration(s Span, width Width) string {
	style, list := "long-", "list"
	if width == Abbreviations {
		style, list = "short-", "list-short"
	}
	var parts []string
	for _, unit := range []struct {
		name  string
		value int
	}{
		{"year", s.Years},
		{"month", s.Months},
		{"week", s.Weeks},
		{"day", s.Days},
		{"hour", s.Hours},
		{"minute", s.Minutes},
		{"second", s.Seconds},
	} {
		if unit.value != 0 {
			parts = append(parts, c.formatCount(style+unit.name, unit.value))
		}
	}
	if len(parts) == 0 {
		return c.formatCount(style+"second", 0)
	}
	return c.joinList(list, parts)
}

// joinList joins parts by a pattern of lists (UTS 35, part 2, section 11).
func (c *Calendar) joinList(key string, parts []string) string {
	patterns := strings.Split(c.section(key), "|")
	last := len(parts) - 1
	switch last {
	case 0:
		return parts[0]
	case 1:
		return replaceArguments(patterns[0], parts[0], parts[1])
	}
	text := replaceArguments(patterns[3], parts[last-1], parts[last])
	for i := last - 2; i > 0; i-- {
		text = replaceArguments(patterns[2], parts[i], text)
	}
	return replaceArguments(patterns[1], parts[0], text)
}
