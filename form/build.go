package form

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/domain/jsontext"
	"github.com/procession-dev/procession/domain/translation"
)

// A builder builds a model.
type builder struct {
	ctx    context.Context //nolint:containedctx // A builder lives for one call.
	limits Limits
	print  printer
	fields int
	other  []Field
	// sources are the translations of the form.
	sources Texts
	// controls are the elements that show values, by the pointers of these.
	controls map[string]*element
}

// label returns the label of a value in the language of the reader. e is the element that shows it, or nil.
func (b *builder) label(source string, path []string, p *jsondoc.Place, e *element) translation.Text {
	return b.sources.at(path, p, e).find(source, translation.SuffixLabel)
}

// OtherLabel is the heading of values without a place in the form.
const OtherLabel = "Other"

// NewModel builds the model of an input. It returns a *LimitError if the input is too large, the error of the
// context, or an error if a part of the input is not JSON. An invalid or incomplete schema does not prevent a value
// from being shown.
func NewModel(ctx context.Context, in Input, limits Limits) (*Model, error) {
	place := in.place
	if place == nil {
		outline, err := newOutline(&in, jsondoc.Watch(ctx.Err))
		if err != nil {
			return nil, err
		}
		place = outline.Root()
	}
	layout, err := jsondoc.Decode(in.UISchema, maxSchemaDepth)
	if err != nil {
		return nil, fmt.Errorf("reading the UI schema of a form: %w", err)
	}
	value, err := jsondoc.Decode(in.Value, limits.Depth)
	if err != nil {
		return nil, fmt.Errorf("reading the value of a form: %w", err)
	}
	b := &builder{
		ctx: ctx, limits: limits, print: newPrinter(in.Reader), sources: in.Texts, controls: map[string]*element{},
	}
	model := &Model{Title: in.Title, Subject: in.Subject}
	if o, ok := value.(*object); ok {
		model.Fields, err = b.objectFields(readLayout(layout), place, o, nil)
	} else {
		label := b.label(place.Annotations().Title, nil, place, nil)
		label.Text = cmp.Or(label.Text, valueLabel)
		model.Fields, err = b.valueFields(nil, label, place, nil, value)
	}
	if err != nil {
		return nil, err
	}
	model.Other = b.other
	return model, nil
}

// countField counts a field and returns an error beyond the limit.
func (b *builder) countField() error {
	b.fields++
	if b.fields > b.limits.Fields {
		return &LimitError{What: "fields", Max: b.limits.Fields}
	}
	if b.fields%64 == 0 {
		return b.ctx.Err()
	}
	return nil
}

// coverage contains the parts of an object that a layout shows, as JSON Pointers from the object: whole values, and
// objects shown partly.
type coverage struct {
	whole, partly map[string]bool
}

func (c coverage) addPath(path []string) {
	c.whole[jsontext.JoinPointer(path...)] = true
	for length := 1; length < len(path); length++ {
		c.partly[jsontext.JoinPointer(path[:length]...)] = true
	}
}

// objectFields creates the fields of an object. Members that the layout does not show, or that the schema does not
// name, are added to the others.
func (b *builder) objectFields(layout *element, p *jsondoc.Place, value *object, path []string) ([]Field, error) {
	if layout == nil {
		return b.memberFields(p, value, path)
	}
	shown := coverage{whole: map[string]bool{}, partly: map[string]bool{}}
	fields, err := b.layoutFields(layout, p, value, path, shown, false)
	if err != nil {
		return nil, err
	}
	return fields, b.addRest(p, value, nil, path, shown)
}

// memberFields returns a field for each member of the schema, in its order. Other members follow if the schema names
// none or types them, or are added to the others.
func (b *builder) memberFields(p *jsondoc.Place, value *object, path []string) ([]Field, error) {
	var fields []Field
	seen := map[string]bool{}
	members := p.Members()
	add := func(name string) error {
		of := p.Member(name)
		path := extendPath(path, name)
		made, err := b.valueFields(nil, b.label(labelFor(of, name), path, of, nil), of, path, value.Members[name])
		fields = append(fields, made...)
		return err
	}
	for _, named := range members.Named {
		seen[named.Name] = true
		if err := add(named.Name); err != nil {
			return nil, err
		}
	}
	open := len(members.Named) == 0 && !members.Typed
	for _, name := range value.Names {
		if seen[name] {
			continue
		}
		stray := slices.Contains(members.Stray, name)
		if stray || !open && !p.Member(name).HasStatements() {
			if err := b.addUnknown(extendPath(path, name), value.Members[name]); err != nil {
				return nil, err
			}
			continue
		}
		if err := add(name); err != nil {
			return nil, err
		}
	}
	return fields, nil
}

// layoutFields creates the fields of an element of a UI schema.
func (b *builder) layoutFields(
	e *element, p *jsondoc.Place, value *object, path []string, shown coverage, conditional bool,
) ([]Field, error) {
	conditional = conditional || e.rule != nil
	switch e.kind {
	case kindLabel:
		note := b.sources.heading(e, translation.SuffixText)
		if note.Text == "" {
			return nil, nil
		}
		return []Field{{Label: note.Text, Lang: note.Lang, Content: Note{}}}, b.countField()
	case kindControl:
		return b.controlFields(e, p, value, path, shown, conditional)
	case kindGroup, kindLayout:
	}
	var fields []Field
	for _, child := range e.elements {
		made, err := b.layoutFields(child, p, value, path, shown, conditional)
		if err != nil {
			return nil, err
		}
		fields = append(fields, made...)
	}
	if heading := b.sources.heading(e, translation.SuffixLabel); e.kind == kindGroup && heading.Text != "" && len(fields) > 0 {
		return []Field{{Label: heading.Text, Lang: heading.Lang, Content: Group(fields)}}, nil
	}
	return fields, nil
}

func (b *builder) controlFields(
	e *element, p *jsondoc.Place, value *object, path []string, shown coverage, conditional bool,
) ([]Field, error) {
	if len(e.path) == 0 || shown.whole[jsontext.JoinPointer(e.path...)] {
		return nil, nil
	}
	outer := memberAt(p, e.path[:len(e.path)-1])
	last := e.path[len(e.path)-1]
	of, declared := outer.Member(last), isNamed(outer, last)
	member, present := lookUpMember(value, e.path)
	if !present && !declared || conditional && isEmpty(member) {
		return nil, nil
	}
	shown.addPath(e.path)
	path = extendPath(path, e.path...)
	b.controls[jsontext.JoinPointer(path...)] = e
	label := b.label(cmp.Or(e.label, labelFor(of, last)), path, of, e)
	return b.valueFields(e.detail, label, of, path, member)
}

// lookUpMember follows names through objects.
func lookUpMember(value *object, names []string) (any, bool) {
	var member any = value
	for _, name := range names {
		o, ok := member.(*object)
		if !ok {
			return nil, false
		}
		if member, ok = o.Get(name); !ok {
			return nil, false
		}
	}
	return member, true
}

// addRest adds the members that a layout does not show to the others. within leads to value from the object of the
// layout, path to that object.
func (b *builder) addRest(p *jsondoc.Place, value *object, within, path []string, shown coverage) error {
	for _, name := range value.Names {
		member := value.Members[name]
		at := extendPath(within, name)
		pointer := jsontext.JoinPointer(at...)
		if shown.whole[pointer] || isEmpty(member) {
			continue
		}
		of, declared := p.Member(name), isNamed(p, name)
		inner, isObject := member.(*object)
		var err error
		switch {
		case isObject && shown.partly[pointer]:
			err = b.addRest(of, inner, at, path, shown)
		case declared:
			var made []Field
			full := extendPath(path, at...)
			made, err = b.valueFields(nil, b.label(labelFor(of, name), full, of, nil), of, full, member)
			b.other = append(b.other, made...)
		default:
			err = b.addUnknown(extendPath(path, at...), member)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// addUnknown adds a value to the others as JSON.
func (b *builder) addUnknown(path []string, value any) error {
	if isEmpty(value) {
		return nil
	}
	names := make([]string, len(path))
	for i, name := range path {
		names[i] = jsondoc.Humanise(name)
	}
	b.other = append(b.other, Field{
		Pointer: jsontext.JoinPointer(path...), Label: strings.Join(names, " › "), Content: Text(jsondoc.ReadableText(value)),
	})
	return b.countField()
}
