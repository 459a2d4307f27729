package form

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/domain/jsontext"
)

// ErrNoForm is returned if a JSON Pointer does not lead to an object with fields.
var ErrNoForm = errors.New("there is no form value at this place")

// maxSelectDepth is the maximum nesting of values.
const maxSelectDepth = 256

// Select returns the form at a JSON Pointer (RFC 6901) within the value of an input, with its schema and layout. An
// object is one form, an array of objects one form each; several reports whether the value is an array. It returns
// ErrNoForm for other values, a *LimitError for more than most forms, and the error of the context.
func Select(ctx context.Context, in Input, pointer string, most int) (forms []Input, several bool, err error) {
	path, ok := jsontext.SplitPointer(pointer)
	if !ok {
		return nil, false, ErrNoForm
	}
	value, err := jsondoc.Decode(in.Value, maxSelectDepth)
	if err != nil {
		return nil, false, fmt.Errorf("reading the value of a form: %w", err)
	}
	elements, several, err := elementsAt(value, path, most)
	if err != nil {
		return nil, several, err
	}
	schema, err := jsondoc.Decode(in.Schema, maxSchemaDepth)
	if err != nil {
		return nil, false, fmt.Errorf("reading the schema of a form: %w", err)
	}
	layout, err := jsondoc.Decode(in.UISchema, maxSchemaDepth)
	if err != nil {
		return nil, false, fmt.Errorf("reading the UI schema of a form: %w", err)
	}
	s := newSchemas(schema)
	at, title := s.viewOf(schema), in.Title
	for i, name := range path {
		at, title = s.stepInto(at, value, path[:i], name, title)
	}
	detail := in.UISchema
	if len(path) > 0 {
		detail = detailOf(layout, path)
	}
	whole := Input{Title: title, Subject: in.Subject, UISchema: detail, root: in.Schema}
	if !several {
		forms, err = s.splitForms(ctx, whole, elements, func(int) *view { return at })
	} else {
		forms, err = s.splitForms(ctx, whole, elements, func(i int) *view { return s.elementView(at, i) })
	}
	return forms, several, err
}

// elementsAt returns the objects at a path, one for each form.
func elementsAt(value any, path []string, most int) (elements []any, several bool, err error) {
	found, ok := lookUp(value, path)
	if !ok {
		return nil, false, ErrNoForm
	}
	switch v := found.(type) {
	case *object:
		elements = []any{v}
	case []any:
		elements, several = v, true
	}
	if len(elements) == 0 {
		return nil, several, ErrNoForm
	}
	for _, element := range elements {
		if _, ok := element.(*object); !ok {
			return nil, several, ErrNoForm
		}
	}
	if len(elements) > most {
		return nil, several, &LimitError{What: "forms", Max: most}
	}
	return elements, several, nil
}

// splitForms creates a form for each element. Consecutive elements with equal schemas share one.
func (s *schemas) splitForms(ctx context.Context, of Input, elements []any, viewOf func(int) *view) ([]Input, error) {
	forms := make([]Input, 0, len(elements))
	var last *view
	for i, element := range elements {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		v := viewOf(i)
		var err error
		if last == nil || !v.isEqual(last) {
			if of.Schema, err = v.asSchema(); err != nil {
				return nil, err
			}
			last = v
		}
		if of.Value, err = json.Marshal(element); err != nil {
			return nil, fmt.Errorf("writing the value of a form: %w", err)
		}
		forms = append(forms, of)
	}
	return forms, nil
}

// isEqual reports whether two views have the same content.
func (v *view) isEqual(other *view) bool {
	return v == other || slices.Equal(v.sure, other.sure) && slices.Equal(v.maybe, other.maybe)
}

// stepInto returns the view and title of a member or element of a value.
func (s *schemas) stepInto(v *view, root any, path []string, name, title string) (*view, string) {
	parent, _ := lookUp(root, path)
	if _, ok := parent.([]any); ok {
		index, err := strconv.Atoi(name)
		if err != nil {
			index = 0
		}
		return s.elementView(v, index), title
	}
	of, _, _ := s.propertyView(v, name)
	return of, labelFor(of, name)
}

// asSchema returns an equivalent schema. References still start at the root.
func (v *view) asSchema() (json.RawMessage, error) {
	whole := jsondoc.NewObject()
	if len(v.sure) > 0 {
		whole.Set("allOf", v.sure)
	}
	if len(v.maybe) > 0 {
		whole.Set("anyOf", v.maybe)
	}
	text, err := json.Marshal(whole)
	if err != nil {
		return nil, fmt.Errorf("writing a part of the schema of a form: %w", err)
	}
	return text, nil
}

// detailOf returns the layout of a UI schema for the elements of an array.
func detailOf(layout any, path []string) json.RawMessage {
	o, ok := layout.(*object)
	if !ok {
		return nil
	}
	if scope, ok := scopePath(o.Text("scope")); ok && jsontext.JoinPointer(scope...) == jsontext.JoinPointer(path...) {
		options, _ := o.Members["options"].(*object)
		detail, ok := options.Get("detail")
		if _, isLayout := detail.(*object); !ok || !isLayout {
			return nil
		}
		text, err := json.Marshal(detail)
		if err != nil {
			return nil
		}
		return text
	}
	list, _ := o.Members["elements"].([]any)
	for _, child := range list {
		if detail := detailOf(child, path); detail != nil {
			return detail
		}
	}
	return nil
}
