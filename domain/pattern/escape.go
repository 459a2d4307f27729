package pattern

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

const (
	// noRune and anyRune match no character and every character.
	noRune  = `[^\x{0}-\x{10ffff}]`
	anyRune = `[\x{0}-\x{10ffff}]`
	// whiteSpace is the content of the class \s of ECMA-262, and notWhiteSpace of \S.
	whiteSpace    = `\t-\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`
	notWhiteSpace = `\x{0}-\x{8}\x{e}-\x{1f}!-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}\x{202a}-\x{202e}` +
		`\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}\x{ff00}-\x{10ffff}`
)

// parseEscape parses an escape outside of a class, after its backslash.
func (p *translator) parseEscape(start int) (piece, error) {
	switch c := p.peekByte(); {
	case c == 'b' || c == 'B':
		p.at++
		return piece{text: `\` + string(c), size: 1, repeats: 1, assertion: true}, nil
	case c >= '1' && c <= '9':
		digits := len(p.rest()) - len(strings.TrimLeft(p.rest(), "0123456789"))
		if number, err := strconv.Atoi(p.rest()[:digits]); err == nil && number <= p.groups {
			return piece{}, p.refuseConstruct("back-reference", p.text[start:p.at+digits], start)
		}
	case c == 'k' && strings.Contains(p.text, "(?<"):
		name, _, _ := strings.Cut(p.text[start:], ">")
		return piece{}, p.refuseConstruct("back-reference", name+">", start)
	}
	set, err := p.parseClassEscape(start)
	if err != nil {
		return piece{}, err
	}
	if set != "" {
		return newAtom("[" + set + "]"), nil
	}
	c, err := p.parseCharacterEscape(start)
	return writeLiteral(c), err
}

// peekByte returns the next byte, 0 at the end.
func (p *translator) peekByte() byte {
	if p.at == len(p.text) {
		return 0
	}
	return p.text[p.at]
}

// parseClassEscape parses an escape of a set of characters after its backslash. It returns the content of a class of RE2,
// or "" for another escape.
func (p *translator) parseClassEscape(start int) (string, error) {
	c := p.peekByte()
	switch c {
	case 'd', 'D', 'w', 'W':
		p.at++
		return `\` + string(c), nil
	case 's':
		p.at++
		return whiteSpace, nil
	case 'S':
		p.at++
		return notWhiteSpace, nil
	case 'p', 'P':
		expression, ok := strings.CutPrefix(p.text[p.at+1:], "{")
		expression, _, closed := strings.Cut(expression, "}")
		if !ok || !closed {
			return "", p.refuseSyntax(fmt.Sprintf("has a property without braces (`\\%c`)", c), start)
		}
		p.at += len("p{}") + len(expression)
		set := propertySet(expression, c == 'P')
		if set == "" {
			return "", p.refuseSyntax(fmt.Sprintf("has a Unicode property that is not known (`%s`)", expression), start)
		}
		return set, nil
	}
	return "", nil
}

// parseCharacterEscape parses an escape of one character, after its backslash.
func (p *translator) parseCharacterEscape(start int) (rune, error) {
	if p.at == len(p.text) {
		return 0, p.refuseSyntax("ends with a backslash", start)
	}
	c := p.nextRune()
	if i := strings.IndexRune("tnvfr", c); i >= 0 {
		return rune("\t\n\v\f\r"[i]), nil
	}
	switch {
	case c >= '0' && c <= '7':
		return p.parseOctal(c - '0'), nil
	case c == 'c' && isLetter(rune(p.peekByte())):
		return p.nextRune() % 32, nil
	case c == 'x':
		if value, ok := p.parseHex(2); ok {
			return value, nil
		}
	case c == 'u':
		if value, ok := p.parseUnicode(); ok {
			return value, nil
		}
	case isLetter(c):
	default:
		return c, nil
	}
	return 0, p.refuseSyntax(fmt.Sprintf("has an escape that is not known (`\\%c`)", c), start)
}

func isLetter(c rune) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// parseOctal parses the rest of an octal escape of Annex B up to 0377.
func (p *translator) parseOctal(value rune) rune {
	for digits := 1; digits < 3 && p.peekByte() >= '0' && p.peekByte() <= '7' && value < 32; digits++ {
		value = value*8 + p.nextRune() - '0'
	}
	return value
}

// parseHex parses a number of hexadecimal digits.
func (p *translator) parseHex(digits int) (rune, bool) {
	if len(p.rest()) < digits {
		return 0, false
	}
	value, err := strconv.ParseUint(p.rest()[:digits], 16, 32)
	if err != nil {
		return 0, false
	}
	p.at += digits
	return rune(value), true //nolint:gosec // up to four digits
}

// parseUnicode parses the rest of \uXXXX, of a pair of surrogates or of \u{X}.
func (p *translator) parseUnicode() (rune, bool) {
	if expression, ok := strings.CutPrefix(p.rest(), "{"); ok {
		digits, _, closed := strings.Cut(expression, "}")
		value, err := strconv.ParseUint(digits, 16, 32)
		if !closed || err != nil || value > unicode.MaxRune {
			return 0, false
		}
		p.at += len("{}") + len(digits)
		return rune(value), true
	}
	high, ok := p.parseHex(4)
	if !ok || high < 0xd800 || high > 0xdbff {
		return high, ok
	}
	before := p.at
	if p.skipPrefix(`\u`) {
		if low, ok := p.parseHex(4); ok && low >= 0xdc00 && low <= 0xdfff {
			return 0x10000 + (high-0xd800)<<10 + low - 0xdc00, true
		}
	}
	p.at = before
	return high, true
}
