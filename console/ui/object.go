package ui

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/procession-dev/procession/domain"
)

// Names of the parameters in which an object is posted: each member by itself, or the
// whole as JSON.
const (
	memberPrefix = "m."
	objectText   = "json"
)

// Member is a member of an object as a form asks for it.
type Member struct {
	Name, Title string
	// Type is one of "string", "number", "integer" and "boolean".
	Type string
	// Input is the type of the input element.
	Input    string
	Options  []string
	Required bool
	// Value is what the form begins with.
	Value string
}

// schemaOfMember is as much of a JSON Schema as a single field needs.
type schemaOfMember struct {
	Type   json.RawMessage   `json:"type"`
	Title  string            `json:"title"`
	Format string            `json:"format"`
	Enum   []json.RawMessage `json:"enum"`
}

// Members returns the members that a schema asks for where each is a single text, number
// or choice, with the values of an object. simple is false for other schemas, whose
// objects are entered as JSON.
func Members(schema, value json.RawMessage) (members []Member, simple bool) {
	var whole struct {
		Properties json.RawMessage `json:"properties"`
		Required   []string        `json:"required"`
	}
	if json.Unmarshal(schema, &whole) != nil || len(whole.Properties) == 0 {
		return nil, false
	}
	values := map[string]json.RawMessage{}
	// A value that is no object has no members to begin with.
	_ = json.Unmarshal(value, &values)
	simple = eachMember(whole.Properties, func(name string, schema json.RawMessage) bool {
		var of schemaOfMember
		m := Member{Name: name, Required: slices.Contains(whole.Required, name)}
		if json.Unmarshal(schema, &of) != nil || !m.read(&of) {
			return false
		}
		if given, has := values[name]; has {
			m.Value = plain(given)
		}
		members = append(members, m)
		return true
	})
	if !simple {
		return nil, false
	}
	return members, true
}

// read fills the member in from its schema, and reports whether one field is enough.
func (m *Member) read(of *schemaOfMember) bool {
	if m.Title = of.Title; m.Title == "" {
		m.Title = Label(m.Name)
	}
	m.Type, m.Input = "string", "text"
	if len(of.Type) > 0 && json.Unmarshal(of.Type, &m.Type) != nil {
		return false
	}
	for _, option := range of.Enum {
		m.Options = append(m.Options, plain(option))
	}
	switch m.Type {
	case "string":
		switch of.Format {
		case "date", "email":
			m.Input = of.Format
		case "", "uri", "date-time":
		default:
			return false
		}
		return true
	case "number", "integer":
		return true
	case "boolean":
		m.Options = []string{"true", "false"}
		return true
	}
	return false
}

// plain returns a text without its quotes, and other JSON as it is.
func plain(value json.RawMessage) string {
	text := string(value)
	_ = json.Unmarshal(value, &text)
	return text
}

// ReadObject returns the object that a form of ObjectForm was posted with, as the schema
// describes it; nil for one without members. Text that is no JSON is a VALIDATION error.
func ReadObject(form url.Values, schema json.RawMessage) (json.RawMessage, error) {
	if text := strings.TrimSpace(form.Get(objectText)); text != "" {
		if !json.Valid([]byte(text)) {
			return nil, domain.Invalid(domain.LocationBody, "", "the text is not JSON: check its commas, quotes and braces")
		}
		return json.RawMessage(text), nil
	}
	members, _ := Members(schema, nil)
	object := map[string]json.RawMessage{}
	for _, m := range members {
		text := strings.TrimSpace(form.Get(memberPrefix + m.Name))
		if text == "" {
			continue
		}
		if m.Type != "string" && json.Valid([]byte(text)) {
			object[m.Name] = json.RawMessage(text)
			continue
		}
		value, err := json.Marshal(text)
		if err != nil {
			return nil, err
		}
		object[m.Name] = value
	}
	if len(object) == 0 {
		return nil, nil
	}
	return json.Marshal(object)
}

// Entered returns the object that a form was posted with, for showing it again.
func Entered(form url.Values, schema json.RawMessage) json.RawMessage {
	if form == nil {
		return nil
	}
	object, err := ReadObject(form, schema)
	if err != nil {
		return json.RawMessage(form.Get(objectText))
	}
	return object
}

func optionText(ctx context.Context, m Member, option string) string {
	switch {
	case m.Type != "boolean":
		return option
	case option == "true":
		return T(ctx, "Yes")
	}
	return T(ctx, "No")
}
