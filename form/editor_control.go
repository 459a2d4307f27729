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
func (b *editorBuilder) setControl(n *Node, e *element, v *view, a site) {
	a.hidden, a.disabled, a.readOnly = n.Hidden, n.Disabled, n.ReadOnly
	n.Kind = KindJSON
	if _, isDeep := n.value.(deep); isDeep || len(a.path) > b.limits.Depth {
		return
	}
	types := v.typeNames()
	if len(types) == 0 {
		types = []string{v.guessType()}
	}
	n.texts = types[0] == "string" || types[0] == ""
	if options := v.listOptions(); options != nil && types[0] != "array" && types[0] != "object" {
		b.setOptions(n, e, options)
		return
	}
	if len(types) > 1 {
		b.setMultiType(n, types)
		return
	}
	switch types[0] {
	case "object":
		b.setObject(n, e, v, a)
	case "array":
		b.setArray(n, e, v, a)
	case "boolean":
		b.setBoolean(n, e)
	case "number":
		n.Kind = plainOr(n, KindNumber)
	case "integer":
		n.Kind = plainOr(n, KindInteger)
	case "string":
		n.Kind = b.textKind(n, e, v)
	case "":
		switch n.value.(type) {
		case nil, string:
			n.Kind = b.textKind(n, e, v)
		}
	}
}

// setMultiType selects a line for a value of several scalar types. Numeric text becomes a number, unless the current
// value is a text.
func (b *editorBuilder) setMultiType(n *Node, types []string) {
	if slices.ContainsFunc(types, func(t string) bool { return t != "string" && t != "number" && t != "integer" }) {
		return
	}
	_, isText := n.value.(string)
	n.Kind, n.texts, n.numbers = plainOr(n, KindLine), slices.Contains(types, "string"), !isText
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

func (b *editorBuilder) textKind(n *Node, e *element, v *view) Kind {
	format := n.Bounds.Format
	kinds := map[string]Kind{
		string(kuflowref.KindFile): KindFile, string(kuflowref.KindPrincipal): KindPrincipal,
		string(kuflowref.KindGroup): KindGroup, string(kuflowref.KindProcess): KindProcess,
		string(kuflowref.KindBusinessArtifact): KindArtifact, string(kuflowref.KindDataSource): KindDataSource,
		"date": KindDate, "time": KindTime, "date-time": KindDateTime,
	}
	kind, special := kinds[format]
	text, isText := n.value.(string)
	multi := e.optionValue("multi") == true || strings.ContainsAny(text, "\r\n")
	switch {
	case n.present && n.value != nil && !isText:
		return plainOr(n, KindLine)
	case special:
		n.Source = v.textOf("dataSource")
		return plainOr(n, kind)
	case format == "password" || v.isTrue("writeOnly"):
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

// setOptions sets the options, including the current value.
func (b *editorBuilder) setOptions(n *Node, e *element, options []Option) {
	if n.value != nil && !slices.ContainsFunc(options, func(o Option) bool { return jsondoc.Equal(o.value, n.value) }) {
		options = append(options, Option{
			Value: string(jsonText(n.value)), Title: rawText(n.value), Extra: true, value: n.value,
		})
	}
	n.Options = distinguishTitles(options)
	switch count := len(options); {
	case count > maxSelect || e.optionValue("autocomplete") == true:
		n.Kind = KindSearch
	case e.optionValue("format") == "radio" || count <= maxRadio && e.optionValue("format") != "select":
		n.Kind = KindRadio
	default:
		n.Kind = KindSelect
	}
}

// distinguishTitles appends the value to duplicate titles.
func distinguishTitles(options []Option) []Option {
	count := map[string]int{}
	for _, option := range options {
		count[option.Title]++
	}
	for i := range options {
		if options[i].Title != "" && count[options[i].Title] > 1 {
			options[i].Title += " (" + options[i].Value + ")"
		}
	}
	return options
}

func (b *editorBuilder) setObject(n *Node, e *element, v *view, a site) {
	value, isObject := n.value.(*object)
	again := !n.present && slices.ContainsFunc(b.within, func(outer *view) bool { return outer.isEqual(v) })
	if n.value != nil && !isObject || v.isBlank() || again {
		return
	}
	n.Kind = KindObject
	b.within = append(b.within, v)
	n.Children = b.objectNodes(e, v, value, a)
	b.within = b.within[:len(b.within)-1]
}

// objectNodes creates the nodes of an object by its detail layout, if any.
func (b *editorBuilder) objectNodes(e *element, v *view, value *object, a site) []*Node {
	if e == nil || e.detail == nil {
		return b.propertyNodes(v, value, a)
	}
	shown := coverage{whole: map[string]bool{}, partly: map[string]bool{}}
	return b.layoutNodes(e.detail, v, value, a, shown)
}

func (b *editorBuilder) setArray(n *Node, e *element, v *view, a site) {
	elements, isArray := n.value.([]any)
	item := b.schemas.elementView(v, 0)
	if n.value != nil && !isArray || len(elements) > b.limits.Rows || v.isTuple() || item.isTuple() {
		return
	}
	kind := b.itemKind(e, item)
	switch kind { //nolint:exhaustive // the other kinds are rows
	case KindJSON, KindTags, KindChoices, KindFiles, KindList, KindTable, KindCards:
		return
	case KindFile:
		n.Kind = KindFiles
		n.Bounds.Accept, n.Bounds.MaxSize = item.readBounds().Accept, item.readBounds().MaxSize
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
		if canBeTags(elements) && item.listOptions() == nil {
			n.Kind = KindTags
			return
		}
	}
	b.setRows(n, e, item, kind, elements, a)
}

// isTuple reports whether elements of an array have individual schemas.
func (v *view) isTuple() bool {
	return slices.ContainsFunc(v.sure, func(part *object) bool {
		_, prefix := part.Get("prefixItems")
		_, list := part.Members["items"].([]any)
		return prefix || list
	})
}

// itemKind returns the kind of control of an empty element.
func (b *editorBuilder) itemKind(e *element, item *view) Kind {
	probe := &Node{Bounds: item.readBounds()}
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

func (b *editorBuilder) setChoices(n *Node, item *view, elements []any) bool {
	options := item.listOptions()
	for _, element := range elements {
		if _, container := element.(*object); container {
			return false
		}
		if !slices.ContainsFunc(options, func(o Option) bool { return jsondoc.Equal(o.value, element) }) {
			options = append(options, Option{Value: string(jsonText(element)), Title: rawText(element), Extra: true, value: element})
		}
	}
	n.Kind, n.Options = KindChoices, distinguishTitles(options)
	return true
}

// setRows creates a row for each element of an array.
func (b *editorBuilder) setRows(n *Node, e *element, item *view, kind Kind, elements []any, a site) {
	objects := !slices.ContainsFunc(elements, func(element any) bool { _, ok := element.(*object); return !ok })
	if kind == KindObject && !objects || kind != KindObject && slices.ContainsFunc(elements, isContainer) {
		return
	}
	element := func(key string, value any, present bool) []*Node {
		here := a.child(key)
		if kind == KindObject {
			of, _ := value.(*object)
			b.within = append(b.within, item)
			nodes := b.objectNodes(e, item, of, here)
			b.within = b.within[:len(b.within)-1]
			return nodes
		}
		one := b.newNode(here, item, nil)
		one.value, one.present = value, present
		b.setControl(one, nil, item, here)
		return []*Node{one}
	}
	n.Columns = element("-", nil, false)
	n.Kind = b.rowsKind(e, kind, n.Columns)
	if n.Kind == KindTable {
		cells := element
		element = func(key string, value any, present bool) []*Node { return narrowCells(cells(key, value, present)) }
	}
	n.row = func(key string) []*Node { return element(key, nil, false) }
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
			KindObject, KindTable, KindCards, KindList, KindJSON, KindLines, KindFiles, KindChoices, KindTags,
			KindVertical, KindHorizontal, KindSection, KindTabs, KindStepper, KindNote,
		}, c.Kind)
	}
	switch {
	case kind != KindObject:
		return KindList
	case e.optionValue("variant") == "cards" || len(columns) > maxColumnsShown || !slices.ContainsFunc(columns, fits):
		return KindCards
	case slices.ContainsFunc(columns, func(c *Node) bool { return !fits(c) }):
		return KindCards
	}
	return KindTable
}
