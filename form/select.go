package form

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
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
	outline, err := newOutline(&in, jsondoc.Watch(ctx.Err))
	if err != nil {
		return nil, several, err
	}
	layout, err := jsondoc.Decode(in.UISchema, maxSchemaDepth)
	if err != nil {
		return nil, false, fmt.Errorf("reading the UI schema of a form: %w", err)
	}
	at, title := outline.Root(), in.Title
	for i, name := range path {
		parent, _ := jsondoc.ValueAt(value, path[:i])
		at = at.Child(name)
		if _, isArray := parent.([]any); !isArray {
			below := path[:i+1]
			title = in.Texts.label(below, at).Text
		}
	}
	part := Input{Title: title, Subject: in.Subject, UISchema: in.UISchema, Texts: in.Texts.within(path), place: at}
	if len(path) > 0 {
		part.UISchema = detailOf(layout, path)
	}
	for i, element := range elements {
		if err := ctx.Err(); err != nil {
			return nil, several, err
		}
		if several {
			part.place = at.Item(strconv.Itoa(i))
		}
		part.Value = jsonText(element)
		forms = append(forms, part)
	}
	return forms, several, nil
}

// elementsAt returns the objects at a path, one for each form.
func elementsAt(value any, path []string, most int) (elements []any, several bool, err error) {
	found, ok := jsondoc.ValueAt(value, path)
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

// detailOf returns the layout of a UI schema for the elements of an array.
func detailOf(layout any, path []string) json.RawMessage {
	o, ok := layout.(*object)
	if !ok {
		return nil
	}
	if scope, ok := jsondoc.ScopePath(o.Text("scope")); ok && jsontext.JoinPointer(scope...) == jsontext.JoinPointer(path...) {
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
