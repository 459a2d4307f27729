package administer

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/availability"
)

// Evaluation is the result of an availability expression, or what is wrong with
// it: Fault is empty for nothing. Column counts characters of the expression
// from 1 and is 0 for what is wrong with no particular place of it.
type Evaluation struct {
	Available bool
	Fault     string
	Column    int
	// Model is what the expression was evaluated against.
	Model availability.Model
}

// EvaluateAvailability evaluates an availability expression as it would be in a
// process, or against a model where the process is nil. A process takes being an
// owner or an administrator of its tenant, and is NOT_FOUND for others. Nothing
// is stored.
func (s *Administration) EvaluateAvailability(
	ctx context.Context, caller domain.Caller, expression string, process *uuid.UUID, model availability.Model,
) (*Evaluation, error) {
	now := s.now()
	model.Now = now
	if process != nil {
		p, _, err := s.reader.GetActionableProcessFor(ctx, caller.AdministeredTenants(), *process, caller.PrincipalID)
		if err != nil {
			return nil, err
		}
		model = p.Model(now)
	}
	evaluation := &Evaluation{Model: model}
	parsed, err := availability.Parse(expression)
	if err == nil {
		evaluation.Available, err = parsed.Evaluate(model)
	}
	var wrong *availability.Error
	switch {
	case errors.As(err, &wrong):
		evaluation.Fault, evaluation.Column = wrong.Message, wrong.Column
	case err != nil:
		evaluation.Fault = err.Error()
	}
	return evaluation, nil
}

// ListAvailabilityFaults returns a page of the availability expressions that
// failed, the last to fail first. They exist for the owners and administrators of
// their tenant.
func (s *Administration) ListAvailabilityFaults(
	ctx context.Context, caller domain.Caller, tenantCodes []string, page domain.PageRequest,
) (domain.Page[domain.AvailabilityFault], error) {
	return s.reader.ListAvailabilityFaults(ctx, caller.AdministeredTenants(), tenantCodes, page)
}
