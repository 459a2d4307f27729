package form

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/domain/jsontext"
)

type (
	object = jsondoc.Object
	deep   = jsondoc.Deep
)

// isEmpty reports whether a value has no content to show.
func isEmpty(value any) bool {
	switch v := value.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case []any:
		return len(v) == 0
	case *object:
		return len(v.Names) == 0
	}
	return false
}

// jsonText returns a value as compact JSON.
func jsonText(value any) json.RawMessage {
	text, err := jsontext.Marshal(value)
	if err != nil {
		return json.RawMessage("null") // Values that were decoded can be encoded.
	}
	return text
}

// Compact returns a JSON text without insignificant white space. Numbers and the order of members stay.
func Compact(text json.RawMessage) (json.RawMessage, error) {
	value, err := jsondoc.DecodeExactly(text, maxSelectDepth)
	if err != nil {
		return nil, fmt.Errorf("reading a value: %w", err)
	}
	return jsonText(value), nil
}

// LocateFault returns the line and the character at which a text stops being JSON, counted from 1.
func LocateFault(text string) (line, character int) {
	var value any
	var fault *json.SyntaxError
	before := text
	if err := json.Unmarshal([]byte(text), &value); errors.As(err, &fault) && fault.Offset > 0 && int(fault.Offset) <= len(text) {
		before = text[:fault.Offset-1]
	}
	return strings.Count(before, "\n") + 1, utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
}
