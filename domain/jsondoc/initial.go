package jsondoc

import "encoding/json"

// Initial returns the value of a new resource: the given value, an empty object if none was given but there is a
// schema, nil otherwise.
func (s *Schema) Initial(given json.RawMessage) json.RawMessage {
	if given == nil && s != nil {
		return json.RawMessage("{}")
	}
	return given
}
