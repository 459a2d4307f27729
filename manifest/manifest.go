// Package manifest reads files of declarative resources: YAML or JSON, one or
// more documents in each. It turns them into the JSON that the service takes and
// keeps the position of every value, so that errors of the service can name file
// and line. It also writes resources as YAML.
//
// YAML is read as a notation for JSON: values that JSON does not have are refused
// or, as times are, read as text. Numbers keep their digits.
package manifest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"github.com/procession-dev/procession/domain/jsontext"
)

const (
	// maxFile bounds the text of a file, in bytes.
	maxFile = 16 << 20
	// maxNodes bounds the values of a document once its aliases are followed: a
	// few lines of YAML can stand for more than any machine holds.
	maxNodes = 200_000
	// maxText bounds the text of a document once its aliases are followed, in
	// bytes.
	maxText = 4 << 20

	// statusMember is what the service adds to a resource that it shows.
	statusMember = "status"
)

// Source is one document of a file.
type Source struct {
	// File is the name of the file as it was given, "-" for standard input.
	File string
	// JSON is the document as JSON, compact, its members in the order of the file.
	JSON json.RawMessage
	root *node
}

// Position returns the line and column, counted from 1, of the value at a JSON
// Pointer: of the name of a member or of the element of a list. It falls back to the
// nearest value around it that exists.
func (s Source) Position(pointer string) (line, column int) {
	found := s.root.find(pointer)
	return found.line, found.column
}

// An Error describes what is wrong with a file. Line and Column count from 1 and are
// zero where they are unknown.
type Error struct {
	File         string
	Line, Column int
	Message      string
}

// Error returns the error in the form of compilers: file:line:column: message.
func (e *Error) Error() string {
	switch {
	case e.Line == 0:
		return fmt.Sprintf("%s: %s", e.File, e.Message)
	case e.Column == 0:
		return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Message)
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Message)
}

// Parse reads the documents of a file: of YAML, separated by ---, or of JSON if
// the name ends in .json or the text can only be JSON. A list at the top holds
// documents as well. Empty documents are skipped, and so is the status that the
// service adds to the resources it shows, so that they can be applied again. It
// returns an *Error for the first violation.
func Parse(name string, content []byte) ([]Source, error) {
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
				return nil, document.fail(name, "a document must have members such as apiVersion, kind, metadata and spec")
			}
			document.drop(statusMember)
			var text bytes.Buffer
			document.write(&text)
			sources = append(sources, Source{File: name, JSON: text.Bytes(), root: document})
		}
	}
	return sources, nil
}

// isJSON reports whether a file holds JSON although its name does not say so.
// Much of JSON is YAML too, but not all of it.
func isJSON(content []byte) bool {
	text := bytes.TrimSpace(content)
	return len(text) > 0 && strings.ContainsRune("{[", rune(text[0])) && jsontext.Valid(text)
}
