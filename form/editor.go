package form

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/domain/jsontext"
)

// Kind is the kind of a node of an Editor.
type Kind string

// The kinds of layouts, which contain nodes and have no value.
const (
	KindVertical   Kind = "vertical"
	KindHorizontal Kind = "horizontal"
	// KindSection is a layout with a heading.
	KindSection Kind = "section"
	// KindTabs and KindStepper have children of KindPage.
	KindTabs    Kind = "tabs"
	KindStepper Kind = "stepper"
	KindPage    Kind = "page"
	// KindNote is a text, its label.
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
	// KindRadio, KindSelect and KindSearch offer a few, more, or many options.
	KindRadio  Kind = "radio"
	KindSelect Kind = "select"
	KindSearch Kind = "search"
	// KindChoices is an array of some of the options.
	KindChoices  Kind = "choices"
	KindDate     Kind = "date"
	KindTime     Kind = "time"
	KindDateTime Kind = "date-time"
	// KindDuration has a number and a unit, or text of ISO 8601.
	KindDuration Kind = "duration"
	// KindTags is an array of short texts or numbers.
	KindTags Kind = "tags"
	// KindList is an array with one control for each row; KindTable and KindCards
	// are arrays of objects.
	KindList  Kind = "list"
	KindTable Kind = "table"
	KindCards Kind = "cards"
	// KindMap has a row for each member of an object that the schema does not name, KindTuple a child for each position of an
	// array.
	KindMap   Kind = "map"
	KindTuple Kind = "tuple"
	// KindObject has the controls of its members as children.
	KindObject Kind = "object"
	KindFile   Kind = "file"
	KindFiles  Kind = "files"
	// The value of these kinds is a reference that users search for.
	KindPrincipal  Kind = "principal"
	KindGroup      Kind = "group"
	KindProcess    Kind = "process"
	KindArtifact   Kind = "artifact"
	KindDataSource Kind = "data-source"
	// KindChoice selects an alternative of the schema for the value of its child or of the object around it. It has no
	// value. KindAdd is an absent object that contains objects of its kind.
	KindChoice Kind = "choice"
	KindAdd    Kind = "add"
	// KindStray are members of an object that are not part of the form. A person removes them together.
	KindStray Kind = "stray"
	// KindJSON edits values that no other control can edit.
	KindJSON Kind = "json"
)

// IsReference reports whether values of the kind are references that users search for.
func (k Kind) IsReference() bool {
	return slices.Contains([]Kind{KindPrincipal, KindGroup, KindProcess, KindArtifact, KindDataSource}, k)
}

// isLayout reports whether nodes of the kind have no value.
func (k Kind) isLayout() bool {
	return slices.Contains([]Kind{
		KindVertical, KindHorizontal, KindSection, KindTabs, KindStepper, KindPage, KindNote, KindChoice, KindAdd, KindStray,
	}, k)
}

// HasRows reports whether a control of the kind has rows.
func (k Kind) HasRows() bool {
	return k == KindList || k == KindTable || k == KindCards || k == KindMap
}

// Editor is a form for filling in: a tree of layouts and controls.
type Editor struct {
	Title, Subject string
	Nodes          []*Node

	root    any
	nodes   map[string]*Node
	outline *jsondoc.Outline
	sources Texts
}

// Explain returns the violations of the value that help a person: of alternatives only the ones of the selected branch.
// Violations that the schema does not explain are kept.
func (s *Editor) Explain(violations []domain.ValueError) []domain.ValueError {
	all, best := s.outline.Explain()
	if len(best) == 0 {
		return violations
	}
	kept := slices.DeleteFunc(slices.Clone(violations), func(e domain.ValueError) bool { return slices.Contains(all, e) })
	return append(best, kept...)
}

// Describe returns the control of the value at a pointer, or the statements of the schema about a value without one.
func (s *Editor) Describe(pointer string) *Node {
	if n := s.nodes[pointer]; n != nil {
		return n
	}
	p := s.outline.At(pointer)
	if p == nil {
		return nil
	}
	w := s.sources.at(pathOf(pointer), p, nil)
	options, _ := listOptions(p, w)
	return &Node{Bounds: p.Bounds(), Types: p.StatedTypes(), Options: options, Sufficient: s.sources.sufficientLabels(pathOf(pointer), p), wording: w}
}

// Node is a layout, or the control of a value.
type Node struct {
	Kind Kind
	// Pointer leads to the value of a control (RFC 6901).
	Pointer string
	// Name is Pointer with keys of rows instead of their indexes. It does not change when rows are moved.
	Name string
	// Schema is the pointer of the first subschema for the value, or "".
	Schema string
	Label  string
	// Unlabelled controls hide their label.
	Unlabelled bool
	Help       string
	// LabelLang, HelpLang and HintLang are the languages of Label, Help and Hint, "" for the language of the page.
	LabelLang, HelpLang, HintLang string
	// Hint is the placeholder of an empty control.
	Hint string
	// Examples are JSON texts of values that the schema gives as examples.
	Examples   []string
	Deprecated bool
	// Because is the label of the member that makes the value required, "" for none.
	Because string
	// Sufficient are the labels of members: an object needs one of them.
	Sufficient []string
	// Hidden and Disabled are results of the rules of the form.
	Hidden, Disabled bool
	ReadOnly         bool
	Required         bool
	Bounds           Bounds
	// Options are the values to choose from.
	Options []Option
	// Source is the code of the data source of KindDataSource.
	Source string
	// Reason is the reason for KindJSON.
	Reason Reason
	// Choice is the choice of KindChoice.
	Choice *jsondoc.Choice
	// Selects reports whether the value selects an alternative for the object around it.
	Selects bool
	// Opened reports whether a person has opened the absent object.
	Opened bool
	// Endless reports whether the rows of an array contain rows of their kind, so that there is no template.
	Endless bool
	// Mixed reports whether the object of a KindMap has named members too.
	Mixed bool
	// Width is the number of columns of a matrix, 0 for other arrays.
	Width int
	// Strays are the values of KindStray.
	Strays []Stray
	// Children are the nodes of layouts and objects.
	Children []*Node
	// Rows are the elements of an array, Columns the nodes of an empty element.
	Rows    []Row
	Columns []*Node

	// Types are the types of values that the schema allows.
	Types jsondoc.Types
	// Inexact reports whether the control does not write the value that it shows, and the schema refuses that value. A
	// person confirms or clears it.
	Inexact bool
	// IsDefault reports whether the value equals the default of the schema.
	IsDefault bool

	wording wording
	value   any
	present bool
	// accepts reports whether the schema accepts a number, nil if it has no statements.
	accepts func(number string) bool
	// aside is the stored value of another alternative.
	aside json.RawMessage
	// offered is the default of the schema for an absent value, nil for none.
	offered any
	// nullable reports whether an empty required control is null.
	nullable bool
	// texts reports whether the value, or an element of KindTags, may be a text.
	texts bool
	// open reports whether KindSearch takes values that are not among its options.
	open bool
	// numbers reports whether a numeric text of KindLine becomes a number.
	numbers bool
	row     func(key string) []*Node
	// tuples reports whether the rows of an array are arrays themselves.
	tuples bool
	// allowsName reports whether a KindMap may have a member.
	allowsName func(name string) bool
}

// Stray is a value that the form has no control for. Lang is the language of the label, "" for the language of the page.
type Stray struct{ Pointer, Label, Lang, JSON string }

// Row is an element of an array or a member of a KindMap.
type Row struct {
	// Key is the index of the element in the value, or the name of the member as a token of a pointer.
	Key   string
	Nodes []*Node
	// Member is the name of the member of a KindMap, "" for a new one.
	Member string
}

// Option is a value to choose.
type Option struct {
	// Value is the JSON text of the value.
	Value string
	// Title is "" for true and false, which are translated.
	Title string
	// Lang is the language of Title, "" for the language of the page.
	Lang string
	// Extra marks the current value if the schema does not offer it.
	Extra bool

	value any
	// source is the title in the definition, keys are the keys of its translations.
	source string
	keys   []string
}

// Bounds are the limits that the schema sets for a value.
type Bounds = jsondoc.Bounds

// Find returns the control of the value at a pointer, or nil.
func (s *Editor) Find(pointer string) *Node { return s.nodes[pointer] }

// Value returns the whole value as JSON text.
func (s *Editor) Value() json.RawMessage { return jsonText(s.root) }

// Present reports whether there is a value.
func (n *Node) Present() bool { return n.present }

// JSON returns the text of the value, "" for none.
func (n *Node) JSON() string {
	if !n.present {
		return ""
	}
	return string(jsonText(n.value))
}

// IsLocked reports whether the value cannot be changed.
func (n *Node) IsLocked() bool { return n.ReadOnly || n.Disabled }

// Walk calls visit for the nodes and their descendants, in order. It skips the descendants of a node if visit returns
// false.
func Walk(nodes []*Node, visit func(*Node) bool) {
	for _, n := range nodes {
		if !visit(n) {
			continue
		}
		Walk(n.Children, visit)
		for _, row := range n.Rows {
			Walk(row.Nodes, visit)
		}
	}
}

// SameStructure reports whether two editors have the same nodes, regardless of values.
func (s *Editor) SameStructure(other *Editor) bool {
	return slices.Equal(s.listParts(), other.listParts())
}

func (s *Editor) listParts() []string {
	var parts []string
	Walk(s.Nodes, func(n *Node) bool {
		part := string(n.Kind) + n.Pointer
		for _, stray := range n.Strays {
			part += stray.Pointer
		}
		if n.Choice != nil {
			part = n.Name + strconv.Itoa(n.Choice.Selected)
		}
		if n.Required {
			part += " required"
		}
		if n.Inexact {
			part += " inexact"
		}
		if n.offered != nil {
			part += " offered"
		}
		switch {
		case n.Hidden:
			part += " hidden"
		case n.IsLocked():
			part += " locked"
		}
		parts = append(parts, part)
		return !n.Hidden
	})
	return parts
}

// zoneOr returns the zone, or UTC for nil.
func zoneOr(zone *time.Location) *time.Location {
	if zone == nil {
		return time.UTC
	}
	return zone
}

// NewRow returns an empty row of an array.
func (n *Node) NewRow(key string) Row { return Row{Key: key, Nodes: n.row(key)} }

// LabelOf returns a label for a value without a control.
func LabelOf(pointer string) string {
	if pointer == "" {
		return valueLabel
	}
	path, _ := jsontext.SplitPointer(pointer[strings.LastIndexByte(pointer, '/'):])
	return jsondoc.Humanise(strings.Join(path, ""))
}

// ReadableJSON returns a string without its quotes, the name in a reference, or indented JSON.
func ReadableJSON(text string) string {
	value, err := jsondoc.Decode(json.RawMessage(text), maxSelectDepth)
	if err != nil {
		return text
	}
	if plain, ok := value.(string); ok {
		if named, ok := jsondoc.ReferenceName(plain); ok {
			return named
		}
	}
	return jsondoc.ReadableText(value)
}

// Control returns the control of the value at a pointer. For a value in a row, any key of the row finds a control,
// also one of a missing row; it has the bounds of an empty row.
func (s *Editor) Control(pointer string) *Node {
	if n := s.nodes[pointer]; n != nil {
		return n
	}
	path, _ := jsontext.SplitPointer(pointer)
	for length := len(path) - 1; length > 0; length-- {
		array := s.nodes[jsontext.JoinPointer(path[:length]...)]
		if array == nil || array.row == nil {
			continue
		}
		array.row(path[length])
		if n := s.nodes[pointer]; n != nil {
			return n
		}
	}
	return nil
}
