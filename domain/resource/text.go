package resource

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	// maxDepth is how deep the arrays and objects of a document may nest.
	maxDepth = 128
	// maxNumber bounds the numbers of a document in characters, maxExponent in
	// their exponent: beyond them, computing with a number takes seconds.
	maxNumber   = 1000
	maxExponent = 400
)

// A textError is about a place in a text that documents may not have.
type textError struct{ pointer, message string }

func (e *textError) Error() string { return e.pointer + " " + e.message }

// readText reads a document. It refuses, with a *textError, what parsers disagree
// on: malformed text, duplicate member names, invalid UTF-8, and what is too much
// to work on. Numbers are json.Number.
func readText(text []byte) (any, error) {
	if !utf8.Valid(text) {
		return nil, &textError{"", "is not valid UTF-8"}
	}
	if !json.Valid(text) {
		return nil, &textError{"", "is not well-formed JSON"}
	}
	r := textReader{decoder: json.NewDecoder(bytes.NewReader(text))}
	r.decoder.UseNumber()
	return r.value()
}

// A textReader walks over text that is known to be JSON. Path leads to where it
// is; it becomes a JSON Pointer only when that is told, since the pointers of all
// values together may be much longer than the text.
type textReader struct {
	decoder *json.Decoder
	path    []any
}

func (r *textReader) fail(format string, args ...any) error {
	return &textError{at("", r.path...), fmt.Sprintf(format, args...)}
}

func (r *textReader) value() (any, error) {
	next, err := r.decoder.Token()
	if err != nil {
		return nil, r.fail("is not well-formed JSON")
	}
	switch t := next.(type) {
	case json.Delim:
		if len(r.path) == maxDepth {
			return nil, r.fail("is nested deeper than %d", maxDepth)
		}
		if t == '{' {
			return r.object()
		}
		return r.array()
	case json.Number:
		if !computable(t.String()) {
			return nil, r.fail("is a number of more than %d characters or with an exponent beyond ±%d", maxNumber, maxExponent)
		}
	}
	return next, nil
}

func (r *textReader) object() (any, error) {
	object := map[string]any{}
	for r.decoder.More() {
		next, err := r.decoder.Token()
		name, ok := next.(string)
		if err != nil || !ok {
			return nil, r.fail("is not well-formed JSON")
		}
		r.path = append(r.path, name)
		if _, twice := object[name]; twice {
			return nil, r.fail("is given twice")
		}
		if object[name], err = r.value(); err != nil {
			return nil, err
		}
		r.path = r.path[:len(r.path)-1]
	}
	return object, r.end()
}

func (r *textReader) array() (any, error) {
	array := []any{}
	for r.decoder.More() {
		r.path = append(r.path, len(array))
		value, err := r.value()
		if err != nil {
			return nil, err
		}
		array = append(array, value)
		r.path = r.path[:len(r.path)-1]
	}
	return array, r.end()
}

func (r *textReader) end() error {
	if _, err := r.decoder.Token(); err != nil {
		return r.fail("is not well-formed JSON")
	}
	return nil
}

// computable reports whether arithmetic on the number is safe.
func computable(number string) bool {
	_, exponent, found := strings.Cut(strings.ToLower(number), "e")
	if !found {
		exponent = "0"
	}
	n, err := strconv.Atoi(exponent)
	return err == nil && -maxExponent <= n && n <= maxExponent && len(number) <= maxNumber
}
