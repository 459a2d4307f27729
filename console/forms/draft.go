package forms

import (
	"context"
	"encoding/json"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/form"
)

// Inputs of the forms of drafts.
const (
	// The stored value, and the id of the page.
	inputOrigin = "origin"
	inputOnce   = "once"
	// The value that the page began with.
	inputInitial = "initial"
)

// CheckSchema implements Draft.Check for a value of a schema, which may be nil. It stops when the context ends.
func CheckSchema(ctx context.Context, schema, value json.RawMessage) ([]domain.ValueError, error) {
	compiled, err := jsondoc.CompileCached(schema)
	if err != nil {
		return nil, err
	}
	checked, err := compiled.Validate(value, jsondoc.Watch(app.Pauses(ctx)))
	return checked.Errors, err
}

// beginDraft creates the page of an empty draft.
func (p *page) beginDraft(ctx context.Context, draft Draft, doc *Document) error {
	p.draft, p.pageID = true, uuid.NewString()
	if err := p.suggest(ctx, doc); err != nil {
		return err
	}
	p.initial = p.editor.Value()
	errors, err := draft.Check(ctx, p.initial)
	p.addErrors(ctx, errors, p.initial)
	return err
}

// isBlank reports whether a value consists of objects without other values.
func isBlank(value json.RawMessage) bool {
	var members map[string]json.RawMessage
	if len(value) == 0 {
		return true
	}
	if json.Unmarshal(value, &members) != nil || members == nil {
		return false
	}
	for _, member := range members {
		if !isBlank(member) {
			return false
		}
	}
	return true
}

// holdDraft merges a draft with concurrent changes.
func (e *entry) holdDraft(ctx context.Context, basis, mine json.RawMessage) error {
	doc, conflicts := *e.doc, []form.Conflict(nil)
	doc.Value = mine
	if e.changedByOthers {
		now, err := newEditor(ctx, e.doc, e.doc.Value, e.picked)
		if err != nil {
			return err
		}
		theirs := now.Value()
		merged, err := form.Merge(basis, theirs, mine)
		if err != nil {
			return err
		}
		if doc.Value, err = jsondoc.Apply(theirs, merged.Patch); err != nil {
			return err
		}
		e.origin, conflicts = theirs, merged.Conflicts
	}
	faults, err := e.draft.Check(ctx, doc.Value)
	if err != nil {
		return err
	}
	doc.Errors, e.doc = faults, &doc
	return e.collectConflicts(conflicts)
}

// sendDraft sends a draft. It returns no path if concurrent changes conflict with the draft.
func (e *entry) sendDraft(ctx context.Context) (string, error) {
	for range attempts {
		patch, err := form.Difference(e.origin, e.doc.Value)
		if err != nil {
			return "", err
		}
		to, err := e.draft.Send(ctx, SentDraft{ID: e.pageID, Version: e.doc.Version, Value: e.doc.Value, Patch: patch})
		if !isOutdated(err) {
			return to, err
		}
		basis, mine := e.origin, e.doc.Value
		if e.doc, err = e.draft.Load(ctx); err != nil {
			return "", err
		}
		e.changedByOthers = true
		if err := e.holdDraft(ctx, basis, mine); err != nil || len(e.conflicts) > 0 {
			return "", err
		}
	}
	return "", busyError()
}
