package shapeb

import (
	"context"
	"time"

	"github.com/procession-dev/procession/api/httpio"
	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/domain"
)

// ClaimProcessItemTask implements operation B26.
func (s *Server) ClaimProcessItemTask(
	ctx context.Context, request oasb.ClaimProcessItemTaskRequestObject,
) (oasb.ClaimProcessItemTaskResponseObject, error) {
	changed, err := s.app.ClaimProcessItemTask(ctx, s.call(ctx), request.ID)
	if err != nil {
		return nil, err
	}
	return oasb.ClaimProcessItemTask200JSONResponse(convertItem(changed)), nil
}

// AssignProcessItemTask implements operation B27.
func (s *Server) AssignProcessItemTask(
	ctx context.Context, request oasb.AssignProcessItemTaskRequestObject,
) (oasb.AssignProcessItemTaskResponseObject, error) {
	owner := principalKey(request.Body.OwnerID, request.Body.OwnerEmail)
	changed, err := s.app.AssignProcessItemTask(ctx, s.call(ctx), request.ID, owner)
	if err != nil {
		return nil, err
	}
	return oasb.AssignProcessItemTask200JSONResponse(convertItem(changed)), nil
}

// ReleaseProcessItemTask returns a claimed task to its candidates.
func (s *Server) ReleaseProcessItemTask(
	ctx context.Context, request oasb.ReleaseProcessItemTaskRequestObject,
) (oasb.ReleaseProcessItemTaskResponseObject, error) {
	changed, err := s.app.ReleaseProcessItemTask(ctx, s.call(ctx), request.ID)
	if err != nil {
		return nil, err
	}
	return oasb.ReleaseProcessItemTask200JSONResponse(convertItem(changed)), nil
}

// DelegateProcessItemTask gives a task to a principal who acts for the caller.
func (s *Server) DelegateProcessItemTask(
	ctx context.Context, request oasb.DelegateProcessItemTaskRequestObject,
) (oasb.DelegateProcessItemTaskResponseObject, error) {
	owner := principalKey(request.Body.OwnerID, request.Body.OwnerEmail)
	changed, err := s.app.DelegateProcessItemTask(ctx, s.call(ctx), request.ID, owner, httpio.Deref(request.Body.Note))
	if err != nil {
		return nil, err
	}
	return oasb.DelegateProcessItemTask200JSONResponse(convertItem(changed)), nil
}

// CompleteProcessItemTask implements operation B28.
func (s *Server) CompleteProcessItemTask(
	ctx context.Context, request oasb.CompleteProcessItemTaskRequestObject,
) (oasb.CompleteProcessItemTaskResponseObject, error) {
	changed, err := s.app.CompleteProcessItemTask(ctx, s.call(ctx), request.ID)
	if err != nil {
		return nil, err
	}
	return oasb.CompleteProcessItemTask200JSONResponse(convertItem(changed)), nil
}

// AppendProcessItemTaskLog implements operation B29.
func (s *Server) AppendProcessItemTaskLog(
	ctx context.Context, request oasb.AppendProcessItemTaskLogRequestObject,
) (oasb.AppendProcessItemTaskLogResponseObject, error) {
	level := domain.LogLevel(request.Body.Level)
	changed, err := s.app.AppendProcessItemTaskLog(ctx, s.call(ctx), request.ID,
		app.NewTaskLog{Level: level, Message: request.Body.Message})
	if err != nil {
		return nil, err
	}
	return oasb.AppendProcessItemTaskLog200JSONResponse(convertItem(changed)), nil
}

// UpdateProcessItemTaskData implements operation B30.
func (s *Server) UpdateProcessItemTaskData(
	ctx context.Context, request oasb.UpdateProcessItemTaskDataRequestObject,
) (oasb.UpdateProcessItemTaskDataResponseObject, error) {
	changed, err := s.app.UpdateProcessItemTaskData(ctx, s.call(ctx), request.ID, convertValue(&request.Body.Data))
	if err != nil {
		return nil, err
	}
	return oasb.UpdateProcessItemTaskData200JSONResponse(convertItem(changed)), nil
}

// PatchProcessItemTaskData implements operation B31.
func (s *Server) PatchProcessItemTaskData(
	ctx context.Context, request oasb.PatchProcessItemTaskDataRequestObject,
) (oasb.PatchProcessItemTaskDataResponseObject, error) {
	patch := patchOf(request.JSONBody, request.ApplicationJSONPatchPlusJSONBody)
	changed, err := s.app.PatchProcessItemTaskData(ctx, s.call(ctx), request.ID, patch)
	if err != nil {
		return nil, err
	}
	return oasb.PatchProcessItemTaskData200JSONResponse(convertItem(changed)), nil
}

// UpdateProcessItemTaskContextData implements operation B32.
func (s *Server) UpdateProcessItemTaskContextData(
	ctx context.Context, request oasb.UpdateProcessItemTaskContextDataRequestObject,
) (oasb.UpdateProcessItemTaskContextDataResponseObject, error) {
	changed, err := s.app.UpdateProcessItemTaskContextData(
		ctx, s.call(ctx), request.ID, convertValue(&request.Body.Data))
	if err != nil {
		return nil, err
	}
	return oasb.UpdateProcessItemTaskContextData200JSONResponse(convertItem(changed)), nil
}

// convertTask shows the task block of an item, nil when it is not a task.
func convertTask(t *domain.Task) *oasb.ProcessItemTask {
	if t == nil {
		return nil
	}
	answer := &oasb.ProcessItemTask{
		State: oasb.ProcessItemTaskState(t.State), Data: jsonValue(t.Data), ContextData: jsonValue(t.ContextData),
		Logs: make([]oasb.ProcessItemTaskLog, len(t.Logs)),
	}
	if d := t.Delegation; d != nil {
		answer.Delegation = &oasb.ProcessItemTaskDelegation{
			DelegatorID: d.By, DelegatedAt: d.At.UTC(), Note: httpio.PtrOrNil(d.Note),
		}
	}
	answer.DueAt, answer.FollowUpAt, answer.Priority = convertPlan(t.Plan)
	for i, entry := range t.Logs {
		answer.Logs[i] = oasb.ProcessItemTaskLog{
			ID: entry.ID, Timestamp: entry.Timestamp.UTC(), Message: entry.Message,
			Level: oasb.ProcessItemTaskLogLevel(entry.Level),
		}
	}
	return answer
}

// UpdateProcessItemTaskPlanning replaces the planning of a task.
func (s *Server) UpdateProcessItemTaskPlanning(
	ctx context.Context, request oasb.UpdateProcessItemTaskPlanningRequestObject,
) (oasb.UpdateProcessItemTaskPlanningResponseObject, error) {
	body := request.Body
	changed, err := s.app.UpdateProcessItemTaskPlanning(ctx, s.call(ctx), request.ID, readPlan(body.DueAt, body.FollowUpAt, body.Priority))
	if err != nil {
		return nil, err
	}
	return oasb.UpdateProcessItemTaskPlanning200JSONResponse(convertItem(changed)), nil
}

// readPlan returns the planning that a new task is given. Members that are absent stay empty.
func readPlan(dueAt, followUpAt *time.Time, priority *oasb.ProcessItemTaskPriority) domain.TaskPlan {
	return domain.TaskPlan{DueAt: dueAt, FollowUpAt: followUpAt, Priority: domain.TaskPriority(httpio.Deref(priority))}
}

// convertPlan shows the planning of a task.
func convertPlan(p domain.TaskPlan) (dueAt, followUpAt *time.Time, priority *oasb.ProcessItemTaskPriority) {
	return utcTime(p.DueAt), utcTime(p.FollowUpAt), new(oasb.ProcessItemTaskPriority(domain.PriorityOfRank(p.Priority.Rank())))
}

func utcTime(at *time.Time) *time.Time {
	if at == nil {
		return nil
	}
	return new(at.UTC())
}
