package form

import "github.com/procession-dev/procession/domain/jsontext"

// lookUp follows a path through objects and arrays.
func lookUp(value any, path []string) (any, bool) {
	for _, token := range path {
		var ok bool
		switch v := value.(type) {
		case *object:
			value, ok = v.get(token)
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

// extendPath returns a longer path that shares no memory with path.
func extendPath(path []string, more ...string) []string {
	longer := make([]string, 0, len(path)+len(more))
	return append(append(longer, path...), more...)
}
