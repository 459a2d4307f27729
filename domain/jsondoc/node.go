package jsondoc

import (
	"bytes"
	"slices"

	"github.com/procession-dev/procession/domain/jsontext"
)

// A node is a value of a document. Its text is parsed one level deep, and only once a patch reaches into it, so
// that unchanged values keep their text. After expansion only the first byte of text, its kind, is used.
type node struct {
	text     []byte
	open     bool
	members  []member
	elements []*node
	// places maps names to indexes of members.
	places map[string]int
}

// A member has its decoded name and the name as spelled, with quotes. The value of a removed member is nil.
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
	if n.isArray() {
		for range r.Elements() {
			n.elements = append(n.elements, &node{text: r.Raw()})
		}
		return
	}
	n.places = map[string]int{}
	for name := range r.Members() {
		n.put(member{key: jsontext.Key(name), name: name, value: &node{text: r.Raw()}})
	}
}

// put sets a member of an expanded object. A new one is the last.
func (n *node) put(m member) {
	if i, ok := n.places[m.key]; ok {
		n.members[i].value = m.value
		return
	}
	n.places[m.key] = len(n.members)
	n.members = append(n.members, m)
}

// childAt returns the member or element of an expanded value, or nil.
func (n *node) childAt(key string) *node {
	if i, ok := n.places[key]; ok {
		return n.members[i].value
	}
	if i, ok := jsontext.Index(key); ok && i < len(n.elements) {
		return n.elements[i]
	}
	return nil
}

// remove removes a member or an element of an expanded value, which must exist.
func (n *node) remove(key string) {
	if i, ok := n.places[key]; ok {
		n.members[i].value = nil
		delete(n.places, key)
	} else if i, ok := jsontext.Index(key); ok {
		n.elements = slices.Delete(n.elements, i, i+1)
	}
}

// writeText appends the text of the value to out.
func (n *node) writeText(out *bytes.Buffer) {
	if !n.open {
		out.Write(n.text)
		return
	}
	out.WriteByte(n.text[0])
	separator := ""
	for _, m := range n.members {
		if m.value == nil {
			continue
		}
		out.WriteString(separator)
		out.Write(m.name)
		out.WriteByte(':')
		m.value.writeText(out)
		separator = ","
	}
	for _, element := range n.elements {
		out.WriteString(separator)
		element.writeText(out)
		separator = ","
	}
	// In ASCII the closing bracket of either kind is two after the opening one.
	out.WriteByte(n.text[0] + 2)
}
