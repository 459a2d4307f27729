package form

import (
	"strconv"

	"github.com/procession-dev/procession/domain/jsondoc"
)

// maxMatrix is the maximum number of columns of a matrix.
const maxMatrix = 20

// setTuple creates a field for each position of an array.
func (b *editorBuilder) setTuple(n *Node, p *jsondoc.Place, elements []any, a site) {
	n.Kind = KindTuple
	width := max(p.Elements().Prefix, len(elements))
	if p.Elements().Rest && p.Item(strconv.Itoa(width)).HasStatements() {
		width++ // A field for a further element.
	}
	n.Children = b.tupleNodes(p, elements, a, width)
}

func (b *editorBuilder) tupleNodes(p *jsondoc.Place, elements []any, a site, width int) []*Node {
	required := p.Bounds().MinItems
	var nodes []*Node
	for i := range width {
		if b.exceedsLimit() {
			break
		}
		token := strconv.Itoa(i)
		var value any
		if i < len(elements) {
			value = elements[i]
		}
		item := p.Item(token)
		one := b.entryNode(item, a.child(token), value, i < len(elements))
		if item.Annotations().Title == "" {
			one.Label = strconv.Itoa(i + 1)
		}
		one.Required = one.Required || i < required
		if one.Kind == KindObject {
			nodes = append(nodes, one)
			continue
		}
		nodes = append(nodes, b.wrapChoices(one, item, a.child(token)))
	}
	return nodes
}

// matrixWidth returns the number of columns for rows of numbers, 0 if they are no matrix.
func (b *editorBuilder) matrixWidth(n *Node, item *jsondoc.Place, elements []any) int {
	if item.StatedTypes() != jsondoc.TypeArray || !item.Item(blankKey).StatedTypes().Only(jsondoc.TypeNumber) ||
		item.Item(blankKey).StatedTypes() == 0 {
		return 0
	}
	width := max(item.Bounds().MinItems, b.picked[ColumnsOf(n)])
	for _, element := range elements {
		row, ok := element.([]any)
		if !ok || !canBeTags(row) {
			return 0
		}
		width = max(width, len(row))
	}
	if most := item.Bounds().MaxItems; most >= 0 {
		width = min(width, most)
	}
	if width = max(width, 2); width > maxMatrix || item.Bounds().MaxItems == 1 {
		return 0
	}
	return width
}

// ColumnsOf returns the key of the number of columns of a matrix.
func ColumnsOf(n *Node) jsondoc.ChoiceKey {
	return jsondoc.ChoiceKey{Pointer: n.Pointer, Schema: ColumnsKey}
}

// ColumnsKey is the schema of the ChoiceKey with the number of columns of a matrix.
const ColumnsKey = "columns"
