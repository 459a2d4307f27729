package form

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/domain/kuflowref"
)

const (
	// maxRadio and maxSelect are how many options are shown as radio buttons and in a
	// list; more are searched.
	maxRadio  = 5
	maxSelect = 12
	// maxColumnsShown is how many columns a table has; objects with more members are
	// cards.
	maxColumnsShown = 6
	// maxExpanded is the depth of optional objects that are shown before they have a value.
	maxExpanded = 2
)

// setControl selects the kind of control for a value.
func (b *editorBuilder) setControl(n *Node, e *element, p *jsondoc.Place, a site) {
	a.hidden, a.disabled, a.readOnly = n.Hidden, n.Disabled, n.ReadOnly
	n.Kind, n.Reason = KindJSON, ReasonValue
	if _, isDeep := n.value.(deep); isDeep || len(a.path) > b.limits.Depth || p.IsLimited() {
		n.Reason = ReasonLimit
		return
	}
	types := p.StatedTypes()
	n.texts = types == 0 || types.Has(jsondoc.TypeString)
	if options, closed := listOptions(p, n.wording); len(options) > 0 && types != jsondoc.TypeBoolean && closed {
		b.setOptions(n, e, options)
		return
	} else if len(options) > 0 && !closed {
		b.setSuggestions(n, options, types)
		return
	}
	switch types { //nolint:exhaustive // the others are sets of several types
	case jsondoc.TypeObject:
		b.setObject(n, e, p, a)
	case jsondoc.TypeArray:
		b.setArray(n, e, p, a)
	case jsondoc.TypeBoolean:
		b.setBoolean(n, e)
	case jsondoc.TypeNumber:
		n.Kind = plainOr(n, KindNumber)
	case jsondoc.TypeInteger:
		n.Kind = plainOr(n, KindInteger)
	case jsondoc.TypeString:
		n.Kind = b.textKind(n, e, p)
	case 0:
		switch n.value.(type) {
		case nil, string:
			n.Kind = b.textKind(n, e, p)
		}
	default:
		b.setMultiType(n, types)
	}
}

// setMultiType selects a line for a value of several scalar types. Numeric text becomes a number, unless the current
// value is a text.
func (b *editorBuilder) setMultiType(n *Node, types jsondoc.Types) {
	if !types.Only(jsondoc.TypeString | jsondoc.TypeNumber) {
		n.Reason = ReasonTypes
		return
	}
	_, isText := n.value.(string)
	n.Kind, n.texts, n.numbers = plainOr(n, KindLine), types.Has(jsondoc.TypeString), !isText
}

// plainOr returns the kind if the value fits a line of text, or KindJSON.
func plainOr(n *Node, kind Kind) Kind {
	switch value := n.value.(type) {
	case nil, json.Number, bool:
		return kind
	case string:
		if !strings.ContainsFunc(value, unicode.IsControl) {
			return kind
		}
	}
	return KindJSON
}

func (b *editorBuilder) textKind(n *Node, e *element, p *jsondoc.Place) Kind {
	about := p.Annotations()
	format := n.Bounds.Format
	kinds := map[string]Kind{
		string(kuflowref.KindFile): KindFile, string(kuflowref.KindPrincipal): KindPrincipal,
		string(kuflowref.KindGroup): KindGroup, string(kuflowref.KindProcess): KindProcess,
		string(kuflowref.KindBusinessArtifact): KindArtifact, string(kuflowref.KindDataSource): KindDataSource,
		"date": KindDate, "time": KindTime, "date-time": KindDateTime,
		"duration": KindDuration,
	}
	kind, special := kinds[format]
	text, isText := n.value.(string)
	multi := e.optionValue("multi") == true || strings.HasPrefix(about.MediaType, "text/") || strings.ContainsAny(text, "\r\n")
	switch {
	case n.present && n.value != nil && !isText:
		return plainOr(n, KindLine)
	case special:
		n.Source = about.DataSource
		return plainOr(n, kind)
	case format == "password" || about.WriteOnly:
		return plainOr(n, KindSecret)
	case n.Bounds.Accept != nil || n.Bounds.MaxSize > 0:
		return plainOr(n, KindFile)
	case strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) && !strings.ContainsRune("\r\n\t", r) }):
		return KindJSON
	case multi:
		return KindLines
	}
	return plainOr(n, KindLine)
}

func (b *editorBuilder) setBoolean(n *Node, e *element) {
	options := []Option{{Value: "true", value: true}, {Value: "false", value: false}}
	_, isBool := n.value.(bool)
	switch {
	case n.value != nil && !isBool:
		b.setOptions(n, e, options)
	case e.optionValue("toggle") == true:
		n.Kind = KindToggle
	case n.Required || e.optionValue("format") == "radio":
		// A required checkbox could not distinguish false from missing.
		n.Kind, n.Options = KindRadio, options
	default:
		n.Kind = KindCheck
	}
}

func (b *editorBuilder) setObject(n *Node, e *element, p *jsondoc.Place, a site) {
	value, isObject := n.value.(*object)
	if n.value != nil && !isObject {
		return
	}
	if !hasFields(p) {
		if n.Reason = ReasonMembers; p.Members().Rest || p.Members().Typed {
			b.setMap(n, p, value, a)
		}
		return
	}
	lazy := p.IsRecursive() || !n.present && !n.Required && len(a.path) > maxExpanded
	if lazy && !b.isOpened(p) {
		n.Kind = KindAdd
		return
	}
	n.Kind, n.Opened = KindObject, lazy
	n.Children = b.objectNodes(e, p, value, a)
}

// hasFields reports whether the schema names members of an object.
func hasFields(p *jsondoc.Place) bool {
	return len(p.Members().Named) > 0 || slices.ContainsFunc(p.Choices(), func(c *jsondoc.Choice) bool { return !c.OfTypes })
}

// isOpened reports whether a person has opened an absent value that may contain itself.
func (b *editorBuilder) isOpened(p *jsondoc.Place) bool {
	_, opened := b.picked[jsondoc.ChoiceKey{Pointer: p.Pointer()}]
	return opened
}

// objectNodes creates the nodes of an object by its detail layout, if any.
func (b *editorBuilder) objectNodes(e *element, p *jsondoc.Place, value *object, a site) []*Node {
	if e == nil || e.detail == nil {
		return b.propertyNodes(p, value, a)
	}
	shown := coverage{whole: map[string]bool{}, partly: map[string]bool{}}
	return b.layoutNodes(e.detail, p, value, a, shown)
}

func (b *editorBuilder) setArray(n *Node, e *element, p *jsondoc.Place, a site) {
	elements, isArray := n.value.([]any)
	item := p.Item(blankKey)
	if n.value != nil && !isArray {
		return
	}
	if n.Reason = ReasonLimit; len(elements) > b.limits.Rows {
		return
	}
	if p.Elements().Prefix > 0 {
		b.setTuple(n, p, elements, a)
		return
	}
	n.Width = b.matrixWidth(n, item, elements)
	kind := b.itemKind(e, item)
	switch kind { //nolint:exhaustive // the other kinds are rows
	case KindJSON:
		n.Reason = ReasonElements
		return
	case KindFile:
		n.Kind = KindFiles
		n.Bounds.Accept, n.Bounds.MaxSize = item.Bounds().Accept, item.Bounds().MaxSize
		if !allTexts(elements, func(text string) bool { return !strings.ContainsFunc(text, unicode.IsControl) }) {
			n.Kind = KindJSON
		}
		return
	case KindRadio, KindSelect, KindSearch:
		if n.Bounds.Unique && b.setChoices(n, item, elements, a) {
			return
		}
	case KindLine, KindNumber, KindInteger:
		n.texts = kind == KindLine
		if canBeTags(elements) {
			n.Kind = KindTags
			return
		}
	}
	b.setRows(n, e, p, kind, elements, a)
}

// blankKey is the key of an element that no array contains.
const blankKey = "-"

// itemKind returns the kind of control of an empty element.
func (b *editorBuilder) itemKind(e *element, item *jsondoc.Place) Kind {
	if hasFields(item) && item.StatedTypes() == jsondoc.TypeObject {
		return KindObject
	}
	if len(pickable(item)) > 0 {
		return KindChoice
	}
	probe := &Node{Bounds: item.Bounds()} // Its texts do not matter.
	quiet := *b
	quiet.editor = &Editor{nodes: map[string]*Node{}}
	quiet.setControl(probe, e, item, site{})
	b.count = quiet.count
	return probe.Kind
}

func allTexts(elements []any, fits func(string) bool) bool {
	for _, element := range elements {
		if text, ok := element.(string); !ok || !fits(text) {
			return false
		}
	}
	return true
}

// canBeTags reports whether each element can be written as a line.
func canBeTags(elements []any) bool {
	for _, element := range elements {
		switch value := element.(type) {
		case json.Number, bool:
		case string:
			if value == "" || strings.TrimSpace(value) != value || strings.ContainsFunc(value, unicode.IsControl) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// setRows creates a row for each element of an array.
func (b *editorBuilder) setRows(n *Node, e *element, p *jsondoc.Place, kind Kind, elements []any, a site) {
	if kind == KindObject && slices.ContainsFunc(elements, func(element any) bool { _, ok := element.(*object); return !ok }) {
		kind = KindChoice // Each entry has a control of its own.
	}
	n.tuples = n.Width > 0 || kind == KindTuple && !slices.ContainsFunc(elements, func(element any) bool { _, ok := element.([]any); return !ok })
	element := func(key string, value any, present bool) []*Node {
		here, item := a.child(key), p.Item(key)
		if kind == KindObject {
			of, _ := value.(*object)
			return b.objectNodes(e, item, of, here)
		}
		if n.tuples {
			of, _ := value.([]any)
			return b.tupleNodes(item, of, here, max(n.Width, item.Elements().Prefix, len(of)))
		}
		one := b.entryNode(item, here, value, present)
		if one.Kind == KindObject {
			return []*Node{one}
		}
		return []*Node{b.wrapChoices(one, item, here)}
	}
	n.row = func(key string) []*Node { return element(key, nil, false) }
	// A row that contains rows of its own kind has no end.
	n.Endless = p.Item(blankKey).IsRecursive() && !p.Present()
	if n.Endless {
		n.Kind = KindCards
		return
	}
	n.Columns = element(blankKey, nil, false)
	n.Kind = b.rowsKind(e, kind, n.tuples, n.Columns)
	if n.Kind == KindTable {
		cells := element
		element = func(key string, value any, present bool) []*Node { return narrowCells(cells(key, value, present)) }
	}
	for i, value := range elements {
		key := strconv.Itoa(i)
		n.Rows = append(n.Rows, Row{Key: key, Nodes: element(key, value, true)})
	}
}

// narrowCells replaces radio buttons by lists, which fit into a cell.
func narrowCells(cells []*Node) []*Node {
	for _, cell := range cells {
		if cell.Kind == KindRadio {
			cell.Kind = KindSelect
		}
	}
	return cells
}

func (b *editorBuilder) rowsKind(e *element, kind Kind, tuples bool, columns []*Node) Kind {
	fits := func(c *Node) bool {
		return !slices.Contains([]Kind{
			KindObject, KindAdd, KindChoice, KindMap, KindTuple, KindTable, KindCards, KindList, KindJSON, KindLines, KindFiles, KindChoices, KindTags,
			KindVertical, KindHorizontal, KindSection, KindTabs, KindStepper, KindNote,
		}, c.Kind)
	}
	switch {
	case kind != KindObject && !tuples:
		return KindList
	case slices.ContainsFunc(columns, func(c *Node) bool { return c.Selects }):
		return KindCards
	case tuples && len(columns) <= maxMatrix && !slices.ContainsFunc(columns, func(c *Node) bool { return !fits(c) }):
		return KindTable
	case e.optionValue("variant") == "cards" || len(columns) > maxColumnsShown || !slices.ContainsFunc(columns, fits):
		return KindCards
	case slices.ContainsFunc(columns, func(c *Node) bool { return !fits(c) }):
		return KindCards
	}
	return KindTable
}
