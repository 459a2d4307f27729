package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"unicode/utf8"
)

// readJSON reads the values of a JSON file, one after the other.
func readJSON(file string, content []byte) ([]*node, error) {
	r := &jsonReader{file: file, content: content}
	for i, c := range content {
		if c == '\n' {
			r.newlines = append(r.newlines, i)
		}
	}
	if !utf8.Valid(content) {
		return nil, &Error{File: file, Message: "is not valid UTF-8"}
	}
	var roots []*node
	for r.start = r.skip(0, space); r.start < len(content); r.start = r.skip(r.start, space) {
		end, err := r.check()
		if err != nil {
			return nil, err
		}
		r.decoder = json.NewDecoder(bytes.NewReader(content[r.start:end]))
		r.decoder.UseNumber()
		root, err := r.value(0)
		if err != nil {
			return nil, err
		}
		roots = append(roots, root)
		r.start = end
	}
	return roots, nil
}

// space is what may stand between the tokens of JSON.
const space = " \t\r\n"

// A jsonReader reads the value that begins at start, once check has found that it
// is well formed. Offsets are those in content.
type jsonReader struct {
	file     string
	content  []byte
	newlines []int
	start    int
	decoder  *json.Decoder
}

// check returns where the value at start ends.
func (r *jsonReader) check() (int, error) {
	decoder := json.NewDecoder(bytes.NewReader(r.content[r.start:]))
	var value json.RawMessage
	err := decoder.Decode(&value)
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return 0, r.fail(r.start+max(0, int(syntax.Offset)-1), "is not JSON: %s", syntax.Error())
	case err != nil:
		return 0, r.fail(len(r.content), "is not JSON: it ends too early")
	}
	return r.start + int(decoder.InputOffset()), nil
}

// place is the line and the column of an offset.
func (r *jsonReader) place(offset int) (line, column int) {
	line = sort.SearchInts(r.newlines, offset)
	start := 0
	if line > 0 {
		start = r.newlines[line-1] + 1
	}
	return line + 1, utf8.RuneCount(r.content[start:offset]) + 1
}

func (r *jsonReader) fail(offset int, format string, args ...any) error {
	line, column := r.place(offset)
	return &Error{File: r.file, Line: line, Column: column, Message: fmt.Sprintf(format, args...)}
}

// next is the offset at which the next token begins.
func (r *jsonReader) next() int {
	return r.skip(r.start+int(r.decoder.InputOffset()), space+",:")
}

// skip returns the first offset from one on where none of some characters is.
func (r *jsonReader) skip(offset int, characters string) int {
	return len(r.content) - len(bytes.TrimLeft(r.content[offset:], characters))
}

// token reads the next token.
func (r *jsonReader) token() (json.Token, error) {
	token, err := r.decoder.Token()
	if err != nil {
		return nil, &Error{File: r.file, Message: "is not JSON: " + err.Error()}
	}
	return token, nil
}

func (r *jsonReader) value(depth int) (*node, error) {
	offset := r.next()
	made := &node{}
	made.line, made.column = r.place(offset)
	token, err := r.token()
	if err != nil {
		return nil, err
	}
	if depth > maxDepth {
		return nil, r.fail(offset, "the document is nested deeper than %d", maxDepth)
	}
	switch t := token.(type) {
	case json.Delim:
		if t == '{' {
			made.kind = object
			return made, r.object(made, depth)
		}
		made.kind = list
		return made, r.list(made, depth)
	case string:
		made.text = quote(t)
	case json.Number:
		made.text = []byte(t)
	case bool:
		made.text = fmt.Append(nil, t)
	default:
		made.text = []byte("null")
	}
	return made, nil
}

func (r *jsonReader) object(made *node, depth int) error {
	given := map[string]bool{}
	for r.decoder.More() {
		offset := r.next()
		token, err := r.token()
		if err != nil {
			return err
		}
		name, ok := token.(string)
		if !ok {
			return r.fail(offset, "is not JSON: the name of a member must be text")
		}
		if given[name] {
			return r.fail(offset, "%s is given twice", name)
		}
		given[name] = true
		line, column := r.place(offset)
		value, err := r.value(depth + 1)
		if err != nil {
			return err
		}
		made.members = append(made.members, member{name: name, line: line, column: column, value: value})
	}
	_, err := r.token()
	return err
}

func (r *jsonReader) list(made *node, depth int) error {
	for r.decoder.More() {
		value, err := r.value(depth + 1)
		if err != nil {
			return err
		}
		made.elements = append(made.elements, value)
	}
	_, err := r.token()
	return err
}
