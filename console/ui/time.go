package ui

import (
	"context"
	"time"

	"github.com/procession-dev/procession/form/locale"
)

// Ago formats the time since a moment.
func Ago(ctx context.Context, at time.Time) string {
	past := ViewerOf(ctx).Now.Sub(at)
	switch {
	case past < time.Minute:
		return T(ctx, "just now")
	case past < time.Hour:
		return T(ctx, "%d min ago", int(past.Minutes()))
	case past < 24*time.Hour:
		return T(ctx, "%d h ago", int(past.Hours()))
	case past < 14*24*time.Hour:
		return T(ctx, "%d d ago", int(past.Hours()/24))
	}
	return Day(ctx, at)
}

// Day returns a date in the notation and the zone of the viewer.
func Day(ctx context.Context, at time.Time) string {
	v := ViewerOf(ctx)
	return locale.CalendarOf(v.Locale).Date(at.In(v.Zone), locale.Medium)
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

// Lasting formats a duration.
func Lasting(ctx context.Context, d time.Duration) string {
	switch {
	case d < time.Second:
		return T(ctx, "%d ms", int(d.Milliseconds()))
	case d < 2*time.Minute:
		return T(ctx, "%d s", int(d.Seconds()))
	case d < 2*time.Hour:
		return T(ctx, "%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return T(ctx, "%d h", int(d.Hours()))
	}
	return T(ctx, "%d d", int(d.Hours()/24))
}
