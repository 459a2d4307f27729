package jsondoc

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsontext"
	"github.com/procession-dev/procession/domain/kuflowref"
)

// Occurrence is a reference in a document with its place.
type Occurrence struct {
	// Pointer is the JSON Pointer of the string. ReplaceStrings takes it.
	Pointer   string
	Reference kuflowref.Reference
}

// FindReferences lists the strings of a document that are references, in order. Names of members are not
// considered. It returns a VALIDATION error when the pointers of the references are too long in total.
func FindReferences(document json.RawMessage) ([]Occurrence, error) {
	f := finder{Reader: jsontext.NewLooseReader(document)}
	f.findValue()
	if err := f.End(); err != nil {
		return nil, fmt.Errorf("looking for references: the document %w", err)
	}
	if f.size > maxPaths {
		return nil, domain.InvalidBody("", "refers to too much")
	}
	return f.found, nil
}

// A finder walks over a document.
type finder struct {
	*jsontext.Reader

	found []Occurrence
	// size is the total size of the pointers found so far in bytes, with pathCost added for each. Beyond
	// maxPaths none are added.
	size int
}

func (f *finder) findValue() {
	switch f.Kind() {
	case '{':
		for range f.Members() {
			f.findValue()
		}
	case '[':
		for range f.Elements() {
			f.findValue()
		}
	case '"':
		raw := f.Raw()
		if f.Err() != nil || !mayRefer(raw) {
			return
		}
		found, ok := kuflowref.Parse(jsontext.Unquote(raw))
		if !ok || f.size > maxPaths {
			return
		}
		pointer := jsontext.JoinPointer(f.Path()...)
		f.size += len(pointer) + pathCost
		f.found = append(f.found, Occurrence{Pointer: pointer, Reference: found})
	default:
		f.Skip()
	}
}

// mayRefer reports whether the text of a string begins as every reference does, in
// any case, or has escapes.
func mayRefer(raw []byte) bool {
	const prefix = `"kuflow-`
	return bytes.EqualFold(raw[:min(len(prefix), len(raw))], []byte(prefix)) || bytes.IndexByte(raw, '\\') >= 0
}
