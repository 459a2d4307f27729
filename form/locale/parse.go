package locale

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Want contains the statements of a schema that decide between two readings of a text.
type Want struct {
	// Integer prefers groups to fractions.
	Integer bool
	// Accepts reports whether the schema accepts a JSON number, nil if it says nothing.
	Accepts func(number string) bool
}

// Reading is the result of Parse. Exactly one of Value and Candidates is set, neither if the text is not a number.
type Reading struct {
	// Value is a JSON number with the digits of the text.
	Value string
	// Candidates are the two numbers of an ambiguous text.
	Candidates []Candidate
}

// Candidate is one reading of an ambiguous text.
type Candidate struct {
	// Value is a JSON number.
	Value string
	// Sign is the ambiguous sign, a point or a comma.
	Sign string
	// Grouped reports whether the sign separates groups, and not the fraction.
	Grouped bool
}

// maxText is the length of the longest text that Parse reads, in bytes.
const maxText = 4096

const (
	point = '.'
	comma = ','
	// groupMark replaces blanks and apostrophes between digits, decimalMark the decimal sign of Arabic.
	groupMark   = '\''
	decimalMark = ';'
	// arabicDecimal and arabicGroup are signs of Arabic and Persian numbers.
	arabicDecimal = '٫'
	arabicGroup   = '٬'
)

// Parse reads a number that a person typed. It accepts the notation, JSON, and other languages' notations as far as they
// are certain:
//
//   - Blanks and direction marks at the ends are ignored, digits of any script are read.
//   - Of point and comma, the last one is the decimal sign; a sign that occurs twice separates groups.
//   - One sign is decimal if the notation or the number of its digits says so.
//   - A comma with three digits after it separates groups where the notation has it for that, as in English 1,234.
//     A point is ambiguous then, as in German 1.234: keypads and spreadsheets write decimals so.
//   - An ambiguous text of an integer has groups. Otherwise the only candidate that the schema accepts is the value.
func (n Notation) Parse(text string, want Want) Reading {
	d, signs, ok := scanText(text)
	switch {
	case !ok:
		return Reading{}
	case signs == "":
		return Reading{Value: d.json()}
	}
	integer := n.joinGroups(d, signs)
	last := signs[len(signs)-1]
	groups := signs[:len(signs)-1]
	if last == groupMark || strings.HasSuffix(groups, string(last)) {
		return Reading{Value: integer}
	}
	d.whole, d.fraction = d.whole[:strings.LastIndexByte(d.whole, last)], d.whole[strings.LastIndexByte(d.whole, last)+1:]
	if d.fraction == "" {
		return Reading{}
	}
	certain := groups != "" || last == decimalMark || string(last) == n.Decimal || d.exponent != ""
	if certain || !looksGrouped(d.whole, d.fraction) {
		return Reading{Value: n.joinGroups(d, groups)}
	}
	if last == comma && n.Group == string(comma) {
		return Reading{Value: integer}
	}
	return chooseReading(integer, n.joinGroups(d, groups), string(last), want)
}

// looksGrouped reports whether digits around one sign look like groups, and not like a fraction.
func looksGrouped(before, after string) bool {
	return len(after) == 3 && len(before) >= 1 && len(before) <= 3 && before[0] != zero
}

// chooseReading chooses between the readings of an ambiguous text.
func chooseReading(grouped, fraction, sign string, want Want) Reading {
	if want.Integer {
		return Reading{Value: grouped}
	}
	if want.Accepts != nil {
		switch first, second := want.Accepts(grouped), want.Accepts(fraction); {
		case first && !second:
			return Reading{Value: grouped}
		case second && !first:
			return Reading{Value: fraction}
		}
	}
	return Reading{Candidates: []Candidate{
		{Value: grouped, Sign: sign, Grouped: true},
		{Value: fraction, Sign: sign},
	}}
}

// joinGroups returns the number without its groups, "" if the signs do not separate groups.
func (n Notation) joinGroups(d decimal, groups string) string {
	if groups != "" {
		sign := groups[:1]
		if d.exponent != "" || sign[0] == decimalMark || strings.Trim(groups, sign) != "" || !n.isGrouped(d.whole, sign) {
			return ""
		}
		d.whole = strings.ReplaceAll(d.whole, sign, "")
	}
	return d.json()
}

// isGrouped reports whether digits are in groups of three, or in the groups of the notation.
func (n Notation) isGrouped(text, sign string) bool {
	groups := strings.Split(text, sign)
	return groups[0] != "" && groups[0][0] != zero && (fitGroups(groups, 3, 3) || fitGroups(groups, n.Primary, n.Secondary))
}

func fitGroups(groups []string, primary, secondary int) bool {
	last := len(groups) - 1
	if len(groups[last]) != primary || len(groups[0]) > secondary {
		return false
	}
	for _, group := range groups[1:last] {
		if len(group) != secondary {
			return false
		}
	}
	return true
}

// json returns the number without leading zeros.
func (d decimal) json() string {
	text := strings.TrimLeft(d.whole, "0")
	if text == "" {
		text = "0"
	}
	if d.negative {
		text = "-" + text
	}
	if d.fraction != "" {
		text += "." + d.fraction
	}
	return text + d.exponent
}

// scanText maps a text to ASCII. whole contains the digits and signs before the exponent, signs the signs only.
func scanText(text string) (d decimal, signs string, ok bool) {
	if len(text) > maxText || !utf8.ValidString(text) {
		return d, "", false
	}
	text = strings.Map(dropMark, Trim(text))
	text, d.negative = cutSign(text)
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		if d.exponent, ok = mapExponent(text[i:]); !ok {
			return d, "", false
		}
		text = text[:i]
	}
	var whole, found strings.Builder
	var script rune
	for _, r := range text {
		value, base := digitOf(r)
		switch {
		case value < 0:
			if r = mapSign(r); r == 0 {
				return d, "", false
			}
			found.WriteRune(r)
			whole.WriteRune(r)
			continue
		case script != 0 && script != base:
			return d, "", false
		}
		script = base
		whole.WriteRune(zero + value)
	}
	d.whole = whole.String()
	return d, found.String(), script != 0
}

// cutSign removes the sign of a number.
func cutSign(text string) (rest string, negative bool) {
	r, size := utf8.DecodeRuneInString(text)
	switch r {
	case '-', '−', '－': //nolint:gosmopolitan // the full-width sign of East Asian keyboards
		return strings.TrimLeftFunc(text[size:], isBlank), true
	case '+':
		return text[size:], false
	}
	return text, false
}

// mapSign returns a separator as one of point, comma and groupMark, 0 for other characters.
func mapSign(r rune) rune {
	switch r {
	case point, '．':
		return point
	case comma, '，':
		return comma
	case ' ', '\u00a0', '\u202f', '\u2009', '\'', '’', arabicGroup:
		return groupMark
	case arabicDecimal:
		return decimalMark
	}
	return 0
}

func mapExponent(text string) (string, bool) {
	mapped := text[:1]
	for _, r := range text[1:] {
		if value, _ := digitOf(r); value >= 0 {
			r = zero + value
		}
		mapped += string(r)
	}
	return mapped, isExponent(mapped)
}

// digitOf returns the value of a decimal digit and the zero of its script, -1 for other characters. Unicode encodes
// the digits of a script in ascending order (The Unicode Standard, section 4.6).
func digitOf(r rune) (value, base rune) {
	if r < utf8.RuneSelf {
		if r < zero || r > '9' {
			return -1, 0
		}
		return r - zero, zero
	}
	if !unicode.IsDigit(r) {
		return -1, 0
	}
	steps := rune(0)
	for unicode.IsDigit(r - steps - 1) {
		steps++
	}
	return steps % 10, r - steps%10
}
