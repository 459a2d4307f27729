package jsondoc

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// A node is a value of a document. Its text is read one level deep, and only
// once a patch reaches into it, so that whatever no patch touches stays as it
// is. Once it is open, text gives away its kind and nothing else.
type node struct {
	text     []byte
	open     bool
	members  []member
	elements []*node
}

// A member keeps its name as it was spelled, quotes included, besides what the
// name stands for.
type member struct {
	key   string
	name  []byte
	value *node
}

func newNode(text []byte) *node {
	from := space(text, 0)
	return &node{text: text[from:skip(text, from)]}
}

func (n *node) isObject() bool { return n.text[0] == '{' }
func (n *node) isArray() bool  { return n.text[0] == '[' }

// expand reads the members or the elements of a container.
func (n *node) expand() {
	if n.open || !n.isObject() && !n.isArray() {
		return
	}
	n.open = true
	text := n.text
	for i := space(text, 1); text[i] != '}' && text[i] != ']'; {
		var name []byte
		if n.isObject() {
			end := skipString(text, i)
			name = text[i:end]
			colon := space(text, end)
			i = space(text, colon+1)
		}
		end := skip(text, i)
		value := &node{text: text[i:end]}
		if n.isObject() {
			n.members = append(n.members, member{key: unquote(name), name: name, value: value})
		} else {
			n.elements = append(n.elements, value)
		}
		if i = space(text, end); text[i] == ',' {
			i = space(text, i+1)
		}
	}
}

// find returns the place of a member of an open object, or -1.
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

// unquote returns what the text of a string stands for.
func unquote(text []byte) string {
	if bytes.IndexByte(text, '\\') < 0 {
		return string(text[1 : len(text)-1])
	}
	var s string
	if json.Unmarshal(text, &s) != nil || strings.ContainsRune(s, utf8.RuneError) {
		// Half a surrogate pair has no counterpart in a Go string: such a string
		// equals only what is spelled alike. No UTF-8 begins with this byte.
		return "\xff" + string(text)
	}
	return s
}

// quote is the opposite of unquote.
func quote(s string) []byte {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	// A string always encodes.
	_ = encoder.Encode(s) //nolint:errchkjson // see above
	return bytes.TrimSpace(text.Bytes())
}
