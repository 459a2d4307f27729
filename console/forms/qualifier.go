package forms

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/form"
	"github.com/procession-dev/procession/form/locale"
)

// qualifiers returns the choices of the second input of a control: the offsets of a time of day, or the units of a duration.
func qualifiers(ctx context.Context, n *form.Node) []string {
	if n.Kind == form.KindDuration {
		return form.Units()
	}
	// The stored offset, UTC, and the ones of the viewer's zone this year.
	all := []string{n.Qualifier()}
	v := ui.ViewerOf(ctx)
	january := time.Date(v.Now.Year(), time.January, 1, 0, 0, 0, 0, v.Zone)
	for _, at := range []time.Time{january.UTC(), january, january.AddDate(0, 6, 0)} {
		if offset := at.Format("Z07:00"); !slices.Contains(all, offset) {
			all = append(all, offset)
		}
	}
	return all
}

func qualifierLabel(ctx context.Context, n *form.Node) string {
	if n.Kind == form.KindDuration {
		return ui.T(ctx, "Unit of %s", n.Label)
	}
	return ui.T(ctx, "Time zone of %s", n.Label)
}

func qualifierTitle(ctx context.Context, n *form.Node, qualifier string) string {
	if n.Kind == form.KindDuration {
		return ui.T(ctx, map[string]string{
			"Y": ui.Text("Years"), "M": ui.Text("Months"), "W": ui.Text("Weeks"), "D": ui.Text("Days"),
			"TH": ui.Text("Hours"), "TM": ui.Text("Minutes"), "TS": ui.Text("Seconds"), "": ui.Text("As text, such as P1DT2H"),
		}[qualifier])
	}
	at, err := time.Parse("Z07:00", strings.ToUpper(qualifier))
	if _, seconds := at.Zone(); err != nil || seconds == 0 {
		return "UTC"
	}
	return locale.CalendarOf(ui.ViewerOf(ctx).Locale).Zone(at)
}
