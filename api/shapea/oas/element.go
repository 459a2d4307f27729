package oasa

import "encoding/json"

// ElementValue is a value of an element of a process or of a task. The contract
// tells its types apart, which all have the same members; Value is kept as text,
// so that numbers keep their digits, and is nil where there is none.
type ElementValue struct {
	Valid *bool           `json:"valid,omitempty"`
	Type  string          `json:"type"`
	Value json.RawMessage `json:"value,omitempty"`
}
