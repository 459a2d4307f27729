package pattern

import (
	"errors"
	"fmt"
	"regexp/syntax"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	// MaxText limits the text of a translation, in bytes.
	MaxText = 1 << 20
	// maxSize limits a translation, in instructions.
	maxSize = 5000
	// maxGroups limits the nesting of groups.
	maxGroups = 200
	// maxRepeat is the highest product of nested repetitions that RE2 compiles.
	maxRepeat = 1000
	infinite  = -1
)

var errComplex = errors.New("is too complex")

// Error is the reason why a pattern is refused.
type Error struct {
	// Reason is for the author of the pattern. Position is the character that it refers to, from 1, or 0.
	Reason   string
	Position int
	// Unsupported is set for constructs of ECMA-262 that RE2 does not have.
	Unsupported bool
}

// Error names the construct and its position.
func (e *Error) Error() string {
	text := e.Reason
	if e.Position > 0 {
		text += " at position " + strconv.Itoa(e.Position)
	}
	if e.Unsupported {
		text += ", which is not supported"
	}
	return text
}

// Translate returns a regular expression of RE2 that matches the same texts as a pattern of ECMA-262 with the flag u. It
// also accepts the syntax of Annex B, except for unknown escapes of letters, and the syntax of RE2 that ECMA-262 does not
// have, such as (?i), \A and [[:alpha:]]. The translation has at most MaxText bytes. The error is an *Error.
func Translate(text string) (string, error) {
	p := translator{text: text, groups: countGroups(text)}
	translated, err := p.translate()
	if err == nil {
		return translated, nil
	}
	// Its limits are those of RE2 itself.
	if _, foreign := syntax.Parse(text, syntax.Perl); foreign == nil {
		return text, nil
	}
	var fault *Error
	if !errors.As(err, &fault) {
		return "", &Error{Reason: err.Error()}
	}
	return "", fault
}

// A translator parses a pattern and writes its translation.
type translator struct {
	text string
	at   int
	// groups is the number of capturing groups.
	groups int
	depth  int
	// empty and bracket are set after an empty class and after ] outside of a class: together they are a class of RE2.
	empty, bracket bool
}

// A piece is the translation of a part.
type piece struct {
	text string
	size int
	// repeats is the highest product of the nested repetitions in it.
	repeats int
	// assertion is set for a part that cannot be repeated.
	assertion bool
}

func (p *translator) translate() (string, error) {
	if !utf8.ValidString(p.text) {
		return "", &Error{Reason: "is not UTF-8"}
	}
	whole, err := p.parseAlternatives()
	switch {
	case err != nil:
		return "", err
	case p.at < len(p.text):
		return "", p.refuseSyntax("has an unmatched `)`", p.at)
	case p.empty && p.bracket:
		return "", p.refuseSyntax("has an unmatched `]`", p.at-1)
	}
	return whole.text, nil
}

// refuseSyntax returns the error for a construct that begins at a byte.
func (p *translator) refuseSyntax(reason string, at int) *Error {
	return &Error{Reason: reason, Position: utf8.RuneCountInString(p.text[:at]) + 1}
}

func (p *translator) refuseConstruct(kind, construct string, at int) *Error {
	e := p.refuseSyntax(fmt.Sprintf("uses a %s (`%s`)", kind, construct), at)
	e.Unsupported = true
	return e
}

// rest returns the text that is not parsed yet.
func (p *translator) rest() string { return p.text[p.at:] }

// skipPrefix skips a text that comes next.
func (p *translator) skipPrefix(text string) bool {
	if !strings.HasPrefix(p.rest(), text) {
		return false
	}
	p.at += len(text)
	return true
}

// nextRune skips a character and returns it.
func (p *translator) nextRune() rune {
	r, size := utf8.DecodeRuneInString(p.rest())
	p.at += size
	return r
}

// parseAlternatives parses a Disjunction.
func (p *translator) parseAlternatives() (piece, error) {
	var text strings.Builder
	whole := piece{repeats: 1}
	for {
		for p.at < len(p.text) && p.text[p.at] != '|' && p.text[p.at] != ')' {
			term, err := p.parseTerm()
			if err == nil {
				term, err = p.parseQuantifier(term)
			}
			if err != nil {
				return piece{}, err
			}
			text.WriteString(term.text)
			whole.size += term.size
			whole.repeats = max(whole.repeats, term.repeats)
			if whole.size > maxSize || text.Len() > MaxText {
				return piece{}, errComplex
			}
		}
		if !p.skipPrefix("|") {
			whole.text = text.String()
			return whole, nil
		}
		text.WriteByte('|')
		whole.size++
	}
}

// parseTerm parses a Term without its quantifier.
func (p *translator) parseTerm() (piece, error) {
	start := p.at
	switch c := p.nextRune(); c {
	case '^', '$':
		return piece{text: string(c), size: 1, repeats: 1, assertion: true}, nil
	case '(':
		return p.parseGroup(start)
	case '[':
		return p.parseClass(start)
	case '.':
		return newAtom(`[^\n\r\x{2028}\x{2029}]`), nil
	case '\\':
		return p.parseEscape(start)
	case '*', '+', '?':
		return piece{}, p.refuseSyntax(fmt.Sprintf("has nothing to repeat before `%c`", c), start)
	case '{':
		if p.at = start; isQuantifier(p.rest()) {
			return piece{}, p.refuseSyntax("has nothing to repeat before `{`", start)
		}
		p.at++
		return writeLiteral(c), nil
	case ']':
		p.bracket = true
		return writeLiteral(c), nil
	default:
		return writeLiteral(c), nil
	}
}

func newAtom(text string) piece { return piece{text: text, size: 1 + len(text)/128, repeats: 1} }

// writeLiteral returns a piece for a character. Texts do not contain surrogates.
func writeLiteral(c rune) piece {
	switch {
	case isSurrogate(c):
		return newAtom(noRune)
	case isWord(c) || c > 0xa0:
		return newAtom(string(c))
	}
	return newAtom(hexEscape(c))
}

func isWord(c rune) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}

func isSurrogate(c rune) bool { return c >= 0xd800 && c <= 0xdfff }

func hexEscape(c rune) string { return fmt.Sprintf(`\x{%x}`, c) }

// parseGroup parses a group after its parenthesis.
func (p *translator) parseGroup(start int) (piece, error) {
	for _, around := range []struct{ text, kind string }{
		{"?=", "look-ahead"}, {"?!", "negative look-ahead"}, {"?<=", "look-behind"}, {"?<!", "negative look-behind"},
	} {
		if strings.HasPrefix(p.rest(), around.text) {
			return piece{}, p.refuseConstruct(around.kind, "("+around.text, start)
		}
	}
	switch {
	case p.skipPrefix("?<"):
		name, after, ok := strings.Cut(p.rest(), ">")
		if !ok || !isGroupName(name) {
			return piece{}, p.refuseSyntax("has a group with an invalid name", start)
		}
		p.at = len(p.text) - len(after)
	case p.skipPrefix("?:"):
	case strings.HasPrefix(p.rest(), "?"):
		return piece{}, p.refuseSyntax("has an unknown kind of group", start)
	}
	if p.depth++; p.depth > maxGroups {
		return piece{}, errComplex
	}
	inner, err := p.parseAlternatives()
	if err != nil {
		return piece{}, err
	}
	p.depth--
	if !p.skipPrefix(")") {
		return piece{}, p.refuseSyntax("has an unmatched `(`", start)
	}
	inner.text, inner.size = "(?:"+inner.text+")", inner.size+1
	return inner, nil
}

func isGroupName(name string) bool {
	for i, c := range name {
		if !isWord(c) && c != '$' && c < 0x80 || i == 0 && c >= '0' && c <= '9' {
			return false
		}
	}
	return name != ""
}

// countGroups counts the capturing groups of a pattern.
func countGroups(text string) int {
	count, inClass := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case inClass:
			inClass = c != ']'
		case c == '[':
			inClass = true
		case c == '(':
			rest := text[i+1:]
			named := strings.HasPrefix(rest, "?<") && !strings.HasPrefix(rest, "?<=") && !strings.HasPrefix(rest, "?<!")
			if named || !strings.HasPrefix(rest, "?") {
				count++
			}
		}
	}
	return count
}
