package shapea

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"

	"github.com/procession-dev/procession/api/httpio"
	oasa "github.com/procession-dev/procession/api/shapea/oas"
	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/domain"
)

// FindTasks implements operation A17.
func (s *Server) FindTasks(
	ctx context.Context, request oasa.FindTasksRequestObject,
) (oasa.FindTasksResponseObject, error) {
	params := request.Params
	filter := app.ItemFilter{
		TenantIDs: params.TenantID, ProcessIDs: params.ProcessID, TaskStates: httpio.ConvertStrings[domain.TaskState](params.State),
		DefinitionCodes: params.TaskDefinitionCode,
	}
	page, sort := httpio.Listing(params.Size, params.Page, params.Sort)
	return listing(func(w http.ResponseWriter) error {
		show := func(found *domain.Listing[domain.ProcessItem]) error {
			return httpio.WriteListing(w, found, taskPage, func(items []domain.ProcessItem) ([]oasa.TaskPageItem, error) {
				names, err := s.app.NamesOfTasks(ctx, items...)
				if err != nil {
					return nil, err
				}
				return httpio.ConvertAll(items, func(i *domain.ProcessItem) (oasa.TaskPageItem, error) {
					return taskPageItem(i, &names)
				})
			})
		}
		return s.app.FindTasks(ctx, s.call(ctx), filter, page, sort, show)
	}), nil
}

func taskPage(metadata httpio.PageMetadata, content []oasa.TaskPageItem) any {
	return oasa.TaskPage{
		ObjectType: new(oasa.PagedObjectTypeTASKPAGE), Metadata: oasa.PageMetadata(metadata), Content: content,
	}
}

// CreateTask implements operation A18.
func (s *Server) CreateTask(
	ctx context.Context, request oasa.CreateTaskRequestObject,
) (oasa.CreateTaskResponseObject, error) {
	body := request.Body
	owner, err := principalKey(body.Owner, "/owner")
	if err != nil {
		return nil, err
	}
	token, err := activityToken(request.Params.ActivityToken)
	if err != nil {
		return nil, err
	}
	definition := body.TaskDefinition
	created, isNew, err := s.app.CreateProcessItem(ctx, s.call(ctx), app.NewItem{
		ID: body.ID, Type: domain.ItemTask, ProcessID: body.ProcessID, Owner: owner,
		DefinitionID: definition.ID, DefinitionVersion: definition.Version, DefinitionCode: httpio.Deref(definition.Code),
		Data: convertData(body.JSONFormsValue), Elements: elementValues(body.ElementValues), ActivityToken: token,
	})
	answer, err := convertTask(created, err)
	switch {
	case err != nil:
		return nil, err
	case isNew:
		return oasa.CreateTask201JSONResponse(answer), nil
	default:
		return oasa.CreateTask200JSONResponse(answer), nil
	}
}

// activityToken reads a token in either alphabet of base64, with or without
// padding: in a query the difference is easily lost.
func activityToken(requested *string) ([]byte, error) {
	text := httpio.Deref(requested)
	if text == "" {
		return nil, nil
	}
	for _, encoding := range []*base64.Encoding{
		base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding,
	} {
		if token, err := encoding.DecodeString(text); err == nil {
			return token, nil
		}
	}
	return nil, domain.Invalid(domain.LocationQuery, "activityToken", "must be base64")
}

// RetrieveTask implements operation A19.
func (s *Server) RetrieveTask(
	ctx context.Context, request oasa.RetrieveTaskRequestObject,
) (oasa.RetrieveTaskResponseObject, error) {
	found, err := s.app.RetrieveProcessItem(ctx, s.call(ctx), request.ID)
	answer, err := convertTask(found, err)
	if err != nil {
		return nil, err
	}
	return oasa.RetrieveTask200JSONResponse(answer), nil
}

// ActionsTaskClaim implements operation A20.
func (s *Server) ActionsTaskClaim(
	ctx context.Context, request oasa.ActionsTaskClaimRequestObject,
) (oasa.ActionsTaskClaimResponseObject, error) {
	changed, err := s.app.ClaimProcessItemTask(ctx, s.call(ctx), request.ID)
	answer, err := convertTask(changed, err)
	if err != nil {
		return nil, err
	}
	return oasa.ActionsTaskClaim200JSONResponse(answer), nil
}

// ActionsTaskAssign implements operation A21.
func (s *Server) ActionsTaskAssign(
	ctx context.Context, request oasa.ActionsTaskAssignRequestObject,
) (oasa.ActionsTaskAssignResponseObject, error) {
	owner := app.PrincipalKey{ID: request.Body.PrincipalID, Email: httpio.Deref(request.Body.Email)}
	changed, err := s.app.AssignProcessItemTask(ctx, s.call(ctx), request.ID, owner)
	answer, err := convertTask(changed, err)
	if err != nil {
		return nil, err
	}
	return oasa.ActionsTaskAssign200JSONResponse(answer), nil
}

// ActionsTaskSaveJSONFormsValueData implements operation A28.
func (s *Server) ActionsTaskSaveJSONFormsValueData(
	ctx context.Context, request oasa.ActionsTaskSaveJSONFormsValueDataRequestObject,
) (oasa.ActionsTaskSaveJSONFormsValueDataResponseObject, error) {
	value := request.Body.Data
	if value == nil {
		value = json.RawMessage("{}")
	}
	changed, err := s.app.UpdateProcessItemTaskData(ctx, s.call(ctx), request.ID, value)
	answer, err := convertTask(changed, err)
	if err != nil {
		return nil, err
	}
	return oasa.ActionsTaskSaveJSONFormsValueData200JSONResponse(answer), nil
}

// ActionsTaskComplete implements operation A31.
func (s *Server) ActionsTaskComplete(
	ctx context.Context, request oasa.ActionsTaskCompleteRequestObject,
) (oasa.ActionsTaskCompleteResponseObject, error) {
	changed, err := s.app.CompleteProcessItemTask(ctx, s.call(ctx), request.ID)
	answer, err := convertTask(changed, err)
	if err != nil {
		return nil, err
	}
	return oasa.ActionsTaskComplete200JSONResponse(answer), nil
}

// ActionsTaskAppendLog implements operation A32.
func (s *Server) ActionsTaskAppendLog(
	ctx context.Context, request oasa.ActionsTaskAppendLogRequestObject,
) (oasa.ActionsTaskAppendLogResponseObject, error) {
	body := request.Body
	changed, err := s.app.AppendProcessItemTaskLog(ctx, s.call(ctx), request.ID, app.NewTaskLog{
		ID: body.ID, Timestamp: body.CreatedAt, Level: domain.LogLevel(body.Level), Message: body.Message,
	})
	answer, err := convertTask(changed, err)
	if err != nil {
		return nil, err
	}
	return oasa.ActionsTaskAppendLog200JSONResponse(answer), nil
}

// convertTask shows the task that an operation returned, unless that failed. Items that
// are no tasks do not exist here.
func convertTask(i *domain.ProcessItem, failed error) (oasa.Task, error) {
	switch {
	case failed != nil:
		return oasa.Task{}, asNotFound(failed)
	case i.Task == nil:
		return oasa.Task{}, domain.NotFound("process item")
	}
	item, err := taskPageItem(i, i.Names)
	answer := oasa.Task{
		ObjectType: new(oasa.AuditedObjectTypeTASK), ID: item.ID, State: item.State, TaskDefinition: item.TaskDefinition,
		ProcessID: item.ProcessID, ElementValues: item.ElementValues, JSONFormsValue: item.JSONFormsValue,
		Owner: item.Owner, TenantID: item.TenantID, Logs: make([]oasa.Log, len(i.Task.Logs)),
		CreatedBy: item.CreatedBy, CreatedAt: item.CreatedAt,
		LastModifiedBy: item.LastModifiedBy, LastModifiedAt: item.LastModifiedAt,
	}
	for n, entry := range i.Task.Logs {
		answer.Logs[n] = oasa.Log{
			ID: &entry.ID, CreatedAt: new(entry.Timestamp.UTC()), Message: entry.Message, Level: oasa.LogLevel(entry.Level),
		}
	}
	return answer, err
}

func taskPageItem(i *domain.ProcessItem, names *domain.Names) (oasa.TaskPageItem, error) {
	answer := oasa.TaskPageItem{
		ObjectType: new(oasa.AuditedObjectTypeTASKPAGEITEM), ID: &i.ID, State: new(oasa.TaskState(i.Task.State)),
		ProcessID: i.ProcessID, JSONFormsValue: jsonForms(i.Task.Data), TenantID: &i.TenantID,
	}
	if ref := i.Definition; ref != nil {
		answer.TaskDefinition = oasa.TaskDefinitionSummary{
			ID: &ref.ID, Version: &ref.Version, Code: &ref.Code, Name: httpio.PtrOrNil(names.Versions[ref.Version]),
		}
	}
	if i.OwnerID != nil {
		answer.Owner = principalRef(i.TenantID, *i.OwnerID, names)
	}
	answer.CreatedBy, answer.CreatedAt, answer.LastModifiedBy, answer.LastModifiedAt = httpio.Audited(i.Audit)
	var err error
	answer.ElementValues, err = convertElements(i.ID, i.Task.Elements)
	return answer, err
}
