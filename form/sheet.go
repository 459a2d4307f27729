package form

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/procession-dev/procession/domain/jsontext"
)

// Kind is the kind of a node of a Sheet.
type Kind string

// The kinds of layouts. They have children and no value of their own.
const (
	KindVertical   Kind = "vertical"
	KindHorizontal Kind = "horizontal"
	// KindSection is a layout with a heading.
	KindSection Kind = "section"
	// KindTabs and KindStepper have children of KindPage.
	KindTabs    Kind = "tabs"
	KindStepper Kind = "stepper"
	KindPage    Kind = "page"
	// KindNote is a text of the form itself, its label.
	KindNote Kind = "note"
)

// The kinds of controls.
const (
	KindLine    Kind = "line"
	KindLines   Kind = "lines"
	KindSecret  Kind = "secret"
	KindNumber  Kind = "number"
	KindInteger Kind = "integer"
	KindCheck   Kind = "check"
	KindToggle  Kind = "toggle"
	// KindRadio, KindSelect and KindSearch offer one of few, more and many options.
	KindRadio  Kind = "radio"
	KindSelect Kind = "select"
	KindSearch Kind = "search"
	// KindChoices is an array of some of the options.
	KindChoices  Kind = "choices"
	KindDate     Kind = "date"
	KindTime     Kind = "time"
	KindDateTime Kind = "date-time"
	// KindTags is an array of short texts or numbers.
	KindTags Kind = "tags"
	// KindList is an array whose rows have one control each; KindTable and KindCards
	// are arrays of objects.
	KindList  Kind = "list"
	KindTable Kind = "table"
	KindCards Kind = "cards"
	// KindObject has the controls of its members as children.
	KindObject Kind = "object"
	KindFile   Kind = "file"
	KindFiles  Kind = "files"
	// The value of these refers to something that people search for.
	KindPrincipal  Kind = "principal"
	KindGroup      Kind = "group"
	KindProcess    Kind = "process"
	KindArtifact   Kind = "artifact"
	KindDataSource Kind = "data-source"
	// KindJSON is whatever no other control can edit.
	KindJSON Kind = "json"
)

// Refers reports whether values of the kind refer to something that is searched for.
func (k Kind) Refers() bool {
	return slices.Contains([]Kind{KindPrincipal, KindGroup, KindProcess, KindArtifact, KindDataSource}, k)
}

// lays reports whether nodes of the kind have no value of their own.
func (k Kind) lays() bool {
	return slices.Contains([]Kind{
		KindVertical, KindHorizontal, KindSection, KindTabs, KindStepper, KindPage, KindNote,
	}, k)
}

// HasRows reports whether a control of the kind has rows.
func (k Kind) HasRows() bool { return k == KindList || k == KindTable || k == KindCards }

// Sheet is a form as it is filled in: a tree of layouts and controls.
type Sheet struct {
	Title, Subject string
	Nodes          []*Node

	root  any
	nodes map[string]*Node
}

// Node is a layout or the control of a value.
type Node struct {
	Kind Kind
	// Pointer leads to the value of a control (RFC 6901).
	Pointer string
	// Name is Pointer with the keys of rows in the place of their indexes, which stay
	// the same when rows are moved.
	Name string
	// Schema leads to what the schema says of the value first, "" where it says
	// nothing.
	Schema string
	Label  string
	// Unlabelled controls do not show their label.
	Unlabelled bool
	Help       string
	// Hint is shown where there is no value.
	Hint string
	// Hidden and Disabled are what the rules of the form come to.
	Hidden, Disabled bool
	ReadOnly         bool
	Required         bool
	Bounds           Bounds
	// Options are the values to choose from.
	Options []Option
	// Source is the code of the data source of KindDataSource.
	Source string
	// Children are the nodes of layouts and objects.
	Children []*Node
	// Rows are the elements of an array, Columns an element without a value.
	Rows    []Row
	Columns []*Node

	value   any
	present bool
	// texts are whether elements of KindTags, and whether the value, may be texts.
	texts bool
	// numbers is whether a text of KindLine that is a number becomes one.
	numbers bool
	row     func(key string) []*Node
}

// Row is an element of an array.
type Row struct {
	// Key is the index that the element has in the value.
	Key   string
	Nodes []*Node
}

// Option is a value to choose.
type Option struct {
	// Value is the JSON text of the value.
	Value string
	// Title is "" for true and false, whose titles depend on the language.
	Title string
	// Extra is the value that there is, though the schema does not offer it.
	Extra bool

	value any
}

// Bounds are the limits that the schema sets for a value. Texts are as the schema spells them,
// "" for none; of numbers that count something, -1 is none.
type Bounds struct {
	Minimum, Maximum, Above, Below, MultipleOf string
	MinLength, MaxLength, MinItems, MaxItems   int
	Unique                                     bool
	Pattern, Format                            string
	// Accept lists media types and extensions of files, MaxSize is in bytes.
	Accept  []string
	MaxSize int64
}

// Find returns the control of the value at a pointer, or nil.
func (s *Sheet) Find(pointer string) *Node { return s.nodes[pointer] }

// Value returns the whole value as JSON text.
func (s *Sheet) Value() json.RawMessage { return jsonText(s.root) }

// Present reports whether there is a value.
func (n *Node) Present() bool { return n.present }

// JSON returns the text of the value, "" for none.
func (n *Node) JSON() string {
	if !n.present {
		return ""
	}
	return string(jsonText(n.value))
}

// Locked reports whether the control cannot change its value.
func (n *Node) Locked() bool { return n.ReadOnly || n.Disabled }

// All calls visit for the nodes and those below them, in order. It does not go below a
// node for which visit returns false.
func All(nodes []*Node, visit func(*Node) bool) {
	for _, n := range nodes {
		if !visit(n) {
			continue
		}
		All(n.Children, visit)
		for _, row := range n.Rows {
			All(row.Nodes, visit)
		}
	}
}

// Same reports whether two sheets show the same parts, whatever the values in them.
func (s *Sheet) Same(other *Sheet) bool { return slices.Equal(s.outline(), other.outline()) }

func (s *Sheet) outline() []string {
	var parts []string
	All(s.Nodes, func(n *Node) bool {
		part := string(n.Kind) + n.Pointer
		switch {
		case n.Hidden:
			part += " hidden"
		case n.Locked():
			part += " locked"
		}
		parts = append(parts, part)
		return !n.Hidden
	})
	return parts
}

// zoneOr returns UTC for no zone.
func zoneOr(zone *time.Location) *time.Location {
	if zone == nil {
		return time.UTC
	}
	return zone
}

// Blank returns a new row of an array.
func (n *Node) Blank(key string) Row { return Row{Key: key, Nodes: n.row(key)} }

// LabelOf returns what a value without a control is called.
func LabelOf(pointer string) string {
	if pointer == "" {
		return valueLabel
	}
	path, _ := jsontext.SplitPointer(pointer[strings.LastIndexByte(pointer, '/'):])
	return humanise(strings.Join(path, ""))
}

// ReadableJSON returns JSON text for people: a string without its quotes, the name of
// what is referred to, and indented what is more.
func ReadableJSON(text string) string {
	value, err := decode(json.RawMessage(text), maxSelectDepth)
	if err != nil {
		return text
	}
	if plain, ok := value.(string); ok {
		if named, ok := referenceText(plain); ok {
			return named
		}
	}
	return rawText(value)
}

// Control returns the control of the value at a pointer. That of a value in a row is
// found by the pointer of one in any row, also of one that there is not yet; its bounds
// are those of a blank row.
func (s *Sheet) Control(pointer string) *Node {
	if n := s.nodes[pointer]; n != nil {
		return n
	}
	path, _ := jsontext.SplitPointer(pointer)
	for length := len(path) - 1; length > 0; length-- {
		array := s.nodes[jsontext.JoinPointer(path[:length]...)]
		if array == nil || !array.Kind.HasRows() {
			continue
		}
		array.row(path[length])
		if n := s.nodes[pointer]; n != nil {
			return n
		}
	}
	return nil
}
