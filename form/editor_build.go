package form

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/domain/jsontext"
)

// EditorLimits returns the limits of an Editor. Larger forms are a single control of KindJSON.
func EditorLimits() Limits { return Limits{Depth: 12, Fields: 5_000, Rows: 300} }

// NewEditor returns the editor of an input. If readOnly is set, no control changes its value. A form beyond the
// limits, and values that no other control can edit, are edited as JSON. It returns the error of the context, or an
// error if a part of the input is not JSON.
func NewEditor(ctx context.Context, in Input, limits Limits, readOnly bool) (*Editor, error) {
	schema, err := jsondoc.Decode(in.Schema, maxSchemaDepth)
	if err != nil {
		return nil, fmt.Errorf("reading the schema of a form: %w", err)
	}
	layout, err := jsondoc.Decode(in.UISchema, maxSchemaDepth)
	if err != nil {
		return nil, fmt.Errorf("reading the UI schema of a form: %w", err)
	}
	root, err := jsondoc.DecodeExactly(in.Value, limits.Depth)
	if err != nil {
		return nil, fmt.Errorf("reading the value of a form: %w", err)
	}
	b := &editorBuilder{
		ctx: ctx, schemas: newSchemas(schema), limits: limits, readOnly: readOnly, editor: &Editor{
			Title: in.Title, Subject: in.Subject, root: root, nodes: map[string]*Node{},
		},
		places: map[*object]string{}, rules: map[string]*condition{},
	}
	b.recordPlaces(schema, "")
	v := b.schemas.viewOf(schema)
	top, ok := root.(*object)
	if root == nil && v.expectsType("object") {
		top, ok = jsondoc.NewObject(), true
		b.editor.root = top
	}
	if ok && v.expectsType("object") && !v.isBlank() {
		b.editor.Nodes = b.rootNodes(readLayout(layout), v, top)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if b.editor.Nodes == nil || b.exceeded {
		b.editor.nodes = map[string]*Node{}
		whole := b.newNode(site{}, v, nil)
		whole.Label, whole.Kind, whole.value, whole.present = valueLabel, KindJSON, root, root != nil
		b.editor.Nodes = []*Node{whole}
	}
	return b.editor, nil
}

// valueLabel is the label of a whole value without a title.
const valueLabel = "Value"

// isBlank reports whether the schema names no members.
func (v *view) isBlank() bool { return len(v.propertyNames()) == 0 }

type editorBuilder struct {
	ctx      context.Context //nolint:containedctx // It lives for one call.
	schemas  *schemas
	limits   Limits
	readOnly bool
	editor   *Editor
	places   map[*object]string
	rules    map[string]*condition
	ruleWork int
	count    int
	exceeded bool
	// within are the schemas of the enclosing objects.
	within []*view
}

// A site is the position of a control in the value, with the states inherited from its surroundings.
type site struct {
	path, name                 []string
	hidden, disabled, readOnly bool
}

func (a site) child(tokens ...string) site {
	a.path, a.name = extendPath(a.path, tokens...), extendPath(a.name, tokens...)
	return a
}

// recordPlaces records the pointer of each part of the schema.
func (b *editorBuilder) recordPlaces(node any, pointer string) {
	switch part := node.(type) {
	case *object:
		b.places[part] = pointer
		for _, name := range part.Names {
			b.recordPlaces(part.Members[name], pointer+"/"+jsontext.EscapeToken(name))
		}
	case []any:
		for i, element := range part {
			b.recordPlaces(element, pointer+"/"+strconv.Itoa(i))
		}
	}
}

// rootNodes creates the nodes of the whole value. Required members that the layout omits are appended, because the
// form could not be completed without them.
func (b *editorBuilder) rootNodes(layout *element, v *view, value *object) []*Node {
	shown := coverage{whole: map[string]bool{}, partly: map[string]bool{}}
	here := site{readOnly: b.readOnly}
	if layout == nil {
		return b.propertyNodes(v, value, here)
	}
	nodes := b.layoutNodes(layout, v, value, here, shown)
	var missing []*Node
	for _, name := range slices.Sorted(maps.Keys(v.requiredNames())) {
		pointer := jsontext.JoinPointer(name)
		if of, known, _ := b.schemas.propertyView(v, name); known && !shown.whole[pointer] && !shown.partly[pointer] {
			missing = append(missing, b.memberNode(nil, v, of, value, here, name))
		}
	}
	if len(missing) > 0 {
		nodes = append(nodes, &Node{Kind: KindSection, Label: OtherLabel, Children: missing})
	}
	return nodes
}

// exceedsLimit counts a node and reports whether there are too many.
func (b *editorBuilder) exceedsLimit() bool {
	b.count++
	b.exceeded = b.exceeded || b.count > b.limits.Fields || b.count%64 == 0 && b.ctx.Err() != nil
	return b.exceeded
}

// newNode creates a control without a kind.
func (b *editorBuilder) newNode(a site, v *view, e *element) *Node {
	n := &Node{
		Pointer: jsontext.JoinPointer(a.path...), Name: jsontext.JoinPointer(a.name...),
		Hidden: a.hidden, Disabled: a.disabled, ReadOnly: a.readOnly || v.isTrue("readOnly"),
		Label: v.textOf("title"), Help: v.textOf("description"), Bounds: v.readBounds(),
	}
	if len(v.sure) > 0 {
		n.Schema = b.places[v.sure[0]]
	}
	if e != nil {
		if e.label != "" {
			n.Label = e.label
		}
		n.Unlabelled = e.unlabelled
		n.Hint = e.options.Text("placeholder")
		n.ReadOnly = n.ReadOnly || e.optionValue("readonly") == true || e.optionValue("readOnly") == true
		if help := e.options.Text("help"); help != "" {
			n.Help = help
		}
	}
	if n.Label == "" {
		n.Label = valueLabel
		if len(a.path) > 0 {
			n.Label = humaniseName(a.path[len(a.path)-1])
		}
	}
	b.editor.nodes[n.Pointer] = n
	return n
}

// propertyNodes returns a control for each member of the schema.
func (b *editorBuilder) propertyNodes(v *view, value *object, a site) []*Node {
	fitting := b.fittingView(v, value)
	nodes := []*Node{}
	for _, name := range fitting.propertyNames() {
		if b.exceeded {
			break
		}
		of, _ := b.memberView(v, fitting, name)
		nodes = append(nodes, b.memberNode(nil, fitting, of, value, a, name))
	}
	return nodes
}

// memberNode creates the control of a member of an object.
func (b *editorBuilder) memberNode(e *element, parent, of *view, value *object, a site, name string) *Node {
	n := b.newNode(a.child(name), of, e)
	n.Required = parent.requiredNames()[name]
	if b.exceedsLimit() {
		n.Kind = KindJSON
		return n
	}
	n.value, n.present = value.Get(name)
	b.setControl(n, e, of, a.child(name))
	return n
}

// layoutNodes creates the nodes of an element of a UI schema.
func (b *editorBuilder) layoutNodes(e *element, v *view, value *object, a site, shown coverage) []*Node {
	if b.exceedsLimit() {
		return nil
	}
	b.applyRule(e.rule, value, &a)
	n := &Node{Label: e.label, Hidden: a.hidden}
	switch {
	case e.kind == kindControl:
		return b.layoutControl(e, v, value, a, shown)
	case e.kind == kindLabel:
		n.Kind = KindNote
		return []*Node{n}
	case e.kindName == "Categorization":
		n.Kind = KindTabs
		if e.optionValue("variant") == "stepper" {
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
		n.Children = append(n.Children, b.layoutNodes(child, v, value, a, shown)...)
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

func (b *editorBuilder) layoutControl(e *element, v *view, value *object, a site, shown coverage) []*Node {
	pointer := jsontext.JoinPointer(e.path...)
	if len(e.path) == 0 || shown.whole[pointer] {
		return nil
	}
	parent, of, known := v, v, true
	var inner any = value
	for _, name := range e.path {
		holder, _ := inner.(*object)
		parent = b.fittingView(of, holder)
		of, known = b.memberView(of, parent, name)
		inner, _ = holder.Get(name)
	}
	holder, within := lookUpMember(value, e.path[:len(e.path)-1])
	container, isObject := holder.(*object)
	_, present := container.Get(e.path[len(e.path)-1])
	if !known && !present || within && holder != nil && !isObject {
		return nil
	}
	shown.addPath(e.path)
	last := len(e.path) - 1
	return []*Node{b.memberNode(e, parent, of, container, a.child(e.path[:last]...), e.path[last])}
}

// optionValue returns an option of an element, or nil.
func (e *element) optionValue(name string) any {
	if e == nil {
		return nil
	}
	value, _ := e.options.Get(name)
	return value
}
