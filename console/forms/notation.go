package forms

import (
	"context"

	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/form"
)

// localeOf returns the notation and the zone of the viewer.
func localeOf(ctx context.Context) form.Locale {
	notation := ui.Notation(ctx)
	return form.Locale{Zone: ui.ViewerOf(ctx).Zone, Numbers: &notation}
}
