package form

import (
	"slices"
	"strconv"

	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/domain/jsontext"
)

// setMap creates a row for each member of an object that the schema does not name. The key of a row is the name of its
// member, as a token of a pointer.
func (b *editorBuilder) setMap(n *Node, p *jsondoc.Place, value *object, a site) {
	n.Kind = KindMap
	row := func(item *jsondoc.Place, name string, value any, present bool) []*Node {
		one := b.entryNode(item, a.child(name), value, present)
		one.Label = b.labels.Value
		return []*Node{b.wrapChoices(one, item, a.child(name))}
	}
	n.row = func(key string) []*Node {
		name := unescapeToken(key)
		return row(p.NewMember(name), name, nil, false)
	}
	n.allowsName = func(name string) bool { return findNamed(p, name) == nil && p.AllowsName(name) }
	n.Endless = p.NewMember(blankKey).IsRecursive() && !p.Present()
	if value == nil || n.Endless {
		return
	}
	members := p.Members()
	for _, name := range value.Names {
		if name == "" || findNamed(p, name) != nil || slices.Contains(members.Stray, name) {
			continue
		}
		if len(n.Rows) == b.limits.Rows || b.exceedsLimit() {
			n.Kind, n.Reason, n.Rows = KindJSON, ReasonLimit, nil
			return
		}
		n.Rows = append(n.Rows, Row{
			Key: jsontext.EscapeToken(name), Member: name, Nodes: row(p.Member(name), name, value.Members[name], true),
		})
	}
}

// mapNodes returns the rows of the members that an object has besides the named ones, if the schema describes them.
func (b *editorBuilder) mapNodes(p *jsondoc.Place, value *object, a site) []*Node {
	if !hasFields(p) || !p.Members().Typed || len(a.path) > b.limits.Depth || b.exceeded {
		return nil
	}
	n := &Node{
		Pointer: jsontext.JoinPointer(a.path...), Name: jsontext.JoinPointer(a.name...), Label: b.labels.Other, Bounds: noBounds(),
		Hidden: a.hidden, Disabled: a.disabled, ReadOnly: a.readOnly, Mixed: true, value: value, present: value != nil,
	}
	b.setMap(n, p, value, a)
	if n.Kind != KindMap || n.Endless {
		return nil
	}
	if object := b.editor.nodes[n.Pointer]; object != nil {
		object.row = n.row
	}
	return []*Node{n}
}

func noBounds() Bounds { return Bounds{MinLength: -1, MaxLength: -1, MinItems: -1, MaxItems: -1} }

func unescapeToken(token string) string {
	path, _ := jsontext.SplitPointer("/" + token)
	if len(path) != 1 {
		return token
	}
	return path[0]
}

// entryNode creates the control of an entry of an array or a map.
func (b *editorBuilder) entryNode(item *jsondoc.Place, here site, value any, present bool) *Node {
	one := b.newNode(here, item, nil)
	if item.Annotations().Title == "" {
		one.Label, one.LabelLang = b.entryLabel(here.path[len(here.path)-1]), ""
	}
	one.value, one.present = value, present
	one.setAside(item)
	one.Required = one.Types == jsondoc.TypeBoolean // An entry is true or false.
	b.setControl(one, nil, item, here)
	one.compareReading(item)
	return one
}

// entryLabel returns the label of the entry of an array by its token in a pointer.
func (b *editorBuilder) entryLabel(token string) string {
	if i, ok := jsontext.Index(token); ok {
		return b.labels.Entry + " " + strconv.Itoa(i+1)
	}
	return b.labels.Entry
}
