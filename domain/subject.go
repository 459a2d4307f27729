package domain

import (
	"bytes"
	"encoding/json"
	"strings"
)

// maxSubject is the maximum length of the subject of a process, in characters.
const maxSubject = 255

// NewSubject returns the default subject of a process: the template with members of the metadata, or the name of the
// definition. Members that are absent or not scalar are omitted.
func NewSubject(template, name string, metadata json.RawMessage) string {
	if subject := fillTemplate(template, metadata); subject != "" {
		return subject
	}
	return cutText(name)
}

func fillTemplate(template string, metadata json.RawMessage) string {
	var filled strings.Builder
	for rest := template; ; {
		before, after, found := strings.Cut(rest, "{{")
		filled.WriteString(before)
		if !found {
			break
		}
		path, next, _ := strings.Cut(after, "}}")
		filled.WriteString(plainMember(metadata, strings.Split(strings.TrimSpace(path), ".")))
		rest = next
	}
	return cutText(strings.ReplaceAll(filled.String(), "\x00", ""))
}

// plainMember returns the text of a string, a number or a boolean within an object, "" when there is none at the
// path.
func plainMember(value json.RawMessage, path []string) string {
	for _, name := range path {
		var object map[string]json.RawMessage
		if json.Unmarshal(value, &object) != nil {
			return ""
		}
		value = object[name]
	}
	value = bytes.TrimSpace(value)
	if len(value) == 0 {
		return ""
	}
	switch value[0] {
	case '"':
		var text string
		if json.Unmarshal(value, &text) != nil {
			return ""
		}
		return text
	case '{', '[', 'n':
		return ""
	}
	return string(value)
}

func cutText(text string) string {
	text = strings.TrimSpace(text)
	if runes := []rune(text); len(runes) > maxSubject {
		return strings.TrimSpace(string(runes[:maxSubject]))
	}
	return text
}
