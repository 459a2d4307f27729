package app

import (
	"encoding/json"
	"slices"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/domain/kuflowref"
)

// The references that a save adds are resolved with the rights of its caller.
// References that could not be resolved by the save that added them remain
// unresolved: otherwise a caller could store a reference to a document not
// visible to it, and a later save by a caller with the right would copy the
// document there.

// keepUnlinked marks the documents that a stored value of a resource refers to and
// that are not linked to the resource. They were not visible to the caller who
// added them.
func (vals *values) keepUnlinked(holder uuid.UUID, stored *domain.JSONValue) error {
	return vals.markUnresolved(stored, func(_ jsondoc.Occurrence, named target) bool {
		return named.kind == kuflowref.KindFile && !vals.linkedTo(holder, named.id)
	})
}

// keepUnresolved is keepUnlinked for a patch: unresolved processes and artifacts stay unresolved, too.
func (vals *values) keepUnresolved(holder uuid.UUID, stored *domain.JSONValue) error {
	if err := vals.keepUnlinked(holder, stored); err != nil || stored == nil || stored.Valid {
		return err
	}
	return vals.markUnresolved(stored, func(o jsondoc.Occurrence, named target) bool {
		rights := named.kind == kuflowref.KindProcess || named.kind == kuflowref.KindBusinessArtifact
		return rights && slices.ContainsFunc(stored.Errors, func(e domain.ValueError) bool {
			return e.PropertyPath == o.Pointer
		})
	})
}

func (vals *values) markUnresolved(stored *domain.JSONValue, unresolved func(jsondoc.Occurrence, target) bool) error {
	if stored == nil {
		return nil
	}
	found, err := vals.findReferences(stored.Value)
	if err != nil {
		return err
	}
	for _, o := range found {
		if named, ok := targetOf(o.Reference); ok && unresolved(o, named) {
			vals.unresolved[named] = true
		}
	}
	return nil
}

// clearUnresolved treats the references in texts as added by the save, whatever was
// stored.
func (vals *values) clearUnresolved(texts ...json.RawMessage) error {
	for _, text := range texts {
		found, err := vals.findReferences(text)
		if err != nil {
			return err
		}
		for _, o := range found {
			if named, ok := targetOf(o.Reference); ok {
				delete(vals.unresolved, named)
			}
		}
	}
	return nil
}

// markUntrusted marks the references of texts that no caller wrote, except references in the stored value and documents
// linked to the resource.
func (vals *values) markUntrusted(holder uuid.UUID, stored *domain.JSONValue, texts ...json.RawMessage) error {
	trusted := map[target]bool{}
	if stored != nil {
		found, err := vals.findReferences(stored.Value)
		if err != nil {
			return err
		}
		for _, o := range found {
			if named, ok := targetOf(o.Reference); ok {
				trusted[named] = true
			}
		}
	}
	for _, text := range texts {
		err := vals.markUnresolved(&domain.JSONValue{Value: text}, func(_ jsondoc.Occurrence, named target) bool {
			return !trusted[named] && (named.kind != kuflowref.KindFile || !vals.linkedTo(holder, named.id))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// linkedTo reports whether a value of a resource that is under lock refers to a
// document.
func (vals *values) linkedTo(holder, document uuid.UUID) bool {
	for at, linked := range vals.targets.Links {
		if at.ID == holder && slices.Contains(linked, document) {
			return true
		}
	}
	return false
}

// targetOf returns the target of a reference. Items of data sources, and files
// elsewhere, cannot be looked up.
func targetOf(r kuflowref.Reference) (target, bool) {
	named := target{kind: r.Kind()}
	switch r := r.(type) {
	case kuflowref.File:
		at, ok := r.Document()
		named.id = at.DocumentID
		return named, ok
	case kuflowref.Principal:
		named.id = r.ID
	case kuflowref.Group:
		named.id = r.ID
	case kuflowref.Process:
		named.id = r.ID
	case kuflowref.BusinessArtifact:
		named.id = r.ID
	default:
		return named, false
	}
	return named, true
}
