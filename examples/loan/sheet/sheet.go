// Package sheet writes tables that spreadsheets open without running anything.
package sheet

import (
	"bytes"
	"encoding/csv"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Encode returns lines as comma-separated values. A text that a spreadsheet would take for a formula gets an
// apostrophe in front; numbers stay as they are.
func Encode(lines [][]string) ([]byte, error) {
	var out bytes.Buffer
	table := csv.NewWriter(&out)
	for _, line := range lines {
		cells := make([]string, len(line))
		for i, text := range line {
			cells[i] = text
			if _, err := strconv.ParseFloat(text, 64); err != nil && isFormula(text) {
				cells[i] = "'" + text
			}
		}
		if err := table.Write(cells); err != nil {
			return nil, err
		}
	}
	table.Flush()
	return out.Bytes(), table.Error()
}

// isFormula reports whether a text begins with a sign of a formula, in any width, after characters that do not show.
func isFormula(text string) bool {
	visible := strings.TrimLeftFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.In(r, unicode.Cc, unicode.Cf)
	})
	first, _ := utf8.DecodeRuneInString(visible)
	return visible != "" && strings.ContainsAny(norm.NFKC.String(string(first)), "=+-@\u2212")
}
