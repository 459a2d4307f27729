// Package jsontext reads JSON text and JSON Pointers (RFC 6901). It is the only place that defines which JSON is
// accepted: every other reader of the service uses its Reader.
package jsontext

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"unicode/utf8"
)

const (
	// MaxDepth is the maximum nesting of arrays and objects of a value.
	MaxDepth = 128
	// looseDepth bounds the stack of a loose reader, as encoding/json does.
	looseDepth = 10_000
)

// The reasons of an Error.
var (
	ErrUTF8      = errors.New("is not valid UTF-8")
	ErrMalformed = errors.New("is not well-formed JSON")
	ErrTrailing  = errors.New("has text after the JSON value")
	ErrDuplicate = errors.New("is given twice")
	ErrDepth     = fmt.Errorf("is nested deeper than %d", MaxDepth)
)

// Error is the reason why a text is refused, and its place.
type Error struct {
	// Path leads to the value, or to the duplicate member.
	Path []string
	// Offset is the position in the text, in bytes.
	Offset int
	// Reason is one of the Err variables, ErrNumber among them.
	Reason error
}

// Error returns the reason alone: Path may be longer than the text.
func (e *Error) Error() string {
	if errors.Is(e.Reason, ErrMalformed) {
		return fmt.Sprintf("%v (byte %d)", e.Reason, e.Offset)
	}
	return e.Reason.Error()
}

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Reason }

// Reader reads a text from its beginning to its end. Each call reads one value, or one member or element of it. After
// an error, which Err returns, it stops reading. A Reader retains the text and does not change it.
type Reader struct {
	text []byte
	pos  int
	name int
	path []step
	err  error
	// unique makes a duplicate name an error.
	unique bool
	// computable makes a number that Computable refuses an error.
	computable bool
	// depth is the maximum nesting of values, deepest the deepest nesting read.
	depth, deepest int
}

// A step leads to a member, by its name as spelled, or to an element.
type step struct {
	name  []byte
	index int
}

// NewReader returns a reader for text from callers. It refuses text on which parsers disagree: malformed text,
// duplicate member names, invalid UTF-8 and nesting beyond MaxDepth.
func NewReader(text []byte) *Reader { return newReader(text, true, MaxDepth) }

// NewLooseReader returns a reader for stored text, which may have duplicate names and deeper nesting.
func NewLooseReader(text []byte) *Reader { return newReader(text, false, looseDepth) }

func newReader(text []byte, unique bool, depth int) *Reader {
	r := &Reader{text: text, unique: unique, depth: depth}
	if !utf8.Valid(text) {
		r.fail(ErrUTF8)
	}
	return r
}

// RefuseHugeNumbers makes numbers that Computable refuses an error.
func (r *Reader) RefuseHugeNumbers() { r.computable = true }

// Valid reports whether a loose reader accepts the text.
func Valid(text []byte) bool {
	r := NewLooseReader(text)
	r.Skip()
	return r.End() == nil
}

// Err returns the *Error that ended the reading, or nil.
func (r *Reader) Err() error { return r.err }

// End returns Err, or an error if anything but white space is left.
func (r *Reader) End() error {
	if r.More() && r.err == nil {
		r.fail(ErrTrailing)
	}
	return r.err
}

// More reports whether anything but white space is left.
func (r *Reader) More() bool {
	r.skipSpace()
	return r.err == nil && r.pos < len(r.text)
}

// Deepest returns the deepest nesting of the arrays and objects entered so far.
func (r *Reader) Deepest() int { return r.deepest }

// Offset returns the position at which the next value begins.
func (r *Reader) Offset() int {
	r.skipSpace()
	return r.pos
}

// NameOffset returns the position of the name that Members yielded last.
func (r *Reader) NameOffset() int { return r.name }

// Path returns the names and indexes that lead to the place of the reader.
func (r *Reader) Path() []string {
	path := make([]string, len(r.path))
	for i, s := range r.path {
		path[i] = s.tokenText()
	}
	return path
}

// Fork returns a reader that continues from the same place. Its errors do not affect the original.
func (r *Reader) Fork() *Reader {
	fork := *r
	fork.path = r.path[:len(r.path):len(r.path)]
	return &fork
}

// Kind returns the first byte of the next value: one of { [ " t f n, and '0' for
// every number. It is zero when no value begins there.
func (r *Reader) Kind() byte {
	r.skipSpace()
	switch c := r.peek(); c {
	case '{', '[', '"', 't', 'f', 'n':
		return c
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return '0'
	}
	return 0
}

// Members reads an object and yields the name of each member, as it is spelled
// and with its quotes. The caller must read the value in the body of the loop.
func (r *Reader) Members() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		if !r.enterContainer('{') {
			return
		}
		var names nameSet
		for first := true; r.nextItem('}', first); first = false {
			start := r.pos
			name := r.readString()
			r.skipSpace()
			if r.err == nil && r.peek() != ':' {
				r.fail(ErrMalformed)
			}
			if r.err != nil {
				return
			}
			r.path = append(r.path, step{name: name})
			if r.unique && !names.add(name) {
				r.pos = start
				r.fail(ErrDuplicate)
				return
			}
			r.pos++
			r.name = start
			if !yield(name) || r.err != nil {
				return
			}
			r.path = r.path[:len(r.path)-1]
		}
	}
}

// Elements reads an array and yields the index of each element. The caller must
// read the value in the body of the loop.
func (r *Reader) Elements() iter.Seq[int] {
	return func(yield func(int) bool) {
		if !r.enterContainer('[') {
			return
		}
		for index := 0; r.nextItem(']', index == 0); index++ {
			r.path = append(r.path, step{index: index})
			if !yield(index) || r.err != nil {
				return
			}
			r.path = r.path[:len(r.path)-1]
		}
	}
}

// Text reads a string and returns its decoded text.
func (r *Reader) Text() string {
	if r.Kind() != '"' {
		r.fail(ErrMalformed)
	} else if raw := r.readString(); r.err == nil {
		return Unquote(raw)
	}
	return ""
}

// Raw reads a value of any kind and returns its text.
func (r *Reader) Raw() []byte {
	start := r.Offset()
	r.Skip()
	return r.text[start:r.pos]
}

// Skip reads a value of any kind.
func (r *Reader) Skip() {
	switch r.Kind() {
	case '{':
		for range r.Members() {
			r.Skip()
		}
	case '[':
		for range r.Elements() {
			r.Skip()
		}
	case '"':
		r.readString()
	case 't':
		r.readLiteral("true")
	case 'f':
		r.readLiteral("false")
	case 'n':
		r.readLiteral("null")
	default:
		r.readNumber()
	}
}

// Value reads a value into map[string]any, []any, string, json.Number, bool or nil. Of several members with one
// name the last one counts.
func (r *Reader) Value() any {
	switch kind := r.Kind(); kind {
	case '{':
		members := map[string]any{}
		for name := range r.Members() {
			members[Unquote(name)] = r.Value()
		}
		return members
	case '[':
		elements := []any{}
		for range r.Elements() {
			elements = append(elements, r.Value())
		}
		return elements
	case '"':
		return r.Text()
	case '0':
		return json.Number(r.Raw())
	default:
		r.Skip()
		if kind == 'n' || r.err != nil {
			return nil
		}
		return kind == 't'
	}
}
