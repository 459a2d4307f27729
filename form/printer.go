package form

import (
	"cmp"
	"encoding/json"
	"strings"
	"time"

	"golang.org/x/text/language"

	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/form/locale"
)

// masked replaces passwords.
const masked = "••••••"

// printer writes scalars in the notation of a reader.
type printer struct {
	reader   Reader
	calendar *locale.Calendar
	numbers  locale.Notation
}

func newPrinter(r Reader) printer {
	if r.Language == language.Und {
		r.Language = language.BritishEnglish
	}
	r.Yes, r.No = cmp.Or(r.Yes, "Yes"), cmp.Or(r.No, "No")
	return printer{reader: r, calendar: locale.CalendarOf(r.Language), numbers: locale.Of(r.Language)}
}

// scalarText returns a scalar as text, formatted according to its schema.
func (w printer) scalarText(p *jsondoc.Place, of wording, value any) string {
	if title, ok := titleOf(p, of, value); ok {
		return title
	}
	switch plain := value.(type) {
	case bool:
		if plain {
			return w.reader.Yes
		}
		return w.reader.No
	case json.Number:
		return w.numbers.Format(plain.String(), true)
	case string:
		about := p.Annotations()
		if about.Format == "password" || about.WriteOnly {
			return masked
		}
		if named, ok := jsondoc.ReferenceName(plain); ok {
			return named
		}
		return w.dateText(about.Format, plain)
	}
	return jsondoc.ReadableText(value)
}

// dateText writes a date or time of JSON Schema, and returns other text unchanged.
func (w printer) dateText(format, text string) string {
	switch format {
	case "date":
		if t, err := time.Parse(time.DateOnly, text); err == nil {
			return w.calendar.Date(t, locale.Long)
		}
	case "date-time":
		if t, err := time.Parse(time.RFC3339Nano, strings.ToUpper(text)); err == nil {
			if w.reader.Zone != nil {
				t = t.In(w.reader.Zone)
			}
			return w.calendar.DateTime(t, locale.Long, locale.PrecisionOf(t)) + " " + w.calendar.Zone(t)
		}
	case "time":
		for _, layout := range []string{"15:04:05Z07:00", "15:04:05", "15:04"} {
			t, err := time.Parse(layout, strings.ToUpper(text))
			if err != nil {
				continue
			}
			written := w.calendar.Time(t, locale.PrecisionOf(t))
			if layout == "15:04:05Z07:00" {
				written += " " + w.calendar.Zone(t)
			}
			return written
		}
	}
	return text
}
