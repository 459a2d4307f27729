// Package searchkey compares texts as searches do.
package searchkey

import (
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
	"golang.org/x/text/unicode/norm"
)

// Of returns the key of a text: texts with equal keys differ in case and composition only. The function search_key of the
// database and the comboboxes of forms (form-combobox.js) have the same keys.
func Of(text string) string {
	lower := cases.Lower(language.Und).String(text)
	return strings.ReplaceAll(norm.NFC.String(cases.Upper(language.Und).String(lower)), "\u0130", "I")
}

// Equal reports whether two texts have equal keys.
func Equal(a, b string) bool { return a == b || Of(a) == Of(b) }
