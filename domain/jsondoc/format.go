package jsondoc

import (
	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/procession-dev/procession/domain/pattern"
)

const (
	// MaxRegex limits strings of the format regex, in bytes.
	MaxRegex = 200
	// maxDurationUnits is more than the number of characters other than digits in a duration or a period.
	maxDurationUnits = 64
)

// formatOf returns the check of a format, nil for a format without an assertion.
func formatOf(name string) func(m *meter, text string) bool {
	known := jsonschema.Formats[name]
	switch {
	case name == "regex":
		return (*meter).isRegex
	case known == nil:
		return nil
	}
	return func(m *meter, text string) bool {
		m.spend(unitsPerFormat + len(text)/2)
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
