package form

import (
	"context"
	"fmt"
	"strings"

	"github.com/procession-dev/procession/domain/jsontext"
)

// A builder makes a model.
type builder struct {
	ctx     context.Context //nolint:containedctx // A builder lives for one call.
	schemas *schemas
	limits  Limits
	fields  int
	other   []Field
}

// OtherLabel is the heading of what the form has no place for.
const OtherLabel = "Other"

// NewModel builds the model of an input. It returns a *LimitError when the
// input is too large, the error of the context when that ends, and an error
// when a part of the input is not JSON. An invalid or incomplete schema does
// not prevent a value from being shown.
func NewModel(ctx context.Context, in Input, limits Limits) (*Model, error) {
	schema, err := decode(in.Schema, maxSchemaDepth)
	if err != nil {
		return nil, fmt.Errorf("reading the schema of a form: %w", err)
	}
	root := schema
	if in.root != nil {
		if root, err = decode(in.root, maxSchemaDepth); err != nil {
			return nil, fmt.Errorf("reading the schema of a form: %w", err)
		}
	}
	layout, err := decode(in.UISchema, maxSchemaDepth)
	if err != nil {
		return nil, fmt.Errorf("reading the UI schema of a form: %w", err)
	}
	value, err := decode(in.Value, limits.Depth)
	if err != nil {
		return nil, fmt.Errorf("reading the value of a form: %w", err)
	}
	b := &builder{ctx: ctx, schemas: newSchemas(root), limits: limits}
	model := &Model{Title: in.Title, Subject: in.Subject}
	v := b.schemas.view(schema)
	if o, ok := value.(*object); ok {
		model.Fields, err = b.object(readLayout(layout), v, o, nil)
	} else {
		label := v.text("title")
		if label == "" {
			label = "Value"
		}
		model.Fields, err = b.place(nil, label, v, nil, value)
	}
	if err != nil {
		return nil, err
	}
	model.Other = b.other
	return model, nil
}

// count is called for every field.
func (b *builder) count() error {
	b.fields++
	if b.fields > b.limits.Fields {
		return &LimitError{What: "fields", Max: b.limits.Fields}
	}
	if b.fields%64 == 0 {
		return b.ctx.Err()
	}
	return nil
}

// coverage contains the parts of an object that a layout shows: values as a whole, and objects in
// part. Both are JSON Pointers from the object.
type coverage struct {
	whole, partly map[string]bool
}

func (c coverage) add(path []string) {
	c.whole[jsontext.JoinPointer(path...)] = true
	for length := 1; length < len(path); length++ {
		c.partly[jsontext.JoinPointer(path[:length]...)] = true
	}
}

// object creates fields of the members of an object. A member that the layout does
// not show, or that the schema does not know, is among the others.
func (b *builder) object(layout *element, v *view, value *object, path []string) ([]Field, error) {
	if layout == nil {
		return b.members(v, value, path)
	}
	shown := coverage{whole: map[string]bool{}, partly: map[string]bool{}}
	fields, err := b.layout(layout, v, value, path, shown, false)
	if err != nil {
		return nil, err
	}
	return fields, b.rest(v, value, nil, path, shown)
}

// members returns a field for each member of the schema, in its order.
func (b *builder) members(v *view, value *object, path []string) ([]Field, error) {
	var fields []Field
	seen := map[string]bool{}
	open := v.open()
	for _, name := range v.propertyNames() {
		seen[name] = true
		member, present := value.get(name)
		of, _, always := b.schemas.property(v, name)
		if !always && (!present || isEmpty(member)) {
			continue
		}
		made, err := b.place(nil, labelFor(of, name), of, below(path, name), member)
		if err != nil {
			return nil, err
		}
		fields = append(fields, made...)
	}
	for _, name := range value.names {
		if seen[name] {
			continue
		}
		of, known, _ := b.schemas.property(v, name)
		if !known && !open {
			if err := b.unknown(below(path, name), value.members[name]); err != nil {
				return nil, err
			}
			continue
		}
		made, err := b.place(nil, labelFor(of, name), of, below(path, name), value.members[name])
		if err != nil {
			return nil, err
		}
		fields = append(fields, made...)
	}
	return fields, nil
}

// layout creates fields of what a UI schema shows.
func (b *builder) layout(
	e *element, v *view, value *object, path []string, shown coverage, conditional bool,
) ([]Field, error) {
	conditional = conditional || e.rule != nil
	switch e.kind {
	case kindLabel:
		if e.label == "" {
			return nil, nil
		}
		return []Field{{Label: e.label, Content: Note{}}}, b.count()
	case kindControl:
		return b.control(e, v, value, path, shown, conditional)
	case kindGroup, kindLayout:
	}
	var fields []Field
	for _, child := range e.elements {
		made, err := b.layout(child, v, value, path, shown, conditional)
		if err != nil {
			return nil, err
		}
		fields = append(fields, made...)
	}
	if e.kind == kindGroup && e.label != "" && len(fields) > 0 {
		return []Field{{Label: e.label, Content: Group(fields)}}, nil
	}
	return fields, nil
}

func (b *builder) control(
	e *element, v *view, value *object, path []string, shown coverage, conditional bool,
) ([]Field, error) {
	if len(e.path) == 0 || shown.whole[jsontext.JoinPointer(e.path...)] {
		return nil, nil
	}
	of, known := v, true
	for _, name := range e.path {
		of, known, _ = b.schemas.property(of, name)
		if !known {
			of = &view{}
		}
	}
	member, present := lookUpMember(value, e.path)
	if !present && !known || conditional && isEmpty(member) {
		return nil, nil
	}
	shown.add(e.path)
	label := e.label
	if label == "" {
		label = labelFor(of, e.path[len(e.path)-1])
	}
	return b.place(e.detail, label, of, below(path, e.path...), member)
}

// lookUpMember follows names through objects.
func lookUpMember(value *object, names []string) (any, bool) {
	var member any = value
	for _, name := range names {
		o, ok := member.(*object)
		if !ok {
			return nil, false
		}
		if member, ok = o.get(name); !ok {
			return nil, false
		}
	}
	return member, true
}

// rest adds to the others what a layout has not shown. The names within lead from
// the object that the layout is for, path leads to it.
func (b *builder) rest(v *view, value *object, within, path []string, shown coverage) error {
	for _, name := range value.names {
		member := value.members[name]
		at := below(within, name)
		pointer := jsontext.JoinPointer(at...)
		if shown.whole[pointer] || isEmpty(member) {
			continue
		}
		of, known, _ := b.schemas.property(v, name)
		inner, isObject := member.(*object)
		var err error
		switch {
		case isObject && shown.partly[pointer]:
			err = b.rest(of, inner, at, path, shown)
		case known:
			var made []Field
			made, err = b.place(nil, labelFor(of, name), of, below(path, at...), member)
			b.other = append(b.other, made...)
		default:
			err = b.unknown(below(path, at...), member)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// unknown adds a value to the others, as it is.
func (b *builder) unknown(path []string, value any) error {
	if isEmpty(value) {
		return nil
	}
	names := make([]string, len(path))
	for i, name := range path {
		names[i] = humanise(name)
	}
	b.other = append(b.other, Field{
		Pointer: jsontext.JoinPointer(path...), Label: strings.Join(names, " › "), Content: Text(rawText(value)),
	})
	return b.count()
}

// labelFor returns what the schema calls a member.
func labelFor(v *view, name string) string {
	if title := v.text("title"); title != "" {
		return title
	}
	return humanise(name)
}
