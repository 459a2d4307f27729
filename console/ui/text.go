package ui

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Initials returns the first letters of the first and the last word of a name, in
// capitals.
func Initials(name string) string {
	words := strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if len(words) == 0 {
		return "?"
	}
	initials := first(words[0])
	if len(words) > 1 {
		initials += first(words[len(words)-1])
	}
	return strings.ToUpper(initials)
}

func first(word string) string {
	r, _ := utf8.DecodeRuneInString(word)
	return string(r)
}
