package app

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/domain/kuflowref"
	"github.com/procession-dev/procession/persistence"
)

// lookUps collects the references of a change, for the read that returns its values.
type lookUps struct {
	*change

	pending   persistence.LookUps
	requested map[target]bool
	// found are the references in the texts that were read.
	found map[textKey][]jsondoc.Occurrence
	// unresolved are references without a target, whatever is visible to the
	// caller.
	unresolved map[target]bool
	// sources is set once the data sources of the tenants of the caller are wanted.
	sources bool
}

// target identifies the target of a reference.
type target struct {
	kind kuflowref.Kind
	id   uuid.UUID
}

// newLookUps returns the look-ups of a change by the caller. holder, unless it is nil, is the changed resource; the
// read that executes the look-ups locks it.
func newLookUps(caller domain.Caller, now time.Time, holder *uuid.UUID) *lookUps {
	return &lookUps{
		change: &change{caller: caller, now: now}, pending: persistence.LookUps{Holder: holder}, requested: map[target]bool{},
		found: map[textKey][]jsondoc.Occurrence{}, unresolved: map[target]bool{},
	}
}

// newTextLookUps is newLookUps for the references in texts: whole values or parts of a patch.
func newTextLookUps(caller domain.Caller, now time.Time, holder *uuid.UUID, texts ...json.RawMessage) (*lookUps, error) {
	l := newLookUps(caller, now, holder)
	for _, text := range texts {
		found, err := l.findReferences(text)
		if err != nil {
			return nil, err
		}
		l.addReferences(found)
		if refersToItems(found) {
			l.pending.Sources, l.sources = true, true
		}
	}
	return l, nil
}

// textsOf returns the values that a patch puts into a document.
func textsOf(patch []jsondoc.Operation) []json.RawMessage {
	texts := make([]json.RawMessage, 0, len(patch))
	for _, op := range patch {
		if op.Op != "test" {
			texts = append(texts, op.Value)
		}
	}
	return texts
}

// A textKey is a text by its place in memory. Texts are not changed.
type textKey struct {
	start *byte
	size  int
}

// findReferences lists the references in a text. It reads each text once.
func (l *lookUps) findReferences(text json.RawMessage) ([]jsondoc.Occurrence, error) {
	if len(text) == 0 {
		return nil, nil
	}
	key := textKey{&text[0], len(text)}
	found, ok := l.found[key]
	if !ok {
		var err error
		if found, err = jsondoc.FindReferences(text); err != nil {
			return nil, err
		}
		l.found[key] = found
	}
	return found, nil
}

// addText adds the new references of a text.
func (l *lookUps) addText(text json.RawMessage) error {
	found, err := l.findReferences(text)
	l.addReferences(found)
	return err
}

func (l *lookUps) addReferences(found []jsondoc.Occurrence) {
	for _, occurrence := range found {
		named, ok := targetOf(occurrence.Reference)
		if !ok || l.requested[named] || l.unresolved[named] {
			continue
		}
		l.requested[named] = true
		l.pending.Add(named.kind, named.id)
	}
}
