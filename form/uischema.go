package form

import (
	"cmp"

	"github.com/procession-dev/procession/domain/jsondoc"
)

// elementKind is the kind of an element of a UI schema.
type elementKind int

const (
	// kindLayout contains elements.
	kindLayout elementKind = iota
	// kindGroup is a layout with a heading.
	kindGroup
	// kindControl shows a value.
	kindControl
	// kindLabel is a text.
	kindLabel
)

// element is a part of a UI schema (JSON Forms).
type element struct {
	kind  elementKind
	label string
	// path leads to the value of a control, by the names of properties.
	path []string
	// kindName is the type in the UI schema.
	kindName string
	// unlabelled reports whether the label is hidden.
	unlabelled bool
	// options may be nil.
	options *object
	// rule is the condition for showing or enabling the element, nil for none.
	rule *object
	// detail is the layout of the elements of an array.
	detail   *element
	elements []*element
	// i18n is the prefix of the keys of translations, "" for none of its own.
	i18n string
	// part is the name of the part of a joined form that the element belongs to.
	part string
}

// maxElements is the maximum number of elements of a UI schema.
const maxElements = 20_000

// readLayout reads a UI schema. It returns nil if it is not one.
func readLayout(value any) *element {
	budget := maxElements
	return readElement(value, "", &budget)
}

func readElement(value any, part string, budget *int) *element {
	o, ok := value.(*object)
	if !ok || *budget <= 0 {
		return nil
	}
	*budget--
	e := &element{
		label: labelOf(o), kindName: o.Text("type"), unlabelled: isUnlabelled(o), i18n: o.Text("i18n"),
		part: cmp.Or(o.Text(partMark), part),
	}
	e.options, _ = o.Members["options"].(*object)
	if rule, ok := o.Get("rule"); ok {
		if e.rule, ok = rule.(*object); !ok {
			e.rule = jsondoc.NewObject()
		}
	}
	switch e.kindName {
	case "Control", "ListWithDetail":
		path, ok := jsondoc.ScopePath(o.Text("scope"))
		if !ok {
			return nil
		}
		e.kind, e.path = kindControl, path
		if e.options != nil {
			e.detail = readElement(e.options.Members["detail"], e.part, budget)
		}
		return e
	case "Label":
		e.kind = kindLabel
		if e.label == "" {
			e.label = o.Text("text")
		}
		return e
	case "Group", "Category":
		e.kind = kindGroup
	}
	list, _ := o.Members["elements"].([]any)
	for _, entry := range list {
		if child := readElement(entry, e.part, budget); child != nil {
			e.elements = append(e.elements, child)
		}
	}
	return e
}

// labelOf returns the label of an element, or "". A hidden label is returned as well, because PDFs show it.
func labelOf(o *object) string {
	switch label := o.Members["label"].(type) {
	case string:
		return label
	case *object:
		return label.Text("text")
	}
	return ""
}

func isUnlabelled(o *object) bool {
	label := o.Members["label"]
	if of, ok := label.(*object); ok {
		label = of.Members["show"]
	}
	return label == false
}
