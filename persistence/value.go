package persistence

import (
	"encoding/json"
	"fmt"

	"github.com/procession-dev/procession/domain"
)

// storedValue is a validated JSON value as stored in three columns: the document, whether it is valid, and its
// violations, NULL when there are none.
type storedValue struct {
	document []byte
	valid    *bool
	errors   []byte
}

func (v storedValue) value() (*domain.JSONValue, error) {
	if v.document == nil {
		return nil, nil
	}
	value := &domain.JSONValue{Value: v.document, Valid: v.valid != nil && *v.valid}
	if v.errors != nil {
		if err := json.Unmarshal(v.errors, &value.Errors); err != nil {
			return nil, fmt.Errorf("reading stored violations: %w", err)
		}
	}
	return value, nil
}

// store is the reverse of value.
func store(value *domain.JSONValue) (storedValue, error) {
	if value == nil {
		return storedValue{}, nil
	}
	stored := storedValue{document: value.Value, valid: &value.Valid}
	if len(value.Errors) > 0 {
		var err error
		if stored.errors, err = json.Marshal(value.Errors); err != nil {
			return storedValue{}, fmt.Errorf("writing violations: %w", err)
		}
	}
	return stored, nil
}

// jsonOrNull maps an absent document to NULL.
func jsonOrNull(document json.RawMessage) []byte {
	if len(document) == 0 {
		return nil
	}
	return document
}
