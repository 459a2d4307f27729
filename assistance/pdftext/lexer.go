package pdftext

import (
	"strconv"
)

// The values of a PDF are nil, bool, float64, text, name, []any, dict, reference
// and *stream. Besides them a lexer yields operators.
type (
	text      string
	name      string
	dict      map[name]any
	reference int
	operator  string
)

const (
	endOfData  operator = ""
	endOfArray operator = "]"
	endOfDict  operator = ">>"
	// maxToken bounds a name, a number or an operator, in bytes.
	maxToken = 1000
)

// A lexer reads values. It never fails: what is no value is an operator, and the
// end of the data is endOfData.
type lexer struct {
	meter *meter
	data  []byte
	at    int
	// file says that the data is that of a file, where references are, and not
	// that of a page. Their values count as kept.
	file bool
}

func isSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == 0
}

func isDelimiter(c byte) bool {
	switch c {
	case '(', ')', '<', '>', '[', ']', '{', '}', '/', '%':
		return true
	}
	return false
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func (l *lexer) skipSpace() {
	for l.at < len(l.data) {
		c := l.data[l.at]
		if c == '%' {
			for l.at < len(l.data) && l.data[l.at] != '\n' && l.data[l.at] != '\r' {
				l.at++
			}
		} else if !isSpace(c) {
			return
		} else {
			l.at++
		}
	}
}

// next is the next value or operator.
func (l *lexer) next() any { return l.nested(maxNesting) }

func (l *lexer) nested(depth int) any {
	l.skipSpace()
	if !l.meter.step() || l.at >= len(l.data) {
		return endOfData
	}
	if l.file {
		if l.meter.nodes--; l.meter.nodes < 0 {
			l.meter.err = ErrTooMuch
			return endOfData
		}
	}
	c := l.data[l.at]
	switch {
	case c == '/':
		return l.name()
	case c == '(':
		return l.literal()
	case c == '<' && l.peek(1) == '<':
		l.at += 2
		return l.dict(depth)
	case c == '<':
		return l.hexadecimal()
	case c == '>' && l.peek(1) == '>':
		l.at += 2
		return endOfDict
	case c == '[':
		l.at++
		return l.array(depth)
	case isDigit(c) || c == '+' || c == '-' || c == '.':
		return l.number()
	case isDelimiter(c):
		l.at++
		return operator(c)
	}
	switch word := l.word(); word {
	case "true":
		return true
	case "false":
		return false
	case "null":
		return nil
	default:
		return operator(word)
	}
}

func (l *lexer) peek(ahead int) byte {
	if l.at+ahead < len(l.data) {
		return l.data[l.at+ahead]
	}
	return 0
}

// word is everything up to the next space or delimiter.
func (l *lexer) word() string {
	start := l.at
	for l.at < len(l.data) && !isSpace(l.data[l.at]) && !isDelimiter(l.data[l.at]) {
		l.at++
	}
	return string(l.data[start:min(l.at, start+maxToken)])
}

func (l *lexer) name() name {
	l.at++
	word := l.word()
	decoded := make([]byte, 0, len(word))
	for i := 0; i < len(word); i++ {
		if word[i] == '#' && i+2 < len(word) {
			if code, err := strconv.ParseUint(word[i+1:i+3], 16, 8); err == nil {
				decoded = append(decoded, byte(code))
				i += 2
				continue
			}
		}
		decoded = append(decoded, word[i])
	}
	return name(decoded)
}

func (l *lexer) number() any {
	word := l.word()
	value, err := strconv.ParseFloat(word, 64)
	if err != nil || value != value || value > 1e15 || value < -1e15 {
		return float64(0)
	}
	if !l.file || value < 0 || value != float64(int(value)) {
		return value
	}
	// Perhaps a reference: two whole numbers and an R.
	start := l.at
	l.skipSpace()
	generation := l.at
	for l.at < len(l.data) && isDigit(l.data[l.at]) && l.at < generation+6 {
		l.at++
	}
	if l.at > generation {
		l.skipSpace()
		if l.peek(0) == 'R' && (l.at+1 >= len(l.data) || isSpace(l.peek(1)) || isDelimiter(l.peek(1))) {
			l.at++
			return reference(value)
		}
	}
	l.at = start
	return value
}

func (l *lexer) array(depth int) any {
	elements := []any{}
	for {
		value := l.within(depth)
		switch op, isOperator := value.(operator); {
		case !isOperator:
			if len(elements) >= maxElements {
				l.meter.err = ErrTooMuch
				return elements
			}
			elements = append(elements, value)
		case op == endOfData || op == endOfArray:
			return elements
		case op == endOfDict || op == "endobj":
			l.at -= len(op) // The array was never closed.
			return elements
		}
	}
}

func (l *lexer) dict(depth int) any {
	members := dict{}
	for {
		key := l.within(depth)
		switch k := key.(type) {
		case name:
			value := l.within(depth)
			if op, ok := value.(operator); ok {
				if op == endOfDict || op == endOfData {
					return members
				}
				continue
			}
			if len(members) >= maxElements {
				l.meter.err = ErrTooMuch
				return members
			}
			members[k] = value
		case operator:
			if k == endOfDict || k == endOfData {
				return members
			}
			if k == "endobj" || k == "stream" {
				l.at -= len(k) // The dictionary was never closed.
				return members
			}
		}
	}
}

func (l *lexer) within(depth int) any {
	if depth <= 0 {
		l.meter.err = ErrTooMuch
		return endOfData
	}
	return l.nested(depth - 1)
}

// hexadecimal reads a string such as <00e9>.
func (l *lexer) hexadecimal() text {
	l.at++
	var decoded []byte
	high, half := byte(0), false
	for ; l.at < len(l.data); l.at++ {
		c := l.data[l.at]
		if c == '>' {
			l.at++
			break
		}
		digit, ok := hexDigit(c)
		if !ok {
			continue
		}
		if half {
			decoded = append(decoded, high<<4|digit)
		}
		high, half = digit, !half
	}
	if half {
		decoded = append(decoded, high<<4)
	}
	return text(decoded)
}

func hexDigit(c byte) (byte, bool) {
	switch {
	case isDigit(c):
		return c - '0', true
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10, true
	case 'A' <= c && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}

// literal reads a string such as (a\)b).
func (l *lexer) literal() text {
	l.at++
	var decoded []byte
	for open := 1; l.at < len(l.data); l.at++ {
		c := l.data[l.at]
		switch c {
		case '(':
			open++
		case ')':
			if open--; open == 0 {
				l.at++
				return text(decoded)
			}
		case '\\':
			decoded = l.escape(decoded)
			continue
		}
		decoded = append(decoded, c)
	}
	return text(decoded)
}

// escape reads what a backslash stands for, up to its last character.
func (l *lexer) escape(decoded []byte) []byte {
	l.at++
	switch c := l.peek(0); c {
	case 'n':
		return append(decoded, '\n')
	case 'r':
		return append(decoded, '\r')
	case 't':
		return append(decoded, '\t')
	case 'b':
		return append(decoded, '\b')
	case 'f':
		return append(decoded, '\f')
	case '\n':
		return decoded
	case '\r':
		if l.peek(1) == '\n' {
			l.at++
		}
		return decoded
	default:
		if c < '0' || c > '7' {
			return append(decoded, c)
		}
		code := c - '0'
		for range 2 {
			if digit := l.peek(1); digit >= '0' && digit <= '7' {
				code = code<<3 | (digit - '0')
				l.at++
			}
		}
		return append(decoded, code)
	}
}
