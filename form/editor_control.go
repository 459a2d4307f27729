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
)

// setControl selects the kind of control for a value.
func (b *editorBuilder) setControl(n *Node, e *element, p *jsondoc.Place, a site) {
	a.hidden, a.disabled, a.readOnly = n.Hidden, n.Disabled, n.ReadOnly
	n.Kind = KindJSON
	if _, isDeep := n.value.(deep); isDeep || len(a.path) > b.limits.Depth || p.IsLimited() {
		return
	}
	types := statedTypes(p)
	n.texts = types == 0 || types.Has(jsondoc.TypeString)
	if options, closed := listOptions(p); len(options) > 0 && types != jsondoc.TypeBoolean && closed {
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
	if n.value != nil && !isObject || !hasFields(p) {
		return
	}
	if p.IsRecursive() && !b.isOpened(p) {
		n.Kind = KindAdd
		return
	}
	n.Kind, n.Opened = KindObject, p.IsRecursive()
	n.Children = b.objectNodes(e, p, value, a)
}

// hasFields reports whether the schema names members of an object.
func hasFields(p *jsondoc.Place) bool { return len(p.Members().Named) > 0 || len(p.Choices()) > 0 }

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
	if n.value != nil && !isArray || len(elements) > b.limits.Rows || p.Elements().Prefix > 0 || item.Elements().Prefix > 0 {
		return
	}
	kind := b.itemKind(e, item)
	switch kind { //nolint:exhaustive // the other kinds are rows
	case KindJSON, KindTags, KindChoices, KindFiles, KindList, KindTable, KindCards:
		return
	case KindFile:
		n.Kind = KindFiles
		n.Bounds.Accept, n.Bounds.MaxSize = item.Bounds().Accept, item.Bounds().MaxSize
		if !allTexts(elements, func(text string) bool { return !strings.ContainsFunc(text, unicode.IsControl) }) {
			n.Kind = KindJSON
		}
		return
	case KindRadio, KindSelect, KindSearch:
		if n.Bounds.Unique && b.setChoices(n, item, elements) {
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
	if hasFields(item) && statedTypes(item) == jsondoc.TypeObject {
		return KindObject
	}
	if len(pickable(item)) > 0 {
		return KindChoice
	}
	probe := &Node{Bounds: item.Bounds()}
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
	objects := !slices.ContainsFunc(elements, func(element any) bool { _, ok := element.(*object); return !ok })
	if kind == KindObject && !objects || kind != KindObject && kind != KindChoice && slices.ContainsFunc(elements, isContainer) {
		return
	}
	element := func(key string, value any, present bool) []*Node {
		here, item := a.child(key), p.Item(key)
		if kind == KindObject {
			of, _ := value.(*object)
			return b.objectNodes(e, item, of, here)
		}
		one := b.newNode(here, item, nil)
		one.value, one.present = value, present
		one.setAside(item)
		one.Required = one.Types == jsondoc.TypeBoolean // An entry is true or false.
		b.setControl(one, nil, item, here)
		one.compareReading(item)
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
	n.Kind = b.rowsKind(e, kind, n.Columns)
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

func isContainer(value any) bool {
	switch value.(type) {
	case *object, []any, deep:
		return true
	}
	return false
}

func (b *editorBuilder) rowsKind(e *element, kind Kind, columns []*Node) Kind {
	fits := func(c *Node) bool {
		return !slices.Contains([]Kind{
			KindObject, KindAdd, KindChoice, KindTable, KindCards, KindList, KindJSON, KindLines, KindFiles, KindChoices, KindTags,
			KindVertical, KindHorizontal, KindSection, KindTabs, KindStepper, KindNote,
		}, c.Kind)
	}
	switch {
	case kind != KindObject:
		return KindList
	case slices.ContainsFunc(columns, func(c *Node) bool { return c.Selects }):
		return KindCards
	case e.optionValue("variant") == "cards" || len(columns) > maxColumnsShown || !slices.ContainsFunc(columns, fits):
		return KindCards
	case slices.ContainsFunc(columns, func(c *Node) bool { return !fits(c) }):
		return KindCards
	}
	return KindTable
}
