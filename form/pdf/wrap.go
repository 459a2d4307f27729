package pdf

import (
	"math"
	"strings"
	"unicode/utf8"
)

// wrapText breaks a clean text into lines no wider than width, in points. It breaks at spaces, or after punctuation
// that joins words, or anywhere.
func (f *face) wrapText(text string, size, width float64) []string {
	var lines []string
	limit := int(math.Round(width * 1000 / size))
	for paragraph := range strings.SplitSeq(strings.TrimRight(text, "\n "), "\n") {
		lines = f.wrapParagraph(lines, strings.TrimRight(paragraph, " "), limit)
	}
	return lines
}

func (f *face) wrapParagraph(lines []string, text string, limit int) []string {
	start, used := 0, 0
	// end is the last break in the line, next the beginning of the following line; atSpace reports whether the break
	// is at a space.
	end, next, atSpace := 0, 0, false
	for i := 0; i < len(text); {
		r, length := utf8.DecodeRuneInString(text[i:])
		used += int(f.widths[r])
		if r == ' ' {
			if i > start {
				end, next, atSpace = i, i+length, true
			}
		} else if used > limit && i > start {
			if end <= start {
				end, next = i, i
			}
			lines = append(lines, strings.TrimRight(text[start:end], " "))
			for next < len(text) && text[next] == ' ' {
				next++
			}
			start, used, i = next, 0, next
			end, atSpace = start, false
			continue
		} else if joinsWords(r) && (!atSpace || i-end >= maxTail) {
			end, next, atSpace = i+length, i+length, false
		}
		i += length
	}
	return append(lines, text[start:])
}

// maxTail is the length in bytes up to which a part of a word moves to the next line.
const maxTail = 12

// joinsWords reports whether a line may end after the character without a space.
func joinsWords(r rune) bool {
	switch r {
	case '-', '/', '_', ';', '&', '?', '=', '@', '–', '—', '›':
		return true
	}
	return false
}
