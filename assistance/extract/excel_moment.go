package extract

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// A moment is the kind of a number of days.
type moment int

const (
	momentNone moment = iota
	momentDate
	// momentTime is a time of the day, or a duration.
	momentTime
)

// builtInMoment returns the kind of a built-in format of numbers (ISO 29500-1, section 18.8.30).
func builtInMoment(id string) moment {
	switch number, err := strconv.Atoi(id); {
	case err != nil:
	case number >= 14 && number <= 17, number == 22:
		return momentDate
	case number >= 18 && number <= 21, number >= 45 && number <= 47:
		return momentTime
	}
	return momentNone
}

// momentOfFormat returns the kind of a format of numbers: a date has a year or a day, a time has hours or seconds.
func momentOfFormat(format string) moment {
	found := momentNone
	quoted, bracket := false, false
	for i := 0; i < len(format); i++ {
		switch c := format[i]; {
		case c == '\\' && !quoted, (c == '_' || c == '*') && !quoted:
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[':
			bracket = true
			// A duration, such as [h]:mm; other brackets contain a colour, a condition or a language.
			if elapsed := strings.TrimLeft(format[i+1:], "hHmMsS"); !strings.HasPrefix(format[i+1:], "]") && strings.HasPrefix(elapsed, "]") {
				found = momentTime
			}
		case c == ']':
			bracket = false
		case bracket:
		case strings.IndexByte("yYdD", c) >= 0:
			return momentDate
		case strings.IndexByte("hHsS", c) >= 0:
			found = momentTime
		}
	}
	return found
}

// momentText returns a number of days as a date, a time or a duration.
func (w *workbook) momentText(m moment, value string) (string, bool) {
	days, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	if m == momentNone || err != nil || !(days >= 0 && days < 3_000_000) {
		return "", false
	}
	whole, part := math.Modf(days)
	seconds := int64(math.Round(part * 86400))
	if m == momentTime {
		seconds += int64(whole) * 86400
		return fmt.Sprintf("%02d:%02d:%02d", seconds/3600, seconds/60%60, seconds%60), true
	}
	start := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	switch {
	case w.since1904:
		start = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	case days < 1:
		return "", false
	case days < 60:
		whole++ // 1900 has a day 60, 29 February, in this format.
	}
	date := start.AddDate(0, 0, int(whole))
	if seconds == 0 {
		return date.Format(time.DateOnly), true
	}
	return date.Add(time.Duration(seconds) * time.Second).Format(time.DateTime), true
}
