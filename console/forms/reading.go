package forms

import (
	"context"
	"time"

	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/form"
	"github.com/procession-dev/procession/form/locale"
)

// reading is a button for one of the readings of a text.
type reading struct {
	value, title string
	// current reports whether the stored value is this reading.
	current bool
}

// readings returns the buttons for a text with several readings, and for a stored time in a doubled hour.
func (p *page) readings(ctx context.Context, n *form.Node) []reading {
	var found []reading
	for _, c := range p.ambiguous[n.Name] {
		found = append(found, reading{value: c.Value, title: readingTitle(ctx, c)})
	}
	times, unclear := p.times[n.Name]
	instants := append(times.Near, times.Instants...)
	if !unclear && !n.IsLocked() && p.inputs[n.Name] == "" {
		instants = n.Doubled(p.locale.Zone)
	}
	stored, _ := n.Instant()
	for _, at := range instants {
		found = append(found, reading{value: at.Format(time.RFC3339Nano), title: instantTitle(ctx, at), current: !unclear && at.Equal(stored)})
	}
	return found
}

// readingTitle returns the title of a reading of an ambiguous number.
func readingTitle(ctx context.Context, c locale.Candidate) string {
	number := ui.Number(ctx, c.Value)
	switch {
	case c.Grouped && c.Sign == ".":
		return ui.T(ctx, "%s: the point separates thousands", number)
	case c.Grouped:
		return ui.T(ctx, "%s: the comma separates thousands", number)
	case c.Sign == ".":
		return ui.T(ctx, "%s: the point is the decimal sign", number)
	}
	return ui.T(ctx, "%s: the comma is the decimal sign", number)
}

// instantTitle returns an instant in its zone, with the offset that tells it from others.
func instantTitle(ctx context.Context, at time.Time) string {
	calendar := locale.CalendarOf(ui.ViewerOf(ctx).Locale)
	text := calendar.DateTime(at, locale.Medium, locale.PrecisionOf(at)) + " " + calendar.Zone(at)
	if at.IsDST() {
		return ui.T(ctx, "%s, summer time", text)
	}
	return text
}
