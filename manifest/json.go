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
		roots = append(roots, r.value())
	}
	if refused, ok := errors.AsType[*jsontext.Error](r.Err()); ok {
		return nil, r.refusal(file, refused)
	}
	return roots, nil
}

// A jsonReader reads values and their places.
type jsonReader struct {
	*jsontext.Reader

	content  []byte
	newlines []int
}

// place returns the line and the column of an offset.
func (r *jsonReader) place(offset int) (line, column int) {
	line = sort.SearchInts(r.newlines, offset)
	start := 0
	if line > 0 {
		start = r.newlines[line-1] + 1
	}
	return line + 1, utf8.RuneCount(r.content[start:offset]) + 1
}

func (r *jsonReader) refusal(file string, refused *jsontext.Error) error {
	e := &Error{File: file, Message: refused.Reason.Error()}
	if errors.Is(refused, jsontext.ErrUTF8) {
		return e
	}
	e.Line, e.Column = r.place(refused.Offset)
	next, _ := utf8.DecodeRune(r.content[refused.Offset:])
	switch {
	case errors.Is(refused, jsontext.ErrDuplicate):
		e.Message = refused.Path[len(refused.Path)-1] + " " + e.Message
	case errors.Is(refused, jsontext.ErrDepth):
		e.Message = "the document " + e.Message
	case refused.Offset == len(r.content):
		e.Message = "is not JSON: it ends too early"
	default:
		e.Message = fmt.Sprintf("is not JSON: unexpected %q", next)
	}
	return e
}

func (r *jsonReader) value() *node {
	made := &node{}
	made.line, made.column = r.place(r.Offset())
	switch r.Kind() {
	case '{':
		made.kind = object
		r.members(made)
	case '[':
		made.kind = list
		for range r.Elements() {
			made.elements = append(made.elements, r.value())
		}
	case '"':
		made.text = jsontext.Quote(r.Text())
	default:
		made.text = r.Raw()
	}
	return made
}

func (r *jsonReader) members(made *node) {
	for name := range r.Members() {
		m := member{name: jsontext.Unquote(name)}
		m.line, m.column = r.place(r.NameOffset())
		m.value = r.value()
		made.members = append(made.members, m)
	}
}
