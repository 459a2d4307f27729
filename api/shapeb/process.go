package shapeb

import (
	"context"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/api/httpio"
	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/kuflowref"
)

// FindProcesses implements operation B7.
func (s *Server) FindProcesses(
	ctx context.Context, request oasb.FindProcessesRequestObject,
) (oasb.FindProcessesResponseObject, error) {
	params := request.Params
	filter := app.ProcessFilter{
		TenantIDs: params.TenantID, DefinitionIDs: params.ProcessDefinitionID,
		DefinitionCodes: params.ProcessDefinitionCode, States: httpio.ConvertStrings[domain.ProcessState](params.State),
		Conditions: httpio.ConvertStrings[domain.ConditionCode](params.Condition), InitiatorIDs: params.InitiatorID, InitiatorEmails: params.InitiatorEmail, Metadata: params.Metadata,
		Deleted: domain.DeletedFilter(httpio.Deref(params.Deleted)),
	}
	page, sort := httpio.Listing(params.Size, params.Page, params.Sort)
	found, err := s.app.FindProcesses(ctx, s.call(ctx), filter, page, sort)
	if err != nil {
		return nil, err
	}
	var answer oasb.FindProcesses200JSONResponse
	answer.Metadata, answer.Content = httpio.PageOf[oasb.PageMetadata](found, processPageItem)
	return answer, nil
}

// DeleteProcess deletes a finished process.
func (s *Server) DeleteProcess(
	ctx context.Context, request oasb.DeleteProcessRequestObject,
) (oasb.DeleteProcessResponseObject, error) {
	if err := s.app.DeleteProcess(ctx, s.call(ctx), request.ID); err != nil {
		return nil, err
	}
	return oasb.DeleteProcess204Response{}, nil
}

// CreateProcess implements operation B8.
func (s *Server) CreateProcess(
	ctx context.Context, request oasb.CreateProcessRequestObject,
) (oasb.CreateProcessResponseObject, error) {
	body := request.Body
	created, isNew, err := s.app.CreateProcess(ctx, s.call(ctx), app.NewProcess{
		ID: body.ID,
		Definition: app.DefinitionKey{
			ID: body.ProcessDefinitionID, TenantID: body.TenantID, Code: httpio.Deref(body.ProcessDefinitionCode),
		},
		Initiator: principalKey(body.InitiatorID, body.InitiatorEmail),
		Metadata:  convertValue(body.Metadata),
		Entity:    convertValue(body.Entity), RelatedID: body.RelatedProcessID, DueAt: body.DueAt, Extras: body.Extras,
	})
	switch {
	case err != nil:
		return nil, err
	case isNew:
		return oasb.CreateProcess201JSONResponse(convertProcess(created)), nil
	default:
		return oasb.CreateProcess200JSONResponse(convertProcess(created)), nil
	}
}

// RetrieveProcess implements operation B9.
func (s *Server) RetrieveProcess(
	ctx context.Context, request oasb.RetrieveProcessRequestObject,
) (oasb.RetrieveProcessResponseObject, error) {
	found, err := s.app.RetrieveProcess(ctx, s.call(ctx), request.ID)
	if err != nil {
		return nil, err
	}
	return oasb.RetrieveProcess200JSONResponse(convertProcess(found)), nil
}

// CompleteProcess implements operation B10.
func (s *Server) CompleteProcess(
	ctx context.Context, request oasb.CompleteProcessRequestObject,
) (oasb.CompleteProcessResponseObject, error) {
	changed, err := s.app.CompleteProcess(ctx, s.call(ctx), request.ID)
	if err != nil {
		return nil, err
	}
	return oasb.CompleteProcess200JSONResponse(convertProcess(changed)), nil
}

// CancelProcess implements operation B11.
func (s *Server) CancelProcess(
	ctx context.Context, request oasb.CancelProcessRequestObject,
) (oasb.CancelProcessResponseObject, error) {
	changed, err := s.app.CancelProcess(ctx, s.call(ctx), request.ID)
	if err != nil {
		return nil, err
	}
	return oasb.CancelProcess200JSONResponse(convertProcess(changed)), nil
}

// CancelProcessProcessItems implements operation B12.
func (s *Server) CancelProcessProcessItems(
	ctx context.Context, request oasb.CancelProcessProcessItemsRequestObject,
) (oasb.CancelProcessProcessItemsResponseObject, error) {
	unchanged, err := s.app.CancelProcessProcessItems(ctx, s.call(ctx), request.ID, request.Params.ProcessItemID)
	if err != nil {
		return nil, err
	}
	return oasb.CancelProcessProcessItems200JSONResponse(convertProcess(unchanged)), nil
}

// UpdateProcessMetadata implements operation B15.
func (s *Server) UpdateProcessMetadata(
	ctx context.Context, request oasb.UpdateProcessMetadataRequestObject,
) (oasb.UpdateProcessMetadataResponseObject, error) {
	changed, err := s.app.UpdateProcessMetadata(ctx, s.call(ctx), request.ID, convertValue(&request.Body.Metadata))
	if err != nil {
		return nil, err
	}
	return oasb.UpdateProcessMetadata200JSONResponse(convertProcess(changed)), nil
}

// PatchProcessMetadata implements operation B16.
func (s *Server) PatchProcessMetadata(
	ctx context.Context, request oasb.PatchProcessMetadataRequestObject,
) (oasb.PatchProcessMetadataResponseObject, error) {
	patch := patchOf(request.JSONBody, request.ApplicationJSONPatchPlusJSONBody)
	changed, err := s.app.PatchProcessMetadata(ctx, s.call(ctx), request.ID, patch)
	if err != nil {
		return nil, err
	}
	return oasb.PatchProcessMetadata200JSONResponse(convertProcess(changed)), nil
}

// UpdateProcessEntity implements operation B17.
func (s *Server) UpdateProcessEntity(
	ctx context.Context, request oasb.UpdateProcessEntityRequestObject,
) (oasb.UpdateProcessEntityResponseObject, error) {
	changed, err := s.app.UpdateProcessEntity(ctx, s.call(ctx), request.ID, convertValue(&request.Body.Entity))
	if err != nil {
		return nil, err
	}
	return oasb.UpdateProcessEntity200JSONResponse(convertProcess(changed)), nil
}

// PatchProcessEntity implements operation B18.
func (s *Server) PatchProcessEntity(
	ctx context.Context, request oasb.PatchProcessEntityRequestObject,
) (oasb.PatchProcessEntityResponseObject, error) {
	patch := patchOf(request.JSONBody, request.ApplicationJSONPatchPlusJSONBody)
	changed, err := s.app.PatchProcessEntity(ctx, s.call(ctx), request.ID, patch)
	if err != nil {
		return nil, err
	}
	return oasb.PatchProcessEntity200JSONResponse(convertProcess(changed)), nil
}

func convertProcess(p *domain.Process) oasb.Process {
	answer := oasb.Process{
		Condition: convertCondition(p), ID: p.ID, URI: uriOf(kuflowref.ResourceProcess, p.ID), TenantID: p.TenantID, State: oasb.ProcessState(p.State),
		ProcessDefinitionRef: new(processDefinitionRef(p.Definition)), InitiatorID: &p.InitiatorID,
		Metadata: jsonValue(p.Metadata), Entity: jsonValue(p.Entity), DueAt: utcTime(p.DueAt),
		ProcessRelated: &oasb.ProcessRelated{
			Incoming: append([]uuid.UUID{}, p.Related.Incoming...), Outcoming: append([]uuid.UUID{}, p.Related.Outcoming...),
		},
	}
	answer.CreatedBy, answer.CreatedAt, answer.LastModifiedBy, answer.LastModifiedAt = httpio.Audited(p.Audit)
	answer.DeletedAt, answer.DeletedBy = httpio.Deleted(p.Deletion)
	return answer
}

func convertCondition(p *domain.Process) *oasb.ProcessCondition {
	c := p.Condition
	switch {
	case p.Finished():
		c = &domain.Condition{Code: domain.ConditionFinished, Since: p.LastModifiedAt}
	case c == nil:
		return nil
	}
	condition := oasb.ProcessCondition{Code: oasb.ProcessConditionCode(c.Code), Since: c.Since, IncidentID: c.IncidentID}
	if c.Message != "" {
		condition.Message = &c.Message
	}
	return &condition
}

func processPageItem(p *domain.Process) oasb.ProcessPageItem {
	answer := oasb.ProcessPageItem{
		Condition: convertCondition(p), ID: p.ID, URI: uriOf(kuflowref.ResourceProcess, p.ID), TenantID: p.TenantID, State: oasb.ProcessState(p.State),
		ProcessDefinitionRef: processDefinitionRef(p.Definition), InitiatorID: &p.InitiatorID, DueAt: utcTime(p.DueAt),
	}
	answer.CreatedBy, answer.CreatedAt, answer.LastModifiedBy, answer.LastModifiedAt = httpio.Audited(p.Audit)
	answer.DeletedAt, answer.DeletedBy = httpio.Deleted(p.Deletion)
	return answer
}

func processDefinitionRef(ref domain.DefinitionRef) oasb.ProcessDefinitionRef {
	return oasb.ProcessDefinitionRef{ID: ref.ID, Version: ref.Version, Code: ref.Code}
}
