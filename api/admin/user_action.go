package admin

import (
	"context"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/api/httpio"
	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/availability"
)

// ExplainProcessActions returns why a principal may or may not invoke user
// actions.
func (s *Server) ExplainProcessActions(
	ctx context.Context, request ExplainProcessActionsRequestObject,
) (ExplainProcessActionsResponseObject, error) {
	explained, err := s.app.ExplainProcessActions(ctx, s.call(ctx), request.ID, request.Params.PrincipalID)
	if err != nil {
		return nil, err
	}
	return ExplainProcessActions200JSONResponse{Content: listOf(explained, explainedAction)}, nil
}

// EvaluateAvailability evaluates an availability expression.
func (s *Server) EvaluateAvailability(
	ctx context.Context, request EvaluateAvailabilityRequestObject,
) (EvaluateAvailabilityResponseObject, error) {
	body := request.Body
	if body.ProcessID != nil && body.Model != nil {
		return nil, domain.InvalidBody("/model", "cannot be given together with processId")
	}
	if body.ProcessID == nil && body.Model == nil {
		return nil, domain.InvalidBody("/processId", "is required, or else model")
	}
	evaluation, err := s.administration.EvaluateAvailability(ctx, s.call(ctx), body.Expression, body.ProcessID, availabilityModel(body.Model))
	if err != nil {
		return nil, err
	}
	answer := EvaluateAvailability200JSONResponse{Model: convertModel(evaluation.Model)}
	if evaluation.Fault == "" {
		answer.Result = &evaluation.Available
		return answer, nil
	}
	answer.Error = &oasadmin.AvailabilityError{Message: evaluation.Fault}
	if evaluation.Column > 0 {
		answer.Error.Column = &evaluation.Column
	}
	return answer, nil
}

// FindAvailabilityFaults lists availability expressions that failed.
func (s *Server) FindAvailabilityFaults(
	ctx context.Context, request FindAvailabilityFaultsRequestObject,
) (FindAvailabilityFaultsResponseObject, error) {
	params := request.Params
	page, _ := httpio.Listing(httpio.Deref(params.Size), httpio.Deref(params.Page), nil)
	found, err := s.administration.ListAvailabilityFaults(ctx, s.call(ctx), params.Tenant, page)
	if err != nil {
		return nil, err
	}
	var answer FindAvailabilityFaults200JSONResponse
	answer.Metadata, answer.Content = httpio.PageOf[oasadmin.PageMetadata](found, availabilityFault)
	return answer, nil
}

func explainedAction(a *app.ExplainedAction) oasadmin.ExplainedAction {
	return oasadmin.ExplainedAction{
		Code: a.Code, Name: a.Name, Type: string(a.Type), Availability: httpio.PtrOrNil(a.Availability),
		Offered: len(a.Obstacles) == 0,
		Reasons: listOf(a.Obstacles, func(o *domain.Obstacle) oasadmin.ActionObstacle {
			message := o.Message()
			if *o == domain.ObstacleExpression {
				message = a.Fault
			}
			return oasadmin.ActionObstacle{Code: oasadmin.ActionObstacleCode(*o), Message: message}
		}),
	}
}

func availabilityFault(f *domain.AvailabilityFault) oasadmin.AvailabilityFault {
	return oasadmin.AvailabilityFault{
		TenantID: f.TenantID, ProcessDefinitionID: f.Definition.ID, ProcessDefinitionVersion: f.Definition.Version,
		ProcessDefinitionCode: f.Definition.Code, ActionCode: f.ActionCode, ProcessID: f.ProcessID,
		Message: f.Message, FirstAt: f.FirstAt.UTC(), LastAt: f.LastAt.UTC(),
	}
}

func availabilityModel(m *oasadmin.AvailabilityModel) availability.Model {
	if m == nil {
		return availability.Model{}
	}
	request := availability.Model{
		Process: availability.Process{
			State: domain.ProcessState(m.Process.State), CreatedAt: m.Process.CreatedAt, LastModifiedAt: m.Process.LastModifiedAt,
		},
		Tasks: make(map[string]availability.Task, len(m.Tasks)),
	}
	for code, task := range m.Tasks {
		request.Tasks[code] = availability.Task{
			State: domain.TaskState(task.State), CreatedAt: task.CreatedAt, LastModifiedAt: task.LastModifiedAt,
		}
	}
	return request
}

func convertModel(m availability.Model) oasadmin.AvailabilityModel {
	converted := oasadmin.AvailabilityModel{
		Process: oasadmin.AvailabilityProcess{
			State:     oasadmin.AvailabilityProcessState(m.Process.State),
			CreatedAt: m.Process.CreatedAt.UTC(), LastModifiedAt: m.Process.LastModifiedAt.UTC(),
		},
		Tasks: make(map[string]oasadmin.AvailabilityTask, len(m.Tasks)),
	}
	for code, task := range m.Tasks {
		converted.Tasks[code] = oasadmin.AvailabilityTask{
			State:     oasadmin.AvailabilityTaskState(task.State),
			CreatedAt: task.CreatedAt.UTC(), LastModifiedAt: task.LastModifiedAt.UTC(),
		}
	}
	return converted
}
