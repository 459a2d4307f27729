package pattern

import "strings"

// parseClass parses a class after its opening bracket.
func (p *translator) parseClass(start int) (piece, error) {
	negated := p.skipPrefix("^")
	var content strings.Builder
	for first := true; ; first = false {
		if p.at == len(p.text) {
			return piece{}, p.refuseSyntax("has an unmatched `[`", start)
		}
		if p.skipPrefix("]") {
			p.empty = p.empty || first
			break
		}
		if strings.HasPrefix(p.rest(), "[:") && strings.Contains(p.rest(), ":]") {
			return piece{}, p.refuseSyntax("has a class in a class (`[:`)", p.at)
		}
		item, err := p.parseClassItem()
		if err != nil {
			return piece{}, err
		}
		if content.WriteString(item); content.Len() > MaxText {
			return piece{}, errComplex
		}
	}
	switch {
	case content.Len() == 0 && negated:
		return newAtom(anyRune), nil
	case content.Len() == 0:
		return newAtom(noRune), nil
	case negated:
		return newAtom("[^" + content.String() + "]"), nil
	}
	return newAtom("[" + content.String() + "]"), nil
}

// parseClassItem parses a character, a range or a set of a class. Surrogates are left out.
func (p *translator) parseClassItem() (string, error) {
	start := p.at
	first, firstSet, err := p.parseClassAtom()
	if err != nil {
		return "", err
	}
	before := p.at
	if !p.skipPrefix("-") || p.at == len(p.text) || p.text[p.at] == ']' {
		p.at = before
		return firstSet + classRune(first), nil
	}
	last, lastSet, err := p.parseClassAtom()
	switch {
	case err != nil:
		return "", err
	case firstSet != "" || lastSet != "":
		// Next to a set, - is a character.
		return firstSet + classRune(first) + classRune('-') + lastSet + classRune(last), nil
	case last < first:
		return "", p.refuseSyntax("has a range with its characters out of order", start)
	case first == last:
		return classRune(first), nil
	}
	return hexEscape(first) + "-" + hexEscape(last), nil
}

// noCharacter is the character of an atom that is a set.
const noCharacter rune = -1

func classRune(c rune) string {
	switch {
	case c == noCharacter || isSurrogate(c):
		return ""
	case isWord(c) || c > 0xa0:
		return string(c)
	}
	return hexEscape(c)
}

// parseClassAtom parses a character or the escape of a set.
func (p *translator) parseClassAtom() (c rune, set string, err error) {
	start := p.at
	if c = p.nextRune(); c != '\\' {
		return c, "", nil
	}
	if p.skipPrefix("b") {
		return '\b', "", nil
	}
	if set, err = p.parseClassEscape(start); err != nil || set != "" {
		return noCharacter, set, err
	}
	c, err = p.parseCharacterEscape(start)
	return c, "", err
}
