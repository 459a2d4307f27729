package app

import (
	"context"
	"maps"
	"slices"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsontext"
)

// SaveTaskElement (A22) replaces the values of an element of an open task, also of a finished process. The caller must
// own the task or have the Manager permission. Documents are named by their uri: the element's own documents are kept,
// others are copied. Errors: DEFINITION_NOT_FOUND for the code, VALIDATION for several values of an element that is not
// multiple and for a document not visible to the caller, INVALID_STATE, TASK_NOT_OWNED.
func (s *Service) SaveTaskElement(
	ctx context.Context, call domain.Call, id uuid.UUID, code string, input []domain.ElementValue,
) (*domain.ProcessItem, error) {
	return s.changeTaskElements(ctx, call, id, domain.ElementValues{code: input},
		func(vals *values, i *domain.ProcessItem, elements map[string]*elementDefinition) (domain.Events, error) {
			d, ok := elements[code]
			if !ok {
				return nil, unknownElement(domain.FieldElementCode, "")
			}
			return vals.saveElement(ctx, i, d, input, "")
		})
}

// SaveTaskElements is SaveTaskElement for several elements of a task at once, by their
// codes. All are saved or none. Errors name their place in input.
func (s *Service) SaveTaskElements(
	ctx context.Context, call domain.Call, id uuid.UUID, input domain.ElementValues,
) (*domain.ProcessItem, error) {
	return s.changeTaskElements(ctx, call, id, input,
		func(vals *values, i *domain.ProcessItem, elements map[string]*elementDefinition) (domain.Events, error) {
			var saved domain.Events
			for _, code := range slices.Sorted(maps.Keys(input)) {
				location := jsontext.JoinPointer(code)
				d, ok := elements[code]
				if !ok {
					return nil, unknownElement(domain.FieldElements, location)
				}
				events, err := vals.saveElement(ctx, i, d, input[code], location)
				if err != nil {
					return nil, err
				}
				saved = append(saved, events...)
			}
			return saved, nil
		})
}

// saveElement replaces the values of an element of a task. location is the JSON Pointer
// of the given ones.
func (vals *values) saveElement(
	ctx context.Context, i *domain.ProcessItem, d *elementDefinition, elements []domain.ElementValue, location string,
) (domain.Events, error) {
	values, err := vals.prepareElement(ctx, itemSite(i, domain.SlotElement), d, i.Task.Elements[d.Code], elements, location, true)
	if err != nil {
		return nil, err
	}
	i.SetTaskElement(d.Code, values, vals.caller.PrincipalID, vals.now)
	return taskElementEvent(vals.change, domain.EventItemTaskElementSaved, i, d.Code), nil
}

// DeleteTaskElement (A24) deletes the values of an element of a task, under the conditions of SaveTaskElement. Without
// values it has no effect.
func (s *Service) DeleteTaskElement(
	ctx context.Context, call domain.Call, id uuid.UUID, code string,
) (*domain.ProcessItem, error) {
	return s.changeTaskElements(ctx, call, id, nil,
		func(vals *values, i *domain.ProcessItem, elements map[string]*elementDefinition) (domain.Events, error) {
			if _, ok := elements[code]; !ok {
				return nil, unknownElement(domain.FieldElementCode, "")
			}
			if len(i.Task.Elements[code]) == 0 {
				return nil, nil
			}
			i.SetTaskElement(code, nil, call.PrincipalID, vals.now)
			return taskElementEvent(vals.change, domain.EventItemTaskElementDeleted, i, code), nil
		})
}
