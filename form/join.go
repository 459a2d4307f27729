package form

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/domain/jsontext"
)

// Part is a value that is edited in one form with others.
type Part struct {
	// Name is the name of the member for the value.
	Name string
	// Label is the heading of the part, "" for none.
	Label string
	// Schema, UISchema and Value may be nil.
	Schema, UISchema, Value json.RawMessage
}

// Join combines several values in the input of one form: an object with a member for each part. References within a
// schema keep their targets.
func Join(parts ...Part) (Input, error) {
	properties, value, elements := jsondoc.NewObject(), jsondoc.NewObject(), []any{}
	for i := range parts {
		part := &parts[i]
		place := []string{"properties", part.Name}
		schema, err := jsondoc.Decode(part.Schema, maxSchemaDepth)
		if err != nil {
			return Input{}, err
		}
		if schema == nil {
			schema = jsondoc.NewObject()
		}
		properties.Set(part.Name, rebaseReferences(schema, "$ref", "#"+jsontext.JoinPointer(place...)))
		layout, err := jsondoc.Decode(part.UISchema, maxSchemaDepth)
		if err != nil {
			return Input{}, err
		}
		if layout == nil {
			layout = membersLayout(schema)
		}
		elements = append(elements, groupLayout(part.Label, rebaseReferences(layout, "scope", "#"+jsontext.JoinPointer(place...))))
		content, err := jsondoc.DecodeExactly(part.Value, maxSelectDepth)
		if err != nil {
			return Input{}, err
		}
		if content != nil {
			value.Set(part.Name, content)
		}
	}
	schema := jsondoc.NewObject()
	schema.Set("type", "object")
	schema.Set("properties", properties)
	return Input{Schema: jsonText(schema), UISchema: jsonText(listLayout("VerticalLayout", elements)), Value: jsonText(value)}, nil
}

func listLayout(kind string, elements []any) *object {
	layout := jsondoc.NewObject()
	layout.Set("type", kind)
	layout.Set("elements", elements)
	return layout
}

// membersLayout returns a layout with a control for each member that a schema names, or one control for the whole
// value.
func membersLayout(schema any) any {
	outline, err := newOutline(context.Background(), &Input{Schema: jsonText(schema)})
	if err != nil || len(outline.Root().Members().Named) == 0 || len(outline.Root().Choices()) > 0 {
		return controlLayout("#")
	}
	var elements []any
	for _, named := range outline.Root().Members().Named {
		elements = append(elements, controlLayout("#"+jsontext.JoinPointer("properties", named.Name)))
	}
	return listLayout("VerticalLayout", elements)
}

func controlLayout(scope string) *object {
	layout := jsondoc.NewObject()
	layout.Set("type", "Control")
	layout.Set("scope", scope)
	return layout
}

func groupLayout(label string, within any) any {
	if label == "" {
		return within
	}
	layout := listLayout("Group", []any{within})
	layout.Set("label", label)
	return layout
}

// rebaseReferences returns a copy of a document in which local references, the members called name, are prefixed with
// below.
func rebaseReferences(node any, name, below string) any {
	switch n := node.(type) {
	case *object:
		after := jsondoc.NewObject()
		for _, member := range n.Names {
			within := n.Members[member]
			text, isText := within.(string)
			fragment, local := strings.CutPrefix(text, "#")
			if isText && member == name && local && (fragment == "" || fragment[0] == '/') {
				after.Set(member, below+fragment)
				continue
			}
			after.Set(member, rebaseReferences(within, name, below))
		}
		return after
	case []any:
		after := make([]any, len(n))
		for i, element := range n {
			after[i] = rebaseReferences(element, name, below)
		}
		return after
	}
	return node
}
