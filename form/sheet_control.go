package form

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode"

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

// control decides how a value is edited.
func (b *sheetBuilder) control(n *Node, e *element, v *view, a at) {
	a.hidden, a.disabled, a.readOnly = n.Hidden, n.Disabled, n.ReadOnly
	n.Kind = KindJSON
	if _, isDeep := n.value.(deep); isDeep || len(a.path) > b.limits.Depth {
		return
	}
	types := v.types()
	if len(types) == 0 {
		types = []string{v.guessed()}
	}
	n.texts = types[0] == "string" || types[0] == ""
	if options := v.options(); options != nil && types[0] != "array" && types[0] != "object" {
		b.choose(n, e, options)
		return
	}
	if len(types) > 1 {
		b.several(n, types)
		return
	}
	switch types[0] {
	case "object":
		b.object(n, e, v, a)
	case "array":
		b.array(n, e, v, a)
	case "boolean":
		b.boolean(n, e)
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

// several decides how a value of several types is edited: a text or a number in a line.
// A new value is a number if it can be one; a text stays a text.
func (b *sheetBuilder) several(n *Node, types []string) {
	if slices.ContainsFunc(types, func(t string) bool { return t != "string" && t != "number" && t != "integer" }) {
		return
	}
	_, isText := n.value.(string)
	n.Kind, n.texts, n.numbers = plainOr(n, KindLine), slices.Contains(types, "string"), !isText
}

// plainOr returns the kind for a value that fits into a line of text.
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

func (b *sheetBuilder) textKind(n *Node, e *element, v *view) Kind {
	format := n.Bounds.Format
	kinds := map[string]Kind{
		string(kuflowref.KindFile): KindFile, string(kuflowref.KindPrincipal): KindPrincipal,
		string(kuflowref.KindGroup): KindGroup, string(kuflowref.KindProcess): KindProcess,
		string(kuflowref.KindBusinessArtifact): KindArtifact, string(kuflowref.KindDataSource): KindDataSource,
		"date": KindDate, "time": KindTime, "date-time": KindDateTime,
	}
	kind, special := kinds[format]
	text, isText := n.value.(string)
	multi := e.option("multi") == true || strings.ContainsAny(text, "\r\n")
	switch {
	case n.present && n.value != nil && !isText:
		return plainOr(n, KindLine)
	case special:
		n.Source = v.text("dataSource")
		return plainOr(n, kind)
	case format == "password" || v.flag("writeOnly"):
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

func (b *sheetBuilder) boolean(n *Node, e *element) {
	options := []Option{{Value: "true", value: true}, {Value: "false", value: false}}
	_, isBool := n.value.(bool)
	switch {
	case n.value != nil && !isBool:
		b.choose(n, e, options)
	case e.option("toggle") == true:
		n.Kind = KindToggle
	case n.Required || e.option("format") == "radio":
		// A box that must be ticked or not could not say that it was not looked at.
		n.Kind, n.Options = KindRadio, options
	default:
		n.Kind = KindCheck
	}
}

// choose offers options, and the value that there is.
func (b *sheetBuilder) choose(n *Node, e *element, options []Option) {
	if n.value != nil && !slices.ContainsFunc(options, func(o Option) bool { return same(o.value, n.value) }) {
		options = append(options, Option{
			Value: string(jsonText(n.value)), Title: rawText(n.value), Extra: true, value: n.value,
		})
	}
	n.Options = distinct(options)
	switch count := len(options); {
	case count > maxSelect || e.option("autocomplete") == true:
		n.Kind = KindSearch
	case e.option("format") == "radio" || count <= maxRadio && e.option("format") != "select":
		n.Kind = KindRadio
	default:
		n.Kind = KindSelect
	}
}

// distinct gives options with one title different ones.
func distinct(options []Option) []Option {
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

func (b *sheetBuilder) object(n *Node, e *element, v *view, a at) {
	value, isObject := n.value.(*object)
	again := !n.present && slices.ContainsFunc(b.within, func(outer *view) bool { return outer.equal(v) })
	if n.value != nil && !isObject || v.blank() || again {
		return
	}
	n.Kind = KindObject
	b.within = append(b.within, v)
	n.Children = b.fields(e, v, value, a)
	b.within = b.within[:len(b.within)-1]
}

// fields creates the nodes of an object, as a detail lays it out.
func (b *sheetBuilder) fields(e *element, v *view, value *object, a at) []*Node {
	if e == nil || e.detail == nil {
		return b.properties(v, value, a)
	}
	shown := coverage{whole: map[string]bool{}, partly: map[string]bool{}}
	return b.layout(e.detail, v, value, a, shown)
}

func (b *sheetBuilder) array(n *Node, e *element, v *view, a at) {
	elements, isArray := n.value.([]any)
	item := b.schemas.element(v, 0)
	if n.value != nil && !isArray || len(elements) > b.limits.Rows || v.tuple() || item.tuple() {
		return
	}
	kind := b.itemKind(e, item)
	switch kind { //nolint:exhaustive // the other kinds are rows
	case KindJSON, KindTags, KindChoices, KindFiles, KindList, KindTable, KindCards:
		return
	case KindFile:
		n.Kind = KindFiles
		n.Bounds.Accept, n.Bounds.MaxSize = item.bounds().Accept, item.bounds().MaxSize
		if !all(elements, func(text string) bool { return !strings.ContainsFunc(text, unicode.IsControl) }) {
			n.Kind = KindJSON
		}
		return
	case KindRadio, KindSelect, KindSearch:
		if n.Bounds.Unique && b.choices(n, item, elements) {
			return
		}
	case KindLine, KindNumber, KindInteger:
		n.texts = kind == KindLine
		if tags(elements) && item.options() == nil {
			n.Kind = KindTags
			return
		}
	}
	b.rows(n, e, item, kind, elements, a)
}

// tuple reports whether the elements of arrays have schemas of their own each.
func (v *view) tuple() bool {
	return slices.ContainsFunc(v.sure, func(part *object) bool {
		_, prefix := part.get("prefixItems")
		_, list := part.members["items"].([]any)
		return prefix || list
	})
}

// itemKind returns the kind of control of an element that has no value.
func (b *sheetBuilder) itemKind(e *element, item *view) Kind {
	probe := &Node{Bounds: item.bounds()}
	quiet := *b
	quiet.sheet = &Sheet{nodes: map[string]*Node{}}
	quiet.control(probe, e, item, at{})
	b.count = quiet.count
	return probe.Kind
}

func all(elements []any, fits func(string) bool) bool {
	for _, element := range elements {
		if text, ok := element.(string); !ok || !fits(text) {
			return false
		}
	}
	return true
}

// tags reports whether elements can be written one a line.
func tags(elements []any) bool {
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

func (b *sheetBuilder) choices(n *Node, item *view, elements []any) bool {
	options := item.options()
	for _, element := range elements {
		if _, container := element.(*object); container {
			return false
		}
		if !slices.ContainsFunc(options, func(o Option) bool { return same(o.value, element) }) {
			options = append(options, Option{Value: string(jsonText(element)), Title: rawText(element), Extra: true, value: element})
		}
	}
	n.Kind, n.Options = KindChoices, distinct(options)
	return true
}

// rows makes the elements of an array one by one.
func (b *sheetBuilder) rows(n *Node, e *element, item *view, kind Kind, elements []any, a at) {
	objects := !slices.ContainsFunc(elements, func(element any) bool { _, ok := element.(*object); return !ok })
	if kind == KindObject && !objects || kind != KindObject && slices.ContainsFunc(elements, isContainer) {
		return
	}
	element := func(key string, value any, present bool) []*Node {
		here := a.below(key)
		if kind == KindObject {
			of, _ := value.(*object)
			b.within = append(b.within, item)
			nodes := b.fields(e, item, of, here)
			b.within = b.within[:len(b.within)-1]
			return nodes
		}
		one := b.node(here, item, nil)
		one.value, one.present = value, present
		b.control(one, nil, item, here)
		return []*Node{one}
	}
	n.Columns = element("-", nil, false)
	n.Kind = b.rowsKind(e, kind, n.Columns)
	if n.Kind == KindTable {
		cells := element
		element = func(key string, value any, present bool) []*Node { return narrow(cells(key, value, present)) }
	}
	n.row = func(key string) []*Node { return element(key, nil, false) }
	for i, value := range elements {
		key := strconv.Itoa(i)
		n.Rows = append(n.Rows, Row{Key: key, Nodes: element(key, value, true)})
	}
}

// narrow shows radio buttons as lists, which fit into a cell.
func narrow(cells []*Node) []*Node {
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

func (b *sheetBuilder) rowsKind(e *element, kind Kind, columns []*Node) Kind {
	fits := func(c *Node) bool {
		return !slices.Contains([]Kind{
			KindObject, KindTable, KindCards, KindList, KindJSON, KindLines, KindFiles, KindChoices, KindTags,
			KindVertical, KindHorizontal, KindSection, KindTabs, KindStepper, KindNote,
		}, c.Kind)
	}
	switch {
	case kind != KindObject:
		return KindList
	case e.option("variant") == "cards" || len(columns) > maxColumnsShown || !slices.ContainsFunc(columns, fits):
		return KindCards
	case slices.ContainsFunc(columns, func(c *Node) bool { return !fits(c) }):
		return KindCards
	}
	return KindTable
}
