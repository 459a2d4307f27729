package locale

import (
	"strings"
	"unicode"
)

// Trim removes blanks, direction marks and invisible separators at the ends of a pasted text.
func Trim(text string) string {
	return strings.TrimFunc(text, func(r rune) bool { return isBlank(r) || isDirection(r) })
}

func isBlank(r rune) bool {
	return unicode.IsSpace(r) || r == '\u200b' || r == '\ufeff'
}

// isDirection reports whether a character controls the direction of text (UAX 9, section 2).
func isDirection(r rune) bool { return unicode.Is(unicode.Bidi_Control, r) }

// dropMark removes the marks that languages write around signs of numbers. Embeddings and overrides stay: they would
// change the order in which the digits are displayed.
func dropMark(r rune) rune {
	switch r {
	case '\u200e', '\u200f', '\u061c':
		return -1
	}
	return r
}
