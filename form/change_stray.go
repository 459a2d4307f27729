package form

import (
	"encoding/json"
	"fmt"

	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/domain/jsontext"
)

// dropStrays removes the values of a node from their object.
func (c *changer) dropStrays(n *Node, path []string, container any) any {
	if !c.typed.Dropped[n.Name] || n.IsLocked() {
		return container
	}
	for _, stray := range n.Strays {
		full, _ := jsontext.SplitPointer(stray.Pointer)
		container = c.putValue(container, full[len(path):], nil)
		if c.change.Dropped == nil {
			c.change.Dropped = map[string]json.RawMessage{}
		}
		c.change.Dropped[stray.Pointer] = json.RawMessage(stray.JSON)
	}
	return container
}

// Apply returns the change that a patch makes.
func (s *Editor) Apply(patch []jsondoc.Operation) (*Change, error) {
	text, err := jsondoc.Apply(s.Value(), patch)
	if err != nil {
		return nil, fmt.Errorf("applying a change: %w", err)
	}
	after, err := jsondoc.DecodeExactly(text, maxSelectDepth)
	if err != nil {
		return nil, fmt.Errorf("reading a changed value: %w", err)
	}
	return &Change{Patch: diffValues(s.root, after, nil), after: after}, nil
}
