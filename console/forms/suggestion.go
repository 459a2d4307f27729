package forms

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/form"
)

// inputSuggested is the name of a control of a Saver that shows a default which is not stored.
const inputSuggested = "suggested"

// suggest shows the defaults of the schema in a form without values, and of read-only values in any form. They are not
// stored before the person saves or completes.
func (p *page) suggest(ctx context.Context, doc *Document) error {
	p.origin = p.editor.Value()
	value, err := suggestDefaults(ctx, doc, p.origin)
	if err != nil || string(value) == string(p.origin) {
		return err
	}
	p.editor, err = newEditor(ctx, doc, value, nil)
	return err
}

// suggestDefaults returns the value that the page of a form begins with.
func suggestDefaults(ctx context.Context, doc *Document, origin json.RawMessage) (json.RawMessage, error) {
	blank := isBlank(origin)
	return addDefaults(ctx, doc, origin, nil, func(n *form.Node) bool { return blank || n.ReadOnly })
}

// addDefaults returns a value with the defaults of the schema for the absent values of selected controls.
func addDefaults(ctx context.Context, doc *Document, value json.RawMessage, picked jsondoc.Picked, selects func(*form.Node) bool) (json.RawMessage, error) {
	editor, err := newEditor(ctx, doc, value, picked)
	if err != nil {
		return nil, err
	}
	change, err := editor.Suggest(selects)
	if err != nil || len(change.Patch) == 0 {
		return value, err
	}
	return change.Value(), nil
}

// isSuggested reports whether a control shows a default that is not stored.
func (p *page) isSuggested(n *form.Node) bool {
	if p.origin == nil || !n.IsDefault {
		return false
	}
	_, stored := jsondoc.Lookup(p.origin, n.Pointer)
	return !stored
}

// baseValue returns the value that the input of the page changes.
func (p *page) baseValue() string {
	if p.origin != nil && !p.draft {
		return string(p.origin)
	}
	return string(p.editor.Value())
}

// addSuggestions adds the defaults that the page of a Saver has shown to the value that the input changes. Changes by others
// take precedence.
func (e *entry) addSuggestions(ctx context.Context, base json.RawMessage) (json.RawMessage, error) {
	names := e.post.values[inputSuggested]
	if e.saver == nil || len(names) == 0 || e.post.values.Get(inputVersion) != e.doc.Version {
		return base, nil
	}
	return addDefaults(ctx, e.doc, base, e.picked, func(n *form.Node) bool { return slices.Contains(names, n.Name) })
}
