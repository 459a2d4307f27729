package manifest

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/procession-dev/procession/domain/jsontext"
)

type nodeKind int

const (
	scalar nodeKind = iota
	object
	list
)

// A node is a value of a document and the place where it stood.
type node struct {
	kind         nodeKind
	line, column int
	// text is the JSON of a scalar.
	text     []byte
	members  []member
	elements []*node
}

// A member is a name with its value. Its place is that of its name.
type member struct {
	name         string
	line, column int
	value        *node
}

func (n *node) fail(file, format string, args ...any) error {
	return &Error{File: file, Line: n.line, Column: n.column, Message: fmt.Sprintf(format, args...)}
}

// get returns the value of a member, nil if there is none.
func (n *node) get(name string) *member {
	for i := range n.members {
		if n.members[i].name == name {
			return &n.members[i]
		}
	}
	return nil
}

// drop removes a member, if there is one.
func (n *node) drop(name string) {
	n.members = slices.DeleteFunc(n.members, func(m member) bool { return m.name == name })
}

// find returns a node with the place of what a JSON Pointer leads to, or of what
// exists on the way.
func (n *node) find(pointer string) *node {
	place := n
	tokens, _ := jsontext.SplitPointer(pointer)
	for _, token := range tokens {
		switch n.kind {
		case object:
			m := n.get(token)
			if m == nil {
				return place
			}
			n, place = m.value, &node{line: m.line, column: m.column}
		case list:
			i, ok := jsontext.Index(token)
			if !ok || i >= len(n.elements) {
				return place
			}
			n, place = n.elements[i], n.elements[i]
		case scalar:
			return place
		}
	}
	return place
}

// write appends the value as compact JSON.
func (n *node) write(out *bytes.Buffer) {
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
			n.members[i].value.write(out)
		}
		out.WriteByte('}')
	case list:
		out.WriteByte('[')
		for i, element := range n.elements {
			if i > 0 {
				out.WriteByte(',')
			}
			element.write(out)
		}
		out.WriteByte(']')
	}
}
