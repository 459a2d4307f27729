package app

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// ElementUpload is a document for an element of a task.
type ElementUpload struct {
	storage.File
	// Code is the code of the element.
	Code string
	// ValueID is the value that the document replaces, nil for none.
	ValueID *uuid.UUID
	// Valid is whether the value may count as valid.
	Valid bool
}

// SaveTaskElementDocument (A23) stores a document as a value of a document
// element of an open task: as the only one where the element is not multiple, in
// place of the value with the given id where there is one, and as another one
// otherwise. It has the conditions of SaveTaskElement. Errors: DEFINITION_NOT_FOUND for
// the code, VALIDATION for an element that is not for documents and for a content
// type that is none, DOCUMENT_TOO_LARGE, INVALID_STATE,
// TASK_NOT_OWNED.
func (s *Service) SaveTaskElementDocument(
	ctx context.Context, call domain.Call, id uuid.UUID, in ElementUpload,
) (*domain.ProcessItem, error) {
	if err := in.Check(); err != nil {
		return nil, err
	}
	site, item, err := s.taskSite(ctx, call, id)
	if err != nil {
		return nil, err
	}
	if _, err := documentElement(item.elements, in.Code); err != nil {
		return nil, err
	}
	owner := domain.DocumentOwner{Kind: domain.DocumentOfProcess, ID: site.Item.ProcessID}
	var changed *domain.ProcessItem
	_, err = s.uploads.Receive(ctx, call, storage.Upload{
		File: in.File, Tenant: site.Item.TenantID, Owner: owner,
		Admit: func(stored *domain.Document) persistence.Read[domain.Events] {
			read := persistence.And(persistence.LockProcessItem(call.Caller, id), newLookUps(call.Caller, s.now(), &id).readValues())
			return persistence.Then(read, func(_ *persistence.Tx, found persistence.Pair[*persistence.LockedItem, *values]) (domain.Events, error) {
				vals := found.Second
				changed, err = s.changeElements(ctx, vals, found.First,
					func(vals *values, i *domain.ProcessItem, elements map[string]*elementDefinition) (domain.Events, error) {
						return in.saveDocument(vals, i, elements, stored)
					})
				return vals.events, err
			})
		},
	})
	return changed, err
}

// saveDocument saves the stored document as a value of the element.
func (in *ElementUpload) saveDocument(
	vals *values, i *domain.ProcessItem, elements map[string]*elementDefinition, stored *domain.Document,
) (domain.Events, error) {
	d, err := documentElement(elements, in.Code)
	if err != nil {
		return nil, err
	}
	values, err := in.place(d, i.Task.Elements, stored)
	if err != nil {
		return nil, err
	}
	i.SetTaskElement(in.Code, values, vals.caller.PrincipalID, vals.now)
	return taskElementEvent(vals.change, domain.EventItemTaskElementSaved, i, in.Code), nil
}

// place puts the document among the values of its element.
func (in *ElementUpload) place(
	d *elementDefinition, elements domain.ElementValues, stored *domain.Document,
) ([]domain.ElementValue, error) {
	id, index := domain.NewID(), -1
	if in.ValueID != nil {
		code, i, found := elements.FindDocument(*in.ValueID)
		switch {
		case !found:
			id = *in.ValueID
		case code == in.Code:
			had, err := elements[code][i].Document()
			if err != nil {
				return nil, err
			}
			id, index = had.ID, i
		}
	}
	value, err := newDocumentValue(id, stored, in.Valid)
	if err != nil {
		return nil, err
	}
	values := slices.Clone(elements[in.Code])
	switch {
	case !d.Multiple:
		return []domain.ElementValue{value}, nil
	case index >= 0:
		values[index] = value
		return values, nil
	case len(values) >= maxElementValues:
		return nil, domain.InvalidField(domain.FieldElement, "has as many values as an element may have")
	}
	return append(values, value), nil
}

func documentElement(elements map[string]*elementDefinition, code string) (*elementDefinition, error) {
	d, ok := elements[code]
	switch {
	case !ok:
		return nil, unknownElement(domain.FieldElement, "")
	case d.Type != domain.ElementDocument:
		return nil, domain.InvalidField(domain.FieldElement, "is not an element for documents")
	}
	return d, nil
}

// taskSite finds a task that the caller may write to, and its definition.
func (s *Service) taskSite(
	ctx context.Context, call domain.Call, id uuid.UUID,
) (site *persistence.TaskSite, item *itemDefinition, err error) {
	err = s.write(ctx, call, func(tx *persistence.Tx) (domain.Events, error) {
		if site, err = persistence.ShareTaskSite(call.Caller, id).Do(ctx, tx); err != nil {
			return nil, err
		}
		if err := site.Item.CheckMayWriteTask(site.Rights, call.PrincipalID); err != nil {
			return nil, err
		}
		d, err := s.definitions.get(ctx, tx, site.ProcessVersion)
		if err != nil {
			return nil, err
		}
		item = d.items[site.Item.DefinitionCode()]
		return nil, nil
	})
	return site, item, err
}

// DeleteTaskElementDocument (A25) deletes a document of an element of an open
// task and keeps the element's other values. It has the conditions of
// SaveTaskElement. A document that no element of the task has is NOT_FOUND.
func (s *Service) DeleteTaskElementDocument(
	ctx context.Context, call domain.Call, id, document uuid.UUID,
) (*domain.ProcessItem, error) {
	return s.changeTaskElements(ctx, call, id, nil,
		func(vals *values, i *domain.ProcessItem, _ map[string]*elementDefinition) (domain.Events, error) {
			code, index, found := i.Task.Elements.FindDocument(document)
			if !found {
				return nil, domain.NotFound("document")
			}
			values := slices.Delete(slices.Clone(i.Task.Elements[code]), index, index+1)
			i.SetTaskElement(code, values, call.PrincipalID, vals.now)
			return taskElementEvent(vals.change, domain.EventItemTaskElementDeleted, i, code), nil
		})
}

// DownloadTaskElementDocument (A26) returns a document of an element of a task
// visible to the caller, or NOT_FOUND.
func (s *Service) DownloadTaskElementDocument(
	ctx context.Context, call domain.Call, id, document uuid.UUID,
) (*Download, error) {
	d, err := s.store.Reader.GetDocumentOfElement(ctx, call.Caller, id, document, s.now())
	if err != nil {
		return nil, err
	}
	return s.openDownload(ctx, call, d)
}
