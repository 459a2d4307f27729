package jsondoc

import (
	"bytes"

	"github.com/procession-dev/procession/domain/jsontext"
)

// A node is a value of a document. Its text is parsed one level deep, and only once a patch reaches into it, so
// that values that no patch changes keep their text. After expansion only the first byte of text, its kind, is
// used.
type node struct {
	text     []byte
	open     bool
	members  []member
	elements []*node
}

// A member keeps its name as spelled, quotes included, besides the decoded name.
type member struct {
	key   string
	name  []byte
	value *node
}

// newNode returns the node of a text that jsontext.Valid accepts.
func newNode(text []byte) *node { return &node{text: bytes.TrimSpace(text)} }

func (n *node) isObject() bool { return n.text[0] == '{' }
func (n *node) isArray() bool  { return n.text[0] == '[' }

// expand reads the members or the elements of a container.
func (n *node) expand() {
	if n.open || !n.isObject() && !n.isArray() {
		return
	}
	n.open = true
	r := jsontext.NewLooseReader(n.text)
	if n.isObject() {
		for name := range r.Members() {
			n.members = append(n.members, member{key: jsontext.Key(name), name: name, value: &node{text: r.Raw()}})
		}
		return
	}
	for range r.Elements() {
		n.elements = append(n.elements, &node{text: r.Raw()})
	}
}

// find returns the index of a member of an expanded object, or -1.
func (n *node) find(key string) int {
	for i := range n.members {
		if n.members[i].key == key {
			return i
		}
	}
	return -1
}

func (n *node) size() int { return len(n.members) + len(n.elements) }

// write appends the text of the value to out.
func (n *node) write(out *bytes.Buffer) {
	if !n.open {
		out.Write(n.text)
		return
	}
	out.WriteByte(n.text[0])
	for i, m := range n.members {
		if i > 0 {
			out.WriteByte(',')
		}
		out.Write(m.name)
		out.WriteByte(':')
		m.value.write(out)
	}
	for i, element := range n.elements {
		if i > 0 {
			out.WriteByte(',')
		}
		element.write(out)
	}
	// In ASCII the closing bracket of either kind is two after the opening one.
	out.WriteByte(n.text[0] + 2)
}
