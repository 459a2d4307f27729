package manifest

import (
	"bytes"
	"slices"

	"github.com/procession-dev/procession/domain/jsontext"
)

type nodeKind int

const (
	scalar nodeKind = iota
	object
	list
)

// A node is a value of a document with its position.
type node struct {
	kind         nodeKind
	line, column int
	// text is the JSON of a scalar.
	text     []byte
	members  []member
	elements []*node
}

// A member is a name with its value. Line and column are the position of the name.
type member struct {
	name         string
	line, column int
	value        *node
}

// findMember returns the member with the name, or nil.
func (n *node) findMember(name string) *member {
	for i := range n.members {
		if n.members[i].name == name {
			return &n.members[i]
		}
	}
	return nil
}

func (n *node) removeMember(name string) {
	n.members = slices.DeleteFunc(n.members, func(m member) bool { return m.name == name })
}

// locate returns a node with the position of the value at a JSON Pointer, or of the
// last existing value on the way to it.
func (n *node) locate(pointer string) *node {
	position := n
	tokens, _ := jsontext.SplitPointer(pointer)
	for _, token := range tokens {
		switch n.kind {
		case object:
			m := n.findMember(token)
			if m == nil {
				return position
			}
			n, position = m.value, &node{line: m.line, column: m.column}
		case list:
			i, ok := jsontext.Index(token)
			if !ok || i >= len(n.elements) {
				return position
			}
			n, position = n.elements[i], n.elements[i]
		case scalar:
			return position
		}
	}
	return position
}

// writeJSON appends the value as compact JSON.
func (n *node) writeJSON(out *bytes.Buffer) {
	switch n.kind {
	case scalar:
		out.Write(n.text)
	case object:
		out.WriteByte('{')
		for i := range n.members {
			if i > 0 {
				out.WriteByte(',')
			}
			out.Write(jsontext.Quote(n.members[i].name))
			out.WriteByte(':')
			n.members[i].value.writeJSON(out)
		}
		out.WriteByte('}')
	case list:
		out.WriteByte('[')
		for i, element := range n.elements {
			if i > 0 {
				out.WriteByte(',')
			}
			element.writeJSON(out)
		}
		out.WriteByte(']')
	}
}
