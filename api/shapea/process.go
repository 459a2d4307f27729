package shapea

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/api/httpio"
	oasa "github.com/procession-dev/procession/api/shapea/oas"
	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/domain"
)

// FindProcesses implements operation A5.
func (s *Server) FindProcesses(
	ctx context.Context, request oasa.FindProcessesRequestObject,
) (oasa.FindProcessesResponseObject, error) {
	params := request.Params
	page, sort := httpio.Listing(params.Size, params.Page, params.Sort)
	filter := app.ProcessFilter{TenantIDs: params.TenantID}
	return listing(func(w http.ResponseWriter) error {
		show := func(found *domain.Listing[domain.Process]) error {
			return httpio.WriteListing(w, found, processPage, func(items []domain.Process) ([]oasa.ProcessPageItem, error) {
				names, err := s.app.NamesOfProcesses(ctx, items...)
				if err != nil {
					return nil, err
				}
				return httpio.ConvertAll(items, func(p *domain.Process) (oasa.ProcessPageItem, error) {
					return processPageItem(p, &names)
				})
			})
		}
		return s.app.FindProcessesWithElements(ctx, s.call(ctx), filter, page, sort, show)
	}), nil
}

func processPage(metadata httpio.PageMetadata, content []oasa.ProcessPageItem) any {
	return oasa.ProcessPage{
		ObjectType: new(oasa.PagedObjectTypePROCESSPAGE), Metadata: oasa.PageMetadata(metadata), Content: content,
	}
}

// CreateProcess implements operation A6.
func (s *Server) CreateProcess(
	ctx context.Context, request oasa.CreateProcessRequestObject,
) (oasa.CreateProcessResponseObject, error) {
	body := request.Body
	initiator, err := principalKey(body.Initiator, "/initiator")
	if err != nil {
		return nil, err
	}
	created, isNew, err := s.app.CreateProcess(ctx, s.call(ctx), app.NewProcess{
		ID:         body.ID,
		Definition: app.DefinitionKey{ID: &body.ProcessDefinition.ID, TenantID: body.TenantID},
		Version:    body.ProcessDefinition.Version, Initiator: initiator, Subject: httpio.Deref(body.Subject),
		Entity: convertData(body.Entity), Elements: elementValues(body.ElementValues),
	})
	answer, err := convertProcess(created, err)
	switch {
	case err != nil:
		return nil, err
	case isNew:
		return oasa.CreateProcess201JSONResponse(answer), nil
	default:
		return oasa.CreateProcess200JSONResponse(answer), nil
	}
}

// RetrieveProcess implements operation A7.
func (s *Server) RetrieveProcess(
	ctx context.Context, request oasa.RetrieveProcessRequestObject,
) (oasa.RetrieveProcessResponseObject, error) {
	found, err := s.app.RetrieveProcess(ctx, s.call(ctx), request.ID)
	answer, err := convertProcess(found, err)
	if err != nil {
		return nil, err
	}
	return oasa.RetrieveProcess200JSONResponse(answer), nil
}

// ActionsProcessChangeInitiator implements operation A8.
func (s *Server) ActionsProcessChangeInitiator(
	ctx context.Context, request oasa.ActionsProcessChangeInitiatorRequestObject,
) (oasa.ActionsProcessChangeInitiatorResponseObject, error) {
	initiator := app.PrincipalKey{ID: request.Body.PrincipalID, Email: httpio.Deref(request.Body.Email)}
	changed, err := s.app.ChangeProcessInitiator(ctx, s.call(ctx), request.ID, initiator)
	answer, err := convertProcess(changed, err)
	if err != nil {
		return nil, err
	}
	return oasa.ActionsProcessChangeInitiator200JSONResponse(answer), nil
}

// ActionsProcessComplete implements operation A11.
func (s *Server) ActionsProcessComplete(
	ctx context.Context, request oasa.ActionsProcessCompleteRequestObject,
) (oasa.ActionsProcessCompleteResponseObject, error) {
	changed, err := s.app.CompleteProcess(ctx, s.call(ctx), request.ID)
	answer, err := convertProcess(changed, err)
	if err != nil {
		return nil, err
	}
	return oasa.ActionsProcessComplete200JSONResponse(answer), nil
}

// ActionsProcessCancel implements operation A12.
func (s *Server) ActionsProcessCancel(
	ctx context.Context, request oasa.ActionsProcessCancelRequestObject,
) (oasa.ActionsProcessCancelResponseObject, error) {
	changed, err := s.app.CancelProcess(ctx, s.call(ctx), request.ID)
	answer, err := convertProcess(changed, err)
	if err != nil {
		return nil, err
	}
	return oasa.ActionsProcessCancel200JSONResponse(answer), nil
}

// ActionsProcessSaveElement implements operation A9.
func (s *Server) ActionsProcessSaveElement(
	ctx context.Context, request oasa.ActionsProcessSaveElementRequestObject,
) (oasa.ActionsProcessSaveElementResponseObject, error) {
	body := request.Body
	changed, err := s.app.SaveProcessElement(
		ctx, s.call(ctx), request.ID, body.ElementDefinitionCode, elementValueList(body.ElementValues))
	answer, err := convertProcess(changed, err)
	if err != nil {
		return nil, err
	}
	return oasa.ActionsProcessSaveElement200JSONResponse(answer), nil
}

// ActionsProcessDeleteElement implements operation A10.
func (s *Server) ActionsProcessDeleteElement(
	ctx context.Context, request oasa.ActionsProcessDeleteElementRequestObject,
) (oasa.ActionsProcessDeleteElementResponseObject, error) {
	changed, err := s.app.DeleteProcessElement(ctx, s.call(ctx), request.ID, request.Body.ElementDefinitionCode)
	answer, err := convertProcess(changed, err)
	if err != nil {
		return nil, err
	}
	return oasa.ActionsProcessDeleteElement200JSONResponse(answer), nil
}

// ActionsProcessSaveEntityData implements operation A14.
func (s *Server) ActionsProcessSaveEntityData(
	ctx context.Context, request oasa.ActionsProcessSaveEntityDataRequestObject,
) (oasa.ActionsProcessSaveEntityDataResponseObject, error) {
	changed, err := s.app.UpdateProcessEntity(ctx, s.call(ctx), request.ID, request.Body.Data)
	answer, err := convertProcess(changed, err)
	if err != nil {
		return nil, err
	}
	return oasa.ActionsProcessSaveEntityData200JSONResponse(answer), nil
}

// convertProcess shows the process that an operation returned, unless that failed.
func convertProcess(p *domain.Process, failed error) (oasa.Process, error) {
	if failed != nil {
		return oasa.Process{}, failed
	}
	item, err := processPageItem(p, p.Names)
	return oasa.Process{
		ObjectType: new(oasa.AuditedObjectTypePROCESS), ID: item.ID, Subject: item.Subject, State: item.State,
		ProcessDefinition: item.ProcessDefinition, ElementValues: item.ElementValues, Entity: jsonForms(p.Entity),
		Initiator: item.Initiator, TenantID: item.TenantID,
		RelatedProcess: &oasa.RelatedProcess{
			Incoming: append([]uuid.UUID{}, p.Related.Incoming...), Outcoming: append([]uuid.UUID{}, p.Related.Outcoming...),
		},
		CreatedBy: item.CreatedBy, CreatedAt: item.CreatedAt,
		LastModifiedBy: item.LastModifiedBy, LastModifiedAt: item.LastModifiedAt,
	}, err
}

func processPageItem(p *domain.Process, names *domain.Names) (oasa.ProcessPageItem, error) {
	answer := oasa.ProcessPageItem{
		ObjectType: new(oasa.AuditedObjectTypePROCESSPAGEITEM), ID: &p.ID, Subject: &p.Subject,
		State: new(oasa.ProcessState(p.State)), TenantID: &p.TenantID, Initiator: principalRef(p.TenantID, p.InitiatorID, names),
		ProcessDefinition: oasa.ProcessDefinitionSummary{
			ID: p.Definition.ID, Version: &p.Definition.Version, Name: httpio.PtrOrNil(names.Versions[p.Definition.Version]),
		},
	}
	answer.CreatedBy, answer.CreatedAt, answer.LastModifiedBy, answer.LastModifiedAt = httpio.Audited(p.Audit)
	var err error
	answer.ElementValues, err = convertElements(uuid.Nil, p.Elements)
	return answer, err
}
