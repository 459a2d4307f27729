package jsontext

import "strings"

func (r *Reader) fail(reason error) {
	if r.err == nil {
		r.err = &Error{Path: r.Path(), Offset: r.pos, Reason: reason}
		r.pos = len(r.text)
	}
}

func (r *Reader) skipSpace() {
	for r.pos < len(r.text) {
		switch r.text[r.pos] {
		case ' ', '\t', '\n', '\r':
			r.pos++
		default:
			return
		}
	}
}

// peek returns the next byte, or 0 at the end.
func (r *Reader) peek() byte {
	if r.pos < len(r.text) {
		return r.text[r.pos]
	}
	return 0
}

// enterContainer reads the bracket that opens a container.
func (r *Reader) enterContainer(bracket byte) bool {
	switch r.skipSpace(); {
	case r.peek() != bracket:
		r.fail(ErrMalformed)
	case len(r.path) >= r.depth:
		r.fail(ErrDepth)
	default:
		r.pos++
		r.deepest = max(r.deepest, len(r.path)+1)
	}
	return r.err == nil
}

// nextItem advances to the next member or element, or reads the bracket that ends the container.
func (r *Reader) nextItem(end byte, first bool) bool {
	r.skipSpace()
	switch c := r.peek(); {
	case c == end:
		r.pos++
		return false
	case !first && c != ',':
		r.fail(ErrMalformed)
	case !first:
		r.pos++
		r.skipSpace()
	}
	if end == '}' && r.peek() != '"' || end == ']' && r.Kind() == 0 {
		r.fail(ErrMalformed)
	}
	return r.err == nil
}

// readString reads a string and returns it with its quotes, still escaped.
func (r *Reader) readString() []byte {
	start := r.pos
	for i := start + 1; i < len(r.text); i++ {
		switch c := r.text[i]; {
		case c == '"':
			r.pos = i + 1
			return r.text[start:r.pos]
		case c < ' ':
			r.pos = i
			r.fail(ErrMalformed)
			return nil
		case c == '\\':
			n := escapeLength(r.text[i:])
			if n == 0 {
				r.pos = i
				r.fail(ErrMalformed)
				return nil
			}
			i += n - 1
		}
	}
	r.pos = len(r.text)
	r.fail(ErrMalformed)
	return nil
}

// escapeLength returns the length of the escape at the beginning of a text, 0 if there is none.
func escapeLength(text []byte) int {
	if len(text) < 2 {
		return 0
	}
	if text[1] != 'u' {
		if strings.IndexByte(`"\/bfnrt`, text[1]) < 0 {
			return 0
		}
		return 2
	}
	if len(text) < 6 {
		return 0
	}
	for _, c := range text[2:6] {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') && (c < 'A' || c > 'F') {
			return 0
		}
	}
	return 6
}

func (r *Reader) readLiteral(word string) {
	if end := r.pos + len(word); end <= len(r.text) && string(r.text[r.pos:end]) == word {
		r.pos = end
		return
	}
	r.fail(ErrMalformed)
}

func (r *Reader) readNumber() {
	start := r.pos
	if r.peek() == '-' {
		r.pos++
	}
	if r.peek() == '0' {
		r.pos++
	} else {
		r.readDigits()
	}
	if r.peek() == '.' {
		r.pos++
		r.readDigits()
	}
	if c := r.peek(); c == 'e' || c == 'E' {
		r.pos++
		if c := r.peek(); c == '+' || c == '-' {
			r.pos++
		}
		r.readDigits()
	}
	if r.computable && r.err == nil && !Computable(string(r.text[start:r.pos])) {
		r.pos = start
		r.fail(ErrNumber)
	}
}

// readDigits reads a run of digits, at least one.
func (r *Reader) readDigits() {
	start := r.pos
	for c := r.peek(); '0' <= c && c <= '9'; c = r.peek() {
		r.pos++
	}
	if r.pos == start {
		r.fail(ErrMalformed)
	}
}
