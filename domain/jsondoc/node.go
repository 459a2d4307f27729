package jsondoc

import (
	"bytes"

	"github.com/procession-dev/procession/domain/jsontext"
)

// A node is a value of a document. Its text is parsed one level deep, and only once something reaches into it.
type node struct {
	text     []byte
	open     bool
	members  []member
	elements []*node
}

// A member has its name decoded.
type member struct {
	key   string
	value *node
}

// newNode returns the node of a text that jsontext.Valid accepts.
func newNode(text []byte) *node { return &node{text: bytes.TrimSpace(text)} }

// expand reads the members or the elements of a container.
func (n *node) expand() {
	if n.open {
		return
	}
	n.open = true
	r := jsontext.NewLooseReader(n.text)
	switch r.Kind() {
	case '{':
		for name := range r.Members() {
			n.members = append(n.members, member{key: jsontext.Key(name), value: &node{text: r.Raw()}})
		}
	case '[':
		for range r.Elements() {
			n.elements = append(n.elements, &node{text: r.Raw()})
		}
	}
}

// at returns the member or element of an expanded value, or nil.
func (n *node) at(key string) *node {
	for _, m := range n.members {
		if m.key == key {
			return m.value
		}
	}
	if i, ok := jsontext.Index(key); ok && i < len(n.elements) {
		return n.elements[i]
	}
	return nil
}
