package administration

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/availability"
	"github.com/procession-dev/procession/persistence"
)

// Evaluation is the result of an availability expression, or its error: Fault
// is empty for none. Column counts characters of the expression from 1 and is 0
// for an error without a position.
type Evaluation struct {
	Available bool
	Fault     string
	Column    int
	// Model is the input of the evaluation.
	Model availability.Model
}

// EvaluateAvailability evaluates an availability expression as in a process, or against a model where the process is
// nil. For a process, the caller must be an owner or an administrator of its tenant, or an operator; for others it is
// NOT_FOUND. It only reads.
func (s *Service) EvaluateAvailability(
	ctx context.Context, call domain.Call, expression string, process *uuid.UUID, model availability.Model,
) (*Evaluation, error) {
	now := s.now()
	model.Now = now
	if process != nil {
		p, _, err := s.store.Reader.GetActionableProcessFor(ctx, persistence.AdministrationOf(call.Caller), *process, call.PrincipalID)
		if err != nil {
			return nil, err
		}
		model = p.Model(now)
	}
	evaluation := &Evaluation{Model: model}
	parsed, err := availability.Parse(expression)
	if err == nil {
		evaluation.Available, err = parsed.Evaluate(ctx, model)
	}
	var wrong *availability.Error
	switch {
	case errors.As(err, &wrong):
		evaluation.Fault, evaluation.Column = wrong.Message, wrong.Column
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		evaluation.Fault = err.Error()
	}
	return evaluation, nil
}

// ListAvailabilityFaults returns a page of the availability expressions that
// failed, the last to fail first. They exist for the owners and administrators of
// their tenant, and for operators.
func (s *Service) ListAvailabilityFaults(
	ctx context.Context, call domain.Call, tenantCodes []string, page domain.PageRequest,
) (domain.Page[domain.AvailabilityFault], error) {
	return s.store.Reader.ListAvailabilityFaults(ctx, persistence.AdministrationOf(call.Caller), tenantCodes, page)
}
