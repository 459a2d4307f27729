package forms

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/domain/jsontext"
	"github.com/procession-dev/procession/form"
)

// Values are several values that are entered in one Draft, such as the metadata and the
// entity of a process to be started.
type Values []form.Part

// The names of the values that a process is started with.
const (
	PartMetadata = "metadata"
	PartEntity   = "entity"
)

// NewProcessValues returns the values that processes of a definition are started with, with texts for the viewer.
func NewProcessValues(ctx context.Context, d *domain.ProcessDefinition) Values {
	var values Values
	texts := d.Texts(ui.ReaderOf(ctx))
	if len(d.Spec.MetadataSchema) > 0 {
		values = append(values, form.Part{Name: PartMetadata, Schema: d.Spec.MetadataSchema, UISchema: d.Spec.MetadataUISchema, Texts: texts})
	}
	if len(d.Spec.EntitySchema) > 0 {
		values = append(values, form.Part{Name: PartEntity, Schema: d.Spec.EntitySchema, UISchema: d.Spec.EntityUISchema, Texts: texts})
	}
	return values
}

// Put makes them the schema, the layout and the value of a document.
func (v Values) Put(doc *Document) error {
	in, err := form.Join(v...)
	doc.Schema, doc.UISchema, doc.Value, doc.Texts = in.Schema, in.UISchema, in.Value, in.Texts
	return err
}

// Check implements Draft.Check: each value is held against its own schema.
func (v Values) Check(ctx context.Context, whole json.RawMessage) ([]domain.ValueError, error) {
	var all []domain.ValueError
	for _, part := range v {
		value := v.Value(whole, part.Name)
		if !isObject(part.Schema) {
			continue
		}
		errors, err := CheckSchema(ctx, part.Schema, orEmpty(value))
		if err != nil {
			return nil, err
		}
		all = append(all, PrefixErrors(part.Name, errors)...)
	}
	return all, nil
}

// isObject reports whether a schema is one of objects.
func isObject(schema json.RawMessage) bool {
	kind, _ := jsondoc.Lookup(schema, "/type")
	members, _ := jsondoc.Lookup(schema, "/properties")
	return string(kind) == `"object"` || members != nil
}

// Value returns one of the values of a whole, nil for none.
func (v Values) Value(whole json.RawMessage, name string) json.RawMessage {
	value, _ := jsondoc.Lookup(whole, jsontext.JoinPointer(name))
	return value
}

// Split applies a patch to the whole value and returns the result, and the patches of the parts by name. A part
// without a value is an empty object.
func (v Values) Split(patch []jsondoc.Operation) (after json.RawMessage, parts map[string][]jsondoc.Operation, err error) {
	in, err := form.Join(v...)
	if err != nil {
		return nil, nil, err
	}
	if after, err = jsondoc.Apply(in.Value, patch); err != nil {
		return nil, nil, err
	}
	parts = map[string][]jsondoc.Operation{}
	for _, part := range v {
		was, is := v.Value(in.Value, part.Name), v.Value(after, part.Name)
		if parts[part.Name], err = form.Difference(orEmpty(was), orEmpty(is)); err != nil {
			return nil, nil, err
		}
	}
	return after, parts, nil
}

func orEmpty(value json.RawMessage) json.RawMessage {
	if value == nil {
		return json.RawMessage("{}")
	}
	return value
}

// PrefixErrors returns errors of a part as errors of the whole value.
func PrefixErrors(name string, errors []domain.ValueError) []domain.ValueError {
	relocated := slices.Clone(errors)
	for i := range relocated {
		relocated[i].PropertyPath = jsontext.JoinPointer(name) + relocated[i].PropertyPath
	}
	return relocated
}

// RelocateError returns an error that reports errors of a field as errors of one of the values. names contains the values
// by field.
func (v Values) RelocateError(err error, names map[domain.Field]string) error {
	cause, ok := errors.AsType[*domain.Error](err)
	if !ok {
		return err
	}
	relocated := *cause
	relocated.Details = slices.Clone(cause.Details)
	for i := range relocated.Details {
		if name, ok := names[relocated.Details[i].Field]; ok {
			relocated.Details[i].Location = jsontext.JoinPointer(name) + relocated.Details[i].Location
		}
	}
	return &relocated
}
