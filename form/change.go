package form

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/domain/jsontext"
)

// Typed contains the inputs of a user to a sheet. Values that it lacks stay unchanged.
type Typed struct {
	Manner

	// Texts are the texts of controls, by the names of their nodes: one for each, except
	// for KindChoices and KindFiles, which have those that are chosen.
	Texts map[string][]string
	// Orders are the keys of the rows of arrays, by the names of their nodes. A key
	// that is not an index of the array is that of a new row.
	Orders map[string][]string
	// References are what was found for a text of a control that refers to something,
	// by name.
	References map[string]string
}

// maxNewRows bounds the rows that one change adds to an array.
const maxNewRows = 1_000

// ErrRows is returned for the order of an array that has a row twice or too many new
// ones.
var ErrRows = errors.New("the rows of the form are not those of its value")

// Change is the result of applying Typed to the value of a sheet.
type Change struct {
	// Patch turns the value into what was entered.
	Patch []jsondoc.Operation
	// Unreadable are the names of controls whose text cannot be kept as a value: what
	// is no JSON, and what is none of the options.
	Unreadable []string
	// Keys are the keys that rows have in the new value, by the names of their arrays
	// and the keys that they had. New rows without content have none.
	Keys map[string]map[string]string
	// Blank are the keys of new rows without content, by the names of their arrays.
	Blank map[string][]string
	// Moved reports whether rows have come, gone or been moved.
	Moved bool

	after any
}

func (c *Change) leave(array, key string) {
	if c.Blank == nil {
		c.Blank = map[string][]string{}
	}
	c.Blank[array] = append(c.Blank[array], key)
}

func (c *Change) keep(array, key string, index int) {
	if c.Keys == nil {
		c.Keys = map[string]map[string]string{}
	}
	if c.Keys[array] == nil {
		c.Keys[array] = map[string]string{}
	}
	c.Keys[array][key] = strconv.Itoa(index)
}

// Renamed returns the name that a node has in the new value, where rows may have other keys.
func (c *Change) Renamed(name string) string {
	path, _ := jsontext.SplitPointer(name)
	now := slices.Clone(path)
	for i, key := range path {
		if renamed, ok := c.Keys[jsontext.JoinPointer(path[:i]...)][key]; ok {
			now[i] = renamed
		}
	}
	return jsontext.JoinPointer(now...)
}

// Changes compares what was entered with the value of the sheet. Without a difference
// the patch is empty.
func (s *Sheet) Changes(t Typed) (*Change, error) {
	c := &changer{typed: t, whole: map[string]bool{}, copies: map[*object]bool{}, change: &Change{}}
	after, err := c.fields(s.Nodes, nil, s.root)
	if err != nil {
		return nil, err
	}
	c.change.after = after
	c.change.Patch = difference(nil, s.root, after, c.whole)
	return c.change, nil
}

// Value returns the JSON text that the change leads to.
func (c *Change) Value() json.RawMessage { return jsonText(c.after) }

type changer struct {
	typed  Typed
	change *Change
	// whole are the arrays, by pointer, whose rows are others or elsewhere.
	whole map[string]bool
	// copies are the objects that may be changed in place.
	copies map[*object]bool
}

// fields returns a container with what was entered in the nodes below it. path leads
// to it, in indexes of the value.
func (c *changer) fields(nodes []*Node, path []string, container any) (any, error) {
	for _, n := range nodes {
		var err error
		switch {
		case n.Kind == KindObject, n.Kind.lays():
			container, err = c.fields(n.Children, path, container)
		case n.Kind.HasRows():
			container, err = c.array(n, path, container)
		case !n.ReadOnly:
			container = c.leaf(n, path, container)
		}
		if err != nil {
			return nil, err
		}
	}
	return container, nil
}

// leaf puts what was entered in one control into its container.
func (c *changer) leaf(n *Node, path []string, container any) any {
	texts, entered := c.typed.Texts[n.Name]
	if !entered || len(texts) == 0 {
		return container
	}
	value, ok := c.value(n, texts)
	switch {
	case !ok:
		c.change.Unreadable = append(c.change.Unreadable, n.Name)
		return container
	case value == unchanged{}:
		return container
	}
	if _, list := value.([]any); list {
		c.whole[n.Pointer] = true
	}
	full, _ := jsontext.SplitPointer(n.Pointer)
	return c.put(container, full[len(path):], value)
}

// unchanged is the value of a control that shows what was entered.
type unchanged struct{}

func (c *changer) value(n *Node, texts []string) (any, bool) {
	if n.Kind == KindChoices || n.Kind == KindFiles {
		return n.several(texts)
	}
	text := newlines(texts[len(texts)-1])
	// A toggle that must have a value shows one before it has it. What it shows is what is
	// meant once it is sent.
	shown := n.Kind == KindToggle && n.Required && !n.present && !n.Hidden
	reference, found := c.typed.References[n.Name]
	found = found && n.Kind.Refers() && text != ""
	// Another thing may have the same name.
	if text == newlines(n.Text(c.typed.Manner)) && !shown && (!found || reference == n.Reference()) {
		return unchanged{}, true
	}
	if found {
		return reference, true
	}
	return n.parse(text, c.typed.Manner)
}

// newlines writes the ends of lines as one character.
func newlines(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
}

// several returns the elements that were chosen: those that stay in their order, then
// the new ones.
func (n *Node) several(texts []string) (any, bool) {
	texts = slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return text == "" })
	old := n.Texts()
	if slices.Equal(texts, old) {
		return unchanged{}, true
	}
	was, _ := n.value.([]any)
	elements := []any{}
	for i, text := range old {
		if at := slices.Index(texts, text); at >= 0 {
			elements = append(elements, was[i])
			texts = slices.Delete(texts, at, at+1)
		}
	}
	if len(elements) == len(old) && len(texts) == 0 {
		return unchanged{}, true
	}
	for _, text := range texts {
		i := slices.IndexFunc(n.Options, func(o Option) bool { return o.Value == text })
		switch {
		case i >= 0:
			elements = append(elements, n.Options[i].value)
		case n.Kind == KindFiles:
			elements = append(elements, text)
		default:
			return nil, false
		}
	}
	if len(elements) == 0 {
		return nil, true
	}
	return elements, true
}

// array puts the rows of an array into its container.
func (c *changer) array(n *Node, path []string, container any) (any, error) {
	full, _ := jsontext.SplitPointer(n.Pointer)
	order, ordered := c.typed.Orders[n.Name]
	order = slices.DeleteFunc(slices.Clone(order), func(key string) bool { return key == "" })
	if n.ReadOnly || !ordered {
		order = keys(n.Rows)
	}
	rows := map[string][]*Node{}
	for _, row := range n.Rows {
		rows[row.Key] = row.Nodes
	}
	old, _ := n.value.([]any)
	elements := make([]any, 0, len(order))
	var kept []string
	seen := map[string]bool{}
	for _, key := range order {
		nodes, known := rows[key]
		if seen[key] || len(order) > len(rows)+maxNewRows {
			return nil, ErrRows
		}
		seen[key] = true
		var element any
		if known {
			index, _ := strconv.Atoi(key)
			element = old[index]
		} else if nodes = n.row(key); n.Kind != KindList {
			element = newObject()
		}
		value, present, err := c.row(n, full, key, nodes, element, known)
		switch {
		case err != nil:
			return nil, err
		case present:
			elements = append(elements, value)
			c.change.keep(n.Name, key, len(elements)-1)
			kept = append(kept, key)
		case !known:
			c.change.leave(n.Name, key)
		}
	}
	if !slices.Equal(kept, keys(n.Rows)) {
		c.whole[n.Pointer], c.change.Moved = true, true
	} else if identical(elements, old) {
		return container, nil
	}
	return c.put(container, full[len(path):], elements), nil
}

// row returns an element with what was entered in its row. A new one without content is
// not present.
func (c *changer) row(n *Node, array []string, key string, nodes []*Node, element any, known bool) (any, bool, error) {
	if n.Kind != KindList {
		value, err := c.fields(nodes, below(array, key), element)
		return value, known || !identical(value, element), err
	}
	// Its one control is the element itself.
	holder, err := c.fields(nodes, array, wrap(key, element, known))
	one, _ := holder.(*object)
	value, present := one.get(key)
	return value, present, err
}

func keys(rows []Row) []string {
	found := make([]string, len(rows))
	for i, row := range rows {
		found[i] = row.Key
	}
	return found
}

func wrap(key string, element any, known bool) *object {
	holder := newObject()
	if known {
		holder.set(key, element)
	}
	return holder
}

// put returns a container with a value at a path, nil for none. It shares with the
// container given what does not change. An object that loses its last member goes,
// too: it was made by what is taken back.
func (c *changer) put(container any, path []string, value any) any {
	if len(path) == 0 {
		return value
	}
	before, _ := container.(*object)
	after := value
	if len(path) > 1 {
		inner, _ := before.get(path[0])
		if inner == nil && value == nil {
			return container
		}
		after = c.put(inner, path[1:], value)
		if emptied, ok := after.(*object); ok && len(emptied.names) == 0 {
			after = nil
		}
	}
	changed := c.copyOf(before)
	if after != nil {
		changed.set(path[0], after)
	} else {
		changed.remove(path[0])
	}
	return changed
}

// copyOf returns an object to change in place of the one given, which may be nil.
func (c *changer) copyOf(before *object) *object {
	if c.copies[before] {
		return before
	}
	copied := newObject()
	if before != nil {
		copied = &object{names: slices.Clone(before.names), members: maps.Clone(before.members)}
	}
	c.copies[copied] = true
	return copied
}
