package form

import (
	"encoding/json"

	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/domain/jsontext"
)

// lookUp follows a path through objects and arrays.
func lookUp(value any, path []string) (any, bool) {
	for _, token := range path {
		var ok bool
		switch v := value.(type) {
		case *object:
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

// extendPath returns a longer path that shares no memory with path.
func extendPath(path []string, more ...string) []string {
	longer := make([]string, 0, len(path)+len(more))
	return append(append(longer, path...), more...)
}

// Equal reports whether two JSON texts have equal values.
func Equal(a, b json.RawMessage) bool {
	x, err := jsondoc.Decode(a, maxSelectDepth)
	y, other := jsondoc.Decode(b, maxSelectDepth)
	return err == nil && other == nil && jsondoc.Equal(x, y)
}
