// Package spreadsheet writes comma-separated values that spreadsheets show as texts.
package spreadsheet

import (
	"encoding/csv"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Writer writes rows of comma-separated values (RFC 4180) in UTF-8. Texts that begin like a formula get an apostrophe in front. It must
// be flushed.
type Writer struct{ table *csv.Writer }

// NewWriter returns a Writer to w.
func NewWriter(w io.Writer) *Writer {
	table := csv.NewWriter(w)
	table.UseCRLF = true
	return &Writer{table}
}

// Write writes a row. It may change the row.
func (w *Writer) Write(row ...string) error { return w.table.Write(escapeCells(row)) }

// Flush writes buffered rows, and returns the first error of the Writer.
func (w *Writer) Flush() error {
	w.table.Flush()
	return w.table.Error()
}

// escapeCells returns texts that spreadsheets take for texts: a text that begins like a formula
// gets an apostrophe in front.
func escapeCells(row []string) []string {
	for i, text := range row {
		if isFormula(text) {
			row[i] = "'" + text
		}
	}
	return row
}

// isFormula reports whether a text begins with a sign of a formula, in any width, after
// characters that do not show, or with a character that begins another cell or line.
func isFormula(text string) bool {
	if text != "" && strings.ContainsRune("\t\r\n", rune(text[0])) {
		return true
	}
	visible := strings.TrimLeftFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.In(r, unicode.Cc, unicode.Cf)
	})
	first, _ := utf8.DecodeRuneInString(visible)
	return visible != "" && strings.ContainsAny(norm.NFKC.String(string(first)), "=+-@\u2212")
}
