package form

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/procession-dev/procession/domain/jsontext"
)

// SheetLimits bound what is shown as controls. What exceeds them is one control of
// KindJSON.
func SheetLimits() Limits { return Limits{Depth: 12, Fields: 5_000, Rows: 300} }

// NewSheet returns the sheet of an input. A sheet that is readOnly has no control that
// changes its value. What exceeds the limits, and what no other control can edit, is
// edited as JSON. It returns the error of the context when that ends, and an error when
// a part of the input is not JSON.
func NewSheet(ctx context.Context, in Input, limits Limits, readOnly bool) (*Sheet, error) {
	schema, err := decode(in.Schema, maxSchemaDepth)
	if err != nil {
		return nil, fmt.Errorf("reading the schema of a form: %w", err)
	}
	layout, err := decode(in.UISchema, maxSchemaDepth)
	if err != nil {
		return nil, fmt.Errorf("reading the UI schema of a form: %w", err)
	}
	root, err := decodeExactly(in.Value, limits.Depth)
	if err != nil {
		return nil, fmt.Errorf("reading the value of a form: %w", err)
	}
	b := &sheetBuilder{
		ctx: ctx, schemas: newSchemas(schema), limits: limits, readOnly: readOnly, sheet: &Sheet{
			Title: in.Title, Subject: in.Subject, root: root, nodes: map[string]*Node{},
		},
		places: map[*object]string{}, rules: map[string]*condition{},
	}
	b.locate(schema, "")
	v := b.schemas.view(schema)
	top, ok := root.(*object)
	if root == nil && v.expects("object") {
		top, ok = newObject(), true
		b.sheet.root = top
	}
	if ok && v.expects("object") && !v.blank() {
		b.sheet.Nodes = b.root(readLayout(layout), v, top)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if b.sheet.Nodes == nil || b.exceeded {
		b.sheet.nodes = map[string]*Node{}
		whole := b.node(at{}, v, nil)
		whole.Label, whole.Kind, whole.value, whole.present = valueLabel, KindJSON, root, root != nil
		b.sheet.Nodes = []*Node{whole}
	}
	return b.sheet, nil
}

// valueLabel is what a whole value is called that has no title.
const valueLabel = "Value"

// blank reports whether the schema has no constraints on members.
func (v *view) blank() bool { return len(v.propertyNames()) == 0 }

type sheetBuilder struct {
	ctx      context.Context //nolint:containedctx // It lives for one call.
	schemas  *schemas
	limits   Limits
	readOnly bool
	sheet    *Sheet
	places   map[*object]string
	rules    map[string]*condition
	ruleWork int
	count    int
	exceeded bool
	// within are the schemas of the objects around the one being made.
	within []*view
}

// at is where a control is: its place in the value, its name, and the states that it
// has from what is around it.
type at struct {
	path, name                 []string
	hidden, disabled, readOnly bool
}

func (a at) below(tokens ...string) at {
	a.path, a.name = below(a.path, tokens...), below(a.name, tokens...)
	return a
}

// locate notes the place of each part of the schema.
func (b *sheetBuilder) locate(node any, pointer string) {
	switch part := node.(type) {
	case *object:
		b.places[part] = pointer
		for _, name := range part.names {
			b.locate(part.members[name], pointer+"/"+jsontext.EscapeToken(name))
		}
	case []any:
		for i, element := range part {
			b.locate(element, pointer+"/"+strconv.Itoa(i))
		}
	}
}

// root creates the nodes of the whole value. What the schema requires and the layout
// leaves out stands at the end: without it the form could not be completed.
func (b *sheetBuilder) root(layout *element, v *view, value *object) []*Node {
	shown := coverage{whole: map[string]bool{}, partly: map[string]bool{}}
	here := at{readOnly: b.readOnly}
	if layout == nil {
		return b.properties(v, value, here)
	}
	nodes := b.layout(layout, v, value, here, shown)
	var missing []*Node
	for _, name := range slices.Sorted(maps.Keys(v.required())) {
		pointer := jsontext.JoinPointer(name)
		if of, known, _ := b.schemas.property(v, name); known && !shown.whole[pointer] && !shown.partly[pointer] {
			missing = append(missing, b.member(nil, v, of, value, here, name))
		}
	}
	if len(missing) > 0 {
		nodes = append(nodes, &Node{Kind: KindSection, Label: OtherLabel, Children: missing})
	}
	return nodes
}

// over counts a node and reports whether there are too many.
func (b *sheetBuilder) over() bool {
	b.count++
	b.exceeded = b.exceeded || b.count > b.limits.Fields || b.count%64 == 0 && b.ctx.Err() != nil
	return b.exceeded
}

// node creates a control without a kind.
func (b *sheetBuilder) node(a at, v *view, e *element) *Node {
	n := &Node{
		Pointer: jsontext.JoinPointer(a.path...), Name: jsontext.JoinPointer(a.name...),
		Hidden: a.hidden, Disabled: a.disabled, ReadOnly: a.readOnly || v.flag("readOnly"),
		Label: v.text("title"), Help: v.text("description"), Bounds: v.bounds(),
	}
	if len(v.sure) > 0 {
		n.Schema = b.places[v.sure[0]]
	}
	if e != nil {
		if e.label != "" {
			n.Label = e.label
		}
		n.Unlabelled = e.unlabelled
		n.Hint = e.options.text("placeholder")
		n.ReadOnly = n.ReadOnly || e.option("readonly") == true || e.option("readOnly") == true
		if help := e.options.text("help"); help != "" {
			n.Help = help
		}
	}
	if n.Label == "" {
		n.Label = valueLabel
		if len(a.path) > 0 {
			n.Label = humanise(a.path[len(a.path)-1])
		}
	}
	b.sheet.nodes[n.Pointer] = n
	return n
}

// properties returns a control for each member of the schema.
func (b *sheetBuilder) properties(v *view, value *object, a at) []*Node {
	fitting := b.fitting(v, value)
	nodes := []*Node{}
	for _, name := range fitting.propertyNames() {
		if b.exceeded {
			break
		}
		of, _ := b.memberView(v, fitting, name)
		nodes = append(nodes, b.member(nil, fitting, of, value, a, name))
	}
	return nodes
}

// member creates the control of a member of an object.
func (b *sheetBuilder) member(e *element, parent, of *view, value *object, a at, name string) *Node {
	n := b.node(a.below(name), of, e)
	n.Required = parent.required()[name]
	if b.over() {
		n.Kind = KindJSON
		return n
	}
	n.value, n.present = value.get(name)
	b.control(n, e, of, a.below(name))
	return n
}

// layout creates the nodes of what a UI schema shows of an object.
func (b *sheetBuilder) layout(e *element, v *view, value *object, a at, shown coverage) []*Node {
	if b.over() {
		return nil
	}
	b.apply(e.rule, value, &a)
	n := &Node{Label: e.label, Hidden: a.hidden}
	switch {
	case e.kind == kindControl:
		return b.layoutControl(e, v, value, a, shown)
	case e.kind == kindLabel:
		n.Kind = KindNote
		return []*Node{n}
	case e.kindName == "Categorization":
		n.Kind = KindTabs
		if e.option("variant") == "stepper" {
			n.Kind = KindStepper
		}
	case e.kindName == "Category":
		n.Kind = KindPage
	case e.kind == kindGroup:
		n.Kind = KindSection
	case e.kindName == "HorizontalLayout":
		n.Kind = KindHorizontal
	default:
		n.Kind = KindVertical
	}
	for _, child := range e.elements {
		n.Children = append(n.Children, b.layout(child, v, value, a, shown)...)
	}
	if n.Kind == KindTabs || n.Kind == KindStepper {
		for i, child := range n.Children {
			if child.Kind != KindPage {
				n.Children[i] = &Node{Kind: KindPage, Label: child.Label, Hidden: child.Hidden, Children: []*Node{child}}
			}
		}
	}
	return []*Node{n}
}

func (b *sheetBuilder) layoutControl(e *element, v *view, value *object, a at, shown coverage) []*Node {
	pointer := jsontext.JoinPointer(e.path...)
	if len(e.path) == 0 || shown.whole[pointer] {
		return nil
	}
	parent, of, known := v, v, true
	var inner any = value
	for _, name := range e.path {
		holder, _ := inner.(*object)
		parent = b.fitting(of, holder)
		of, known = b.memberView(of, parent, name)
		inner, _ = holder.get(name)
	}
	holder, within := lookUpMember(value, e.path[:len(e.path)-1])
	container, isObject := holder.(*object)
	_, present := container.get(e.path[len(e.path)-1])
	if !known && !present || within && holder != nil && !isObject {
		return nil
	}
	shown.add(e.path)
	last := len(e.path) - 1
	return []*Node{b.member(e, parent, of, container, a.below(e.path[:last]...), e.path[last])}
}

// option returns an option of an element, nil for none.
func (e *element) option(name string) any {
	if e == nil {
		return nil
	}
	value, _ := e.options.get(name)
	return value
}
