package jsondoc

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/procession-dev/procession/domain/jsontext"
)

// Lookup returns the compact text of the value at a JSON Pointer (RFC 6901). It returns false for a pointer that
// is malformed or has no value.
func Lookup(document json.RawMessage, pointer string) (json.RawMessage, bool) {
	path, ok := jsontext.SplitPointer(pointer)
	if !ok || !jsontext.Valid(document) {
		return nil, false
	}
	value, err := (&tree{root: newNode(document)}).valueAt(path)
	if err != nil {
		return nil, false
	}
	var compact bytes.Buffer
	if json.Compact(&compact, value.text) != nil {
		return nil, false
	}
	return compact.Bytes(), true
}

// Parent returns the pointer of the container of the value at a pointer. It returns false for the whole
// document.
func Parent(pointer string) (string, bool) {
	i := strings.LastIndexByte(pointer, '/')
	if i < 0 {
		return "", false
	}
	return pointer[:i], true
}
