package textlayer

import (
	"bytes"
	"strconv"
)

// tokenKind is the kind of a token of a content stream.
type tokenKind byte

const (
	tokenOperator tokenKind = iota
	tokenNumber
	tokenName
	tokenHex
	tokenLiteral
	// tokenMark is one of [ ] << >>.
	tokenMark
	tokenEnd
)

// token is a token between two offsets of a content stream.
type token struct {
	kind       tokenKind
	start, end int
}

// scanner reads the tokens of a content stream (ISO 32000-1, 7.2 and 7.8.2).
type scanner struct {
	data []byte
	at   int
}

func (s *scanner) readToken() token {
	for s.at < len(s.data) && isBlank(s.data[s.at]) {
		s.at++
	}
	start := s.at
	if start >= len(s.data) {
		return token{tokenEnd, start, start}
	}
	kind := tokenMark
	switch c := s.data[start]; {
	case c == '(':
		kind = tokenLiteral
		s.skipLiteral()
	case bytes.HasPrefix(s.data[start:], []byte("<<")), bytes.HasPrefix(s.data[start:], []byte(">>")):
		s.at += 2
	case c == '<':
		kind = tokenHex
		s.at = len(s.data)
		if i := bytes.IndexByte(s.data[start:], '>'); i > 0 {
			s.at = start + i + 1
		}
	case isDelimiter(c) && c != '/':
		s.at++
	default:
		kind = s.scanWord()
	}
	return token{kind, start, s.at}
}

// scanWord reads a name, a number or an operator.
func (s *scanner) scanWord() tokenKind {
	first := s.data[s.at]
	for s.at++; s.at < len(s.data) && !isBlank(s.data[s.at]) && !isDelimiter(s.data[s.at]); s.at++ {
	}
	switch {
	case first == '/':
		return tokenName
	case first >= '0' && first <= '9' || first == '-' || first == '+' || first == '.':
		return tokenNumber
	}
	return tokenOperator
}

// skipLiteral moves behind a string in parentheses.
func (s *scanner) skipLiteral() {
	depth := 0
	for s.at < len(s.data) {
		c := s.data[s.at]
		s.at++
		switch c {
		case '\\':
			s.at = min(s.at+1, len(s.data))
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return
			}
		}
	}
}

func isBlank(c byte) bool {
	return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == 0
}

func isDelimiter(c byte) bool { return bytes.IndexByte([]byte("()<>[]{}/%"), c) >= 0 }

// readNumber returns the value of a token, 0 if it is no number.
func (t token) readNumber(data []byte) float64 {
	value, err := strconv.ParseFloat(string(data[t.start:t.end]), 64)
	if err != nil {
		return 0
	}
	return value
}

// readBytes returns the bytes of a string (ISO 32000-1, 7.3.4). places are their offsets, and the offset of the end.
func (t token) readBytes(data []byte) (content []byte, places []int) {
	end := t.end - 1
	for at := t.start + 1; at < end; {
		places = append(places, at)
		var value byte
		var length int
		if t.kind == tokenHex {
			value, length = readHex(data[at:end])
		} else {
			value, length = readCharacter(data[at:end])
		}
		content = append(content, value)
		at += length
	}
	return content, append(places, end)
}

// readHex returns the byte of two digits, and their number.
func readHex(digits []byte) (value byte, length int) {
	length = min(2, len(digits))
	code, _ := strconv.ParseUint(string(digits[:length]), 16, 8)
	return byte(code), length
}

// readCharacter returns the first byte of a string in parentheses, and the length of its spelling.
func readCharacter(text []byte) (value byte, length int) {
	if text[0] != '\\' || len(text) == 1 {
		return text[0], 1
	}
	if i := bytes.IndexByte([]byte("nrtbf"), text[1]); i >= 0 {
		return "\n\r\t\b\f"[i], 2
	}
	for length = 1; length < min(4, len(text)) && text[length] >= '0' && text[length] <= '7'; length++ {
		value = value<<3 | (text[length] - '0')
	}
	if length > 1 {
		return value, length
	}
	return text[1], 2
}

// matrix is a transformation (ISO 32000-1, 8.3.3).
type matrix [6]float64

func identityMatrix() matrix { return matrix{1, 0, 0, 1, 0, 0} }

// combineWith returns the transformation by m, then by n.
func (m matrix) combineWith(n matrix) matrix {
	return matrix{
		m[0]*n[0] + m[1]*n[2], m[0]*n[1] + m[1]*n[3], m[2]*n[0] + m[3]*n[2], m[2]*n[1] + m[3]*n[3],
		m[4]*n[0] + m[5]*n[2] + n[4], m[4]*n[1] + m[5]*n[3] + n[5],
	}
}

// pointAt returns the position of a point on the line of text.
func (m matrix) pointAt(x float64) (float64, float64) { return x*m[0] + m[4], x*m[1] + m[5] }
