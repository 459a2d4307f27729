package form

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/domain/jsontext"
	"github.com/procession-dev/procession/domain/translation"
)

// valueFields creates the field of a value. It returns none if the value is added to the others.
func (b *builder) valueFields(
	detail *element, label translation.Text, p *jsondoc.Place, path []string, value any,
) ([]Field, error) {
	if err := b.countField(); err != nil {
		return nil, err
	}
	f := Field{Pointer: jsontext.JoinPointer(path...), Label: label.Text, Lang: label.Lang}
	switch member := value.(type) {
	case nil:
		f.Content = Text("")
	case *object:
		if !p.Types().Has(jsondoc.TypeObject) {
			return nil, b.addUnknown(path, value)
		}
		fields, err := b.objectFields(detail, p, member, path)
		if err != nil {
			return nil, err
		}
		f.Content = Group(fields)
		if len(fields) == 0 {
			f.Content = Text("")
		}
	case []any:
		if !p.Types().Has(jsondoc.TypeArray) {
			return nil, b.addUnknown(path, value)
		}
		content, err := b.arrayContent(detail, p, member, path)
		if err != nil {
			return nil, err
		}
		f.Content = content
	case deep:
		f.Content = Text(jsondoc.ReadableText(value))
	default:
		if !expectsPlain(p, value) {
			return nil, b.addUnknown(path, value)
		}
		f.Content = b.plainContent(p, path, value)
	}
	return []Field{f}, nil
}

// expectsPlain reports whether the schema allows a scalar. Every type of scalar is readable in place of another.
func expectsPlain(p *jsondoc.Place, value any) bool {
	return value == "" || p.Types().Has(jsondoc.TypeScalar|jsondoc.TypeNull)
}

func (b *builder) plainContent(p *jsondoc.Place, path []string, value any) Content {
	if text, ok := value.(string); ok {
		if file, ok := readFile(text); ok {
			return Files{file}
		}
	}
	return Text(b.print.scalarText(p, b.sources.at(path, p, b.controls[jsontext.JoinPointer(path...)]), value))
}

// arrayContent creates a list, a table or a group from an array.
func (b *builder) arrayContent(detail *element, p *jsondoc.Place, elements []any, path []string) (Content, error) {
	if len(elements) > b.limits.Rows {
		return nil, &LimitError{What: "elements of an array", Max: b.limits.Rows}
	}
	if len(elements) == 0 {
		return Text(""), nil
	}
	objects, files, plain := 0, Files(nil), 0
	for _, value := range elements {
		switch member := value.(type) {
		case *object:
			objects++
		case string:
			if file, ok := readFile(member); ok {
				files = append(files, file)
			} else {
				plain++
			}
		case json.Number, bool, nil:
			plain++
		}
	}
	switch len(elements) {
	case objects:
		return b.recordsContent(detail, p, elements, path)
	case len(files):
		return files, b.countAll(len(elements))
	case plain:
		return b.listText(p, path, elements), b.countAll(len(elements))
	}
	group := make(Group, 0, len(elements))
	for i, value := range elements {
		label := translation.Text{Text: strconv.Itoa(i + 1)}
		made, err := b.valueFields(detail, label, p.Item(strconv.Itoa(i)), extendPath(path, strconv.Itoa(i)), value)
		if err != nil {
			return nil, err
		}
		group = append(group, made...)
	}
	return group, nil
}

func (b *builder) countAll(n int) error {
	for range n {
		if err := b.countField(); err != nil {
			return err
		}
	}
	return nil
}

// listText returns scalars as lines.
func (b *builder) listText(p *jsondoc.Place, path []string, elements []any) Text {
	lines := make([]string, len(elements))
	for i, value := range elements {
		item := p.Item(strconv.Itoa(i))
		lines[i] = fmt.Sprintf("• %s", b.print.scalarText(item, b.sources.at(extendPath(path, strconv.Itoa(i)), item, nil), value))
	}
	return Text(strings.Join(lines, "\n"))
}

func (b *builder) recordsContent(detail *element, p *jsondoc.Place, elements []any, path []string) (Content, error) {
	records := make(Records, 0, len(elements))
	for i, value := range elements {
		member, ok := value.(*object)
		if !ok {
			continue
		}
		fields, err := b.objectFields(detail, p.Item(strconv.Itoa(i)), member, extendPath(path, strconv.Itoa(i)))
		if err != nil {
			return nil, err
		}
		records = append(records, fields)
	}
	return records, nil
}
