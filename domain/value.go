package domain

import "encoding/json"

// JSONValue is a JSON object with the result of its validation (specification section 2.6). Value is stored as
// text, so that numbers, key order and escapes are preserved. A value that violates its schema is stored as
// well, with Valid false and Errors filled.
type JSONValue struct {
	Valid  bool
	Value  json.RawMessage
	Errors []ValueError
}

// ValueError is one violation. PropertyPath is a JSON Pointer (RFC 6901) into
// the value; Type is the JSON Schema keyword that failed, or ItemPending, ItemInvalid
// or ItemUnavailable of a reference to an item of a data source. Those have a Message
// for people, and a Check, which is for the service alone.
type ValueError struct {
	PropertyPath string      `json:"propertyPath"`
	Type         string      `json:"type"`
	Message      string      `json:"message,omitempty"`
	Check        *ValueCheck `json:"check,omitempty"`
}
