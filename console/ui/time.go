package ui

import (
	"context"
	"time"

	"github.com/procession-dev/procession/form/locale"
)

// Ago returns the time relative to now in the language of dates, as in 2 hours ago or in 3 days. Less than a minute is now, and
// times that are far away are dates.
func Ago(ctx context.Context, at time.Time) string {
	v := ViewerOf(ctx)
	calendar := locale.CalendarOf(v.Locale)
	switch distance := v.Now.Sub(at).Abs(); {
	case distance < time.Minute:
		return calendar.Relative(v.Now, v.Now, locale.Abbreviations)
	case distance < 14*24*time.Hour:
		return calendar.Relative(at, v.Now, locale.Abbreviations)
	}
	return Day(ctx, at)
}

// RelativeDay returns the distance of a date from today in the zone of the viewer, as in tomorrow or in 3 days.
func RelativeDay(ctx context.Context, day time.Time) string {
	v := ViewerOf(ctx)
	calendar := locale.CalendarOf(v.Locale)
	year, month, date := v.Now.In(v.Zone).Date()
	today := time.Date(year, month, date, 0, 0, 0, 0, time.UTC)
	if text := calendar.Day(day, today); text != "" {
		return text
	}
	return calendar.Relative(day, today, locale.Words)
}

// Day returns a date in the notation and the zone of the viewer.
func Day(ctx context.Context, at time.Time) string {
	v := ViewerOf(ctx)
	return locale.CalendarOf(v.Locale).Date(at.In(v.Zone), locale.Medium)
}

// StoredDate returns a date of a value with its weekday, in the notation of the viewer.
func StoredDate(ctx context.Context, day time.Time) string {
	return locale.CalendarOf(ViewerOf(ctx).Locale).Date(day, locale.WithWeekday)
}

// StoredTime returns a date with time of a value with its weekday and its precision, in the notation and the zone of the viewer.
func StoredTime(ctx context.Context, at time.Time) string {
	v := ViewerOf(ctx)
	at = at.In(v.Zone)
	return locale.CalendarOf(v.Locale).DateTime(at, locale.WithWeekday, locale.PrecisionOf(at))
}

// Clock returns the time of day in the notation and the zone of the viewer.
func Clock(ctx context.Context, at time.Time) string {
	v := ViewerOf(ctx)
	return locale.CalendarOf(v.Locale).Time(at.In(v.Zone), locale.Minutes)
}

// Moment returns weekday, date and time in the notation and the zone of the viewer, with the offset. Fractions of seconds
// are cut.
func Moment(ctx context.Context, at time.Time) string {
	v := ViewerOf(ctx)
	calendar := locale.CalendarOf(v.Locale)
	at = at.In(v.Zone).Truncate(time.Second)
	return calendar.DateTime(at, locale.WithWeekday, locale.Seconds) + " " + calendar.Zone(at)
}

// Lasting returns a duration in its largest unit.
func Lasting(ctx context.Context, d time.Duration) string {
	var span locale.Span
	switch {
	case d < time.Second:
		return T(ctx, "%d ms", int(d.Milliseconds()))
	case d < 2*time.Minute:
		span.Seconds = int(d.Seconds())
	case d < 2*time.Hour:
		span.Minutes = int(d.Minutes())
	case d < 48*time.Hour:
		span.Hours = int(d.Hours())
	default:
		span.Days = int(d.Hours() / 24)
	}
	return locale.CalendarOf(ViewerOf(ctx).Locale).Duration(span, locale.Abbreviations)
}
