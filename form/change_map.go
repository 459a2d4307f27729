package form

import (
	"slices"
	"strconv"

	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/domain/jsontext"
)

// applyMap sets the members of a KindMap in its container. A row with a name that another member has, or that the schema does
// not allow, keeps its former name; a new one is left out.
func (c *changer) applyMap(n *Node, path []string, container any) (any, error) {
	full, _ := jsontext.SplitPointer(n.Pointer)
	order, err := c.rowOrder(n)
	if err != nil {
		return nil, err
	}
	found, _ := jsondoc.ValueAt(container, full[len(path):])
	before, _ := found.(*object)
	if before == nil {
		before = jsondoc.NewObject()
	}
	rows := map[string]*Row{}
	for i := range n.Rows {
		rows[n.Rows[i].Key] = &n.Rows[i]
	}
	m := mapChange{node: n, before: before, rows: rows, names: map[string]string{}, values: map[string]any{}}
	for _, key := range order {
		if err := c.applyMember(&m, full, key); err != nil {
			return nil, err
		}
	}
	after, renamed := m.result()
	if slices.Equal(after.Names, before.Names) && isIdentical(after, before) {
		return container, nil
	}
	c.whole[n.Pointer] = c.whole[n.Pointer] || renamed && !n.Mixed
	c.change.Moved = c.change.Moved || !slices.Equal(after.Names, before.Names)
	return c.putValue(container, full[len(path):], after), nil
}

// mapChange is the change of the members of one map.
type mapChange struct {
	node   *Node
	before *object
	rows   map[string]*Row
	// names are the new names of members by their former ones, added the new members, values all values by new names.
	names  map[string]string
	added  []string
	values map[string]any
}

// applyMember reads one row.
func (c *changer) applyMember(m *mapChange, full []string, key string) error {
	row, known := m.rows[key]
	raw := unescapeToken(key)
	var nodes []*Node
	var element any
	if known {
		nodes = row.Nodes
		element = m.before.Members[row.Member]
	} else {
		nodes = m.node.row(key)
	}
	holder, err := c.applyNodes(nodes, full, wrapElement(raw, element, known))
	if err != nil {
		return err
	}
	one, _ := holder.(*object)
	value, present := one.Get(raw)
	rowName := m.node.Name + "/" + key
	name, typed := c.typed.Members[rowName]
	if !typed {
		name = raw
	}
	switch {
	case known && !present:
		return nil
	case known && (name == "" || !m.isFree(name, row.Member)):
		c.refuseName(rowName, name)
		name = row.Member
	case !known && (!typed || name == "" || !present):
		c.change.addBlank(m.node.Name, key)
		return nil
	case !known && !m.isFree(name, ""):
		c.refuseName(rowName, name)
		c.change.addBlank(m.node.Name, key)
		return nil
	}
	if m.values[name] = value; known {
		m.names[row.Member] = name
	} else {
		m.added = append(m.added, name)
	}
	if now := jsontext.EscapeToken(name); now != key {
		c.change.keepKey(m.node.Name, key, now)
	}
	return nil
}

// isFree reports whether a row may get a name: its own one, or an allowed one that no other member has.
func (m *mapChange) isFree(name, own string) bool {
	if name == own {
		return true
	}
	_, taken := m.values[name]
	_, exists := m.before.Get(name)
	return !taken && !exists && m.node.allowsName(name)
}

// result returns the object after the change, in which members keep their order.
func (m *mapChange) result() (after *object, renamed bool) {
	after = jsondoc.NewObject()
	isRow := map[string]bool{}
	for _, row := range m.rows {
		isRow[row.Member] = true
	}
	for _, former := range m.before.Names {
		name, kept := m.names[former]
		switch {
		case kept:
			after.Set(name, m.values[name])
			renamed = renamed || name != former
		case !isRow[former]:
			after.Set(former, m.before.Members[former])
		}
	}
	for _, name := range m.added {
		after.Set(name, m.values[name])
	}
	return after, renamed
}

// refuseName notes a name that a row cannot have.
func (c *changer) refuseName(row, name string) {
	if c.change.Refused == nil {
		c.change.Refused = map[string]string{}
	}
	c.change.Refused[row] = name
}

// applyTuple sets the elements of a KindTuple in its container. Empty fields before others become null.
func (c *changer) applyTuple(n *Node, path []string, container any) (any, error) {
	full, _ := jsontext.SplitPointer(n.Pointer)
	old, _ := n.value.([]any)
	elements, err := c.applyElements(n.Children, full, old)
	if err != nil || isIdentical(elements, old) || len(elements)+len(old) == 0 {
		return container, err
	}
	if len(elements) == 0 && !n.Required {
		return c.putValue(container, full[len(path):], nil), nil
	}
	return c.putValue(container, full[len(path):], elements), nil
}

// applyElements returns the elements that are entered in the nodes of a tuple.
func (c *changer) applyElements(nodes []*Node, path []string, old []any) ([]any, error) {
	holder := jsondoc.NewObject()
	for i, element := range old {
		holder.Set(strconv.Itoa(i), element)
	}
	result, err := c.applyNodes(nodes, path, holder)
	if err != nil {
		return nil, err
	}
	entered, _ := result.(*object)
	elements := []any{}
	for i := range max(len(old), len(nodes)) {
		value, present := entered.Get(strconv.Itoa(i))
		if !present {
			continue
		}
		for len(elements) < i {
			elements = append(elements, nil)
		}
		elements = append(elements, value)
	}
	return elements, nil
}
