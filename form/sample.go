package form

import (
	"cmp"
	"encoding/json"

	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/domain/jsontext"
)

// Sample returns an example value: one for each control except files and references.
func (s *Editor) Sample() json.RawMessage {
	value := jsondoc.NewObject()
	sampleNodes(value, s.Nodes, 0)
	return jsonText(value)
}

// sampleNodes sets members of an object for the controls. The first depth tokens of their pointers lead to the
// object.
func sampleNodes(object *object, nodes []*Node, depth int) {
	for _, n := range nodes {
		if n.Hidden {
			continue
		}
		if n.Kind == KindTuple {
			continue
		}
		if n.Kind.isLayout() || n.Kind == KindObject {
			sampleNodes(object, n.Children, depth)
			continue
		}
		path, _ := jsontext.SplitPointer(n.Pointer)
		if value := n.sampleValue(); value != nil && len(path) > depth {
			setPath(object, path[depth:], value)
		}
	}
}

// setPath sets a member at a path and creates the objects on the way.
func setPath(o *object, path []string, value any) {
	for _, name := range path[:len(path)-1] {
		inner, ok := o.Members[name].(*object)
		if !ok {
			inner = jsondoc.NewObject()
			o.Set(name, inner)
		}
		o = inner
	}
	o.Set(path[len(path)-1], value)
}

// sampleValue returns an example for a control, or nil.
func (n *Node) sampleValue() any {
	if len(n.Options) > 0 && n.Kind != KindChoices {
		return n.Options[0].value
	}
	switch n.Kind { //nolint:exhaustive // the others have no sample
	case KindLine, KindSecret:
		return n.sampleText()
	case KindLines:
		return "A text\nof several lines."
	case KindNumber, KindInteger:
		return json.Number(cmp.Or(n.Bounds.Minimum, n.Bounds.Maximum, "100"))
	case KindCheck, KindToggle:
		return true
	case KindDate:
		return "2026-03-14"
	case KindTime:
		return "09:30:00Z"
	case KindDateTime:
		return "2026-03-14T09:30:00Z"
	case KindDuration:
		return "P3D"
	case KindChoices:
		return []any{n.Options[0].value}
	case KindTags:
		return []any{n.Label}
	case KindList:
		return []any{n.NewRow("0").Nodes[0].sampleValue()}
	case KindTable, KindCards:
		path, _ := jsontext.SplitPointer(n.Pointer)
		row := jsondoc.NewObject()
		sampleNodes(row, n.NewRow("0").Nodes, len(path)+1)
		return []any{row}
	default:
		return nil
	}
}

func (n *Node) sampleText() string {
	switch {
	case n.numbers:
		return "100"
	case n.Bounds.Format == "email":
		return "carol@demo.example"
	case n.Bounds.Format == "uri":
		return "https://demo.example/"
	}
	text := []rune(n.Label)
	if n.Bounds.MaxLength >= 0 {
		text = text[:min(len(text), n.Bounds.MaxLength)]
	}
	return string(text)
}
