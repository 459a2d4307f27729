package assistance

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/procession-dev/procession/domain/kuflowref"
)

// Fill replaces each {{ path }} of a template by the member of values at the
// path, a list of names joined by dots. Strings are inserted as they are,
// references by their names, and objects and arrays as JSON; an absent member
// is replaced by the empty string. Inserted text is not expanded again.
func Fill(template string, values json.RawMessage) string {
	var filled strings.Builder
	for rest := template; ; {
		before, after, found := strings.Cut(rest, "{{")
		filled.WriteString(before)
		path, next, closed := strings.Cut(after, "}}")
		if !found {
			return filled.String()
		}
		if !closed {
			filled.WriteString("{{" + after)
			return filled.String()
		}
		filled.WriteString(memberText(values, strings.Split(strings.TrimSpace(path), ".")))
		rest = next
	}
}

func memberText(value json.RawMessage, path []string) string {
	for _, name := range path {
		var object map[string]json.RawMessage
		if json.Unmarshal(value, &object) != nil {
			return ""
		}
		value = object[name]
	}
	value = bytes.TrimSpace(value)
	if len(value) == 0 || string(value) == "null" {
		return ""
	}
	if value[0] != '"' {
		return string(value)
	}
	var text string
	if json.Unmarshal(value, &text) != nil {
		return ""
	}
	return nameOf(text)
}

// nameOf returns the name in a reference, or other text unchanged: models do not get the addresses of documents.
func nameOf(text string) string {
	found, ok := kuflowref.Parse(text)
	if !ok {
		return text
	}
	switch r := found.(type) {
	case kuflowref.File:
		return r.Name
	case kuflowref.Principal:
		return r.Name
	case kuflowref.Group:
		return r.Name
	case kuflowref.BusinessArtifact:
		return r.Title
	case kuflowref.DataSource:
		return r.Name
	case kuflowref.Process:
		return r.Name
	}
	return text
}
