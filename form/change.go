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
	"github.com/procession-dev/procession/form/locale"
)

// Submission contains the input of a user to an Editor. Values that it lacks stay unchanged.
type Submission struct {
	Locale

	// Texts are the texts of controls by the names of their nodes: one text each, or the selected values for
	// KindChoices and KindFiles.
	Texts map[string][]string
	// Orders are the keys of the rows of arrays, by the names of their nodes. A key that is not an index of the array
	// denotes a new row.
	Orders map[string][]string
	// Members are the names of members in the rows of KindMap, by the names of the rows.
	Members map[string]string
	// References are the references found for the texts of controls, by name.
	References map[string]string
	// Dropped are the names of KindStray nodes with values to remove.
	Dropped map[string]bool
	// Readings are the chosen readings of texts that Change.Ambiguous or Change.Times asks about, by the names of controls:
	// numbers as JSON, times as RFC 3339.
	Readings map[string]string
	// Qualifiers are the offsets of times of day and the units of durations, by the names of controls.
	Qualifiers map[string]string
	// Defaults are the names of controls that get the value that the schema offers.
	Defaults map[string]bool
	// Confirmed are the names of controls that a person has confirmed: their text is read even if it is the shown one.
	Confirmed map[string]bool
}

// maxNewRows bounds the rows that one change adds to an array.
const maxNewRows = 1_000

// ErrRows is returned if the order of an array contains a row twice or too many new rows.
var ErrRows = errors.New("the rows of the form do not match its value")

// Change is the result of applying a Submission to the value of an Editor.
type Change struct {
	// Patch changes the value to the entered one.
	Patch []jsondoc.Operation
	// Unreadable are the names of controls with a text that has no value: invalid JSON, or a value outside the
	// options.
	Unreadable []string
	// Keys are the keys of rows in the new value, by the names of their arrays and their previous keys. New rows
	// without content have none.
	Keys map[string]map[string]string
	// Blank are the keys of new rows without content, by the names of their arrays.
	Blank map[string][]string
	// Ambiguous are the readings of numbers that can be read in two ways, by the names of their controls. The values stay
	// until a person chooses one.
	Ambiguous map[string][]locale.Candidate
	// Times are the instants for local times in gaps and doubled hours, by the names of their controls. The values stay until
	// a person chooses one.
	Times map[string]locale.Resolution
	// Dropped are the removed values of KindStray nodes, by pointer.
	Dropped map[string]json.RawMessage
	// Refused are names that rows of KindMap cannot have, by the names of the rows: other members have them, or the schema does
	// not allow them.
	Refused map[string]string
	// Moved reports whether rows were added, removed or moved.
	Moved bool

	after any
}

func (c *Change) addBlank(array, key string) {
	if c.Blank == nil {
		c.Blank = map[string][]string{}
	}
	c.Blank[array] = append(c.Blank[array], key)
}

func (c *Change) keepRow(array, key string, index int) { c.keepKey(array, key, strconv.Itoa(index)) }

func (c *Change) keepKey(array, key, now string) {
	if c.Keys == nil {
		c.Keys = map[string]map[string]string{}
	}
	if c.Keys[array] == nil {
		c.Keys[array] = map[string]string{}
	}
	c.Keys[array][key] = now
}

// NewName returns the name of a node in the new value, in which keys of rows may differ.
func (c *Change) NewName(name string) string {
	path, _ := jsontext.SplitPointer(name)
	now := slices.Clone(path)
	for i, key := range path {
		if renamed, ok := c.Keys[jsontext.JoinPointer(path[:i]...)][key]; ok {
			now[i] = renamed
		}
	}
	return jsontext.JoinPointer(now...)
}

// Changes compares the submission with the value of the editor. The patch is empty if they are equal.
func (s *Editor) Changes(t Submission) (*Change, error) {
	c := &changer{typed: t, whole: map[string]bool{}, copies: map[*object]bool{}, change: &Change{}}
	after, err := c.applyNodes(s.Nodes, nil, s.root)
	if err != nil {
		return nil, err
	}
	c.change.after = after
	c.change.Patch = diffValues(s.root, after, c.whole)
	return c.change, nil
}

// Value returns the new value as JSON.
func (c *Change) Value() json.RawMessage { return jsonText(c.after) }

type changer struct {
	typed  Submission
	change *Change
	// whole are the pointers of arrays with added, removed or moved rows.
	whole map[string]bool
	// copies are the objects that may be changed in place.
	copies map[*object]bool
}

// applyNodes returns a container with the values entered in the nodes. path leads to the container, by indexes of the
// current value.
func (c *changer) applyNodes(nodes []*Node, path []string, container any) (any, error) {
	for _, n := range nodes {
		var err error
		switch {
		case n.Kind == KindStray:
			container = c.dropStrays(n, path, container)
		case n.Kind == KindObject, n.Kind.isLayout():
			container, err = c.applyNodes(n.Children, path, container)
		case n.Kind == KindTuple:
			container, err = c.applyTuple(n, path, container)
		case n.Kind == KindMap:
			container, err = c.applyMap(n, path, container)
		case n.Kind.HasRows():
			container, err = c.applyArray(n, path, container)
		case !n.ReadOnly || c.typed.Defaults[n.Name]:
			container = c.applyControl(n, path, container)
		}
		if err != nil {
			return nil, err
		}
	}
	return container, nil
}

// applyControl sets the value of a control in its container.
func (c *changer) applyControl(n *Node, path []string, container any) any {
	texts, entered := c.typed.Texts[n.Name]
	value, ok := n.offered, true
	if !c.typed.Defaults[n.Name] || value == nil {
		if !entered || len(texts) == 0 {
			return container
		}
		value, ok = c.enteredValue(n, texts)
	}
	switch {
	case c.change.askAbout(n, value):
		return container
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
	return c.putValue(container, full[len(path):], value)
}

// unchanged marks a control with a text equal to its value.
type unchanged struct{}

func (c *changer) enteredValue(n *Node, texts []string) (any, bool) {
	if n.Kind == KindChoices || n.Kind == KindFiles {
		return n.parseChoices(texts)
	}
	text := normalizeNewlines(texts[len(texts)-1])
	chosen := c.typed.Readings[n.Name]
	if n.Kind == KindDateTime && chosen != "" {
		return n.parseInstant(chosen, c.typed.Locale)
	}
	qualifier, isQualified := c.typed.Qualifiers[n.Name]
	if isQualified = isQualified && n.isQualifier(qualifier); !isQualified {
		qualifier = n.Qualifier()
	}
	moved := text != "" && qualifier != n.Qualifier()
	// A required toggle without a value displays false: submitting it enters that value.
	shown := n.Kind == KindToggle && n.Required && !n.present && !n.Hidden
	reference, found := c.typed.References[n.Name]
	found = found && n.Kind.IsReference() && text != ""
	// The same name may denote another reference.
	confirmed := n.Inexact && c.typed.Confirmed[n.Name]
	if text == normalizeNewlines(n.Text(c.typed.Locale)) && !shown && !confirmed && !moved && (!found || reference == n.Reference()) {
		return unchanged{}, true
	}
	switch {
	case found:
		return reference, true
	case isQualified && strings.TrimSpace(text) != "":
		return n.parseQualified(text, qualifier, c.typed.Locale), true
	case !confirmed:
		value, ok := n.parseChosen(text, chosen, c.typed.Locale)
		if value == nil && ok {
			value = n.emptyValue()
		}
		return value, ok
	}
	read := n.readText(text, chosen, c.typed.Locale)
	if read.absent {
		return n.emptyValue(), true
	}
	return read.value, !read.failed
}

// normalizeNewlines replaces CR and CRLF by LF.
func normalizeNewlines(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
}

// parseChoices returns the selected elements: existing ones in their order, then new ones.
func (n *Node) parseChoices(texts []string) (any, bool) {
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

// putValue returns a copy of the container with a value at a path, nil to remove it. An object that loses its last
// member is removed too.
func (c *changer) putValue(container any, path []string, value any) any {
	if len(path) == 0 {
		return value
	}
	before, _ := container.(*object)
	after := value
	if len(path) > 1 {
		inner, _ := before.Get(path[0])
		if inner == nil && value == nil {
			return container
		}
		after = c.putValue(inner, path[1:], value)
		if emptied, ok := after.(*object); ok && len(emptied.Names) == 0 {
			after = nil
		}
	}
	changed := c.copyOf(before)
	if after != nil {
		changed.Set(path[0], after)
	} else {
		changed.Remove(path[0])
	}
	return changed
}

// copyOf returns a copy of the object that may be changed. before may be nil.
func (c *changer) copyOf(before *object) *object {
	if c.copies[before] {
		return before
	}
	copied := jsondoc.NewObject()
	if before != nil {
		copied = &object{Names: slices.Clone(before.Names), Members: maps.Clone(before.Members)}
	}
	c.copies[copied] = true
	return copied
}
