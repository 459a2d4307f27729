package definitions

import (
	"encoding/json"

	"github.com/procession-dev/procession/console/resources"
)

// pinnedText writes the schemas of data structures that a version pins.
func pinnedText(structures map[string]json.RawMessage) (string, error) {
	if len(structures) == 0 {
		return "", nil
	}
	text, err := resources.FormatValue(map[string]any{"pinnedDataStructures": structures})
	return "---\n" + text, err
}
