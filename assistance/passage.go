package assistance

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Splitting configures the sizes of passages in bytes.
type Splitting struct {
	// Size is the maximum size of a passage.
	Size int
	// Overlap is the maximum overlap of consecutive passages, in whole sentences.
	Overlap int
}

// DefaultSplitting returns sizes of a paragraph or two.
func DefaultSplitting() Splitting { return Splitting{Size: 1200, Overlap: 200} }

// Passages splits a text at the ends of sentences. A sentence that is too long is split at a space, or anywhere.
// Passages together contain the whole text apart from surrounding white space. Invalid UTF-8 is replaced.
func Passages(text string, s Splitting) []string {
	text = strings.ToValidUTF8(text, string(utf8.RuneError))
	size := max(s.Size, utf8.UTFMax)
	sentences := splitSentences(text, size)
	var passages []string
	for first := 0; first < len(sentences); {
		end := first + 1
		for end < len(sentences) && sentences[end].end-sentences[first].start <= size {
			end++
		}
		passages = append(passages, text[sentences[first].start:sentences[end-1].end])
		if end == len(sentences) {
			break
		}
		// The next passage begins with the last sentences of this one, as long as it ends later.
		next := end
		for next-1 > first && sentences[end-1].end-sentences[next-1].start <= s.Overlap &&
			sentences[end].end-sentences[next-1].start <= size {
			next--
		}
		first = next
	}
	return passages
}

// span is a part of a text.
type span struct{ start, end int }

// splitSentences returns the sentences of a text, split into parts of at most size bytes.
func splitSentences(text string, size int) []span {
	var sentences []span
	start := 0
	for start < len(text) {
		end := start + sentenceEnd(text[start:])
		sentences = appendPieces(sentences, text, start, end, size)
		start = end
	}
	return sentences
}

// appendPieces appends a sentence, split if it is too long.
func appendPieces(pieces []span, text string, start, end, size int) []span {
	for {
		for start < end {
			r, length := utf8.DecodeRuneInString(text[start:end])
			if !unicode.IsSpace(r) {
				break
			}
			start += length
		}
		trimmed := start + len(strings.TrimRightFunc(text[start:end], unicode.IsSpace))
		if trimmed == start {
			return pieces
		}
		if trimmed-start <= size {
			return append(pieces, span{start, trimmed})
		}
		cut := start + size
		for !utf8.RuneStart(text[cut]) {
			cut--
		}
		if space := strings.LastIndexFunc(text[start:cut], unicode.IsSpace); space > size/2 {
			cut = start + space
		}
		pieces = append(pieces, span{start, start + len(strings.TrimRightFunc(text[start:cut], unicode.IsSpace))})
		start = cut
	}
}

// sentenceEnd returns the end of the first sentence: an empty line, or a punctuation mark followed by white space and
// no lower-case letter.
func sentenceEnd(text string) int {
	for i := 0; i < len(text); {
		r, length := utf8.DecodeRuneInString(text[i:])
		i += length
		switch r {
		case '\n':
			if strings.HasPrefix(text[i:], "\n") {
				return i + 1
			}
		case '。', '！', '？':
			return i
		case '.', '!', '?', '…':
			for i < len(text) && strings.IndexByte(`"')]`, text[i]) >= 0 {
				i++
			}
			rest := strings.TrimLeft(text[i:], " \t")
			if rest == "" {
				return len(text)
			}
			next, _ := utf8.DecodeRuneInString(rest)
			if len(rest) < len(text[i:]) && !unicode.IsLower(next) && !isInitial(text[:i]) || next == '\n' {
				return i
			}
		}
	}
	return len(text)
}

// isInitial reports whether a text ends with an abbreviation such as "J." or "z.B.".
func isInitial(text string) bool {
	text, ok := strings.CutSuffix(text, ".")
	last, length := utf8.DecodeLastRuneInString(text)
	if !ok || !unicode.IsLetter(last) {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(text[:len(text)-length])
	return len(text) == length || unicode.IsSpace(before) || before == '.' || before == '('
}
