package jsondoc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	jsonpatch "github.com/evanphx/json-patch/v5"

	"github.com/procession-dev/procession/domain/jsontext"
)

const (
	// root is the name of the document in the object that patches are applied to.
	root = "document"
	// The work of the library for each byte of the document, in parts of workUnit: for reading it, and for an
	// operation on an element and on a member.
	workUnit    = 16
	readWork    = 1024
	elementWork = 16
	memberWork  = 1
)

// A guard has the library json-patch apply a patch. These are kept from the library, which treats them otherwise
// than RFC 6902:
//   - Operations on the whole document: the document is the only member of an object, so they are operations on
//     a member.
//   - Names that the library cannot address, alters, or takes for array indices: they have aliases.
//   - test, for the library compares numbers as text and takes null for absent, and moves of a value to where it
//     is, which would put a member last: the guard checks them itself on the result of the operations before them.
//   - Moves of a value into itself.
//   - White space, for the library takes an array after a carriage return for an object.
type guard struct {
	names names
	// text is the object with the document, as far as operations were applied, and tree is the same parsed.
	text []byte
	tree tree
	// queued are the operations that are not applied yet, and work is theirs for each byte of the document.
	queued jsonpatch.Patch
	work   int
	// limit is how long the text may become.
	limit int
}

// applySteps applies a patch as RFC 6902 defines it.
func applySteps(document json.RawMessage, steps []step) (json.RawMessage, error) {
	texts := []json.RawMessage{document}
	for _, s := range steps {
		texts = append(texts, s.Value)
	}
	g := &guard{names: namesOf(texts...)}
	g.set(slices.Concat([]byte(`{"`+root+`":`), g.names.hide(document), []byte("}")))
	g.limit = len(g.text) + maxCopied
	for i, s := range steps {
		if err := g.apply(s); err != nil {
			return nil, fmt.Errorf("up to operation %d: %w", i, err)
		}
	}
	if err := g.flush(); err != nil {
		return nil, err
	}
	return g.result()
}

func (g *guard) set(text []byte) { g.text, g.tree.root = text, newNode(text) }

// apply checks or queues one operation.
func (g *guard) apply(s step) error {
	path, from := hidePath(s.path), hidePath(s.from)
	switch {
	case s.Op == "test":
		if err := g.flush(); err != nil {
			return err
		}
		return g.tree.test(path, newNode(names(nil).hide(s.Value)))
	case s.Op == "move" && slices.Equal(from, path):
		if err := g.flush(); err != nil {
			return err
		}
		_, err := g.tree.get(from)
		return err
	case s.Op == "move" && within(path, from):
		return errIntoItself
	}
	operation := jsonpatch.Operation{"op": quoted(s.Op), "path": quoted(jsontext.JoinPointer(path...))}
	if s.From != nil {
		operation["from"] = quoted(jsontext.JoinPointer(from...))
	}
	if s.Value != nil {
		value := g.names.hide(s.Value)
		operation["value"] = &value
		g.limit += len(value)
	}
	g.queued = append(g.queued, operation)
	g.work += operationWork(path) + operationWork(from)
	return nil
}

func quoted(text string) *json.RawMessage {
	raw := json.RawMessage(jsontext.Quote(text))
	return &raw
}

// within reports whether path leads to a place inside from.
func within(path, from []string) bool {
	return len(path) > len(from) && slices.Equal(path[:len(from)], from)
}

// operationWork returns the work of an operation for each byte of the document. The library looks through the names of
// an object, and copies an array.
func operationWork(path []string) int {
	last := path[len(path)-1]
	if _, ok := jsontext.Index(last); ok || last == "-" {
		return elementWork
	}
	return memberWork
}

// flush applies the queued operations with the library.
func (g *guard) flush() error {
	if len(g.queued) == 0 {
		return nil
	}
	if err := g.tree.spend((readWork + g.work) * len(g.text) / workUnit); err != nil {
		return err
	}
	options := jsonpatch.NewApplyOptions()
	options.SupportNegativeIndices, options.EscapeHTML = false, false
	options.AccumulatedCopySizeLimit = maxCopied
	text, err := g.queued.ApplyWithOptions(g.text, options)
	var copied *jsonpatch.AccumulatedCopySizeError
	switch {
	case errors.As(err, &copied), err == nil && len(text) > g.limit:
		return errCopied
	case err != nil:
		return fmt.Errorf("%w: %w", errMissing, err)
	}
	g.queued, g.work = nil, 0
	g.set(text)
	return nil
}

// result returns the document, which must be an object.
func (g *guard) result() (json.RawMessage, error) {
	var out bytes.Buffer
	out.Grow(len(g.text))
	r := jsontext.NewLooseReader(g.text)
	for range r.Members() {
		rename(&out, r, g.names.show)
	}
	switch {
	case r.End() != nil || r.Deepest() > jsontext.MaxDepth+1:
		return nil, errDepth
	case out.Len() == 0 || out.Bytes()[0] != '{':
		return nil, errNotObject
	}
	return out.Bytes(), nil
}
