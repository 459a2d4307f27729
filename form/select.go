package form

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// ErrNoForm says that a JSON Pointer does not lead to a form: there is nothing at
// that place, or something that has no fields.
var ErrNoForm = errors.New("there is no form value at this place")

// maxSelectDepth is how deep Select looks into values.
const maxSelectDepth = 256

// Select finds the form at a JSON Pointer (RFC 6901) within the value of an
// input, with the schema and the layout that it has there. An object is one form,
// each object of an array is one; several reports whether the place may have more
// than one, whatever their number. It returns ErrNoForm for every other place.
func Select(in Input, pointer string) (forms []Input, several bool, err error) {
	path, ok := parsePointer(pointer)
	if !ok {
		return nil, false, ErrNoForm
	}
	value, err := decode(in.Value, maxSelectDepth)
	if err != nil {
		return nil, false, fmt.Errorf("reading the value of a form: %w", err)
	}
	schema, err := decode(in.Schema, maxSchemaDepth)
	if err != nil {
		return nil, false, fmt.Errorf("reading the schema of a form: %w", err)
	}
	layout, err := decode(in.UISchema, maxSchemaDepth)
	if err != nil {
		return nil, false, fmt.Errorf("reading the UI schema of a form: %w", err)
	}
	found, ok := lookUp(value, path)
	if !ok {
		return nil, false, ErrNoForm
	}
	var elements []any
	switch v := found.(type) {
	case *object:
		elements = []any{v}
	case []any:
		elements, several = v, true
	}
	if len(elements) == 0 {
		return nil, several, ErrNoForm
	}
	s := newSchemas(schema)
	at, title := s.view(schema), in.Title
	for i, name := range path {
		at, title = s.step(at, value, path[:i], name, title)
	}
	detail := in.UISchema
	if len(path) > 0 {
		detail = detailOf(layout, path)
	}
	for i, element := range elements {
		if _, ok := element.(*object); !ok {
			return nil, several, ErrNoForm
		}
		part := Input{Title: title, Subject: in.Subject, UISchema: detail, root: in.Schema}
		of := at
		if several {
			of = s.element(at, i)
		}
		if part.Schema, err = of.asSchema(); err != nil {
			return nil, several, err
		}
		if part.Value, err = json.Marshal(element); err != nil {
			return nil, several, fmt.Errorf("writing the value of a form: %w", err)
		}
		forms = append(forms, part)
	}
	return forms, several, nil
}

// step goes from a value to one of its members or elements.
func (s *schemas) step(v *view, root any, path []string, name, title string) (*view, string) {
	parent, _ := lookUp(root, path)
	if _, ok := parent.([]any); ok {
		index, err := strconv.Atoi(name)
		if err != nil {
			index = 0
		}
		return s.element(v, index), title
	}
	of, _, _ := s.property(v, name)
	return of, labelFor(of, name)
}

// asSchema is a schema that says the same. Its references still start at the
// root.
func (v *view) asSchema() (json.RawMessage, error) {
	whole := newObject()
	if len(v.sure) > 0 {
		whole.set("allOf", v.sure)
	}
	if len(v.maybe) > 0 {
		whole.set("anyOf", v.maybe)
	}
	text, err := json.Marshal(whole)
	if err != nil {
		return nil, fmt.Errorf("writing a part of the schema of a form: %w", err)
	}
	return text, nil
}

// detailOf is the layout that a UI schema has for the elements of an array.
func detailOf(layout any, path []string) json.RawMessage {
	o, ok := layout.(*object)
	if !ok {
		return nil
	}
	if scope, ok := scopePath(o.text("scope")); ok && pointerOf(scope) == pointerOf(path) {
		options, _ := o.members["options"].(*object)
		detail, ok := options.get("detail")
		if _, isLayout := detail.(*object); !ok || !isLayout {
			return nil
		}
		text, err := json.Marshal(detail)
		if err != nil {
			return nil
		}
		return text
	}
	list, _ := o.members["elements"].([]any)
	for _, child := range list {
		if detail := detailOf(child, path); detail != nil {
			return detail
		}
	}
	return nil
}
