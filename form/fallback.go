package form

import (
	"context"

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
	in.Value = nil
	var found []Fallback
	seen := map[string]bool{}
	pending, known := []jsondoc.Picked{nil}, map[jsondoc.ChoiceKey]bool{}
	for n := 0; n < len(pending) && len(found) < most; n++ {
		in.Picked = pending[n]
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
				pending = append(pending, otherBranches(n.Choice, in.Picked, maxAlternatives-len(pending))...)
			}
		})
	}
	return found, nil
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
