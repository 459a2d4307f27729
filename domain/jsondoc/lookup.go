package jsondoc

import (
	"bytes"
	"encoding/json"
	"net/url"
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

// ValueAt follows a path through the objects and arrays of a decoded value. It returns false if the path leads nowhere.
func ValueAt(value any, path []string) (any, bool) {
	for _, token := range path {
		var ok bool
		switch v := value.(type) {
		case *Object:
			value, ok = v.Get(token)
		case []any:
			var index int
			if index, ok = jsontext.Index(token); ok && index < len(v) {
				value = v[index]
			} else {
				ok = false
			}
		}
		if !ok {
			return nil, false
		}
	}
	return value, true
}

// ScopePath returns the names on the path to the value that a control of JSON Forms is about, from its scope, such as
// #/properties/a/properties/b. Keywords that lead to another schema of the same value, such as anyOf/0 and then, are skipped.
// It returns false for a scope with other keywords.
func ScopePath(scope string) ([]string, bool) {
	fragment, ok := strings.CutPrefix(scope, "#")
	if !ok {
		return nil, false
	}
	if decoded, err := url.PathUnescape(fragment); err == nil {
		fragment = decoded
	}
	tokens, ok := jsontext.SplitPointer(fragment)
	if !ok {
		return nil, false
	}
	path := []string{}
	for i := 0; i < len(tokens); i++ {
		switch keyword := tokens[i]; keyword {
		case "properties":
			if i++; i == len(tokens) {
				return nil, false
			}
			path = append(path, tokens[i])
		case "allOf", "anyOf", "oneOf":
			if i++; i == len(tokens) {
				return nil, false
			}
			if _, ok := jsontext.Index(tokens[i]); !ok {
				return nil, false
			}
		case "then", "else":
		default:
			return nil, false
		}
	}
	return path, true
}
