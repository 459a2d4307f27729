package form

import (
	"encoding/json"
	"net/url"
	"strings"

	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/domain/jsontext"
	"github.com/procession-dev/procession/domain/translation"
)

// Part is a value that is edited in one form with others.
type Part struct {
	// Name is the name of the member for the value.
	Name string
	// Label is the heading of the part, "" for none.
	Label string
	// Schema, UISchema and Value may be nil.
	Schema, UISchema, Value json.RawMessage
	// Texts finds the texts of the schemas in the language of the reader, nil for the texts as they are.
	Texts *translation.Texts
}

// partMark is the member of a layout with the name of its part.
const partMark = "x-part"

// Join combines several values in the input of one form: an object with a member for each part. References within a
// schema keep their targets.
func Join(parts ...Part) (Input, error) {
	properties, value, elements := jsondoc.NewObject(), jsondoc.NewObject(), []any{}
	texts := map[string]*translation.Texts{}
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
		properties.Set(part.Name, embedSchema(schema, part.Name))
		layout, err := jsondoc.Decode(part.UISchema, maxSchemaDepth)
		if err != nil {
			return Input{}, err
		}
		if layout == nil {
			layout = membersLayout(schema)
		}
		layout = rebaseReferences(layout, "scope", "#"+jsontext.JoinPointer(place...))
		if o, ok := layout.(*object); ok {
			o.Set(partMark, part.Name)
		}
		texts[part.Name] = part.Texts
		elements = append(elements, groupLayout(part.Label, layout))
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
	return Input{
		Schema: jsonText(schema), UISchema: jsonText(listLayout("VerticalLayout", elements)), Value: jsonText(value), Texts: Texts{parts: texts},
	}, nil
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
	outline, err := newOutline(&Input{Schema: jsonText(schema)})
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

// embedSchema returns a copy of a schema of any draft that keeps its meaning within one of draft 2020-12: it has an id, so
// that references within it keep their targets, and the lists of items and exclusive limits of older drafts are rewritten.
func embedSchema(schema any, name string) any {
	document, _ := schema.(*object)
	base := strings.TrimSuffix(document.Text("$id"), "#")
	o, ok := convertDraft(schema, base).(*object)
	if !ok {
		return schema
	}
	o.Remove("$schema")
	o.Set("$id", "part:"+url.PathEscape(name))
	return o
}

// convertDraft rewrites keywords of older drafts, and references to base, the id of the schema, as local ones.
func convertDraft(node any, base string) any {
	switch n := node.(type) {
	case *object:
		after := jsondoc.NewObject()
		for _, name := range n.Names {
			switch name {
			case "enum", "const", "default", "examples":
				after.Set(name, n.Members[name])
			case "$ref":
				after.Set(name, localReference(n.Members[name], base))
			default:
				after.Set(name, convertDraft(n.Members[name], base))
			}
		}
		if list, ok := after.Members["items"].([]any); ok {
			after.Set("prefixItems", list)
			after.Remove("items")
			if rest, ok := after.Get("additionalItems"); ok {
				after.Set("items", rest)
			}
		}
		for _, limit := range []string{"minimum", "maximum"} {
			exclusive := "exclusive" + strings.ToUpper(limit[:1]) + limit[1:]
			if flag, ok := after.Members[exclusive].(bool); ok {
				after.Remove(exclusive)
				if value, stated := after.Get(limit); flag && stated {
					after.Set(exclusive, value)
					after.Remove(limit)
				}
			}
		}
		return after
	case []any:
		after := make([]any, len(n))
		for i, element := range n {
			after[i] = convertDraft(element, base)
		}
		return after
	}
	return node
}

// localReference returns a reference to base without its address.
func localReference(reference any, base string) any {
	text, _ := reference.(string)
	rest, found := strings.CutPrefix(text, base)
	switch {
	case base == "" || !found || rest != "" && rest[0] != '#':
		return reference
	case rest == "":
		return "#"
	}
	return rest
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
