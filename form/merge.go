package form

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/domain/jsontext"
)

// maxOperations bounds the operations of a patch; more changes replace whole members.
const maxOperations = 900

// diffValues returns the patch from one value to another. Arrays in whole are replaced as a whole.
func diffValues(before, after any, whole map[string]bool) []jsondoc.Operation {
	patch := diffOperations(nil, before, after, whole)
	if len(patch) > maxOperations {
		return []jsondoc.Operation{{Op: "replace", Path: "", Value: jsonText(after)}}
	}
	return patch
}

func diffOperations(path []string, before, after any, whole map[string]bool) []jsondoc.Operation {
	if isIdentical(before, after) {
		return nil
	}
	pointer := jsontext.JoinPointer(path...)
	was, wasObject := before.(*object)
	is, isObject := after.(*object)
	if wasObject && isObject && !whole[pointer] {
		return diffMembers(path, was, is, whole)
	}
	old, wasArray := before.([]any)
	elements, isArray := after.([]any)
	if wasArray && isArray && len(old) == len(elements) && !whole[pointer] {
		var patch []jsondoc.Operation
		for i := range old {
			patch = append(patch, diffOperations(extendPath(path, strconv.Itoa(i)), old[i], elements[i], whole)...)
		}
		return patch
	}
	return []jsondoc.Operation{{Op: "replace", Path: pointer, Value: jsonText(after)}}
}

func diffMembers(path []string, was, is *object, whole map[string]bool) []jsondoc.Operation {
	var patch []jsondoc.Operation
	for _, name := range was.Names {
		value, kept := is.Get(name)
		if !kept {
			patch = append(patch, jsondoc.Operation{Op: "remove", Path: jsontext.JoinPointer(extendPath(path, name)...)})
			continue
		}
		patch = append(patch, diffOperations(extendPath(path, name), was.Members[name], value, whole)...)
	}
	for _, name := range is.Names {
		if _, exists := was.Get(name); !exists {
			patch = append(patch, jsondoc.Operation{
				Op: "add", Path: jsontext.JoinPointer(extendPath(path, name)...), Value: jsonText(is.Members[name]),
			})
		}
	}
	return patch
}

// isIdentical reports whether two values have the same text, apart from the order of members.
func isIdentical(a, b any) bool {
	switch x := a.(type) {
	case *object:
		y, ok := b.(*object)
		if !ok || x == y {
			return ok
		}
		if len(x.Names) != len(y.Names) {
			return false
		}
		for _, name := range x.Names {
			value, ok := y.Get(name)
			if !ok || !isIdentical(x.Members[name], value) {
				return false
			}
		}
		return true
	case []any:
		y, ok := b.([]any)
		return ok && slices.EqualFunc(x, y, isIdentical)
	case deep:
		y, ok := b.(deep)
		return ok && bytes.Equal(x, y)
	}
	switch b.(type) {
	case *object, []any, deep:
		return false
	}
	return a == b
}

// Difference returns the patch from one value to another.
func Difference(before, after json.RawMessage) ([]jsondoc.Operation, error) {
	was, err := jsondoc.DecodeExactly(before, maxSelectDepth)
	if err != nil {
		return nil, err
	}
	is, err := jsondoc.DecodeExactly(after, maxSelectDepth)
	if err != nil {
		return nil, err
	}
	return diffValues(was, is, nil), nil
}

// Conflict is a value changed differently on both sides.
type Conflict struct {
	Pointer string
	// Mine and Theirs are JSON texts, "" for no value.
	Mine, Theirs string
}

// Merged is the result of merging two changes of a value.
type Merged struct {
	// Patch changes their value to the one with all changes of both sides that do not conflict.
	Patch     []jsondoc.Operation
	Conflicts []Conflict
	// Shown is the merged value with Mine at conflicts.
	Shown json.RawMessage
}

// Merge merges the changes from base to theirs and to mine. Earlier are values of my side that theirs may come from: a part of theirs that
// equals the part of one of them is not changed by others.
func Merge(base, theirs, mine json.RawMessage, earlier ...json.RawMessage) (*Merged, error) {
	values := make([]any, 3+len(earlier))
	for i, text := range append([]json.RawMessage{base, theirs, mine}, earlier...) {
		var err error
		if values[i], err = jsondoc.DecodeExactly(text, maxSelectDepth); err != nil {
			return nil, err
		}
	}
	var m merger
	merged := m.merge(nil, values[0], values[1], values[2], values[3:])
	result := &Merged{Patch: diffValues(values[1], merged, nil), Conflicts: m.conflicts}
	shown := merged
	for i, path := range m.paths {
		shown = replaceAt(shown, path, m.mine[i])
	}
	result.Shown = jsonText(shown)
	return result, nil
}

// absent represents a missing member.
type absent struct{}

type merger struct {
	conflicts []Conflict
	paths     [][]string
	mine      []any
}

func (m *merger) merge(path []string, base, theirs, mine any, earlier []any) any {
	if len(earlier) > 0 {
		if slices.ContainsFunc(earlier, func(own any) bool { return isIdentical(own, theirs) }) {
			return mine
		}
		// Mine may equal base at the top because it takes back a part of earlier.
		if merged, ok := m.mergeObjects(path, base, theirs, mine, earlier); ok {
			return merged
		}
	}
	switch {
	case isIdentical(base, mine), isIdentical(theirs, mine):
		return theirs
	case isIdentical(base, theirs):
		return mine
	}
	if merged, ok := m.mergeObjects(path, base, theirs, mine, earlier); ok {
		return merged
	}
	if merged, ok := mergedRows(base, theirs, mine); ok {
		return merged
	}
	m.conflicts = append(m.conflicts, Conflict{Pointer: jsontext.JoinPointer(path...), Mine: presentText(mine), Theirs: presentText(theirs)})
	m.paths, m.mine = append(m.paths, path), append(m.mine, mine)
	return theirs
}

func presentText(value any) string {
	if _, none := value.(absent); none {
		return ""
	}
	return string(jsonText(value))
}

func (m *merger) mergeObjects(path []string, base, theirs, mine any, earlier []any) (any, bool) {
	t, ok := theirs.(*object)
	o, also := mine.(*object)
	if !ok || !also {
		return nil, false
	}
	b, _ := base.(*object)
	merged := jsondoc.NewObject()
	for _, name := range slices.Concat(t.Names, o.Names) {
		if _, done := merged.Get(name); done {
			continue
		}
		owns := make([]any, len(earlier))
		for i := range earlier {
			own, _ := earlier[i].(*object)
			owns[i] = memberOr(own, name)
		}
		value := m.merge(extendPath(path, name), memberOr(b, name), memberOr(t, name), memberOr(o, name), owns)
		if _, none := value.(absent); !none {
			merged.Set(name, value)
		}
	}
	return merged, true
}

func memberOr(o *object, name string) any {
	if value, ok := o.Get(name); ok {
		return value
	}
	return absent{}
}

// mergedRows merges arrays if each element was changed on one side only. Both sides may append elements.
func mergedRows(base, theirs, mine any) ([]any, bool) {
	b, ok := base.([]any)
	t, also := theirs.([]any)
	o, too := mine.([]any)
	if !ok || !also || !too || len(t) < len(b) || len(o) < len(b) {
		return nil, false
	}
	merged := make([]any, 0, len(t)+len(o)-len(b))
	for i := range b {
		switch {
		case isIdentical(b[i], o[i]):
			merged = append(merged, t[i])
		case isIdentical(b[i], t[i]):
			merged = append(merged, o[i])
		default:
			return nil, false
		}
	}
	return append(append(merged, t[len(b):]...), o[len(b):]...), true
}

// replaceAt returns a copy of a value with another one at a path, or without it if by is absent.
func replaceAt(value any, path []string, by any) any {
	if len(path) == 0 {
		return by
	}
	before, _ := value.(*object)
	if before == nil {
		return value
	}
	after := jsondoc.NewObject()
	for _, name := range before.Names {
		after.Set(name, before.Members[name])
	}
	inner := replaceAt(memberOr(after, path[0]), path[1:], by)
	if _, none := inner.(absent); !none {
		after.Set(path[0], inner)
		return after
	}
	after.Remove(path[0])
	return after
}

// ReplaceValue returns a copy of a value with another one at a pointer; "" removes it. A pointer through arrays has
// no effect.
func ReplaceValue(value json.RawMessage, pointer, text string) (json.RawMessage, error) {
	path, ok := jsontext.SplitPointer(pointer)
	if !ok {
		return value, nil
	}
	root, err := jsondoc.DecodeExactly(value, maxSelectDepth)
	if err != nil {
		return nil, err
	}
	var by any = absent{}
	if text != "" {
		if by, err = jsondoc.DecodeExactly(json.RawMessage(text), maxSelectDepth); err != nil {
			return nil, err
		}
	}
	return jsonText(replaceAt(root, path, by)), nil
}
