package jsondoc

import "encoding/json"

// Initial is what a new resource has: the value that was given, an empty object
// where none was given but there is a schema, nil otherwise.
func (s *Schema) Initial(given json.RawMessage) json.RawMessage {
	if given == nil && s != nil {
		return json.RawMessage("{}")
	}
	return given
}
