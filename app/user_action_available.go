package app

import (
	"context"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/translation"
	"github.com/procession-dev/procession/persistence"
)

// AvailableAction is a user action that a caller may invoke now. Related is the
// definition that START_RELATED_PROCESS starts, nil for other types.
type AvailableAction struct {
	domain.UserAction
	Definition domain.ActionDefinitionRef
	// Version is the version of the process definition that the process follows.
	Version uuid.UUID
	Related *uuid.UUID
	// Translated is the name with its translations.
	Translated translation.Name
}

// FindAvailableProcessActions returns the user actions that the caller may invoke on a process now, in the order of the
// definition, or NOT_FOUND for a process not visible to the caller. An action with a failing availability expression is
// omitted, and the fault is recorded for administrators.
func (s *Service) FindAvailableProcessActions(
	ctx context.Context, call domain.Call, process uuid.UUID,
) ([]AvailableAction, error) {
	p, err := s.store.Reader.GetActionableProcess(ctx, call.Caller, process)
	if err != nil {
		return nil, err
	}
	d, err := s.definitions.get(ctx, s.store.Reader, p.Process.Definition.Version)
	if err != nil {
		return nil, err
	}
	return s.availableActions(ctx, d, p)
}

func (s *Service) availableActions(
	ctx context.Context, d *definition, p *persistence.ActionableProcess,
) (found []AvailableAction, err error) {
	for _, a := range d.actions {
		obstacle, fault := a.firstObstacle(ctx, p, s.now())
		switch {
		case fault != nil:
			if err := s.recordFault(ctx, &availabilityFault{a, p, fault}); err != nil {
				return nil, err
			}
		case obstacle == "":
			found = append(found, availableAction(d, a, p))
		}
	}
	return found, nil
}

func availableAction(d *definition, a *userAction, p *persistence.ActionableProcess) AvailableAction {
	available := AvailableAction{
		UserAction: *a.UserAction, Definition: domain.NewActionDefinitionRef(d.ID, a.Code), Version: d.Version,
		Translated: d.ActionName(a.UserAction),
	}
	if a.Type == domain.ProcessActionStartRelatedProcess {
		related := p.Startable[a.ProcessDefinition].ID
		available.Related = &related
	}
	return available
}

// ExplainedAction is a user action with the reasons why a principal may not
// invoke it, which are empty when it may.
type ExplainedAction struct {
	domain.UserAction
	Obstacles []domain.Obstacle
	// Fault is the error of the availability expression, "" for none.
	Fault string
}

// ExplainProcessActions returns all user actions of a process in the order of
// the definition, and for each whether the principal may invoke it now and, if
// not, why. The caller must be an owner or an administrator of the tenant, or an
// operator; for others the process is NOT_FOUND. A principal of another tenant is a
// VALIDATION error.
func (s *Service) ExplainProcessActions(
	ctx context.Context, call domain.Call, process, principal uuid.UUID,
) ([]ExplainedAction, error) {
	p, who, err := s.store.Reader.GetActionableProcessFor(ctx, persistence.AdministrationOf(call.Caller), process, principal)
	if err != nil {
		return nil, err
	}
	if !who.In(p.Process.TenantID) {
		return nil, domain.InvalidField(domain.FieldPrincipal, "is not an active principal of the tenant")
	}
	d, err := s.definitions.get(ctx, s.store.Reader, p.Process.Definition.Version)
	if err != nil {
		return nil, err
	}
	explained := make([]ExplainedAction, len(d.actions))
	for i, a := range d.actions {
		explained[i] = ExplainedAction{UserAction: *a.UserAction, Obstacles: a.Obstacles(p.RelationsTo(a.UserAction))}
		available, fault := a.isAvailable(ctx, p.Model(s.now()))
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case fault != nil:
			explained[i].Obstacles = append(explained[i].Obstacles, domain.ObstacleExpression)
			explained[i].Fault = fault.Error()
		case !available:
			explained[i].Obstacles = append(explained[i].Obstacles, domain.ObstacleUnavailable)
		}
	}
	return explained, nil
}
