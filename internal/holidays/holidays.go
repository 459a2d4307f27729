// Package holidays reads whole days from iCalendar files (RFC 5545).
package holidays

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode"

	ics "github.com/arran4/golang-ical"
	"github.com/teambition/rrule-go"
)

const (
	// maxFile is the maximum size of a file, maxEvents the maximum number of its events.
	maxFile   = 1 << 20
	maxEvents = 5000
	// maxDays is the maximum number of days of all events, maxSpan of one event without its recurrences.
	maxDays = 1000
	maxSpan = 366
	// maxName is the maximum length of the name of a day, in characters.
	maxName = 50

	dateLayout = "20060102"
)

// Day is a holiday.
type Day struct {
	Date time.Time
	Name string
}

// Read returns the whole days of the events of a file from a time on and before another one, with their recurrences, in their
// order. Events with a time of day are left out.
func Read(r io.Reader, from, until time.Time) ([]Day, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("reading the calendar: %w", err)
	}
	if len(text) > maxFile {
		return nil, fmt.Errorf("the calendar is larger than %d bytes", maxFile)
	}
	calendar, err := ics.ParseCalendar(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("the file is not an iCalendar: %w", err)
	}
	events := calendar.Events()
	if len(events) > maxEvents {
		return nil, fmt.Errorf("the calendar has more than %d events", maxEvents)
	}
	found := map[time.Time]string{}
	for _, event := range events {
		if err := addDays(found, event, from, until); err != nil {
			return nil, err
		}
	}
	days := make([]Day, 0, len(found))
	for date, name := range found {
		days = append(days, Day{Date: date, Name: name})
	}
	slices.SortFunc(days, func(a, b Day) int { return a.Date.Compare(b.Date) })
	return days, nil
}

func addDays(found map[time.Time]string, event *ics.VEvent, from, until time.Time) error {
	name := nameOf(event)
	start, ok := dateOf(event.GetProperty(ics.ComponentPropertyDtStart))
	if !ok {
		return nil
	}
	span := 1
	if end, ok := dateOf(event.GetProperty(ics.ComponentPropertyDtEnd)); ok {
		span = min(max(1, int(end.Sub(start)/(24*time.Hour))), maxSpan)
	}
	starts, err := recurrences(event, start, until)
	if err != nil {
		return fmt.Errorf("the event %s: %w", cmp.Or(name, start.Format(time.DateOnly)), err)
	}
	for _, first := range starts {
		for i := range span {
			day := first.AddDate(0, 0, i)
			if day.Before(from) || !day.Before(until) {
				continue
			}
			if found[day] = cmp.Or(found[day], name); len(found) > maxDays {
				return fmt.Errorf("the calendar has more than %d days", maxDays)
			}
		}
	}
	return nil
}

// recurrences returns the first days of an event and of its recurrences.
func recurrences(event *ics.VEvent, start, until time.Time) ([]time.Time, error) {
	rule := event.GetProperty(ics.ComponentPropertyRrule)
	if rule == nil {
		return []time.Time{start}, nil
	}
	option, err := rrule.StrToROption(rule.Value)
	if err != nil {
		return nil, fmt.Errorf("reading its recurrence: %w", err)
	}
	if option.Freq > rrule.DAILY {
		return nil, errors.New("it recurs more often than daily")
	}
	option.Dtstart = start
	if option.Until.IsZero() || option.Until.After(until) {
		option.Until = until
	}
	recurring, err := rrule.NewRRule(*option)
	if err != nil {
		return nil, fmt.Errorf("reading its recurrence: %w", err)
	}
	excluded := map[time.Time]bool{}
	for _, property := range event.GetProperties(ics.ComponentPropertyExdate) {
		for value := range strings.SplitSeq(property.Value, ",") {
			if date, err := time.Parse(dateLayout, value[:min(len(value), len(dateLayout))]); err == nil {
				excluded[date] = true
			}
		}
	}
	return slices.DeleteFunc(recurring.All(), func(at time.Time) bool { return excluded[at] }), nil
}

// dateOf returns the date of a property, and false for one with a time of day and for none.
func dateOf(property *ics.IANAProperty) (time.Time, bool) {
	if property == nil || len(property.Value) != len(dateLayout) {
		return time.Time{}, false
	}
	date, err := time.Parse(dateLayout, property.Value)
	return date, err == nil
}

// nameOf returns the summary of an event as the name of a day.
func nameOf(event *ics.VEvent) string {
	summary := event.GetProperty(ics.ComponentPropertySummary)
	if summary == nil {
		return ""
	}
	name := []rune(strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, summary.Value)))
	return strings.TrimSpace(string(name[:min(len(name), maxName)]))
}
