package form

import (
	"context"
	"encoding/json"

	"github.com/procession-dev/procession/domain/jsondoc"
)

// Fallback is a value that an Editor of an absent value edits as JSON.
type Fallback struct {
	// Schema is the pointer of the subschema of the value, "" for the whole schema.
	Schema string
	Label  string
	Reason Reason
}

// maxAlternatives is the number of alternatives that ListFallbacks looks into.
const maxAlternatives = 100

// ListFallbacks returns values that the form of an input edits as JSON, also in rows and in alternatives, at most most, and each
// subschema once. It ignores the value of the input. It returns the errors of NewEditor.
func ListFallbacks(ctx context.Context, in Input, most int) ([]Fallback, error) {
	var found []Fallback
	seen := map[string]bool{}
	pending, known := []variant{{}}, map[jsondoc.ChoiceKey]bool{}
	for n := 0; n < len(pending) && len(found) < most; n++ {
		in.Picked, in.Value = pending[n].picked, pending[n].value
		editor, err := NewEditor(ctx, in, EditorLimits(), false)
		if err != nil {
			return nil, err
		}
		walkBlank(editor.Nodes, func(n *Node) {
			if n.Kind == KindJSON && !seen[n.Schema] && len(found) < most {
				seen[n.Schema] = true
				found = append(found, Fallback{n.Schema, n.Label, n.Reason})
			}
			if n.Choice != nil && !known[n.Choice.Key] {
				known[n.Choice.Key] = true
				for _, picked := range otherBranches(n.Choice, in.Picked, maxAlternatives-len(pending)) {
					pending = append(pending, variant{picked, in.Value})
				}
			}
			if key := (jsondoc.ChoiceKey{Pointer: n.Pointer}); n.Selects && !known[key] {
				known[key] = true
				for _, value := range editor.selectedValues(n, maxAlternatives-len(pending)) {
					pending = append(pending, variant{in.Picked, value})
				}
			}
		})
	}
	return found, nil
}

// variant is a form to look into: picked alternatives, and a value that selects others.
type variant struct {
	picked jsondoc.Picked
	value  json.RawMessage
}

// selectedValues returns the values of the form with each option of a control that selects an alternative, at most most.
func (s *Editor) selectedValues(n *Node, most int) []json.RawMessage {
	var values []json.RawMessage
	for _, option := range n.Options {
		text := option.Value
		if n.Kind == KindSearch {
			text = option.Title
		}
		change, err := s.Changes(Submission{Texts: map[string][]string{n.Name: {text}}})
		if err == nil && len(change.Patch) > 0 && len(values) < most {
			values = append(values, change.Value())
		}
	}
	return values
}

// otherBranches returns the picks with each branch of a choice that is not selected, at most most.
func otherBranches(choice *jsondoc.Choice, picked jsondoc.Picked, most int) []jsondoc.Picked {
	var others []jsondoc.Picked
	for i := range choice.Branches {
		if i == choice.Selected || len(others) >= most {
			continue
		}
		other := jsondoc.Picked{choice.Key: i}
		for key, branch := range picked {
			other[key] = branch
		}
		others = append(others, other)
	}
	return others
}

// walkBlank visits nodes, the nodes within them, and those of new rows.
func walkBlank(nodes []*Node, visit func(*Node)) {
	Walk(nodes, func(n *Node) bool {
		visit(n)
		walkBlank(n.Columns, visit)
		return true
	})
}
