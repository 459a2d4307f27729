package forms

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/form"
)

// Suggestion is a value that a form has in another version of its document.
type Suggestion struct {
	Pointer, Label string
	// Now and Then are the current and the other value as text, "" for none.
	Now, Then string
	// Same is whether the two are the same.
	Same bool
}

// Compare lists the differences of another version of a document's value in the order of the controls. References
// and read-only values are left out.
func Compare(ctx context.Context, doc *Document, other json.RawMessage) ([]Suggestion, error) {
	now, err := newEditor(ctx, doc, doc.Value, nil)
	if err != nil {
		return nil, err
	}
	then, err := newEditor(ctx, doc, other, nil)
	if err != nil {
		return nil, err
	}
	var list []Suggestion
	form.Walk(then.Nodes, func(n *form.Node) bool {
		mine := now.Find(n.Pointer)
		switch {
		case n.Pointer == "" || mine == nil:
			return true
		case !n.Present() || mine.ReadOnly || n.Kind.IsReference() || n.Kind == form.KindFile || n.Kind == form.KindFiles:
			return false
		case n.Kind == form.KindObject && mine.Present():
			return true
		}
		value, _ := jsondoc.Lookup(other, n.Pointer)
		is, _ := jsondoc.Lookup(doc.Value, n.Pointer)
		list = append(list, Suggestion{
			Pointer: n.Pointer, Label: n.Label, Now: displayText(ctx, mine), Then: displayText(ctx, n), Same: equalJSON(is, value),
		})
		return false
	})
	return list, nil
}

// equalJSON reports whether two values are equal. A missing value equals only a missing value.
func equalJSON(a, b json.RawMessage) bool {
	if len(a) == 0 || len(b) == 0 {
		return len(a) == len(b)
	}
	return form.Equal(a, b)
}

// Same reports whether a document has a value at a pointer.
func (d *Document) Same(pointer string, value json.RawMessage) bool {
	is, _ := jsondoc.Lookup(d.Value, pointer)
	return len(is) > 0 && equalJSON(is, value)
}

// displayText returns the value of a control as read-only forms show it, "" for none.
func displayText(ctx context.Context, n *form.Node) string {
	if !n.Present() {
		return ""
	}
	if n.Kind.HasRows() || slices.Contains([]form.Kind{
		form.KindObject, form.KindTuple, form.KindJSON, form.KindFile, form.KindFiles,
	}, n.Kind) {
		return ui.ValueText(ctx, json.RawMessage(n.JSON()))
	}
	return (&page{locale: localeOf(ctx)}).valueText(ctx, n)
}
