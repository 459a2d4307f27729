package forms

import (
	"context"

	"golang.org/x/text/message"
	"golang.org/x/text/number"

	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/form/locale"
)

// Number returns a number of JSON as the language of the viewer writes it, with all its digits.
func Number(ctx context.Context, text string) string { return notationOf(ctx).Format(text, true) }

// notationOf returns the spelling of numbers in the locale of the viewer.
func notationOf(ctx context.Context) *locale.Notation {
	notation := locale.Of(ui.ViewerOf(ctx).Locale)
	return &notation
}

// Size returns a number of bytes with its unit.
func Size(ctx context.Context, bytes int64) string {
	unit, amount := "", float64(bytes)
	for _, unit = range []string{"bytes", "kB", "MB", "GB", "TB"} {
		if amount < 999.5 {
			break
		}
		amount /= 1000
	}
	if unit == "bytes" {
		return ui.T(ctx, "%d bytes", bytes)
	}
	printer := message.NewPrinter(ui.ViewerOf(ctx).Locale)
	return printer.Sprint(number.Decimal(amount, number.MaxFractionDigits(1))) + "\u00a0" + unit
}
