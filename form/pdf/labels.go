package pdf

import (
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/language"

	"github.com/procession-dev/procession/form"
	"github.com/procession-dev/procession/form/locale"
)

// Labels are the texts of a document in a language.
type Labels struct {
	// Lang is the language (ISO 639), tag the language of dates, RTL its direction.
	Lang string
	tag  language.Tag
	RTL  bool
	// Form is the title of a document without one, Other the heading of values without a place in the form.
	Form, Other string
	// Record is the heading of a record, with {number} and {count}; Page the footer, with {page} and {pages}.
	Record, Page        string
	NotAvailable, Image string
	// MissingOne and MissingSeveral state the characters that no font has, with {count} and {codes}.
	MissingOne, MissingSeveral string
}

// English returns the labels in English.
func English() Labels {
	return Labels{
		Lang: "en", tag: language.BritishEnglish, Form: "Form", Other: form.OtherLabel, Record: "{number} of {count}", Page: "Page {page} of {pages}",
		NotAvailable: "not available", Image: "Image",
		MissingOne:     "1 character ({codes}) is not available in the installed fonts.",
		MissingSeveral: "{count} characters ({codes}) are not available in the installed fonts.",
	}
}

// LabelsFor returns the labels of the best supported language for a header Accept-Language (RFC 9110).
func LabelsFor(acceptLanguage string) Labels {
	tags, _, err := language.ParseAcceptLanguage(acceptLanguage)
	if err != nil {
		return English()
	}
	if _, i, _ := language.NewMatcher([]language.Tag{language.English, language.German}).Match(tags...); i == 1 {
		return german()
	}
	return English()
}

func german() Labels {
	return Labels{
		Lang: "de", tag: language.German, Form: "Formular", Other: "Weitere Angaben", Record: "{number} von {count}", Page: "Seite {page} von {pages}",
		NotAvailable: "nicht verfügbar", Image: "Bild",
		MissingOne:     "1 Zeichen ({codes}) fehlt in den installierten Schriften.",
		MissingSeveral: "{count} Zeichen ({codes}) fehlen in den installierten Schriften.",
	}
}

// formatTime writes a time of the footer.
func (w Labels) formatTime(t time.Time) string {
	return locale.CalendarOf(w.tag).DateTime(t, locale.Long, locale.Minutes) + " UTC"
}

// maxListed is the maximum number of code points in the note about missing characters.
const maxListed = 10

// describeMissing returns the note about missing characters, "" if there are none.
func (w Labels) describeMissing(missing []rune) string {
	if len(missing) == 0 {
		return ""
	}
	var codes []string
	for _, r := range missing[:min(len(missing), maxListed)] {
		codes = append(codes, codePoint(r))
	}
	if len(missing) > maxListed {
		codes = append(codes, "…")
	}
	sentence := w.MissingSeveral
	if len(missing) == 1 {
		sentence = w.MissingOne
	}
	return strings.NewReplacer("{count}", strconv.Itoa(len(missing)), "{codes}", strings.Join(codes, " ")).Replace(sentence)
}
