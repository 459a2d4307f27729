package ui

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Initials returns the first letters of the first and the last word of a name as
// capitals.
func Initials(name string) string {
	words := strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if len(words) == 0 {
		return "?"
	}
	initials := firstLetter(words[0])
	if len(words) > 1 {
		initials += firstLetter(words[len(words)-1])
	}
	return strings.ToUpper(initials)
}

func firstLetter(word string) string {
	r, _ := utf8.DecodeRuneInString(word)
	return string(r)
}

// Label returns the name of a member of a value as people write it: FIRST_NAME and
// firstName become First name.
func Label(name string) string {
	var words []string
	start := 0
	runes := []rune(strings.NewReplacer("_", " ", "-", " ", ".", " ").Replace(name))
	for i := 1; i < len(runes); i++ {
		if unicode.IsUpper(runes[i]) && unicode.IsLower(runes[i-1]) {
			words = append(words, string(runes[start:i]))
			start = i
		}
	}
	words = append(words, string(runes[start:]))
	text := strings.Join(strings.Fields(strings.ToLower(strings.Join(words, " "))), " ")
	if text == "" {
		return name
	}
	begin, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(begin)) + text[size:]
}
