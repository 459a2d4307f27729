package pattern

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

var bounds = regexp.MustCompile(`^\{([0-9]+)(,([0-9]*))?\}`)

// isQuantifier reports whether a text begins with a quantifier in braces.
func isQuantifier(text string) bool { return bounds.MatchString(text) }

// parseQuantifier parses the quantifier of a term, if there is one.
func (p *translator) parseQuantifier(term piece) (piece, error) {
	start := p.at
	least, most := 1, 1
	switch {
	case p.skipPrefix("*"):
		least, most = 0, infinite
	case p.skipPrefix("+"):
		most = infinite
	case p.skipPrefix("?"):
		least = 0
	case strings.HasPrefix(p.rest(), "{") && isQuantifier(p.rest()):
		found := bounds.FindStringSubmatch(p.rest())
		p.at += len(found[0])
		least = readCount(found[1])
		if most = least; found[2] != "" {
			if most = infinite; found[3] != "" {
				most = readCount(found[3])
			}
		}
		if most != infinite && most < least {
			return piece{}, p.refuseSyntax("has a repetition with its numbers out of order", start)
		}
	default:
		return term, nil
	}
	if term.assertion {
		return piece{}, p.refuseSyntax("has nothing to repeat before `"+p.text[start:start+1]+"`", start)
	}
	p.skipPrefix("?") // A lazy quantifier matches the same texts.
	return repeatTerm(term, least, most)
}

// readCount reads a number of repetitions. Numbers beyond the limit of the size are equal.
func readCount(digits string) int {
	count, err := strconv.Atoi(digits)
	if err != nil {
		return maxSize + 1
	}
	return min(count, maxSize+1)
}

// repeatTerm returns a repetition. RE2 limits the product of nested repetitions, so a longer one becomes a sequence.
func repeatTerm(term piece, least, most int) (piece, error) {
	size := term.size * max(least, most, 1)
	if size > maxSize {
		return piece{}, errComplex
	}
	chunk := max(1, maxRepeat/term.repeats)
	simple := func(operator string, repeats int) piece {
		return piece{text: term.text + operator, size: size, repeats: term.repeats * max(repeats, 1)}
	}
	switch {
	case least == 0 && most == infinite:
		return simple("*", 1), nil
	case least == 1 && most == infinite:
		return simple("+", 1), nil
	case least == 0 && most == 1:
		return simple("?", 1), nil
	case most == infinite && least <= chunk:
		return simple(fmt.Sprintf("{%d,}", least), least), nil
	case most != infinite && most <= chunk:
		return simple(fmt.Sprintf("{%d,%d}", least, most), most), nil
	}
	var text strings.Builder
	text.WriteString("(?:")
	for left := least; left > 0; left -= chunk {
		fmt.Fprintf(&text, "%s{%d}", term.text, min(left, chunk))
	}
	if most == infinite {
		text.WriteString(term.text + "*")
	}
	for left := most - least; left > 0; left -= chunk {
		fmt.Fprintf(&text, "%s{0,%d}", term.text, min(left, chunk))
	}
	text.WriteString(")")
	if text.Len() > MaxText {
		return piece{}, errComplex
	}
	return piece{text: text.String(), size: size, repeats: term.repeats * chunk}, nil
}
