package availability

import (
	"fmt"
	"strings"
)

// Limits of the text passed to jq's parser.
const (
	maxTokens  = 512
	maxNesting = 32
)

// A token is one word of the jq text.
type token struct {
	text   string
	offset int
}

// A scanner splits a text into jq's tokens.
type scanner struct {
	tokens  []token
	nesting int
	// interrupted are the nestings of the expressions within texts, where a text goes on after the parenthesis.
	interrupted []int
}

// scanTokens splits the text into jq's tokens. The syntax tree of the parser has no positions: the checker finds them
// in the tokens, which also bound the size and the depth of the tree before it is built. A text with expressions in
// it is one token up to the first expression and one after each. An unterminated text ends the list: the parser
// refuses it.
func scanTokens(text string) ([]token, *refusal) {
	var s scanner
	for i := 0; ; {
		i += len(text[i:]) - len(strings.TrimLeft(text[i:], " \t\r\n"))
		if i == len(text) {
			return s.tokens, nil
		}
		size, whole := s.textWidth(text[i:])
		if fault := s.addToken(token{text: text[i : i+size], offset: i}); fault != nil {
			return nil, fault
		}
		switch {
		case whole:
		case strings.HasSuffix(text[:i+size], `\(`):
			s.nesting++
			s.interrupted = append(s.interrupted, s.nesting)
		default:
			return s.tokens, nil
		}
		i += size
	}
}

// textWidth returns the length of the token at the beginning of the text, and false for a text without an end.
func (s *scanner) textWidth(text string) (int, bool) {
	last := len(s.interrupted) - 1
	if text[0] != ')' || last < 0 || s.interrupted[last] != s.nesting {
		return tokenLength(text)
	}
	s.interrupted = s.interrupted[:last]
	s.nesting--
	return stringWidth(text)
}

func (s *scanner) addToken(found token) *refusal {
	switch found.text {
	case "#":
		return &refusal{found.offset, "comments are not allowed"}
	case "(", "[", "{", "if":
		s.nesting++
	case ")", "]", "}", "end":
		s.nesting--
	}
	if s.nesting > maxNesting {
		return &refusal{found.offset, fmt.Sprintf("the expression nests deeper than %d", maxNesting)}
	}
	if len(s.tokens) == maxTokens {
		return &refusal{found.offset, fmt.Sprintf("the expression has more than %d words", maxTokens)}
	}
	s.tokens = append(s.tokens, found)
	return nil
}

// width returns the length of the token at the beginning of the text, which is not empty, and false if the text
// after it cannot be tokenized.
func tokenLength(text string) (int, bool) {
	first := text[0]
	second := byte(0)
	if len(text) > 1 {
		second = text[1]
	}
	switch {
	case first == '"':
		return stringWidth(text)
	case isLetter(first), (first == '.' || first == '$' || first == '@') && isLetter(second):
		return nameWidth(text), true
	case isDigit(first), first == '.' && isDigit(second):
		return numberWidth(text), true
	}
	for _, operator := range []string{"//=", "//", "..", "|=", "+=", "-=", "*=", "/=", "%=", "==", "!=", "<=", ">="} {
		if strings.HasPrefix(text, operator) {
			return len(operator), true
		}
	}
	return 1, true
}

func stringWidth(text string) (int, bool) {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '"':
			return i + 1, true
		case '\\':
			if i++; i < len(text) && text[i] == '(' {
				return i + 1, false
			}
		}
	}
	return len(text), false
}

func nameWidth(text string) int {
	i := 1
	for i < len(text) {
		switch {
		case isLetter(text[i]), isDigit(text[i]):
			i++
		case text[0] != '.' && strings.HasPrefix(text[i:], "::") && i+2 < len(text) && isLetter(text[i+2]):
			i += 2
		default:
			return i
		}
	}
	return i
}

func numberWidth(text string) int {
	i := 1
	for i < len(text) {
		switch c := text[i]; {
		case isDigit(c), c == '.', c == 'e', c == 'E':
		case (c == '+' || c == '-') && (text[i-1] == 'e' || text[i-1] == 'E'):
		default:
			return i
		}
		i++
	}
	return i
}

func isLetter(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_'
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
