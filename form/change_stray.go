package form

import (
	"encoding/json"
	"errors"

	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/domain/jsontext"
)

// ErrRestore is returned if a removed value cannot be set again, because its place has changed.
var ErrRestore = errors.New("the values cannot be restored, because the form has changed")

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

// restore returns a copy of a value with a member that it lacks.
func (c *changer) restore(value any, pointer string, text json.RawMessage) (any, error) {
	path, ok := jsontext.SplitPointer(pointer)
	member, err := jsondoc.DecodeExactly(text, maxSelectDepth)
	if !ok || len(path) == 0 || err != nil {
		return nil, ErrRestore
	}
	if _, present := lookUp(value, path); present {
		return nil, ErrRestore
	}
	return c.restoreAt(value, path, member)
}

func (c *changer) restoreAt(value any, path []string, member any) (any, error) {
	if len(path) == 0 {
		return member, nil
	}
	switch container := value.(type) {
	case *object:
		inner, err := c.restoreAt(container.Members[path[0]], path[1:], member)
		if err != nil {
			return nil, err
		}
		changed := c.copyOf(container)
		changed.Set(path[0], inner)
		return changed, nil
	case []any:
		i, ok := jsontext.Index(path[0])
		if !ok || i >= len(container) {
			return nil, ErrRestore
		}
		inner, err := c.restoreAt(container[i], path[1:], member)
		if err != nil {
			return nil, err
		}
		changed := append([]any{}, container...)
		changed[i] = inner
		return changed, nil
	case nil:
		return c.restoreAt(jsondoc.NewObject(), path, member)
	}
	return nil, ErrRestore
}
