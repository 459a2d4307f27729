package form

import (
	"slices"
	"strconv"

	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/domain/jsontext"
)

// applyArray sets the rows of an array in its container.
func (c *changer) applyArray(n *Node, path []string, container any) (any, error) {
	full, _ := jsontext.SplitPointer(n.Pointer)
	order, err := c.rowOrder(n)
	if err != nil {
		return nil, err
	}
	rows := map[string][]*Node{}
	for _, row := range n.Rows {
		rows[row.Key] = row.Nodes
	}
	old, _ := n.value.([]any)
	elements := make([]any, 0, len(order))
	var kept []string
	for _, key := range order {
		nodes, exists := rows[key]
		var element any
		if exists {
			index, _ := strconv.Atoi(key)
			element = old[index]
		} else if nodes = n.row(key); n.tuples {
			element = []any{}
		} else if n.Kind != KindList {
			element = jsondoc.NewObject()
		}
		value, present, err := c.applyRow(n, full, key, nodes, element, exists)
		switch {
		case err != nil:
			return nil, err
		case present:
			elements = append(elements, value)
			c.change.keepRow(n.Name, key, len(elements)-1)
			kept = append(kept, key)
		case !exists:
			c.change.addBlank(n.Name, key)
		}
	}
	if !slices.Equal(kept, rowKeys(n.Rows)) {
		c.whole[n.Pointer], c.change.Moved = true, true
	} else if isIdentical(elements, old) {
		return container, nil
	}
	return c.putValue(container, full[len(path):], elements), nil
}

// rowOrder returns the keys of the rows of an array or a map in their new order.
func (c *changer) rowOrder(n *Node) ([]string, error) {
	order, ordered := c.typed.Orders[n.Name]
	order = slices.DeleteFunc(slices.Clone(order), func(key string) bool { return key == "" })
	if n.ReadOnly || !ordered {
		order = rowKeys(n.Rows)
	}
	seen := map[string]bool{}
	for _, key := range order {
		if seen[key] || len(order) > len(n.Rows)+maxNewRows {
			return nil, ErrRows
		}
		seen[key] = true
	}
	return order, nil
}

// applyRow returns an element with the values entered in its row. A new element without content is not present.
func (c *changer) applyRow(n *Node, array []string, key string, nodes []*Node, element any, exists bool) (any, bool, error) {
	if old, isArray := element.([]any); isArray && n.tuples {
		value, err := c.applyElements(nodes, extendPath(array, key), old)
		return value, exists || len(value) > 0, err
	}
	if n.Kind != KindList {
		value, err := c.applyNodes(nodes, extendPath(array, key), element)
		return value, exists || !isIdentical(value, element), err
	}
	// The only control is the element itself.
	holder, err := c.applyNodes(nodes, array, wrapElement(key, element, exists))
	one, _ := holder.(*object)
	value, present := one.Get(key)
	return value, present, err
}

func rowKeys(rows []Row) []string {
	found := make([]string, len(rows))
	for i, row := range rows {
		found[i] = row.Key
	}
	return found
}

func wrapElement(key string, element any, exists bool) *object {
	holder := jsondoc.NewObject()
	if exists {
		holder.Set(key, element)
	}
	return holder
}
