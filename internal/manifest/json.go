package manifest

import (
	"errors"
	"fmt"
	"sort"
	"unicode/utf8"

	"github.com/procession-dev/procession/domain/jsontext"
)

// readJSON reads the values of a JSON file, one after the other.
func readJSON(file string, content []byte) ([]*node, error) {
	r := &jsonReader{Reader: jsontext.NewReader(content), content: content}
	for i, c := range content {
		if c == '\n' {
			r.newlines = append(r.newlines, i)
		}
	}
	var roots []*node
	for r.More() {
		roots = append(roots, r.readValue())
	}
	if fault, ok := errors.AsType[*jsontext.Error](r.Err()); ok {
		return nil, r.convertError(file, fault)
	}
	return roots, nil
}

// A jsonReader reads values with their positions.
type jsonReader struct {
	*jsontext.Reader

	content  []byte
	newlines []int
}

// position returns the line and column of an offset.
func (r *jsonReader) position(offset int) (line, column int) {
	line = sort.SearchInts(r.newlines, offset)
	start := 0
	if line > 0 {
		start = r.newlines[line-1] + 1
	}
	return line + 1, utf8.RuneCount(r.content[start:offset]) + 1
}

func (r *jsonReader) convertError(file string, fault *jsontext.Error) error {
	e := &Error{File: file, Message: fault.Reason.Error()}
	if errors.Is(fault, jsontext.ErrUTF8) {
		return e
	}
	e.Line, e.Column = r.position(fault.Offset)
	next, _ := utf8.DecodeRune(r.content[fault.Offset:])
	switch {
	case errors.Is(fault, jsontext.ErrDuplicate):
		e.Message = fault.Path[len(fault.Path)-1] + " " + e.Message
	case errors.Is(fault, jsontext.ErrDepth):
		e.Message = "the document " + e.Message
	case fault.Offset == len(r.content):
		e.Message = "is not JSON: it ends too early"
	default:
		e.Message = fmt.Sprintf("is not JSON: unexpected %q", next)
	}
	return e
}

func (r *jsonReader) readValue() *node {
	value := &node{}
	value.line, value.column = r.position(r.Offset())
	switch r.Kind() {
	case '{':
		value.kind = object
		for name := range r.Members() {
			m := member{name: jsontext.Unquote(name)}
			m.line, m.column = r.position(r.NameOffset())
			m.value = r.readValue()
			value.members = append(value.members, m)
		}
	case '[':
		value.kind = list
		for range r.Elements() {
			value.elements = append(value.elements, r.readValue())
		}
	case '"':
		value.text = jsontext.Quote(r.Text())
	default:
		value.text = r.Raw()
	}
	return value
}
