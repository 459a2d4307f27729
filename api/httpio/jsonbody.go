package httpio

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/procession-dev/procession/domain"
)

// maxJSONDepth is how deep arrays and objects of a body may nest.
const maxJSONDepth = 128

// jsonError is a body that is not acceptable JSON. Pointer says where.
type jsonError struct {
	pointer string
	message string
}

func (e *jsonError) Error() string { return fmt.Sprintf("%q %s", e.pointer, e.message) }

// jsonBody is a body that has been read against its schema.
type jsonBody struct {
	value    any // for validation; empty inside free-form values
	problems []domain.Detail
}

// readJSON parses a whole body in one pass. It refuses, with an *jsonError, what
// parsers disagree on: malformed text, text after the value, duplicate member
// names, nesting beyond maxJSONDepth, and invalid UTF-8.
//
// It also blanks, in data itself, the names of members that must have no
// effect: read-only ones, and unknown ones that encoding/json would take for a
// declared member because it matches names without regard to case. Everything
// else in data stays byte for byte as it was sent.
func readJSON(data []byte, schema *openapi3.Schema) (jsonBody, error) {
	if !utf8.Valid(data) {
		return jsonBody{}, &jsonError{message: "is not valid UTF-8"}
	}
	r := jsonReader{data: data}
	r.space()
	value, err := r.value(schema)
	if err != nil {
		return jsonBody{}, err
	}
	r.space()
	if r.pos < len(r.data) {
		return jsonBody{}, &jsonError{message: "has text after the JSON value"}
	}
	return jsonBody{value: value, problems: r.problems}, nil
}

// jsonReader is a recursive descent parser; the depth limit bounds its stack.
// A nil schema stands for a free-form value, of which only the shape is kept.
type jsonReader struct {
	data     []byte
	pos      int
	path     []string
	problems []domain.Detail
}

func (r *jsonReader) fail(message string) error {
	return &jsonError{pointer: jsonPointer(r.path), message: message}
}

var errMalformed = errors.New("is not well-formed JSON")

func (r *jsonReader) malformed() error {
	return r.fail(fmt.Sprintf("%v (byte %d)", errMalformed, r.pos))
}

func (r *jsonReader) space() {
	for r.pos < len(r.data) {
		switch r.data[r.pos] {
		case ' ', '\t', '\n', '\r':
			r.pos++
		default:
			return
		}
	}
}

// peek returns the next byte, or 0 at the end.
func (r *jsonReader) peek() byte {
	if r.pos < len(r.data) {
		return r.data[r.pos]
	}
	return 0
}

func (r *jsonReader) value(schema *openapi3.Schema) (any, error) {
	if schema != nil && isFreeForm(schema) {
		schema = nil
	}
	switch r.peek() {
	case '{':
		return r.object(schema)
	case '[':
		return r.array(schema)
	case '"':
		raw, err := r.text()
		if err != nil || schema == nil {
			return "", err
		}
		text, err := unquote(raw)
		if err != nil {
			return nil, r.malformed()
		}
		if strings.ContainsRune(text, 0) {
			r.problem("must not contain the character U+0000")
		}
		return text, nil
	case 't':
		return true, r.literal("true")
	case 'f':
		return false, r.literal("false")
	case 'n':
		return nil, r.literal("null")
	default:
		return r.number()
	}
}

func (r *jsonReader) problem(message string) {
	if len(r.problems) == maxViolations {
		return
	}
	r.problems = append(r.problems, domain.Detail{
		Code: domain.CodeValidation, Message: message,
		Location: jsonPointer(r.path), LocationType: domain.LocationBody,
	})
}

func (r *jsonReader) literal(word string) error {
	if !strings.HasPrefix(string(r.data[r.pos:min(r.pos+len(word), len(r.data))]), word) {
		return r.malformed()
	}
	r.pos += len(word)
	return nil
}

func (r *jsonReader) object(schema *openapi3.Schema) (any, error) {
	if len(r.path) >= maxJSONDepth {
		return nil, r.fail("is nested too deeply")
	}
	schema = r.alternative(schema)
	members := map[string]any{}
	var seen nameSet
	r.pos++
	r.space()
	if r.peek() == '}' {
		r.pos++
		return members, nil
	}
	for {
		if r.peek() != '"' {
			return nil, r.malformed()
		}
		raw, err := r.text()
		if err != nil {
			return nil, err
		}
		name, err := unquote(raw)
		if err != nil {
			return nil, r.malformed()
		}
		r.path = append(r.path, name)
		if !seen.add(name) {
			return nil, r.fail("appears more than once in the object")
		}
		r.space()
		if r.peek() != ':' {
			return nil, r.malformed()
		}
		r.pos++
		r.space()
		child, use := memberOf(schema, name)
		if use == blanked {
			for i := 1; i < len(raw)-1; i++ {
				raw[i] = '_'
			}
		}
		value, err := r.value(child)
		if err != nil {
			return nil, err
		}
		if use == declared {
			members[name] = value
		}
		r.path = r.path[:len(r.path)-1]
		r.space()
		switch r.peek() {
		case ',':
			r.pos++
			r.space()
		case '}':
			r.pos++
			return members, nil
		default:
			return nil, r.malformed()
		}
	}
}

func (r *jsonReader) array(schema *openapi3.Schema) (any, error) {
	if len(r.path) >= maxJSONDepth {
		return nil, r.fail("is nested too deeply")
	}
	var items *openapi3.Schema
	if schema != nil && schema.Items != nil {
		items = schema.Items.Value
	}
	elements := []any{}
	r.pos++
	r.space()
	if r.peek() == ']' {
		r.pos++
		return elements, nil
	}
	for index := 0; ; index++ {
		r.path = append(r.path, indexToken(index))
		value, err := r.value(items)
		if err != nil {
			return nil, err
		}
		r.path = r.path[:len(r.path)-1]
		if items != nil {
			elements = append(elements, value)
		}
		r.space()
		switch r.peek() {
		case ',':
			r.pos++
			r.space()
		case ']':
			r.pos++
			return elements, nil
		default:
			return nil, r.malformed()
		}
	}
}

// text reads a string and returns it with its quotes, still escaped.
func (r *jsonReader) text() ([]byte, error) {
	start := r.pos
	r.pos++
	for r.pos < len(r.data) {
		switch b := r.data[r.pos]; {
		case b == '"':
			r.pos++
			return r.data[start:r.pos], nil
		case b < ' ':
			return nil, r.malformed()
		case b == '\\':
			if err := r.escape(); err != nil {
				return nil, err
			}
		default:
			r.pos++
		}
	}
	return nil, r.malformed()
}

func (r *jsonReader) escape() error {
	r.pos++
	switch r.peek() {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		r.pos++
		return nil
	case 'u':
		r.pos++
		for range 4 {
			switch b := r.peek(); {
			case '0' <= b && b <= '9', 'a' <= b && b <= 'f', 'A' <= b && b <= 'F':
				r.pos++
			default:
				return r.malformed()
			}
		}
		return nil
	default:
		return r.malformed()
	}
}

func (r *jsonReader) number() (any, error) {
	start := r.pos
	if r.peek() == '-' {
		r.pos++
	}
	if r.peek() == '0' {
		r.pos++
	} else if !r.digits() {
		return nil, r.malformed()
	}
	if r.peek() == '.' {
		r.pos++
		if !r.digits() {
			return nil, r.malformed()
		}
	}
	if b := r.peek(); b == 'e' || b == 'E' {
		r.pos++
		if b := r.peek(); b == '+' || b == '-' {
			r.pos++
		}
		if !r.digits() {
			return nil, r.malformed()
		}
	}
	return json.Number(r.data[start:r.pos]), nil
}

// digits reads a run of digits and reports whether there was one.
func (r *jsonReader) digits() bool {
	start := r.pos
	for b := r.peek(); '0' <= b && b <= '9'; b = r.peek() {
		r.pos++
	}
	return r.pos > start
}
