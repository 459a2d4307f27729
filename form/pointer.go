package form

import (
	"strconv"
	"strings"
)

// parsePointer reads a JSON Pointer (RFC 6901).
func parsePointer(text string) ([]string, bool) {
	if text == "" {
		return nil, true
	}
	rest, ok := strings.CutPrefix(text, "/")
	if !ok {
		return nil, false
	}
	path := strings.Split(rest, "/")
	for i, token := range path {
		path[i] = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
	}
	return path, true
}

// pointerOf writes a JSON Pointer.
func pointerOf(path []string) string {
	var text strings.Builder
	for _, token := range path {
		text.WriteByte('/')
		text.WriteString(strings.ReplaceAll(strings.ReplaceAll(token, "~", "~0"), "/", "~1"))
	}
	return text.String()
}

// lookUp follows a path through objects and arrays.
func lookUp(value any, path []string) (any, bool) {
	for _, token := range path {
		var ok bool
		switch v := value.(type) {
		case *object:
			value, ok = v.get(token)
		case []any:
			index, err := strconv.Atoi(token)
			if ok = err == nil && index >= 0 && index < len(v) && strconv.Itoa(index) == token; ok {
				value = v[index]
			}
		}
		if !ok {
			return nil, false
		}
	}
	return value, true
}

// below is a path that leads on from another, which it does not share memory
// with.
func below(path []string, more ...string) []string {
	longer := make([]string, 0, len(path)+len(more))
	return append(append(longer, path...), more...)
}
