package jsondoc

import (
	"errors"
	"maps"
	"slices"
)

var errOnUpdate = errors.New("must be an array of different names of properties, or true or false within the subschema of a property")

// readOnUpdate lists the properties that a subschema requires on an update, by its own keyword or by the keyword true
// in their subschemas.
func readOnUpdate(keywords map[string]any) ([]string, error) {
	names := map[string]bool{}
	switch own := keywords[keywordRequiredOnUpdate].(type) {
	case nil:
		if _, present := keywords[keywordRequiredOnUpdate]; present {
			return nil, errOnUpdate
		}
	case bool:
		// The subschema of the enclosing object reads this.
	case []any:
		for _, element := range own {
			name, ok := element.(string)
			if !ok || names[name] {
				return nil, errOnUpdate
			}
			names[name] = true
		}
	default:
		return nil, errOnUpdate
	}
	properties, _ := keywords["properties"].(map[string]any)
	for name, property := range properties {
		subschema, _ := property.(map[string]any)
		if required, _ := subschema[keywordRequiredOnUpdate].(bool); required {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names)), nil
}
