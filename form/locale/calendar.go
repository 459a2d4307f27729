package locale

import (
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
)

// Calendar writes dates, times and durations in a language. It is safe for concurrent use.
type Calendar struct {
	tag         language.Tag
	notation    Notation
	own, parent map[string]string
}

// CalendarOf returns the calendar of the language of Languages that fits best.
func CalendarOf(tag language.Tag) *Calendar {
	t := dates()
	if found, ok := t.calendar[tag]; ok {
		return found
	}
	_, index, _ := t.matcher.Match(tag)
	return t.calendar[t.tags[index]]
}

// Style is the form of a date.
type Style string

// Styles of dates, as in 25 Nov 2026; Wed, 25 Nov 2026; 25 November 2026; and Wednesday, 25 November 2026.
const (
	Medium      Style = "medium"
	WithWeekday Style = "day"
	Long        Style = "long"
	Full        Style = "full"
)

// Precision is the smallest unit of a time of day.
type Precision int

// Precisions of times of day. With Seconds a fraction is written unless it is zero.
const (
	Minutes Precision = iota
	Seconds
)

func (c *Calendar) section(key string) string {
	if value, ok := c.own[key]; ok {
		return value
	}
	return c.parent[key]
}

// chooseAlternative returns one of the alternatives of a section.
func (c *Calendar) chooseAlternative(key string, i int) string {
	return strings.Split(c.section(key), "|")[i]
}

// Date returns the date of a time in its zone.
func (c *Calendar) Date(t time.Time, style Style) string {
	return c.expandPattern(c.section(string(style)), t)
}

// PrecisionOf returns the precision that shows all of a time of day.
func PrecisionOf(t time.Time) Precision {
	if t.Second() == 0 && t.Nanosecond() == 0 {
		return Minutes
	}
	return Seconds
}

// Time returns the time of day of a time in its zone.
func (c *Calendar) Time(t time.Time, precision Precision) string {
	return c.expandPattern(c.chooseAlternative("time", int(precision)), t)
}

// DateTime returns date and time of day of a time in its zone.
func (c *Calendar) DateTime(t time.Time, style Style, precision Precision) string {
	glue := map[Style]int{Long: 1, Full: 2}[style]
	text := c.expandPattern(c.chooseAlternative("at", glue), t)
	return replaceArguments(text, c.Time(t, precision), c.Date(t, style))
}

// Zone returns the offset of a time, as in GMT+1 and GMT-3:30.
func (c *Calendar) Zone(t time.Time) string {
	_, offset := t.Zone()
	if offset == 0 {
		return c.chooseAlternative("zone", 1)
	}
	pattern := c.chooseAlternative("zone", 2)
	if offset < 0 {
		offset = -offset
		pattern = c.chooseAlternative("zone", 3)
	}
	hours, rest := offset/3600, offset%3600
	format := strings.NewReplacer("HH", c.formatInt(hours, 1), "H", c.formatInt(hours, 1), "mm", c.formatInt(rest/60, 2))
	if rest == 0 {
		at := strings.IndexByte(pattern, 'H')
		pattern = pattern[:at] + "H"
	}
	text := format.Replace(pattern)
	if seconds := rest % 60; seconds != 0 {
		text += ":" + c.formatInt(seconds, 2)
	}
	return replaceArguments(c.chooseAlternative("zone", 0), text)
}

// formatInt writes an integer with leading zeros, without groups.
func (c *Calendar) formatInt(value, digits int) string {
	text := strconv.Itoa(value)
	text = strings.Repeat("0", max(digits-len(text), 0)) + text
	return strings.Map(c.notation.mapDigit, text)
}

// replaceArguments replaces {0}, {1} of a pattern.
func replaceArguments(pattern string, arguments ...string) string {
	pairs := make([]string, 0, 2*len(arguments))
	for i, argument := range arguments {
		pairs = append(pairs, "{"+strconv.Itoa(i)+"}", argument)
	}
	return strings.NewReplacer(pairs...).Replace(pattern)
}

// expandPattern replaces the fields of a pattern (UTS 35, part 4, section 8). Text in apostrophes stays.
func (c *Calendar) expandPattern(pattern string, t time.Time) string {
	var b strings.Builder
	for i := 0; i < len(pattern); {
		letter := pattern[i]
		end := i + 1
		switch {
		case letter == '\'':
			end = i + 1 + strings.IndexByte(pattern[i+1:], '\'')
			b.WriteString(pattern[i+1 : end])
			i = end + 1
			continue
		case letter >= 'a' && letter <= 'z' || letter >= 'A' && letter <= 'Z':
			for end < len(pattern) && pattern[end] == letter {
				end++
			}
			b.WriteString(c.formatField(pattern[i:end], t))
		default:
			b.WriteByte(letter)
		}
		i = end
	}
	return b.String()
}

// formatField returns the value of a field, "" for an unknown one.
func (c *Calendar) formatField(letters string, t time.Time) string {
	switch width := len(letters); letters[0] {
	case 'y':
		return c.formatInt(t.Year(), width)
	case 'M':
		if width > 2 {
			return c.chooseAlternative(letters, int(t.Month())-1)
		}
		return c.formatInt(int(t.Month()), width)
	case 'd':
		return c.formatInt(t.Day(), width)
	case 'E', 'c':
		if width < 4 {
			letters = "E"
		}
		return c.chooseAlternative(letters, int(t.Weekday()))
	case 'H':
		return c.formatInt(t.Hour(), width)
	case 'h':
		return c.formatInt((t.Hour()+11)%12+1, width)
	case 'm':
		return c.formatInt(t.Minute(), width)
	case 's':
		return c.formatInt(t.Second(), width) + c.formatFraction(t)
	case 'a':
		return c.chooseAlternative("a", t.Hour()/12)
	case 'G':
		return c.section("G")
	}
	return ""
}

// formatFraction returns the fraction of a second with its sign, without trailing zeros.
func (c *Calendar) formatFraction(t time.Time) string {
	digits := strings.TrimRight(t.Format(".000000000"), "0")[1:]
	if digits == "" {
		return ""
	}
	return c.notation.Decimal + strings.Map(c.notation.mapDigit, digits)
}

// formatCount returns a pattern of a section with a number in its plural form.
func (c *Calendar) formatCount(key string, n int) string {
	forms := strings.Split(c.section(key), "|")
	form := map[plural.Form]int{plural.Zero: 0, plural.One: 1, plural.Two: 2, plural.Few: 3, plural.Many: 4, plural.Other: 5}
	pattern := forms[form[plural.Cardinal.MatchPlural(c.tag, n, 0, 0, 0, 0)]]
	if pattern == "" {
		pattern = forms[5]
	}
	return replaceArguments(pattern, c.notation.Format(strconv.Itoa(n), true))
}
