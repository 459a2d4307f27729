package shapeb

import (
	"context"

	"github.com/procession-dev/procession/api/httpio"
	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/kuflowref"
)

// FindProcessItems implements operation B21.
func (s *Server) FindProcessItems(
	ctx context.Context, request oasb.FindProcessItemsRequestObject,
) (oasb.FindProcessItemsResponseObject, error) {
	params := request.Params
	filter := app.ItemFilter{
		TenantIDs: params.TenantID, ProcessIDs: params.ProcessID, Types: httpio.ConvertStrings[domain.ItemType](params.Type),
		TaskStates: httpio.ConvertStrings[domain.TaskState](params.TaskState), DefinitionCodes: params.ProcessItemDefinitionCode,
		TaskPriorities: httpio.ConvertStrings[domain.TaskPriority](params.TaskPriority),
		TaskDueAfter:   params.TaskDueAfter, TaskDueBefore: params.TaskDueBefore, TaskOverdue: params.TaskOverdue,
		ThreadIDs:            params.ProcessItemThreadID,
		ProcessDefinitionIDs: params.ProcessDefinitionID, ProcessDefinitionCodes: params.ProcessDefinitionCode,
		Deleted: domain.DeletedFilter(httpio.Deref(params.Deleted)),
	}
	page, sort := httpio.Listing(params.Size, params.Page, params.Sort)
	found, err := s.app.FindProcessItems(ctx, s.call(ctx), filter, page, sort)
	if err != nil {
		return nil, err
	}
	var answer oasb.FindProcessItems200JSONResponse
	answer.Metadata, answer.Content = httpio.PageOf[oasb.PageMetadata](found, itemPageItem)
	return answer, nil
}

// CreateProcessItem implements operation B22.
func (s *Server) CreateProcessItem(
	ctx context.Context, request oasb.CreateProcessItemRequestObject,
) (oasb.CreateProcessItemResponseObject, error) {
	body := request.Body
	task, message := httpio.Deref(body.Task), httpio.Deref(body.Message)
	created, isNew, err := s.app.CreateProcessItem(ctx, s.call(ctx), app.NewItem{
		ID: body.ID, Type: domain.ItemType(body.Type), ProcessID: body.ProcessID,
		DefinitionCode: httpio.Deref(body.ProcessItemDefinitionCode), ThreadID: body.ProcessItemThreadID,
		Owner: principalKey(body.OwnerID, body.OwnerEmail),
		Plan:  readPlan(task.DueAt, task.FollowUpAt, task.Priority),
		Data:  convertValue(task.Data), ContextData: convertValue(task.ContextData),
		Text: httpio.Deref(message.Text), MessageData: convertValue(message.Data),
		DataCode: httpio.Deref(message.DataStructureDataDefinitionCode),
	})
	switch {
	case err != nil:
		return nil, err
	case isNew:
		return oasb.CreateProcessItem201JSONResponse(convertItem(created)), nil
	default:
		return oasb.CreateProcessItem200JSONResponse(convertItem(created)), nil
	}
}

// RetrieveProcessItem implements operation B23.
func (s *Server) RetrieveProcessItem(
	ctx context.Context, request oasb.RetrieveProcessItemRequestObject,
) (oasb.RetrieveProcessItemResponseObject, error) {
	found, err := s.app.RetrieveProcessItem(ctx, s.call(ctx), request.ID)
	if err != nil {
		return nil, err
	}
	return oasb.RetrieveProcessItem200JSONResponse(convertItem(found)), nil
}

func convertItem(i *domain.ProcessItem) oasb.ProcessItem {
	answer := oasb.ProcessItem{
		ID: i.ID, URI: uriOf(kuflowref.ResourceProcessItem, i.ID), ProcessItemThreadID: i.ThreadID,
		Type: oasb.ProcessItemType(i.Type), ProcessID: i.ProcessID, TenantID: &i.TenantID,
		OwnerID: i.OwnerID, ProcessItemDefinitionRef: itemDefinitionRef(i.Definition), Task: convertTask(i.Task),
	}
	if i.Message != nil {
		answer.Message = &oasb.ProcessItemMessage{
			Text: httpio.PtrOrNil(i.Message.Text), Data: jsonValue(i.Message.Data),
			DataStructureDataDefinitionCode: httpio.PtrOrNil(i.Message.DataStructureCode), Mentions: i.Message.Mentions,
		}
	}
	answer.CreatedBy, answer.CreatedAt, answer.LastModifiedBy, answer.LastModifiedAt = httpio.Audited(i.Audit)
	answer.DeletedAt, answer.DeletedBy = httpio.Deleted(i.Deletion)
	return answer
}

func itemPageItem(i *domain.ProcessItem) oasb.ProcessItemPageItem {
	answer := oasb.ProcessItemPageItem{
		ID: i.ID, URI: uriOf(kuflowref.ResourceProcessItem, i.ID), ProcessItemThreadID: i.ThreadID,
		Type: oasb.ProcessItemType(i.Type), ProcessID: i.ProcessID, TenantID: i.TenantID,
		OwnerID: i.OwnerID, ProcessItemDefinitionRef: itemDefinitionRef(i.Definition),
	}
	if i.Task != nil {
		answer.Task = &oasb.ProcessItemTaskPageItem{State: oasb.ProcessItemTaskState(i.Task.State)}
		answer.Task.DueAt, answer.Task.FollowUpAt, answer.Task.Priority = convertPlan(i.Task.Plan)
	}
	if i.Message != nil {
		answer.Message = &oasb.ProcessItemMessagePageItem{
			Text:                            httpio.PtrOrNil(i.Message.Text),
			DataStructureDataDefinitionCode: httpio.PtrOrNil(i.Message.DataStructureCode), Mentions: i.Message.Mentions,
		}
	}
	answer.CreatedBy, answer.CreatedAt, answer.LastModifiedBy, answer.LastModifiedAt = httpio.Audited(i.Audit)
	answer.DeletedAt, answer.DeletedBy = httpio.Deleted(i.Deletion)
	return answer
}

func itemDefinitionRef(ref *domain.DefinitionRef) *oasb.ProcessItemDefinitionRef {
	if ref == nil {
		return nil
	}
	return &oasb.ProcessItemDefinitionRef{ID: ref.ID, Version: ref.Version, Code: ref.Code}
}
