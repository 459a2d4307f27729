package form

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/domain/jsontext"
	"github.com/procession-dev/procession/domain/translation"
)

// EditorLimits returns the limits of an Editor. Larger forms are a single control of KindJSON.
func EditorLimits() Limits { return Limits{Depth: 12, Fields: 5_000, Rows: 300} }

// NewEditor returns the editor of an input. If readOnly is set, no control changes its value. A form beyond the
// limits, and values that no other control can edit, are edited as JSON. It returns the error of the context, or an
// error if a part of the input is not JSON.
func NewEditor(ctx context.Context, in Input, limits Limits, readOnly bool) (*Editor, error) {
	outline, err := newOutline(&in, jsondoc.Watch(ctx.Err))
	if err != nil {
		return nil, err
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
		ctx: ctx, limits: limits, readOnly: readOnly, picked: in.Picked, rules: map[string]*condition{}, labels: in.Labels.orEnglish(),
		editor: &Editor{Title: in.Title, Subject: in.Subject, root: root, nodes: map[string]*Node{}, outline: outline, sources: in.Texts},
	}
	place := outline.Root()
	isObject := place.Types().Has(jsondoc.TypeObject)
	top, ok := root.(*object)
	if root == nil && isObject {
		top, ok = jsondoc.NewObject(), true
		b.editor.root = top
	}
	if ok && isObject && place.HasStatements() && !place.IsLimited() {
		b.editor.Nodes = b.rootNodes(readLayout(layout), place, top)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if b.editor.Nodes == nil || b.exceeded || outline.Exhausted() {
		b.editor.nodes = map[string]*Node{}
		whole := b.newNode(site{}, place, nil)
		whole.Label, whole.Kind, whole.value, whole.present = b.labels.Value, KindJSON, root, root != nil
		if whole.Reason = ReasonRoot; isObject && hasFields(place) {
			whole.Reason = ReasonLimit
		}
		b.editor.Nodes = []*Node{whole}
	}
	return b.editor, nil
}

// valueLabel is the label of a whole value without a title.
const valueLabel = "Value"

type editorBuilder struct {
	ctx      context.Context //nolint:containedctx // It lives for one call.
	limits   Limits
	readOnly bool
	picked   jsondoc.Picked
	labels   Labels
	editor   *Editor
	rules    map[string]*condition
	ruleWork int
	count    int
	exceeded bool
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

// rootNodes creates the nodes of the whole value. Required members that the layout omits are appended, because the
// form could not be completed without them.
func (b *editorBuilder) rootNodes(layout *element, p *jsondoc.Place, value *object) []*Node {
	shown := coverage{whole: map[string]bool{}, partly: map[string]bool{}}
	here := site{readOnly: b.readOnly}
	if !hasFields(p) {
		n := b.newNode(here, p, nil)
		n.Label, n.value, n.present = b.labels.Value, value, true
		if b.setMap(n, p, value, here); n.Kind != KindMap || n.Endless || !p.Members().Rest {
			return nil
		}
		return []*Node{n}
	}
	if layout == nil {
		return b.propertyNodes(p, value, here)
	}
	nodes := append(b.choiceNodes(p, here), b.layoutNodes(layout, p, value, here, shown)...)
	nodes = append(nodes, b.strayNodes(p, value, here)...)
	var missing []*Node
	for _, named := range p.Members().Named {
		pointer := jsontext.JoinPointer(named.Name)
		if isNeeded(p, named) && !shown.whole[pointer] && !shown.partly[pointer] {
			missing = append(missing, b.memberNode(nil, p, value, here, named.Name))
		}
	}
	if len(missing) > 0 {
		nodes = append(nodes, &Node{Kind: KindSection, Label: b.labels.Other, Children: missing})
	}
	return nodes
}

// isNeeded reports whether a form cannot be completed without a member: it is required, or selects a branch.
func isNeeded(p *jsondoc.Place, named jsondoc.Named) bool {
	return named.Required.IsRequired() || slices.ContainsFunc(p.Choices(), func(c *jsondoc.Choice) bool { return c.By == named.Name })
}

// exceedsLimit counts a node and reports whether there are too many.
func (b *editorBuilder) exceedsLimit() bool {
	b.count++
	b.exceeded = b.exceeded || b.count > b.limits.Fields || b.count%64 == 0 && b.ctx.Err() != nil
	return b.exceeded
}

// newNode creates a control without a kind.
func (b *editorBuilder) newNode(a site, p *jsondoc.Place, e *element) *Node {
	about := p.Annotations()
	n := &Node{
		Pointer: jsontext.JoinPointer(a.path...), Name: jsontext.JoinPointer(a.name...), Schema: p.Schema(),
		Hidden: a.hidden, Disabled: a.disabled, ReadOnly: a.readOnly || about.ReadOnly,
		Label: about.Title, Help: about.Description, Bounds: p.Bounds(), Types: p.StatedTypes(),
		nullable: p.Types().Has(jsondoc.TypeNull) && p.HasStatements(),
	}
	n.Deprecated, n.Examples, n.Sufficient = about.Deprecated, exampleTexts(about.Examples), b.editor.sources.sufficientLabels(a.path, p)
	n.accepts = func(number string) bool { return p.Accepts(json.RawMessage(number)) }
	if e != nil {
		n.Label, n.Help = cmp.Or(e.label, n.Label), cmp.Or(e.options.Text("help"), n.Help)
		n.Unlabelled = e.unlabelled
		n.Hint = e.options.Text("placeholder")
		n.ReadOnly = n.ReadOnly || e.optionValue("readonly") == true || e.optionValue("readOnly") == true
	}
	if n.Label == "" && len(a.path) > 0 {
		n.Label = jsondoc.Humanise(a.path[len(a.path)-1])
	}
	b.translate(n, a.path, p, e)
	b.editor.nodes[n.Pointer] = n
	return n
}

// translate sets the texts of a control in the language of the reader.
func (b *editorBuilder) translate(n *Node, path []string, p *jsondoc.Place, e *element) {
	n.wording = b.editor.sources.at(path, p, e)
	label, help := n.wording.find(n.Label, translation.SuffixLabel), n.wording.find(n.Help, translation.SuffixDescription)
	n.Label, n.LabelLang, n.Help, n.HelpLang = cmp.Or(label.Text, b.labels.Value), label.Lang, help.Text, help.Lang
	hint := n.wording.find(n.Hint, translation.SuffixPlaceholder)
	n.Hint, n.HintLang = hint.Text, hint.Lang
}

// propertyNodes returns a control for each member of the schema, after the choices of the object.
func (b *editorBuilder) propertyNodes(p *jsondoc.Place, value *object, a site) []*Node {
	nodes := append([]*Node{}, b.choiceNodes(p, a)...)
	for _, named := range p.Members().Named {
		if b.exceeded {
			break
		}
		nodes = append(nodes, b.memberNode(nil, p, value, a, named.Name))
	}
	nodes = append(nodes, b.mapNodes(p, value, a)...)
	return append(nodes, b.strayNodes(p, value, a)...)
}

// strayNodes returns a node for the members of an object that the schema forbids, or names in other alternatives.
func (b *editorBuilder) strayNodes(p *jsondoc.Place, value *object, a site) []*Node {
	strays := p.Members().Stray
	if len(strays) == 0 || value == nil {
		return nil
	}
	n := &Node{
		Kind: KindStray, Name: jsontext.JoinPointer(a.name...), Hidden: a.hidden, Disabled: a.disabled, ReadOnly: a.readOnly,
	}
	for _, name := range strays {
		member, _ := value.Get(name)
		path := extendPath(a.path, name)
		label := b.editor.sources.label(path, p.Member(name))
		n.Strays = append(n.Strays, Stray{
			Pointer: jsontext.JoinPointer(path...), Label: label.Text, Lang: label.Lang, JSON: string(jsonText(member)),
		})
	}
	return []*Node{n}
}

// memberNode creates the control of a member of an object.
func (b *editorBuilder) memberNode(e *element, outer *jsondoc.Place, value *object, a site, name string) *Node {
	p := outer.Member(name)
	here := a.child(name)
	n := b.newNode(here, p, e)
	n.Required = isRequired(outer, name)
	if named := findNamed(outer, name); n.Required && named.Required.Because != "" {
		n.Because = b.editor.sources.label(extendPath(a.path, named.Required.Because), outer.Member(named.Required.Because)).Text
	}
	n.Selects = slices.ContainsFunc(outer.Choices(), func(c *jsondoc.Choice) bool { return c.By == name })
	if b.exceedsLimit() {
		n.Kind, n.Reason = KindJSON, ReasonLimit
		return n
	}
	n.value, n.present = value.Get(name)
	n.setAside(p)
	b.setControl(n, e, p, here)
	n.compareReading(p)
	n.offerDefault(p)
	if n.Kind == KindObject {
		return n
	}
	return b.wrapChoices(n, p, here)
}

// pickable returns the choices of a place that no member decides.
func pickable(p *jsondoc.Place) []*jsondoc.Choice {
	return slices.DeleteFunc(slices.Clone(p.Choices()), func(c *jsondoc.Choice) bool { return c.By != "" })
}

// choiceNodes returns the controls of the choices of an object.
func (b *editorBuilder) choiceNodes(p *jsondoc.Place, a site) []*Node {
	var nodes []*Node
	for _, choice := range pickable(p) {
		n := b.choiceNode(choice, p, a)
		n.Label = KindOfValue
		nodes = append(nodes, n)
	}
	return nodes
}

// KindOfValue is the label of a choice between the alternatives for a value.
const KindOfValue = "Kind"

// wrapChoices returns a control within the controls of the choices of its place.
func (b *editorBuilder) wrapChoices(n *Node, p *jsondoc.Place, a site) *Node {
	for _, choice := range slices.Backward(pickable(p)) {
		outer := b.choiceNode(choice, p, a)
		outer.Label, outer.Help, outer.Required, outer.Children = n.Label, n.Help, n.Required, []*Node{n}
		outer.LabelLang, outer.HelpLang = n.LabelLang, n.HelpLang
		outer.Hidden, outer.Disabled, outer.ReadOnly = n.Hidden, n.Disabled, n.ReadOnly
		n.Unlabelled, n.Help = true, ""
		n = outer
	}
	return n
}

func (b *editorBuilder) choiceNode(choice *jsondoc.Choice, p *jsondoc.Place, a site) *Node {
	n := &Node{
		Kind: KindChoice, Name: jsontext.JoinPointer(a.name...) + choiceMark + choice.Key.Schema, Choice: choice,
		Hidden: a.hidden, Disabled: a.disabled, ReadOnly: a.readOnly,
	}
	w := b.editor.sources.at(a.path, p, nil)
	for i := range choice.Branches {
		n.Options = append(n.Options, branchOption(&choice.Branches[i], i, w))
	}
	return n
}

// choiceMark separates the name of the value and the schema in the name of a choice. No pointer contains it.
const choiceMark = "~:"

// ChoiceName returns the name of the choice with a key.
func ChoiceName(key jsondoc.ChoiceKey) string { return key.Pointer + choiceMark + key.Schema }

// ChoiceKey returns the key of a choice for the name of its node, or of a value that was opened.
func ChoiceKey(name string) jsondoc.ChoiceKey {
	pointer, schema, _ := strings.Cut(name, choiceMark)
	return jsondoc.ChoiceKey{Pointer: pointer, Schema: schema}
}

// layoutNodes creates the nodes of an element of a UI schema.
func (b *editorBuilder) layoutNodes(e *element, p *jsondoc.Place, value *object, a site, shown coverage) []*Node {
	if b.exceedsLimit() {
		return nil
	}
	b.applyRule(e.rule, value, &a)
	suffix := translation.SuffixLabel
	if e.kind == kindLabel {
		suffix = translation.SuffixText
	}
	heading := b.editor.sources.heading(e, suffix)
	n := &Node{Label: heading.Text, LabelLang: heading.Lang, Hidden: a.hidden}
	switch {
	case e.kind == kindControl:
		return b.layoutControl(e, p, value, a, shown)
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
		n.Children = append(n.Children, b.layoutNodes(child, p, value, a, shown)...)
	}
	if n.Kind == KindTabs || n.Kind == KindStepper {
		for i, child := range n.Children {
			if child.Kind != KindPage {
				n.Children[i] = &Node{Kind: KindPage, Label: child.Label, LabelLang: child.LabelLang, Hidden: child.Hidden, Children: []*Node{child}}
			}
		}
	}
	return []*Node{n}
}

func (b *editorBuilder) layoutControl(e *element, p *jsondoc.Place, value *object, a site, shown coverage) []*Node {
	pointer := jsontext.JoinPointer(e.path...)
	if len(e.path) == 0 || shown.whole[pointer] {
		return nil
	}
	last := len(e.path) - 1
	outer := memberAt(p, e.path[:last])
	holder, within := lookUpMember(value, e.path[:last])
	container, isObject := holder.(*object)
	_, present := container.Get(e.path[last])
	if !present && !isNamed(outer, e.path[last]) || within && holder != nil && !isObject {
		return nil
	}
	shown.addPath(e.path)
	return []*Node{b.memberNode(e, outer, container, a.child(e.path[:last]...), e.path[last])}
}

// optionValue returns an option of an element, or nil.
func (e *element) optionValue(name string) any {
	if e == nil {
		return nil
	}
	value, _ := e.options.Get(name)
	return value
}
