package extract

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A sink collects text up to a limit.
type sink struct {
	body strings.Builder
	most int
}

// write appends texts. It returns errEnough at the limit.
func (s *sink) write(texts ...string) error {
	for _, text := range texts {
		if room := s.most - s.body.Len(); len(text) > room {
			for room > 0 && !utf8.RuneStart(text[room]) {
				room--
			}
			s.body.WriteString(text[:room])
			return errEnough
		}
		s.body.WriteString(text)
	}
	return nil
}

// resultText returns the text of the document, or an *Error if it is empty.
func (s *sink) resultText(name string, truncated bool) (Text, error) {
	text := Text{Body: s.cleanedText(), Truncated: truncated}
	if text.Body == "" {
		return Text{}, &Error{Document: name, Reason: ReasonEmpty}
	}
	return text, nil
}

// addText appends text to the buffer of one write, up to the limit of the sink.
func (s *sink) addText(gathered *strings.Builder, text []byte) {
	if gathered.Len() <= s.most {
		gathered.Write(text)
	}
}

// cleanedText returns the collected text as valid UTF-8 without control characters, trailing spaces and repeated
// empty lines.
func (s *sink) cleanedText() string {
	var tidy strings.Builder
	empty := 0
	for line := range strings.SplitSeq(s.body.String(), "\n") {
		line = strings.TrimRightFunc(strings.Map(printableRune, line), unicode.IsSpace)
		if line == "" {
			empty++
			continue
		}
		if tidy.Len() > 0 {
			tidy.WriteString(strings.Repeat("\n", min(empty, 1)+1))
		}
		empty = 0
		tidy.WriteString(strings.ToValidUTF8(line, "\ufffd"))
	}
	return tidy.String()
}

// printableRune drops invisible characters and normalizes spaces.
func printableRune(r rune) rune {
	switch {
	case r == '\t' || unicode.Is(unicode.Zs, r):
		return ' '
	case unicode.IsControl(r) || r == '\ufeff' || r == '\u00ad' || r == '\u200b':
		return -1
	}
	return r
}
