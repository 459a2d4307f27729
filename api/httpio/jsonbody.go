package httpio

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/procession-dev/procession/api/openapi"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsontext"
)

// jsonBody is a body that has been read against its schema.
type jsonBody struct {
	value    any // for validation; empty inside free-form values
	problems []domain.Detail
}

// readJSON parses a whole body in one pass. It returns a *jsontext.Error for text
// that jsontext.NewReader refuses.
//
// It also blanks, in data itself, the names of members that must have no
// effect: read-only ones, optional ones that are null, as many serializers write
// absent values, and unknown ones that encoding/json would take for a declared
// member because it matches names without regard to case. Everything else in
// data stays byte for byte as it was sent.
func readJSON(data []byte, schema *openapi3.Schema) (jsonBody, error) {
	b := bodyReader{Reader: jsontext.NewReader(data)}
	value := b.readValue(schema)
	if err := b.End(); err != nil {
		return jsonBody{}, err
	}
	for _, name := range b.blanked {
		for i := 1; i < len(name)-1; i++ {
			name[i] = '_'
		}
	}
	return jsonBody{value: value, problems: b.problems}, nil
}

// bodyReader reads values against schemas. A nil schema stands for a free-form value; only
// its kind is recorded.
type bodyReader struct {
	*jsontext.Reader

	problems []domain.Detail
	// blanked are the names to be blanked, with their quotes.
	blanked [][]byte
}

func (b *bodyReader) readValue(schema *openapi3.Schema) any {
	free := schema == nil || isFreeForm(schema)
	switch kind := b.Kind(); {
	case kind == '{' && free:
		b.Skip()
		return map[string]any{}
	case kind == '[' && free:
		b.Skip()
		return []any{}
	case kind == '"' && free:
		b.Skip()
		return ""
	case kind == '{':
		return b.readObject(b.chooseAlternative(schema))
	case kind == '[':
		return b.readArray(schema)
	case kind == '"':
		text := b.Text()
		if strings.ContainsRune(text, 0) {
			b.addProblem("must not contain the character U+0000")
		}
		return text
	case kind == '0':
		return json.Number(b.Raw())
	default:
		return b.Value()
	}
}

// addProblem records a violation at the place of the reader, or at a member there.
func (b *bodyReader) addProblem(message string, member ...string) {
	if len(b.problems) == maxViolations {
		return
	}
	b.problems = append(b.problems, domain.Detail{
		Code: domain.CodeValidation, Message: message,
		Location: jsonPointer(append(b.Path(), member...)), LocationType: domain.LocationBody,
	})
}

func (b *bodyReader) readObject(schema *openapi3.Schema) any {
	members := map[string]any{}
	for raw := range b.Members() {
		name := jsontext.Unquote(raw)
		child, use := memberOf(schema, name)
		if use == declared && b.Kind() == 'n' && !acceptsNull(child) && isOptional(schema, name) {
			use = blanked
		}
		if use == blanked {
			b.blanked = append(b.blanked, raw)
		}
		value := b.readValue(child)
		if use == declared {
			members[name] = value
		}
	}
	b.checkPresence(schema, members)
	return members
}

// checkPresence records a violation if an object has none of the members that
// x-at-least-one-of lists. The violation names the first of them.
func (b *bodyReader) checkPresence(schema *openapi3.Schema, members map[string]any) {
	names := openapi.AtLeastOneOf(schema)
	present := func(name string) bool { _, ok := members[name]; return ok }
	if len(names) > 0 && !slices.ContainsFunc(names, present) {
		b.addProblem("needs "+strings.Join(names, ", or "), names[0])
	}
	for _, part := range schema.AllOf {
		b.checkPresence(part.Value, members)
	}
}

func (b *bodyReader) readArray(schema *openapi3.Schema) any {
	if schema.Items == nil {
		b.Skip()
		return []any{}
	}
	elements := []any{}
	for range b.Elements() {
		elements = append(elements, b.readValue(schema.Items.Value))
	}
	return elements
}

// chooseAlternative returns the schema of the object that begins here: with a
// discriminator, the alternative that its value names. Without a valid value it
// is a schema with the discriminator alone, so that a wrong value and a missing
// one get different errors.
func (b *bodyReader) chooseAlternative(schema *openapi3.Schema) *openapi3.Schema {
	if schema.Discriminator == nil {
		return schema
	}
	property := schema.Discriminator.PropertyName
	if name, ok := findMember(b.Fork(), property); ok {
		for _, branch := range schema.OneOf {
			if branch.Ref == schema.Discriminator.Mapping[name].Ref {
				return branch.Value
			}
		}
	}
	return &openapi3.Schema{
		Properties: openapi3.Schemas{property: openapi3.NewSchemaRef("", &openapi3.Schema{})}, Required: []string{property},
	}
}

// findMember finds the text of a member of the object that begins here.
func findMember(r *jsontext.Reader, name string) (string, bool) {
	for raw := range r.Members() {
		if jsontext.Unquote(raw) == name && r.Kind() == '"' {
			text := r.Text()
			return text, r.Err() == nil
		}
		r.Skip()
	}
	return "", false
}
