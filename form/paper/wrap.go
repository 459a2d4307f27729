package paper

import (
	"math"
	"strings"
	"unicode/utf8"
)

// wrap breaks a clean text into lines that are no wider than width, in points. It
// breaks at spaces, else after punctuation that joins words, else anywhere.
func (f *face) wrap(text string, size, width float64) []string {
	var lines []string
	limit := int(math.Round(width * 1000 / size))
	for paragraph := range strings.SplitSeq(strings.TrimRight(text, "\n "), "\n") {
		lines = f.wrapParagraph(lines, strings.TrimRight(paragraph, " "), limit)
	}
	return lines
}

func (f *face) wrapParagraph(lines []string, text string, limit int) []string {
	start, used := 0, 0
	// end is where the line may end, next where the following one then begins;
	// atSpace is whether that is at a space.
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
		} else if joins(r) && (!atSpace || i-end >= maxTail) {
			end, next, atSpace = i+length, i+length, false
		}
		i += length
	}
	return append(lines, text[start:])
}

// maxTail is how long, in bytes, a part of a word at the end of a line is that
// would rather begin the next one.
const maxTail = 12

// joins reports whether a line may end after the character although no space
// follows.
func joins(r rune) bool {
	switch r {
	case '-', '/', '_', ';', '&', '?', '=', '@', '–', '—', '›':
		return true
	}
	return false
}
