// Package shapea is a client of version 2022-10-08 of the REST API, generated from its contract, with the operations
// of the inspection and a type for values of elements.
package shapea

import (
	"encoding/json"

	"github.com/procession-dev/procession/sdk"
)

//go:generate ../../../bin/tools/oapi-codegen -templates ../../../api/templates -config cfg.yaml ../../../api/openapi/shape_a.yaml

// New returns a client of this version with the credentials of c.
func New(c *procession.Client) (*Client, error) {
	return NewClient(c.Endpoint()+"/v2022-10-08", WithHTTPClient(c))
}

// ElementValue is a value of an element. Value is JSON of its type; numbers keep their digits. Valid reports whether the
// value is valid for the element's definition; nil means yes.
type ElementValue struct {
	Valid *bool           `json:"valid,omitempty"`
	Type  string          `json:"type"`
	Value json.RawMessage `json:"value,omitempty"`
}

// IsValid reports whether there is a value and it is valid.
func (v ElementValue) IsValid() bool {
	return v.Value != nil && string(v.Value) != "null" && (v.Valid == nil || *v.Valid)
}

// First returns the first value of an element, or one without a value.
func First(values map[string][]ElementValue, code string) ElementValue {
	if len(values[code]) == 0 {
		return ElementValue{}
	}
	return values[code][0]
}
