package jsondoc

import (
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/procession-dev/procession/domain/pattern"
)

const (
	// MaxRegex limits strings of the format regex, in bytes.
	MaxRegex = 200
	// maxDurationUnits is more than the number of characters other than digits in a duration or a period.
	maxDurationUnits = 64
	// unitsPerHostByte is the cost of converting a byte of a host name.
	unitsPerHostByte = 16
)

// formats are the formats that the library does not check, or not as their standards say.
var formats = map[string]func(text string) bool{
	"uri":           func(text string) bool { return addressGrammar{}.isAddress(text, false) },
	"uri-reference": func(text string) bool { return addressGrammar{}.isAddress(text, true) },
	"iri":           func(text string) bool { return addressGrammar{international: true}.isAddress(text, false) },
	"iri-reference": func(text string) bool { return addressGrammar{international: true}.isAddress(text, true) },
	"uri-template":  isTemplate,
	"hostname":      func(text string) bool { ascii, ok := convertHost(text); return ok && strings.EqualFold(ascii, text) },
	"idn-hostname":  func(text string) bool { _, ok := convertHost(text); return ok },
	"idn-email":     isMailbox,
}

// formatOf returns the check of a format, nil for a format without an assertion.
func formatOf(name string) func(m *meter, text string) bool {
	if name == "regex" {
		return (*meter).isRegex
	}
	if name == "uriref" {
		name = "uri-reference"
	}
	known := formats[name]
	if library := jsonschema.Formats[name]; known == nil && library != nil {
		known = func(text string) bool { return library(text) }
	}
	if known == nil {
		return nil
	}
	return func(m *meter, text string) bool {
		m.spend(unitsPerFormat + len(text)/2)
		if name == "hostname" || strings.HasPrefix(name, "idn-") {
			m.spend(unitsPerHostByte * min(len(text), maxHostText))
		}
		// The time that the library takes for a duration grows with the square of its units.
		if (name == "duration" || name == "period") && countUnits(text) > maxDurationUnits {
			return false
		}
		return known(text)
	}
}

// countUnits counts the bytes of a text other than digits.
func countUnits(text string) int {
	units := 0
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			units++
		}
	}
	return units
}

// isRegex reports whether a text is a regular expression, without compiling it.
func (m *meter) isRegex(text string) bool {
	if len(text) > MaxRegex {
		panic(errRegex)
	}
	m.spend(unitsPerFormat + unitsPerRegexByte*len(text))
	_, err := pattern.Translate(text)
	return err == nil
}
