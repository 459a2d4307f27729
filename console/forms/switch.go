package forms

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/domain/jsontext"
	"github.com/procession-dev/procession/form"
)

// alternation is the switch to another alternative that a person has to confirm, because values of the former one get lost. It
// travels in the page.
type alternation struct {
	// Patch selects the alternative and removes the values.
	Patch []operation `json:"patch"`
	// Picked are the alternatives that no value selects, by the names of their choices.
	Picked map[string]int `json:"picked,omitempty"`

	removed []string
}

// operation is an operation of a patch in the page.
type operation struct {
	Op    string          `json:"op"`
	Path  string          `json:"path"`
	Value json.RawMessage `json:"value,omitempty"`
}

func (a *alternation) operations() []jsondoc.Operation {
	patch := make([]jsondoc.Operation, len(a.Patch))
	for i, op := range a.Patch {
		patch[i] = jsondoc.Operation{Op: op.Op, Path: op.Path, Value: op.Value}
	}
	return patch
}

// askSwitch holds a switch back that would leave values without a control. The other input stays.
func (e *entry) askSwitch(ctx context.Context) error {
	selects := map[string][]string{}
	for name, texts := range e.submission.Texts {
		if n := e.editor.Find(name); n != nil && n.Selects && !n.IsLocked() {
			selects[name] = texts
		}
	}
	if len(selects) == 0 && len(e.picked) == 0 || e.post.do == doSwitch || e.post.do == doUndo {
		return nil
	}
	changed, err := newEditor(ctx, e.doc, e.change.Value(), e.movedPicks())
	if err != nil {
		return err
	}
	e.next, e.nextOf = changed, e.doc
	lost := listStrays(changed)
	if len(lost) == 0 {
		return nil
	}
	stored, err := newEditor(ctx, e.doc, e.editor.Value(), nil)
	if err != nil {
		return err
	}
	known := listStrays(stored)
	maps.DeleteFunc(lost, func(pointer, _ string) bool { _, ok := known[pointer]; return ok })
	if len(lost) == 0 {
		return nil
	}
	return e.holdSwitch(ctx, selects, lost)
}

// holdSwitch takes a switch out of the input and keeps it for the question.
func (e *entry) holdSwitch(ctx context.Context, selects map[string][]string, lost map[string]string) error {
	alone, err := e.editor.Changes(form.Submission{Locale: e.submission.Locale, Texts: selects})
	if err != nil {
		return err
	}
	e.next, e.question = nil, &alternation{Picked: map[string]int{}}
	for _, op := range alone.Patch {
		e.question.Patch = append(e.question.Patch, operation{op.Op, op.Path, op.Value})
	}
	for _, pointer := range slices.Sorted(maps.Keys(lost)) {
		path, _ := jsontext.SplitPointer(pointer)
		around := jsontext.JoinPointer(path[:len(path)-1]...)
		for key, branch := range e.picked {
			if key.Pointer == around {
				e.question.Picked[form.ChoiceName(key)] = branch
				delete(e.picked, key)
			}
		}
	}
	for name := range selects {
		delete(e.submission.Texts, name)
	}
	if e.editor, err = newEditor(ctx, e.doc, e.editor.Value(), e.picked); err != nil {
		return err
	}
	if e.change, err = e.editor.Changes(e.submission); err != nil {
		return err
	}
	for _, pointer := range slices.Sorted(maps.Keys(lost)) {
		if value, present := jsondoc.Lookup(e.change.Value(), pointer); present {
			e.question.Patch = append(e.question.Patch, operation{"test", pointer, value}, operation{Op: "remove", Path: pointer})
			e.question.removed = append(e.question.removed, lost[pointer])
		}
	}
	return nil
}

// listStrays returns the labels of the values without a control, by their pointers.
func listStrays(editor *form.Editor) map[string]string {
	found := map[string]string{}
	form.Walk(editor.Nodes, func(n *form.Node) bool {
		for _, stray := range n.Strays {
			found[stray.Pointer] = stray.Label
		}
		return true
	})
	return found
}

// confirmSwitch applies the switch that a person has confirmed, or reverts one.
func (e *entry) confirmSwitch() error {
	var confirmed alternation
	if json.Unmarshal([]byte(e.post.values.Get(e.post.do)), &confirmed) != nil {
		return formError()
	}
	for name, branch := range confirmed.Picked {
		e.picked[form.ChoiceKey(name)] = branch
	}
	for _, op := range confirmed.Patch {
		if _, present := jsondoc.Lookup(e.editor.Value(), op.Path); op.Op == "add" && present && e.post.do == doUndo {
			return domain.Invalid(domain.LocationBody, "", errReverted)
		}
	}
	change, err := e.editor.Apply(confirmed.operations())
	if err != nil {
		return domain.Invalid(domain.LocationBody, "", errReverted)
	}
	if e.change = change; e.post.do == doSwitch {
		for _, op := range confirmed.Patch {
			if op.Op == "remove" {
				e.removed = append(e.removed, form.LabelOf(op.Path))
			}
		}
	}
	return nil
}

// errReverted is the message for a switch or its reversal after the values have changed.
const errReverted = "the values have changed since; look at the form again"

// offerUndo keeps the patch that restores removed values in the page.
func (e *entry) offerUndo(p *page) error {
	removed := e.removed
	for _, pointer := range slices.Sorted(maps.Keys(e.change.Dropped)) {
		removed = append(removed, form.LabelOf(pointer))
	}
	if len(removed) == 0 {
		return nil
	}
	back, err := form.Difference(e.change.Value(), e.editor.Value())
	if err != nil {
		return err
	}
	var guarded []operation
	for _, op := range back {
		if now, present := jsondoc.Lookup(e.change.Value(), op.Path); present {
			guarded = append(guarded, operation{"test", op.Path, now})
		}
		guarded = append(guarded, operation{op.Op, op.Path, op.Value})
	}
	text, err := json.Marshal(alternation{Patch: guarded})
	p.undo, p.removed = string(text), removed
	if err != nil {
		return fmt.Errorf("keeping removed values: %w", err)
	}
	return nil
}

// questionText returns the question about a switch, and its state for the page.
func (p *page) questionText(ctx context.Context) string {
	return ui.T(ctx, "Switching removes these values: %s.", strings.Join(p.question.removed, ", "))
}

func (p *page) questionInput() string {
	text, err := json.Marshal(p.question)
	if err != nil {
		return "" // Values that were decoded can be encoded.
	}
	return string(text)
}

// movedPicks returns the picked alternatives by the pointers in the new value.
func (e *entry) movedPicks() jsondoc.Picked {
	picked := jsondoc.Picked{}
	for key, branch := range e.picked {
		key.Pointer = e.change.NewName(key.Pointer)
		picked[key] = branch
	}
	return picked
}
