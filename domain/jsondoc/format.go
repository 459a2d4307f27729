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

// ownFormat returns the check of a format that the library does not check, or not as its standard says, nil for others.
func ownFormat(name string) func(text string) bool {
	switch name {
	case "uri":
		return func(text string) bool { return addressGrammar{}.isAddress(text, false) }
	case "uri-reference":
		return func(text string) bool { return addressGrammar{}.isAddress(text, true) }
	case "iri":
		return func(text string) bool { return addressGrammar{international: true}.isAddress(text, false) }
	case "iri-reference":
		return func(text string) bool { return addressGrammar{international: true}.isAddress(text, true) }
	case "uri-template":
		return isTemplate
	case "hostname":
		return func(text string) bool { ascii, ok := convertHost(text); return ok && strings.EqualFold(ascii, text) }
	case "idn-hostname":
		return func(text string) bool { _, ok := convertHost(text); return ok }
	case "idn-email":
		return isMailbox
	}
	return nil
}

// formatOf returns the check of a format, nil for a format without an assertion.
func formatOf(name string) func(m *meter, text string) bool {
	if name == "regex" {
		return (*meter).isRegex
	}
	if name == "uriref" {
		name = "uri-reference"
	}
	check := ownFormat(name)
	if library := jsonschema.Formats[name]; check == nil && library != nil {
		check = func(text string) bool { return library(text) }
	}
	if check == nil {
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
		return check(text)
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
