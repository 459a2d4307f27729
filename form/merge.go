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

// difference returns the patch that turns one value into another. The arrays in whole
// are replaced, not their elements.
func difference(path []string, before, after any, whole map[string]bool) []jsondoc.Operation {
	patch := operations(path, before, after, whole)
	if len(patch) > maxOperations {
		return []jsondoc.Operation{{Op: "replace", Path: jsontext.JoinPointer(path...), Value: jsonText(after)}}
	}
	return patch
}

func operations(path []string, before, after any, whole map[string]bool) []jsondoc.Operation {
	if identical(before, after) {
		return nil
	}
	pointer := jsontext.JoinPointer(path...)
	was, wasObject := before.(*object)
	is, isObject := after.(*object)
	if wasObject && isObject {
		return members(path, was, is, whole)
	}
	old, wasArray := before.([]any)
	elements, isArray := after.([]any)
	if wasArray && isArray && len(old) == len(elements) && !whole[pointer] {
		var patch []jsondoc.Operation
		for i := range old {
			patch = append(patch, operations(below(path, strconv.Itoa(i)), old[i], elements[i], whole)...)
		}
		return patch
	}
	return []jsondoc.Operation{{Op: "replace", Path: pointer, Value: jsonText(after)}}
}

func members(path []string, was, is *object, whole map[string]bool) []jsondoc.Operation {
	var patch []jsondoc.Operation
	for _, name := range was.names {
		value, kept := is.get(name)
		if !kept {
			patch = append(patch, jsondoc.Operation{Op: "remove", Path: jsontext.JoinPointer(below(path, name)...)})
			continue
		}
		patch = append(patch, operations(below(path, name), was.members[name], value, whole)...)
	}
	for _, name := range is.names {
		if _, known := was.get(name); !known {
			patch = append(patch, jsondoc.Operation{
				Op: "add", Path: jsontext.JoinPointer(below(path, name)...), Value: jsonText(is.members[name]),
			})
		}
	}
	return patch
}

// identical reports whether two values are spelled the same, but for the order of
// members.
func identical(a, b any) bool {
	switch x := a.(type) {
	case *object:
		y, ok := b.(*object)
		if !ok || x == y {
			return ok
		}
		if len(x.names) != len(y.names) {
			return false
		}
		for _, name := range x.names {
			value, ok := y.get(name)
			if !ok || !identical(x.members[name], value) {
				return false
			}
		}
		return true
	case []any:
		y, ok := b.([]any)
		return ok && slices.EqualFunc(x, y, identical)
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

// Difference returns the patch that turns one value into another.
func Difference(before, after json.RawMessage) ([]jsondoc.Operation, error) {
	was, err := decodeExactly(before, maxSelectDepth)
	if err != nil {
		return nil, err
	}
	is, err := decodeExactly(after, maxSelectDepth)
	if err != nil {
		return nil, err
	}
	return difference(nil, was, is, nil), nil
}

// Conflict is a value that was changed here and elsewhere.
type Conflict struct {
	Pointer string
	// Mine and Theirs are JSON texts, "" for no value.
	Mine, Theirs string
}

// Merged is the result of merging two changes of a value.
type Merged struct {
	// Patch turns their value into the one with all changes of both that do not
	// contradict each other.
	Patch     []jsondoc.Operation
	Conflicts []Conflict
	// Shown is the value with Mine where there are conflicts.
	Shown json.RawMessage
}

// Merge brings together what mine and theirs have made of base.
func Merge(base, theirs, mine json.RawMessage) (*Merged, error) {
	var values [3]any
	for i, text := range []json.RawMessage{base, theirs, mine} {
		var err error
		if values[i], err = decodeExactly(text, maxSelectDepth); err != nil {
			return nil, err
		}
	}
	var m merger
	merged := m.merge(nil, values[0], values[1], values[2])
	result := &Merged{Patch: difference(nil, values[1], merged, nil), Conflicts: m.conflicts}
	shown := merged
	for i, path := range m.paths {
		shown = replaced(shown, path, m.mine[i])
	}
	result.Shown = jsonText(shown)
	return result, nil
}

// absent stands for a member that there is none of.
type absent struct{}

type merger struct {
	conflicts []Conflict
	paths     [][]string
	mine      []any
}

func (m *merger) merge(path []string, base, theirs, mine any) any {
	switch {
	case identical(base, mine), identical(theirs, mine):
		return theirs
	case identical(base, theirs):
		return mine
	}
	if merged, ok := m.objects(path, base, theirs, mine); ok {
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

func (m *merger) objects(path []string, base, theirs, mine any) (any, bool) {
	t, ok := theirs.(*object)
	o, also := mine.(*object)
	if !ok || !also {
		return nil, false
	}
	b, _ := base.(*object)
	merged := newObject()
	for _, name := range slices.Concat(t.names, o.names) {
		if _, done := merged.get(name); done {
			continue
		}
		value := m.merge(below(path, name), memberOr(b, name), memberOr(t, name), memberOr(o, name))
		if _, none := value.(absent); !none {
			merged.set(name, value)
		}
	}
	return merged, true
}

func memberOr(o *object, name string) any {
	if value, ok := o.get(name); ok {
		return value
	}
	return absent{}
}

// mergedRows brings arrays together in which each element was changed by one of the
// two only, and to which each may have added some.
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
		case identical(b[i], o[i]):
			merged = append(merged, t[i])
		case identical(b[i], t[i]):
			merged = append(merged, o[i])
		default:
			return nil, false
		}
	}
	return append(append(merged, t[len(b):]...), o[len(b):]...), true
}

// replaced returns a value with another at a path, absent for none.
func replaced(value any, path []string, by any) any {
	if len(path) == 0 {
		return by
	}
	before, _ := value.(*object)
	if before == nil {
		return value
	}
	after := newObject()
	for _, name := range before.names {
		after.set(name, before.members[name])
	}
	inner := replaced(memberOr(after, path[0]), path[1:], by)
	if _, none := inner.(absent); !none {
		after.set(path[0], inner)
		return after
	}
	after.remove(path[0])
	return after
}

// With returns a value in which another stands at a pointer, "" for none. A pointer
// through arrays changes nothing.
func With(value json.RawMessage, pointer, text string) (json.RawMessage, error) {
	path, ok := jsontext.SplitPointer(pointer)
	if !ok {
		return value, nil
	}
	root, err := decodeExactly(value, maxSelectDepth)
	if err != nil {
		return nil, err
	}
	var by any = absent{}
	if text != "" {
		if by, err = decodeExactly(json.RawMessage(text), maxSelectDepth); err != nil {
			return nil, err
		}
	}
	return jsonText(replaced(root, path, by)), nil
}
