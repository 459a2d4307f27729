// Package manifest reads and writes manifests: YAML or JSON files with one or
// more documents each. It converts them to the JSON that the service accepts and
// records the position of every value, so that errors can name file and line.
//
// YAML is read as a notation for JSON: values that JSON lacks are refused, or, like
// times, read as text. Numbers keep their digits.
package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/procession-dev/procession/domain/jsontext"
)

const (
	// maxFile is the maximum size of a file in bytes.
	maxFile = 16 << 20
	// maxNodes and maxText limit the number of values of a document and the bytes
	// of their text after aliases are expanded.
	maxNodes = 200_000
	maxText  = 4 << 20

	// statusMember is the member that the service adds to resources in answers.
	statusMember = "status"
)

// Source is one document of a file.
type Source struct {
	// File is the name of the file as it was given, "-" for standard input.
	File string
	// JSON is the document as compact JSON, its members in the order of the file.
	JSON json.RawMessage
	root *node
}

// Position returns the line and column, counted from 1, of the value at a JSON
// Pointer: of the name of a member or of the element of a list. If the value does not
// exist, it returns the position of the nearest value around it.
func (s Source) Position(pointer string) (line, column int) {
	found := s.root.locate(pointer)
	return found.line, found.column
}

// Error is a fault of a file.
type Error struct {
	File string
	// Line and Column count from 1. They are zero if unknown.
	Line, Column int
	Message      string
	// Excerpt is the line of the file with a mark below the column, empty if
	// the position is unknown.
	Excerpt string
}

// Error formats the error as compilers do, file:line:column: message, followed by
// the excerpt.
func (e *Error) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", e.File, e.Message)
	}
	return fmt.Sprintf("%s:%d:%d: %s%s", e.File, e.Line, e.Column, e.Message, e.Excerpt)
}

// Parse reads the documents of a YAML file, separated by ---, or of a JSON file if
// the name ends in .json or the text is JSON. The elements of a list at the top are
// documents too. Parse skips empty documents and removes the member status, so that
// resources from answers of the service can be applied again. It returns an *Error
// for the first fault.
func Parse(name string, content []byte) ([]Source, error) {
	sources, err := parse(name, content)
	if fault, ok := errors.AsType[*Error](err); ok {
		fault.Excerpt = excerpt(content, fault.Line, fault.Column)
	}
	return sources, err
}

func parse(name string, content []byte) ([]Source, error) {
	if len(content) > maxFile {
		return nil, &Error{File: name, Message: fmt.Sprintf("has more than %d bytes", maxFile)}
	}
	read := readYAML
	if path.Ext(name) == ".json" || isJSON(content) {
		read = readJSON
	}
	roots, err := read(name, content)
	if err != nil {
		return nil, err
	}
	var sources []Source
	for _, root := range roots {
		documents := []*node{root}
		if root.kind == list {
			documents = root.elements
		}
		for _, document := range documents {
			if document.kind != object {
				return nil, &Error{
					File: name, Line: document.line, Column: document.column,
					Message: "a document must have members such as apiVersion, kind, metadata and spec",
				}
			}
			document.removeMember(statusMember)
			var text bytes.Buffer
			document.writeJSON(&text)
			sources = append(sources, Source{File: name, JSON: text.Bytes(), root: document})
		}
	}
	return sources, nil
}

// isJSON reports whether the content is JSON. Not all JSON is YAML.
func isJSON(content []byte) bool {
	text := bytes.TrimSpace(content)
	return len(text) > 0 && strings.ContainsRune("{[", rune(text[0])) && jsontext.Valid(text)
}
