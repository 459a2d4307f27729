package jsondoc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/procession-dev/procession/domain/jsontext"
)

// A tree is a document while a patch changes it. Its root is nil after the whole document was removed.
type tree struct {
	root   *node
	copied int
	work   int
}

// applySteps applies a patch to a tree.
func applySteps(document json.RawMessage, steps []step) (json.RawMessage, error) {
	t := &tree{root: newNode(document)}
	for i, s := range steps {
		if err := t.applyStep(s); err != nil {
			return nil, fmt.Errorf("operation %d: %w", i, err)
		}
	}
	if t.root == nil {
		return nil, errNotObject
	}
	var text bytes.Buffer
	t.root.writeText(&text)
	return checkResult(text.Bytes())
}

func (t *tree) applyStep(s step) error {
	switch s.Op {
	case "add":
		return t.add(s.path, newNode(s.Value))
	case "remove":
		_, err := t.remove(s.path)
		return err
	case "replace":
		return t.replace(s.path, newNode(s.Value))
	case "move":
		return t.move(s.from, s.path)
	case "copy":
		return t.copy(s.from, s.path)
	default:
		return t.testEqual(s.path, newNode(s.Value))
	}
}

// spend counts work and returns an error beyond the limit.
func (t *tree) spend(work int) error {
	if t.work += work; t.work > MaxPatchWork {
		return errPatchWork
	}
	return nil
}

// valueAt returns the value at a path.
func (t *tree) valueAt(path []string) (*node, error) {
	n := t.root
	for _, key := range path {
		if n == nil {
			break
		}
		n.expand()
		n = n.childAt(key)
	}
	if n == nil {
		return nil, errMissing
	}
	return n, nil
}

// parentOf returns the expanded container of a path, and the last token.
func (t *tree) parentOf(path []string) (*node, string, error) {
	n, err := t.valueAt(path[:len(path)-1])
	if err != nil {
		return nil, "", err
	}
	n.expand()
	return n, path[len(path)-1], t.spend(len(n.elements))
}

func (t *tree) add(path []string, value *node) error {
	if len(path) == 0 {
		t.root = value
		return nil
	}
	n, key, err := t.parentOf(path)
	if err != nil {
		return err
	}
	if n.isObject() {
		n.put(member{key: key, name: jsontext.Quote(key), value: value})
		return nil
	}
	i, ok := jsontext.Index(key)
	if key == "-" {
		i, ok = len(n.elements), true
	}
	if !n.isArray() || !ok || i > len(n.elements) {
		return errMissing
	}
	n.elements = slices.Insert(n.elements, i, value)
	return nil
}

func (t *tree) remove(path []string) (*node, error) {
	removed, err := t.valueAt(path)
	if err != nil {
		return nil, err
	}
	if len(path) == 0 {
		t.root = nil
		return removed, nil
	}
	n, key, err := t.parentOf(path)
	if err != nil {
		return nil, err
	}
	n.remove(key)
	return removed, nil
}

// replace gives the node at the path the content of another one, which is not used afterwards.
func (t *tree) replace(path []string, value *node) error {
	n, err := t.valueAt(path)
	if err != nil {
		return err
	}
	*n = *value
	return nil
}

// isWithin reports whether path leads to a place inside from.
func isWithin(path, from []string) bool {
	return len(path) > len(from) && slices.Equal(path[:len(from)], from)
}

func (t *tree) move(from, to []string) error {
	if isWithin(to, from) {
		return errIntoItself
	}
	if _, err := t.valueAt(from); err != nil || slices.Equal(from, to) {
		return err
	}
	value, err := t.remove(from)
	if err != nil {
		return err
	}
	return t.add(to, value)
}

func (t *tree) copy(from, to []string) error {
	value, err := t.valueAt(from)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	value.writeText(&text)
	if t.copied += text.Len(); t.copied > maxCopied {
		return errCopied
	}
	return t.add(to, newNode(text.Bytes()))
}

// testEqual checks that the value at a path equals another one.
func (t *tree) testEqual(path []string, want *node) error {
	value, err := t.valueAt(path)
	if err != nil {
		return err
	}
	same, err := t.equalNodes(value, want)
	if err != nil {
		return err
	}
	if !same {
		return errTest
	}
	return nil
}
