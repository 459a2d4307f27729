package shapeb

import (
	"context"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/api/httpio"
	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/domain"
)

// CreateProcessAction invokes a user action.
func (s *Server) CreateProcessAction(
	ctx context.Context, request oasb.CreateProcessActionRequestObject,
) (oasb.CreateProcessActionResponseObject, error) {
	body := request.Body
	in := app.NewProcessAction{ID: body.ID, Code: body.ProcessActionDefinitionCode}
	if block := body.StartRelatedProcess; block != nil {
		in.Metadata, in.Entity = block.Metadata, block.Entity
	}
	if block := body.CreateTask; block != nil {
		in.TaskThreadID = block.ProcessItemThreadID
	}
	if block := body.CreateProcessItemMessage; block != nil {
		in.Text, in.MessageThreadID = httpio.Deref(block.Text), block.ProcessItemThreadID
	}
	if block := body.SendWorkflowSignal; block != nil {
		in.SignalInput = block.Input
	}
	created, isNew, err := s.app.CreateProcessAction(ctx, s.call(ctx), request.ID, in)
	switch {
	case err != nil:
		return nil, err
	case isNew:
		return oasb.CreateProcessAction201JSONResponse(processAction(created)), nil
	default:
		return oasb.CreateProcessAction200JSONResponse(processAction(created)), nil
	}
}

// FindAvailableProcessActions lists the actions that the caller may invoke.
func (s *Server) FindAvailableProcessActions(
	ctx context.Context, request oasb.FindAvailableProcessActionsRequestObject,
) (oasb.FindAvailableProcessActionsResponseObject, error) {
	found, err := s.app.FindAvailableProcessActions(ctx, s.call(ctx), request.ID)
	if err != nil {
		return nil, err
	}
	content := make([]oasb.AvailableProcessAction, len(found))
	for i := range found {
		content[i] = availableAction(&found[i])
	}
	return oasb.FindAvailableProcessActions200JSONResponse{Content: content}, nil
}

// RetrieveProcessAction returns a user action that was invoked.
func (s *Server) RetrieveProcessAction(
	ctx context.Context, request oasb.RetrieveProcessActionRequestObject,
) (oasb.RetrieveProcessActionResponseObject, error) {
	found, err := s.app.RetrieveProcessAction(ctx, s.call(ctx), request.ID, request.ActionID)
	if err != nil {
		return nil, err
	}
	return oasb.RetrieveProcessAction200JSONResponse(processAction(found)), nil
}

// CancelProcessAction cancels a user action.
func (s *Server) CancelProcessAction(
	ctx context.Context, request oasb.CancelProcessActionRequestObject,
) (oasb.CancelProcessActionResponseObject, error) {
	canceled, err := s.app.CancelProcessAction(ctx, s.call(ctx), request.ID, request.ActionID)
	if err != nil {
		return nil, err
	}
	return oasb.CancelProcessAction200JSONResponse(processAction(canceled)), nil
}

// UploadProcessActionDocument completes a user action with its document.
func (s *Server) UploadProcessActionDocument(
	ctx context.Context, request oasb.UploadProcessActionDocumentRequestObject,
) (oasb.UploadProcessActionDocumentResponseObject, error) {
	params := request.Params
	completed, taken, err := s.app.UploadProcessActionDocument(ctx, s.call(ctx), request.ID, request.ActionID,
		storage.File{Name: params.FileName, ContentType: params.FileContentType, Body: request.Body})
	switch {
	case err != nil:
		return nil, err
	case !taken:
		return oasb.UploadProcessActionDocument304Response{}, nil
	default:
		return oasb.UploadProcessActionDocument200JSONResponse(processAction(completed)), nil
	}
}

func processAction(a *domain.ProcessAction) oasb.ProcessAction {
	answer := oasb.ProcessAction{
		ID: a.ID, Type: oasb.ProcessActionType(a.Type), Status: oasb.ProcessActionStatus(a.Status),
		ProcessActionDefinitionRef: actionDefinitionRef(a.Definition, a.DefinitionVersion),
	}
	answer.Errors = actionErrors(a.Errors)
	answer.CreatedBy, answer.CreatedAt, answer.LastModifiedBy, answer.LastModifiedAt = httpio.Audited(a.Audit)
	var item *oasb.ProcessActionCreatedItem
	if a.ItemID != nil {
		item = &oasb.ProcessActionCreatedItem{ProcessItemID: *a.ItemID}
	}
	switch a.Type {
	case domain.ProcessActionStartWorkflow:
	case domain.ProcessActionDownloadable:
		answer.Downloadable = &oasb.ProcessActionDownloadable{}
		if a.Status == domain.ActionCompleted {
			answer.Downloadable.DocumentURI = &a.DocumentURI
			answer.Downloadable.DocumentExpired = &a.DocumentExpired
		}
	case domain.ProcessActionStartRelatedProcess:
		if a.Started != nil {
			answer.StartRelatedProcess = &oasb.ProcessActionStartRelatedProcess{
				ProcessDefinitionID: a.Started.DefinitionID, ProcessID: a.Started.ID,
			}
		}
	case domain.ProcessActionCreateTask:
		answer.CreateTask = item
	case domain.ProcessActionCreateMessage:
		answer.CreateProcessItemMessage = item
	case domain.ProcessActionCreateThread:
		answer.CreateProcessItemThread = item
	case domain.ProcessActionSendSignal:
		answer.SendWorkflowSignal = &oasb.ProcessActionSendWorkflowSignal{
			SignalName: a.SignalName, Input: jsonValue(a.Input),
		}
	}
	return answer
}

// actionErrors returns the reasons why an action failed when it was invoked.
func actionErrors(details []domain.Detail) []oasb.DefaultErrorInfo {
	var converted []oasb.DefaultErrorInfo
	located := fieldLocations()
	for _, detail := range details {
		detail = located.Locate(detail)
		info := oasb.DefaultErrorInfo{Code: oasb.ErrorCode(detail.Code), Message: detail.Message}
		if detail.LocationType != "" {
			part := oasb.DefaultErrorInfoLocationType(detail.LocationType)
			info.Location, info.LocationType = &detail.Location, &part
		}
		converted = append(converted, info)
	}
	return converted
}

func actionDefinitionRef(ref domain.ActionDefinitionRef, version uuid.UUID) oasb.ProcessActionDefinitionRef {
	return oasb.ProcessActionDefinitionRef{ID: ref.ID, Version: version, Code: ref.Code}
}

func availableAction(a *app.AvailableAction) oasb.AvailableProcessAction {
	return oasb.AvailableProcessAction{
		ProcessActionDefinitionRef: actionDefinitionRef(a.Definition, a.Version), Code: a.Code, Name: a.Name,
		Type: oasb.ProcessActionType(a.Type), ProcessDefinitionID: a.Related, Parameters: actionParameters(a.Type),
	}
}

// actionParameters returns the parameters of an invocation other than the code.
func actionParameters(of domain.ProcessActionType) []oasb.ProcessActionParameter {
	parameter := func(pointer string, t oasb.ProcessActionParameterType, required bool) oasb.ProcessActionParameter {
		return oasb.ProcessActionParameter{Pointer: pointer, Type: t, Required: required}
	}
	switch of {
	case domain.ProcessActionStartRelatedProcess:
		return []oasb.ProcessActionParameter{
			parameter("/startRelatedProcess/metadata", oasb.ProcessActionParameterTypeOBJECT, false),
			parameter("/startRelatedProcess/entity", oasb.ProcessActionParameterTypeOBJECT, false),
		}
	case domain.ProcessActionCreateTask:
		return []oasb.ProcessActionParameter{parameter("/createTask/processItemThreadId", oasb.ProcessActionParameterTypeUUID, false)}
	case domain.ProcessActionCreateMessage:
		return []oasb.ProcessActionParameter{
			parameter("/createProcessItemMessage/text", oasb.ProcessActionParameterTypeSTRING, true),
			parameter("/createProcessItemMessage/processItemThreadId", oasb.ProcessActionParameterTypeUUID, false),
		}
	case domain.ProcessActionSendSignal:
		return []oasb.ProcessActionParameter{parameter("/sendWorkflowSignal/input", oasb.ProcessActionParameterTypeOBJECT, false)}
	case domain.ProcessActionDownloadable, domain.ProcessActionStartWorkflow, domain.ProcessActionCreateThread:
	}
	return []oasb.ProcessActionParameter{}
}
