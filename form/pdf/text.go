package pdf

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-text/typesetting/segmenter"
	"golang.org/x/text/unicode/bidi"
	"golang.org/x/text/unicode/norm"
)

const (
	// maxWord is the number of characters of a word that has no line breaks, wordPart the distance of breaks in a
	// longer one.
	maxWord  = 30
	wordPart = 6
)

// cleanText prepares a text: composed (NFC), with line feeds as line ends, without characters that override the
// direction. Isolates around values replace them.
func cleanText(s string) string {
	plain := true
	for i := range len(s) {
		plain = plain && (' ' <= s[i] && s[i] < 0x7f || s[i] == '\n')
	}
	if plain {
		return strings.TrimRight(s, "\n ")
	}
	s = norm.NFC.String(strings.ToValidUTF8(strings.ReplaceAll(s, "\r\n", "\n"), "\ufffd"))
	return strings.TrimRight(strings.Map(func(r rune) rune {
		switch {
		case r == '\r' || r == '\v' || r == '\f' || r == '\u0085' || r == '\u2028' || r == '\u2029':
			return '\n'
		case r == '\t':
			return ' '
		case '\u202a' <= r && r <= '\u202e' || '\u2066' <= r && r <= '\u2069':
			return -1
		}
		return r
	}, s), "\n ")
}

// cleanLine is cleanText on one line.
func cleanLine(s string) string { return strings.Join(strings.Fields(cleanText(s)), " ") }

// A splitter splits texts into clusters of characters.
type splitter struct{ segmenter segmenter.Segmenter }

// visitClusters calls visit with each grapheme cluster of a text that is not ASCII.
func (s *splitter) visitClusters(text string, visit func(cluster string)) {
	if isASCII(text) {
		for i := range len(text) {
			visit(text[i : i+1])
		}
		return
	}
	s.segmenter.Init([]rune(text))
	for clusters := s.segmenter.GraphemeIterator(); clusters.Next(); {
		visit(string(clusters.Grapheme().Text))
	}
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// splitLine splits a line into parts, between which it may break, and marks missing clusters.
func (c *composer) splitLine(raw string) line {
	l := line{Lang: c.layout.Lang, RTL: c.layout.RTL}
	rtl, found := firstDirection(raw)
	if found {
		l.RTL = rtl
	}
	l.Lang = languageOf(raw, c.layout.Lang)
	var current strings.Builder
	word := 0
	end := func() {
		if current.Len() > 0 {
			l.Parts = append(l.Parts, part{text: current.String()})
			current.Reset()
		}
	}
	words := longWords(raw)
	c.splitter.visitClusters(raw, func(cluster string) {
		if strings.TrimSpace(cluster) == "" {
			word = 0
		} else if word++; words && word > maxWord && word%wordPart == 0 {
			end()
		}
		if !c.missing[cluster] {
			current.WriteString(cluster)
			return
		}
		end()
		for _, r := range cluster {
			l.Parts = append(l.Parts, part{missing: codePoint(r)})
			c.absent[r] = true
		}
	})
	end()
	l.plain = l.RTL == c.layout.RTL && l.Lang == c.layout.Lang && (len(l.Parts) == 0 || len(l.Parts) == 1 && l.Parts[0].missing == "")
	return l
}

// longWords reports whether a word of the text may be longer than maxWord.
func longWords(text string) bool {
	for word := range strings.FieldsSeq(text) {
		if len(word) > maxWord {
			return true
		}
	}
	return false
}

func codePoint(r rune) string { return fmt.Sprintf("U+%04X", r) }

// firstDirection returns the direction of the first strong character. found is false without one.
func firstDirection(text string) (rtl, found bool) {
	for _, r := range text {
		properties, _ := bidi.LookupRune(r)
		switch properties.Class() { //nolint:exhaustive // The others are neutral or weak.
		case bidi.L:
			return false, true
		case bidi.R, bidi.AL:
			return true, true
		}
	}
	return false, false
}

// scripts are the languages that stand for scripts, by the first letter of a text.
func scripts() []struct {
	table *unicode.RangeTable
	lang  string
} {
	return []struct {
		table *unicode.RangeTable
		lang  string
	}{
		{unicode.Arabic, "ar"},
		{unicode.Hebrew, "he"},
		{unicode.Devanagari, "hi"},
		{unicode.Bengali, "bn"},
		{unicode.Gurmukhi, "pa"},
		{unicode.Gujarati, "gu"},
		{unicode.Oriya, "or"},
		{unicode.Tamil, "ta"},
		{unicode.Telugu, "te"},
		{unicode.Kannada, "kn"},
		{unicode.Malayalam, "ml"},
		{unicode.Sinhala, "si"},
		{unicode.Thai, "th"},
		{unicode.Lao, "lo"},
		{unicode.Tibetan, "bo"},
		{unicode.Myanmar, "my"},
		{unicode.Khmer, "km"},
		{unicode.Georgian, "ka"},
		{unicode.Armenian, "hy"},
		{unicode.Ethiopic, "am"},
		{unicode.Hangul, "ko"},
		{unicode.Hiragana, "ja"},
		{unicode.Katakana, "ja"},
		{unicode.Han, "zh"},
		{unicode.Mongolian, "mn"},
		{unicode.Cherokee, "chr"},
		{unicode.Thaana, "dv"},
		{unicode.Syriac, "syr"},
		{unicode.Greek, "el"},
		{unicode.Cyrillic, "ru"},
	}
}

// languageOf returns the language of a text by its script. Latin letters, and scripts of the language of the document,
// have the language of the document.
func languageOf(text, document string) string {
	if isASCII(text) {
		return document
	}
	for _, r := range text {
		if r < 0x370 || !unicode.IsLetter(r) {
			continue
		}
		for _, s := range scripts() {
			if !unicode.Is(s.table, r) {
				continue
			}
			switch {
			case s.lang == "zh" && strings.ContainsFunc(text, isKana):
				return "ja"
			case s.lang == "zh" && (document == "ja" || document == "ko"),
				s.lang == "ru" && (document == "uk" || document == "bg" || document == "sr" || document == "mk"),
				s.lang == "ar" && (document == "fa" || document == "ur"),
				s.lang == "hi" && (document == "mr" || document == "ne"):
				return document
			}
			return s.lang
		}
	}
	return document
}

func isKana(r rune) bool { return unicode.In(r, unicode.Hiragana, unicode.Katakana) }
