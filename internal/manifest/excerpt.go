package manifest

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
)

// excerptWidth is the maximum number of characters of a line in an excerpt.
const excerptWidth = 100

// excerpt returns a line of the content and a second line that marks the column. It
// returns an empty text if the content has no such line.
func excerpt(content []byte, line, column int) string {
	for range line - 1 {
		_, content, _ = bytes.Cut(content, []byte("\n"))
	}
	text, _, _ := bytes.Cut(content, []byte("\n"))
	runes := []rune(strings.TrimRight(string(text), "\r"))
	if line == 0 || len(runes) == 0 || column > len(runes)+1 {
		return ""
	}
	start := max(0, column-excerptWidth)
	runes = runes[start:min(len(runes), start+excerptWidth)]
	for i, c := range runes {
		if !unicode.IsPrint(c) {
			runes[i] = ' '
		}
	}
	prefix := fmt.Sprintf("%5d | ", line)
	return fmt.Sprintf("\n%s%s\n%*s", prefix, string(runes), len(prefix)+column-start, "^")
}
