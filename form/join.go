package form

import (
	"encoding/json"
	"strings"

	"github.com/procession-dev/procession/domain/jsontext"
)

// Part is a value that is entered in one form with others.
type Part struct {
	// Name is the name of the member that the value becomes.
	Name string
	// Label is the heading of the part, "" for none.
	Label string
	// Schema, UISchema and Value may be nil.
	Schema, UISchema, Value json.RawMessage
}

// Join returns the input of a form for several values: an object with a member for each
// part, which stay as they are. References within a schema lead to the same places as
// before.
func Join(parts ...Part) (Input, error) {
	properties, value, elements := newObject(), newObject(), []any{}
	for i := range parts {
		part := &parts[i]
		place := []string{"properties", part.Name}
		schema, err := decode(part.Schema, maxSchemaDepth)
		if err != nil {
			return Input{}, err
		}
		if schema == nil {
			schema = newObject()
		}
		properties.set(part.Name, moved(schema, "$ref", "#"+jsontext.JoinPointer(place...)))
		layout, err := decode(part.UISchema, maxSchemaDepth)
		if err != nil {
			return Input{}, err
		}
		if layout == nil {
			layout = membersLayout(schema)
		}
		elements = append(elements, group(part.Label, moved(layout, "scope", "#"+jsontext.JoinPointer(place...))))
		content, err := decodeExactly(part.Value, maxSelectDepth)
		if err != nil {
			return Input{}, err
		}
		if content != nil {
			value.set(part.Name, content)
		}
	}
	schema := newObject()
	schema.set("type", "object")
	schema.set("properties", properties)
	return Input{Schema: jsonText(schema), UISchema: jsonText(column("VerticalLayout", elements)), Value: jsonText(value)}, nil
}

func column(kind string, elements []any) *object {
	layout := newObject()
	layout.set("type", kind)
	layout.set("elements", elements)
	return layout
}

// membersLayout has a control for each member that a schema names, or one for the whole
// value.
func membersLayout(schema any) any {
	names := newSchemas(schema).view(schema).propertyNames()
	if len(names) == 0 {
		return control("#")
	}
	elements := make([]any, len(names))
	for i, name := range names {
		elements[i] = control("#" + jsontext.JoinPointer("properties", name))
	}
	return column("VerticalLayout", elements)
}

func control(scope string) *object {
	layout := newObject()
	layout.set("type", "Control")
	layout.set("scope", scope)
	return layout
}

func group(label string, within any) any {
	if label == "" {
		return within
	}
	layout := column("Group", []any{within})
	layout.set("label", label)
	return layout
}

// moved returns a document in which the members with a name that lead to places within
// it lead to the same places below another.
func moved(node any, name, below string) any {
	switch n := node.(type) {
	case *object:
		after := newObject()
		for _, member := range n.names {
			within := n.members[member]
			text, isText := within.(string)
			fragment, local := strings.CutPrefix(text, "#")
			if isText && member == name && local && (fragment == "" || fragment[0] == '/') {
				after.set(member, below+fragment)
				continue
			}
			after.set(member, moved(within, name, below))
		}
		return after
	case []any:
		after := make([]any, len(n))
		for i, element := range n {
			after[i] = moved(element, name, below)
		}
		return after
	}
	return node
}
