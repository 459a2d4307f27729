package jsondoc

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Lookup finds the value at a JSON Pointer (RFC 6901), without the white space
// that its text has. It reports false for a pointer that leads nowhere, or is
// none.
func Lookup(document json.RawMessage, pointer string) (json.RawMessage, bool) {
	path, ok := tokens(pointer)
	if !ok || !json.Valid(document) {
		return nil, false
	}
	value := bytes.TrimSpace(document)
	for _, name := range path {
		var members map[string]json.RawMessage
		var elements []json.RawMessage
		switch value[0] {
		case '{':
			if json.Unmarshal(value, &members) != nil {
				return nil, false
			}
			value, ok = members[name]
		case '[':
			at, isIndex := index(name)
			if json.Unmarshal(value, &elements) != nil || !isIndex || at >= len(elements) {
				return nil, false
			}
			value = elements[at]
		default:
			ok = false
		}
		if !ok {
			return nil, false
		}
	}
	var compact bytes.Buffer
	if json.Compact(&compact, value) != nil {
		return nil, false
	}
	return compact.Bytes(), true
}

// Parent is the pointer of what holds the value at a pointer. The whole document
// has no parent.
func Parent(pointer string) (string, bool) {
	i := strings.LastIndexByte(pointer, '/')
	if i < 0 {
		return "", false
	}
	return pointer[:i], true
}
