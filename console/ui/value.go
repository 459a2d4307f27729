package ui

import (
	"bytes"
	"encoding/json"
)

// member is a member of an object as it is shown.
type member struct{ Name, Text string }

// membersOf returns the members of an object in their order, nil for another value.
func membersOf(value json.RawMessage) []member {
	decoder := json.NewDecoder(bytes.NewReader(value))
	if start, err := decoder.Token(); err != nil || start != json.Delim('{') {
		return nil
	}
	members := []member{}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return nil
		}
		var content json.RawMessage
		if err := decoder.Decode(&content); err != nil {
			return nil
		}
		text := Indented(content)
		// A text is shown without quotes, anything else as it is.
		_ = json.Unmarshal(content, &text)
		members = append(members, member{Name: Label(name.(string)), Text: text}) //nolint:forcetypeassert,errcheck // names are texts
	}
	return members
}

// Indented returns JSON with a line for each member.
func Indented(value json.RawMessage) string {
	var out bytes.Buffer
	if json.Indent(&out, value, "", "  ") != nil {
		return string(value)
	}
	return out.String()
}
