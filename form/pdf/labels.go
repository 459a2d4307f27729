package pdf

import (
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/language"

	"github.com/procession-dev/procession/domain/translation"
	"github.com/procession-dev/procession/form"
	"github.com/procession-dev/procession/form/locale"
)

// Labels are the texts of a document in a language.
type Labels struct {
	// Lang is the language (ISO 639), RTL its direction.
	Lang string
	RTL  bool
	// Reader is the notation of dates, numbers and booleans.
	Reader form.Reader
	// Form is the title of a document without one, Other the heading of values without a place in the form.
	Form, Other string
	// Record is the heading of a record, with {number} and {count}; Page the footer, with {page} and {pages}.
	Record, Page        string
	NotAvailable, Image string
	// MissingOne and MissingSeveral state the characters that no font has, with {count} and {codes}.
	MissingOne, MissingSeveral string

	// facts are the words for facts about tasks and processes, by their English words.
	facts map[string]string
}

// Fact returns the word for a fact about a task or a process, or for a value of it.
func (w Labels) Fact(english string) string { return cmpOr(w.facts[english], english) }

// English returns the labels in English.
func English() Labels {
	return Labels{
		Lang: "en", Reader: form.Reader{Language: language.BritishEnglish, Yes: "Yes", No: "No"},
		Form: "Form", Other: form.OtherLabel, Record: "{number} of {count}", Page: "Page {page} of {pages}",
		NotAvailable: "not available", Image: "Image",
		MissingOne:     "1 character ({codes}) is not available in the installed fonts.",
		MissingSeveral: "{count} characters ({codes}) are not available in the installed fonts.",
	}
}

// ReaderOf returns the reader of definitions for BCP 47 tags or headers Accept-Language (RFC 9110), in the order of
// preference.
func ReaderOf(preferred ...string) *translation.Reader {
	var tags []language.Tag
	for _, text := range preferred {
		if parsed, _, err := language.ParseAcceptLanguage(text); err == nil {
			tags = append(tags, parsed...)
		}
	}
	return translation.NewReader(language.Make(LabelsFor("", preferred...).Lang), tags...)
}

// LabelsFor returns the labels and the notation of the best supported languages for BCP 47 tags or headers
// Accept-Language (RFC 9110), in the order of preference. Dates with times are in a zone of the IANA database; without
// one, or with an unknown one, in the zones of their values.
func LabelsFor(zone string, preferred ...string) Labels {
	w := English()
	if _, i := language.MatchStrings(language.NewMatcher([]language.Tag{language.English, language.German}), preferred...); i == 1 {
		w = german()
	}
	if strings.Join(preferred, "") != "" {
		w.Reader.Language = locale.Match(preferred...)
	}
	if found, err := time.LoadLocation(zone); zone != "" && err == nil && found != time.Local {
		w.Reader.Zone = found
	}
	return w
}

func german() Labels {
	return Labels{
		Lang: "de", Reader: form.Reader{Language: language.German, Yes: "Ja", No: "Nein"},
		Form: "Formular", Other: "Weitere Angaben", Record: "{number} von {count}", Page: "Seite {page} von {pages}",
		NotAvailable: "nicht verfügbar", Image: "Bild",
		MissingOne:     "1 Zeichen ({codes}) fehlt in den installierten Schriften.",
		MissingSeveral: "{count} Zeichen ({codes}) fehlen in den installierten Schriften.",
		facts: map[string]string{
			"State": "Zustand", "Owner": "Eigentümer", "Started by": "Gestartet von", "Created": "Erstellt", "Started": "Gestartet",
			"Due": "Fällig", "Follow-up": "Wiedervorlage", "Priority": "Priorität", "Completed": "Erledigt", "Completed by": "Erledigt von",
			"Ready": "Bereit", "Claimed": "Übernommen", "Cancelled": "Abgebrochen", "Running": "Läuft",
			"Low": "Niedrig", "Normal": "Normal", "High": "Hoch", "Urgent": "Dringend",
			"Context": "Kontext", "Form": "Formular", "Metadata": "Metadaten", "Entity": "Entität", "Elements": "Felder", "Tasks": "Aufgaben",
			"Task": "Aufgabe",
		},
	}
}

// formatTime writes a time of the footer.
func (w Labels) formatTime(t time.Time) string {
	calendar := locale.CalendarOf(w.Reader.Language)
	if w.Reader.Zone != nil {
		t = t.In(w.Reader.Zone)
	}
	return calendar.DateTime(t, locale.Long, locale.Minutes) + " " + calendar.Zone(t)
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
