package ui

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/bidi"

	"github.com/procession-dev/procession/form/locale"
)

// Notation returns the notation of numbers of the viewer.
func Notation(ctx context.Context) locale.Notation { return locale.Of(ViewerOf(ctx).Locale) }

// Number returns a number of JSON in the notation of the viewer, with all its digits.
func Number(ctx context.Context, text string) string { return Notation(ctx).Format(text, true) }

// Size returns a number of bytes in a unit of powers of 1,000, rounded to a tenth of it.
func Size(ctx context.Context, bytes int64) string {
	if bytes < 1000 {
		return T(ctx, "%d bytes", bytes)
	}
	units := []string{"kB", "MB", "GB", "TB"}
	tenths := (bytes + 50) / 100
	for len(units) > 1 && tenths >= 10_000 {
		tenths = (tenths + 500) / 1000
		units = units[1:]
	}
	text := strconv.FormatInt(tenths/10, 10)
	if tenths%10 != 0 {
		text += "." + strconv.FormatInt(tenths%10, 10)
	}
	return Number(ctx, text) + "\u00a0" + units[0]
}

// numeral is an integer in the notation of a viewer. Any verb writes it.
type numeral struct {
	text  string
	count int
}

// Format implements fmt.Formatter.
func (n numeral) Format(out fmt.State, _ rune) { _, _ = out.Write([]byte(n.text)) }

// Count implements lang.Counter.
func (n numeral) Count() int { return n.count }

// isolate returns a text that does not change the order of the text around it (UAX 9): a text with letters written from right to
// left is isolated, and loses the controls that could end its isolation.
func isolate(text string) string {
	isRightToLeft := func(r rune) bool {
		p, _ := bidi.LookupRune(r)
		return slices.Contains([]bidi.Class{bidi.R, bidi.AL, bidi.RLE, bidi.RLO, bidi.LRE, bidi.LRO, bidi.RLI, bidi.LRI, bidi.FSI, bidi.PDF, bidi.PDI}, p.Class())
	}
	if !strings.ContainsFunc(text, isRightToLeft) {
		return text
	}
	return firstStrongIsolate + strings.Map(dropControl, text) + popIsolate
}

// Controls of direction around an isolated text.
const (
	firstStrongIsolate = "\u2068"
	popIsolate         = "\u2069"
)

// dropControl removes embeddings, overrides and isolates. Marks stay.
func dropControl(r rune) rune {
	if r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069' {
		return -1
	}
	return r
}

// localize returns the arguments of a sentence with integers in the notation of the viewer and texts that keep their direction
// to themselves.
func localize(ctx context.Context, args []any) []any {
	localized := make([]any, len(args))
	for i, arg := range args {
		switch text := arg.(type) {
		case string:
			arg = isolate(text)
		case int, int32, int64, uint, uint32, uint64:
			digits := fmt.Sprint(arg)
			count, _ := strconv.Atoi(digits)
			arg = numeral{Number(ctx, digits), count}
		}
		localized[i] = arg
	}
	return localized
}
