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

// lookUps collect what a save refers to, until the read that makes the keeper.
type lookUps struct {
	caller domain.Caller
	now    time.Time
	wanted persistence.LookUps
	asked  map[referred]bool
	// found are the references in the texts that were read.
	found map[textKey][]jsondoc.Occurrence
	// unresolved are references without a target, whatever is visible to the
	// caller.
	unresolved map[referred]bool
	// sources is set once the data sources of the tenants of the caller are wanted.
	sources bool
}

// referred is the target of a reference.
type referred struct {
	kind kuflowref.Kind
	id   uuid.UUID
}

// newLookUps returns the look-ups of a save by the caller. holder, unless it is nil, is the
// resource whose values change; the read that the look-ups go along with locks it.
func newLookUps(caller domain.Caller, now time.Time, holder *uuid.UUID) *lookUps {
	return &lookUps{
		caller: caller, now: now, wanted: persistence.LookUps{Holder: holder}, asked: map[referred]bool{},
		found: map[textKey][]jsondoc.Occurrence{}, unresolved: map[referred]bool{},
	}
}

// lookUpsOf is newLookUps for the references in texts: whole values, or what a patch
// puts into one.
func lookUpsOf(caller domain.Caller, now time.Time, holder *uuid.UUID, texts ...json.RawMessage) (*lookUps, error) {
	l := newLookUps(caller, now, holder)
	for _, text := range texts {
		found, err := l.references(text)
		if err != nil {
			return nil, err
		}
		l.askFor(found)
		if refersToItems(found) {
			l.wanted.Sources, l.sources = true, true
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

// references lists the references in a text. It reads each text once.
func (l *lookUps) references(text json.RawMessage) ([]jsondoc.Occurrence, error) {
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

// ask adds what a text refers to and was not asked for before.
func (l *lookUps) ask(text json.RawMessage) error {
	found, err := l.references(text)
	l.askFor(found)
	return err
}

func (l *lookUps) askFor(found []jsondoc.Occurrence) {
	for _, occurrence := range found {
		named, ok := nameOf(occurrence.Reference)
		if !ok || l.asked[named] || l.unresolved[named] {
			continue
		}
		l.asked[named] = true
		l.wanted.Add(named.kind, named.id)
	}
}
