package app

import (
	"context"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
)

// SaveProcessElement (A9) replaces the values of an element of a running
// process. It requires the Manager permission. Errors: DEFINITION_NOT_FOUND for the
// code, VALIDATION for several values of an element that is not multiple,
// PROCESS_FINISHED.
func (s *Service) SaveProcessElement(
	ctx context.Context, call domain.Call, id uuid.UUID, code string, elements []domain.ElementValue,
) (*domain.Process, error) {
	return s.changeProcess(ctx, call, id, nil, func(vals *values, p *domain.Process, d *definition) (domain.Events, error) {
		element, ok := d.elements[code]
		if !ok {
			return nil, unknownElement(domain.FieldElementCode, "")
		}
		values, err := vals.prepareElement(ctx, processSite(p, domain.SlotElement), element, p.Elements[code], elements, "", false)
		if err != nil {
			return nil, err
		}
		p.SetElement(code, values, call.PrincipalID, vals.now)
		changed := domain.ProcessEvent(domain.EventProcessElementSaved, p, call.PrincipalID, vals.now).With("code", code)
		return domain.Events{changed}, vals.tx.UpdateProcessElements(p)
	})
}

// DeleteProcessElement (A10) deletes the values of an element of a running process, under the conditions of
// SaveProcessElement. Without values it has no effect.
func (s *Service) DeleteProcessElement(
	ctx context.Context, call domain.Call, id uuid.UUID, code string,
) (*domain.Process, error) {
	return s.changeProcess(ctx, call, id, nil, func(vals *values, p *domain.Process, d *definition) (domain.Events, error) {
		if _, ok := d.elements[code]; !ok {
			return nil, unknownElement(domain.FieldElementCode, "")
		}
		if len(p.Elements[code]) == 0 {
			return nil, nil
		}
		p.SetElement(code, nil, call.PrincipalID, vals.now)
		changed := domain.ProcessEvent(domain.EventProcessElementDeleted, p, call.PrincipalID, vals.now).With("code", code)
		return domain.Events{changed}, vals.tx.UpdateProcessElements(p)
	})
}
