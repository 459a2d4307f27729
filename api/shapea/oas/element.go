package oasa

import "encoding/json"

// ElementValue is a value of an element of a process or of a task. The types of
// the contract have the same members. Value is text, so that numbers keep their
// digits, and nil where there is none.
type ElementValue struct {
	Valid *bool           `json:"valid,omitempty"`
	Type  string          `json:"type"`
	Value json.RawMessage `json:"value,omitempty"`
}
