package storage

import (
	"encoding/json"
	"fmt"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/filter"
	"github.com/procession-dev/procession/persistence"
)

// IndexedValues returns the members of an object that it can be found by. A member
// that is absent or not of the type of its index is none of them: texts and
// dates are strings, numbers are numbers.
func IndexedValues(object json.RawMessage, indexed []domain.IndexedMember) ([]persistence.IndexedValue, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(object, &members); err != nil {
		return nil, fmt.Errorf("indexing a value: %w", err)
	}
	var values []persistence.IndexedValue
	for _, index := range indexed {
		text, ok := indexOperand(members[index.Field], index.Type)
		if !ok {
			continue
		}
		if normal, err := filter.Normalize(index.Type, text); err == nil {
			values = append(values, persistence.IndexedValue{Field: index.Field, Type: index.Type, Value: normal})
		}
	}
	return values, nil
}

// indexOperand returns a JSON value as an expression would write it, and whether it is one
// that can be of the type.
func indexOperand(value json.RawMessage, t filter.Type) (string, bool) {
	if len(value) == 0 {
		return "", false
	}
	if t == filter.Number {
		return string(value), value[0] != '"'
	}
	var text string
	if value[0] != '"' || json.Unmarshal(value, &text) != nil {
		return "", false
	}
	return text, true
}
