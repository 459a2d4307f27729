package locale

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/language"
	"golang.org/x/text/message"
	"golang.org/x/text/number"
)

// Notation is the spelling of numbers in a language.
type Notation struct {
	// Digits are the digits from zero to nine.
	Digits [10]rune
	// Decimal separates the fraction, Group the groups of digits. Group is empty in languages without groups.
	Decimal, Group string
	// Minus precedes negative numbers. It may contain direction marks.
	Minus string
	// Primary is the length of the last group of an integer, Secondary of the others.
	Primary, Secondary int
}

const (
	zero = '0'
	// maxNotations limits the cache: languages come from requests.
	maxNotations = 512
)

//nolint:gochecknoglobals // a cache of values that depend on their key only
var notations = struct {
	sync.RWMutex
	m map[language.Tag]Notation
}{m: map[language.Tag]Notation{}}

// Of returns the notation of a language. It is safe for concurrent use.
func Of(tag language.Tag) Notation {
	notations.RLock()
	n, ok := notations.m[tag]
	notations.RUnlock()
	if ok {
		return n
	}
	n = deriveNotation(tag)
	notations.Lock()
	defer notations.Unlock()
	if len(notations.m) >= maxNotations {
		clear(notations.m)
	}
	notations.m[tag] = n
	return n
}

// deriveNotation reads the notation off formatted samples: x/text does not export its symbols.
func deriveNotation(tag language.Tag) Notation {
	p := message.NewPrinter(tag)
	n := Notation{Decimal: ".", Minus: "-", Primary: 3, Secondary: 3}
	sample := []rune(p.Sprint(number.Decimal(9876543210, number.NoSeparator())))
	for i, digit := range sample[max(len(sample)-10, 0):] {
		n.Digits[9-i] = digit
	}
	parts, separators := splitDigits(p.Sprint(number.Decimal(-1234567, number.MinFractionDigits(1))))
	if len(parts) < 2 {
		return n
	}
	n.Minus = separators[0]
	n.Decimal = separators[len(separators)-2]
	if groups := parts[:len(parts)-1]; len(groups) > 1 {
		n.Group = separators[1]
		n.Primary = utf8.RuneCountInString(groups[len(groups)-1])
		n.Secondary = utf8.RuneCountInString(groups[len(groups)-2])
		if len(groups) == 2 {
			n.Secondary = n.Primary
		}
	}
	return n
}

// splitDigits returns the runs of digits, and the texts before, between and after them.
func splitDigits(text string) (parts, separators []string) {
	for {
		i := strings.IndexFunc(text, unicode.IsDigit)
		if i < 0 {
			return parts, append(separators, text)
		}
		separators = append(separators, text[:i])
		text = text[i:]
		end := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsDigit(r) })
		if end < 0 {
			end = len(text)
		}
		parts = append(parts, text[:end])
		text = text[end:]
	}
}

// minGrouped is the number of integer digits from which groups are written.
const minGrouped = 5

// Format returns a JSON number in the notation. Digits, trailing zeros and exponents are kept. Other text is returned
// unchanged. Numbers with an exponent have no groups.
func (n Notation) Format(text string, grouping bool) string {
	d, ok := splitNumber(text)
	if !ok {
		return text
	}
	var b strings.Builder
	if d.negative {
		b.WriteString(n.Minus)
	}
	grouped := grouping && n.Group != "" && d.exponent == "" && len(d.whole) >= minGrouped
	for i, digit := range d.whole {
		if grouped && i > 0 && n.startsGroup(len(d.whole)-i) {
			b.WriteString(n.Group)
		}
		b.WriteRune(n.mapDigit(digit))
	}
	if d.fraction != "" {
		b.WriteString(n.Decimal)
	}
	for _, digit := range d.fraction + d.exponent {
		b.WriteRune(n.mapDigit(digit))
	}
	return b.String()
}

// FormatInput returns a JSON number as the text of an input: with groups only if Parse reads the text without a question.
func (n Notation) FormatInput(text string, grouping bool) string {
	shown := n.Format(text, grouping)
	if read := n.Parse(shown, Want{}); read.Value == text {
		return shown
	}
	return n.Format(text, false)
}

// startsGroup reports whether a group begins before the last rest digits.
func (n Notation) startsGroup(rest int) bool {
	return rest == n.Primary || rest > n.Primary && (rest-n.Primary)%n.Secondary == 0
}

func (n Notation) mapDigit(r rune) rune {
	if r < zero || r > '9' {
		return r
	}
	return n.Digits[r-zero]
}

// decimal contains the parts of a JSON number (RFC 8259, section 6). Exponent includes its letter and sign.
type decimal struct {
	negative                  bool
	whole, fraction, exponent string
}

func splitNumber(text string) (decimal, bool) {
	var d decimal
	text, d.negative = strings.CutPrefix(text, "-")
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		text, d.exponent = text[:i], text[i:]
	}
	var hasFraction bool
	d.whole, d.fraction, hasFraction = strings.Cut(text, ".")
	ok := isDigits(d.whole) && (d.whole[0] != zero || len(d.whole) == 1) && (!hasFraction || isDigits(d.fraction)) &&
		(d.exponent == "" || isExponent(d.exponent))
	return d, ok
}

// isExponent reports whether a text is an exponent of JSON, with its letter.
func isExponent(text string) bool {
	digits := strings.TrimLeft(text[1:], "+-")
	return len(text)-len(digits) <= 2 && isDigits(digits)
}

func isDigits(text string) bool {
	return text != "" && strings.IndexFunc(text, func(r rune) bool { return r < zero || r > '9' }) < 0
}
