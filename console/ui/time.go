package ui

import (
	"context"
	"time"
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

// Day returns a date as the language of the viewer writes it.
func Day(ctx context.Context, at time.Time) string {
	return at.In(ViewerOf(ctx).Zone).Format(T(ctx, "2 Jan 2006"))
}

// Moment returns a date and time in the zone of the viewer, with the zone.
func Moment(ctx context.Context, at time.Time) string {
	return at.In(ViewerOf(ctx).Zone).Format(T(ctx, "2 Jan 2006, 15:04:05 MST"))
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
