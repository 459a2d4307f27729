package form

import (
	"encoding/json"
	"fmt"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/domain/kuflowref"
)

// ElementsInput returns the elements of a process or task of Shape A with their values, as an object with a member
// for each element.
func ElementsInput(elements []domain.ElementDefinition, values domain.ElementValues) (Input, error) {
	properties, value := jsondoc.NewObject(), jsondoc.NewObject()
	var required []any
	for i := range elements {
		e := &elements[i]
		schema, err := elementSchema(e)
		if err != nil {
			return Input{}, err
		}
		properties.Set(e.Code, schema)
		if e.Mandatory {
			required = append(required, e.Code)
		}
		members, err := elementValues(values[e.Code])
		switch {
		case err != nil:
			return Input{}, err
		case e.Multiple && len(members) > 0:
			value.Set(e.Code, members)
		case len(members) > 0:
			value.Set(e.Code, members[0])
		}
	}
	schema := jsondoc.NewObject()
	schema.Set("type", "object")
	schema.Set("properties", properties)
	if len(required) > 0 {
		schema.Set("required", required)
	}
	return Input{Schema: jsonText(schema), Value: jsonText(value)}, nil
}

func elementSchema(e *domain.ElementDefinition) (*object, error) {
	schema := jsondoc.NewObject()
	switch e.ValueType() {
	case domain.ValueObject:
		decoded, err := jsondoc.Decode(e.Schema, maxSchemaDepth)
		if err != nil {
			return nil, fmt.Errorf("reading the schema of element %s: %w", e.Code, err)
		}
		if o, ok := embedSchema(decoded, e.Code).(*object); ok {
			schema = o
		}
		schema.Set("type", "object")
	case domain.ValueNumber:
		schema.Set("type", "number")
	case domain.ValueDocument, domain.ValuePrincipal, domain.ValueString:
		schema.Set("type", "string")
	}
	switch e.Type {
	case domain.ElementDocument:
		schema.Set("format", string(kuflowref.KindFile))
	case domain.ElementPrincipal:
		schema.Set("format", string(kuflowref.KindPrincipal))
	case domain.ElementDecision:
		schema.Set("oneOf", decisionOptions(e.Options))
	case domain.ElementField, domain.ElementForm:
	}
	if e.Multiple {
		list := jsondoc.NewObject()
		list.Set("type", "array")
		list.Set("items", schema)
		if e.Mandatory {
			list.Set("minItems", json.Number("1"))
		}
		schema = list
	}
	if e.Name != "" {
		schema.Set("title", e.Name)
	}
	return schema, nil
}

func decisionOptions(options []domain.ElementOption) []any {
	list := make([]any, len(options))
	for i, option := range options {
		entry := jsondoc.NewObject()
		entry.Set("const", option.Code)
		if option.Name != "" {
			entry.Set("title", option.Name)
		}
		list[i] = entry
	}
	return list
}

func elementValues(values []domain.ElementValue) ([]any, error) {
	var members []any
	for i := range values {
		v := &values[i]
		var member any
		var err error
		switch {
		case v.Value == nil:
			continue
		case v.Type == domain.ValueDocument:
			var d domain.DocumentValue
			d, err = v.Document()
			member = DocumentReference(d)
		case v.Type == domain.ValuePrincipal:
			var p domain.PrincipalValue
			err = json.Unmarshal(v.Value, &p)
			member = kuflowref.Principal{ID: p.ID, Type: p.Type, Name: p.Name}.String()
		default:
			member, err = jsondoc.DecodeExactly(v.Value, maxSelectDepth)
		}
		if err != nil {
			return nil, fmt.Errorf("reading the value of an element: %w", err)
		}
		members = append(members, member)
	}
	return members, nil
}

// DocumentReference returns the reference that represents a document value in the object of ElementsInput.
func DocumentReference(d domain.DocumentValue) string {
	return kuflowref.File{URI: d.URI, Type: d.ContentType, Size: d.ContentLength, Name: d.Name}.String()
}

// ElementValues converts a member of a changed object of ElementsInput to values of the element. A value of another
// type keeps its type if elements have it, or else becomes a text.
func ElementValues(e *domain.ElementDefinition, member json.RawMessage) ([]domain.ElementValue, error) {
	decoded, err := jsondoc.DecodeExactly(member, maxSelectDepth)
	if err != nil {
		return nil, fmt.Errorf("reading the value of element %s: %w", e.Code, err)
	}
	list, several := decoded.([]any)
	if !several || !e.Multiple {
		list = []any{decoded}
	}
	var values []domain.ElementValue
	for _, one := range list {
		if one == nil {
			continue
		}
		value, err := elementValue(e, one)
		if err != nil {
			return nil, fmt.Errorf("writing the value of element %s: %w", e.Code, err)
		}
		values = append(values, value)
	}
	return values, nil
}

func elementValue(e *domain.ElementDefinition, one any) (domain.ElementValue, error) {
	value := domain.ElementValue{Type: domain.ValueString, Valid: true, Value: jsonText(one)}
	var err error
	switch content := one.(type) {
	case json.Number:
		value.Type = domain.ValueNumber
	case *object:
		value.Type = domain.ValueObject
	case deep:
		if content[0] == '{' {
			value.Type = domain.ValueObject
			break
		}
		value.Value, err = json.Marshal(string(content))
	case string:
		file, isFile := kuflowref.ParseFile(content)
		principal, isPrincipal := kuflowref.ParsePrincipal(content)
		switch {
		case e.Type == domain.ElementDocument && isFile:
			value.Type = domain.ValueDocument
			value.Value, err = json.Marshal(map[string]string{"uri": file.URI})
		case e.Type == domain.ElementPrincipal && isPrincipal:
			value.Type = domain.ValuePrincipal
			value.Value, err = json.Marshal(domain.PrincipalValue{ID: principal.ID, Type: principal.Type, Name: principal.Name})
		}
	default:
		value.Value, err = json.Marshal(string(value.Value))
	}
	return value, err
}
