package form

import (
	"encoding/json"
	"slices"

	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/form/locale"
)

// A reading is the value of a text of a control. Exactly one of Value, Absent and Failed is set.
type reading struct {
	value any
	// absent reports whether the text stands for no value, failed whether it has none, such as invalid JSON.
	absent, failed bool
}

// readText returns the value of a text, regardless of the current one. chosen is the chosen reading, "" for none.
func (n *Node) readText(text, chosen string, in Locale) reading {
	fresh := *n
	fresh.value, fresh.present = nil, false
	if n.Kind == KindTime || n.Kind == KindDateTime || n.Kind == KindDuration {
		fresh.value = n.value // It has the offset or the unit.
	}
	value, ok := fresh.parseChosen(text, chosen, in)
	switch {
	case !ok:
		return reading{failed: true}
	case value == nil:
		return reading{absent: true}
	}
	return reading{value: value}
}

// setAside hides a value of a type that the picked alternative does not allow, so that its control is shown.
func (n *Node) setAside(p *jsondoc.Place) {
	choices := pickable(p)
	if !n.present || len(choices) == 0 || !choices[0].Certain || jsondoc.TypeOf(n.value).Only(p.Types()) {
		return
	}
	n.aside, n.value, n.present, n.Inexact = jsonText(n.value), nil, false, true
}

// Stored returns the stored value as JSON, "" for none, also one of another alternative.
func (n *Node) Stored() string {
	if n.aside != nil {
		return string(n.aside)
	}
	return n.JSON()
}

// compareReading marks a control that would write another value for the text that it shows, if the schema refuses the
// current value.
func (n *Node) compareReading(p *jsondoc.Place) {
	if !n.present || n.Kind.isLayout() || n.Kind.HasRows() || n.ReadOnly ||
		slices.Contains([]Kind{KindObject, KindTuple, KindChoices, KindFiles, KindSecret, KindJSON}, n.Kind) || n.Kind.IsReference() {
		return
	}
	read := n.readText(normalizeNewlines(n.Text(Locale{})), "", Locale{})
	n.Inexact = !read.failed && (read.absent || n.value == nil || !isIdentical(read.value, n.value)) && !p.IsValid()
}

// offerDefault keeps the default of the schema for an absent value that a single control edits, and marks a value that equals
// it.
func (n *Node) offerDefault(p *jsondoc.Place) {
	text := p.Annotations().Default
	if text == nil || n.Kind.isLayout() || n.Kind.HasRows() || n.Kind == KindObject || n.Kind == KindTuple || n.Disabled {
		return
	}
	switch offered, err := jsondoc.DecodeExactly(text, maxSchemaDepth); {
	case err != nil:
	case n.present:
		n.IsDefault = jsondoc.Equal(offered, n.value)
	case p.Accepts(text):
		n.offered = offered
	}
}

// Suggest returns the change that sets the absent values of selected controls to the defaults of the schema, also read-only ones,
// unless a rule hides them. It adds no optional objects and no alternatives that nothing selects.
func (s *Editor) Suggest(selects func(*Node) bool) (*Change, error) {
	suggested := Submission{Defaults: map[string]bool{}}
	Walk(s.Nodes, func(n *Node) bool {
		if n.Hidden || n.Kind == KindObject && !n.present && !n.Required || n.Kind == KindChoice && !n.Choice.Certain {
			return false
		}
		suggested.Defaults[n.Name] = n.offered != nil && selects(n)
		return true
	})
	return s.Changes(suggested)
}

// Offered returns the control with the value that the schema offers for an absent one, nil for none.
func (n *Node) Offered() *Node {
	if n.offered == nil || n.IsLocked() {
		return nil
	}
	return n.with(n.offered, true)
}

// Showing returns the control with another value, a JSON text or "" for none.
func (n *Node) Showing(text string) *Node {
	value, err := jsondoc.DecodeExactly(json.RawMessage(text), maxSelectDepth)
	return n.with(value, err == nil && text != "")
}

func (n *Node) with(value any, present bool) *Node {
	other := *n
	other.value, other.present, other.aside = value, present, nil
	return &other
}

// emptyValue returns the value of an empty control: null if it is required and may be null, else none.
func (n *Node) emptyValue() any {
	if n.Required && n.nullable {
		return deep("null")
	}
	return nil
}

// askAbout records the readings of a text with several. It reports whether there are any.
func (c *Change) askAbout(n *Node, value any) bool {
	switch readings := value.(type) {
	case ambiguous:
		if c.Ambiguous == nil {
			c.Ambiguous = map[string][]locale.Candidate{}
		}
		c.Ambiguous[n.Name] = readings
	case locale.Resolution:
		if c.Times == nil {
			c.Times = map[string]locale.Resolution{}
		}
		c.Times[n.Name] = readings
	default:
		return false
	}
	return true
}

// HasQuestions reports whether a text has several readings.
func (c *Change) HasQuestions() bool { return len(c.Ambiguous)+len(c.Times) > 0 }
