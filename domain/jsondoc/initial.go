package jsondoc

import "encoding/json"

// Initial returns the value of a new resource. A missing value is an empty object if there is a schema, and stays nil
// otherwise.
func (s *Schema) Initial(value json.RawMessage) json.RawMessage {
	if value == nil && s != nil {
		return json.RawMessage("{}")
	}
	return value
}
