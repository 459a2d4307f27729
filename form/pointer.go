package form

import (
	"encoding/json"

	"github.com/procession-dev/procession/domain/jsondoc"
)

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
