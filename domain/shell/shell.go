// Package shell writes commands for people to copy into a POSIX shell.
package shell

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// plain contains the characters that stand for themselves in every shell.
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:@%+=,"

// Line is a line of a shell. Command makes one.
type Line string

// Command returns the line that runs a command with these words as its arguments, whatever characters they contain.
func Command(words ...string) Line {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = Word(word)
	}
	return Line(strings.Join(quoted, " "))
}

// Pipe returns the line that sends the output of each command to the next.
func Pipe(commands ...Line) Line {
	texts := make([]string, len(commands))
	for i, command := range commands {
		texts[i] = string(command)
	}
	return Line(strings.Join(texts, " | "))
}

// Word returns a text as one word of a shell. Characters that a terminal acts on, such as Ctrl-C and the end of a pasted
// text, and characters that are invisible or change the direction of text, are written as escapes, which bash, zsh and
// POSIX.1-2024 shells read.
func Word(text string) string {
	switch {
	// zsh expands words that begin with an equals sign.
	case text != "" && text[0] != '=' && strings.Trim(text, plain) == "":
		return text
	case !strings.ContainsFunc(text, isInvisible):
		return Text(text)
	}
	var word strings.Builder
	word.WriteString("$'")
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		switch {
		case r == '\'' || r == '\\':
			word.WriteString(`\` + text[:size])
		case isInvisible(r):
			for _, b := range []byte(text[:size]) {
				// Octal escapes end after three digits; hexadecimal ones continue for as long as there are digits.
				fmt.Fprintf(&word, `\%03o`, b)
			}
		default:
			word.WriteString(text[:size])
		}
		text = text[size:]
	}
	return word.String() + "'"
}

// Text returns a text that contains lines as one word, between single quotes.
func Text(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// isInvisible reports whether a character has no glyph; U+FFFD also stands for bytes that are not UTF-8.
func isInvisible(r rune) bool {
	return r == utf8.RuneError || r != ' ' && !unicode.IsGraphic(r) || unicode.IsSpace(r) && r != ' '
}

// DoubleQuoted escapes a text for a place between double quotes, where variables are expanded.
func DoubleQuoted(text string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, `$`, `\$`, "`", "\\`").Replace(text)
}
