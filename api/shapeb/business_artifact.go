package shapeb

import (
	"context"

	"github.com/procession-dev/procession/api/httpio"
	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/kuflowref"
)

// FindBusinessArtifacts implements operation B34.
func (s *Server) FindBusinessArtifacts(
	ctx context.Context, request oasb.FindBusinessArtifactsRequestObject,
) (oasb.FindBusinessArtifactsResponseObject, error) {
	params := request.Params
	filter := app.BusinessArtifactFilter{
		TenantIDs: params.TenantID, DefinitionIDs: params.BusinessArtifactDefinitionID,
		DefinitionCodes: params.BusinessArtifactDefinitionCode, Values: params.Value,
		Deleted: domain.DeletedFilter(httpio.Deref(params.Deleted)),
	}
	page, sort := httpio.Listing(params.Size, params.Page, params.Sort)
	found, err := s.app.FindBusinessArtifacts(ctx, s.call(ctx), filter, page, sort)
	if err != nil {
		return nil, err
	}
	var answer oasb.FindBusinessArtifacts200JSONResponse
	answer.Body.Metadata, answer.Body.Content = httpio.PageOf[oasb.PageMetadata](found, businessArtifactPageItem)
	if found.TotalIsLowerBound {
		answer.Headers.TotalIsLowerBound = &found.TotalIsLowerBound
	}
	return answer, nil
}

// CreateBusinessArtifact implements operation B35.
func (s *Server) CreateBusinessArtifact(
	ctx context.Context, request oasb.CreateBusinessArtifactRequestObject,
) (oasb.CreateBusinessArtifactResponseObject, error) {
	body := request.Body
	created, isNew, err := s.app.CreateBusinessArtifact(ctx, s.call(ctx), app.NewBusinessArtifact{
		ID: body.ID,
		Definition: app.DefinitionKey{
			ID: body.BusinessArtifactDefinitionID, TenantID: body.TenantID,
			Code: httpio.Deref(body.BusinessArtifactDefinitionCode),
		},
		Data: convertValue(body.Data),
	})
	switch {
	case err != nil:
		return nil, err
	case isNew:
		return oasb.CreateBusinessArtifact201JSONResponse(businessArtifact(created)), nil
	default:
		return oasb.CreateBusinessArtifact200JSONResponse(businessArtifact(created)), nil
	}
}

// RetrieveBusinessArtifact implements operation B36.
func (s *Server) RetrieveBusinessArtifact(
	ctx context.Context, request oasb.RetrieveBusinessArtifactRequestObject,
) (oasb.RetrieveBusinessArtifactResponseObject, error) {
	found, err := s.app.RetrieveBusinessArtifact(ctx, s.call(ctx), request.ID)
	if err != nil {
		return nil, err
	}
	return oasb.RetrieveBusinessArtifact200JSONResponse(businessArtifact(found)), nil
}

// RestoreBusinessArtifact undoes the deletion of an artifact.
func (s *Server) RestoreBusinessArtifact(
	ctx context.Context, request oasb.RestoreBusinessArtifactRequestObject,
) (oasb.RestoreBusinessArtifactResponseObject, error) {
	restored, err := s.app.RestoreBusinessArtifact(ctx, s.call(ctx), request.ID)
	if err != nil {
		return nil, err
	}
	return oasb.RestoreBusinessArtifact200JSONResponse(businessArtifact(restored)), nil
}

// DeleteBusinessArtifact implements operation B37.
func (s *Server) DeleteBusinessArtifact(
	ctx context.Context, request oasb.DeleteBusinessArtifactRequestObject,
) (oasb.DeleteBusinessArtifactResponseObject, error) {
	if err := s.app.DeleteBusinessArtifact(ctx, s.call(ctx), request.ID); err != nil {
		return nil, err
	}
	return oasb.DeleteBusinessArtifact204Response{}, nil
}

// UpdateBusinessArtifactData implements operation B38.
func (s *Server) UpdateBusinessArtifactData(
	ctx context.Context, request oasb.UpdateBusinessArtifactDataRequestObject,
) (oasb.UpdateBusinessArtifactDataResponseObject, error) {
	changed, err := s.app.UpdateBusinessArtifactData(ctx, s.call(ctx), request.ID, convertValue(&request.Body.Data))
	if err != nil {
		return nil, err
	}
	return oasb.UpdateBusinessArtifactData200JSONResponse(businessArtifact(changed)), nil
}

// PatchBusinessArtifactData implements operation B39.
func (s *Server) PatchBusinessArtifactData(
	ctx context.Context, request oasb.PatchBusinessArtifactDataRequestObject,
) (oasb.PatchBusinessArtifactDataResponseObject, error) {
	patch := patchOf(request.JSONBody, request.ApplicationJSONPatchPlusJSONBody)
	changed, err := s.app.PatchBusinessArtifactData(ctx, s.call(ctx), request.ID, patch)
	if err != nil {
		return nil, err
	}
	return oasb.PatchBusinessArtifactData200JSONResponse(businessArtifact(changed)), nil
}

func businessArtifact(a *domain.BusinessArtifact) oasb.BusinessArtifact {
	answer := oasb.BusinessArtifact{
		ID: a.ID, URI: uriOf(kuflowref.ResourceBusinessArtifact, a.ID), TenantID: a.TenantID, Data: jsonValue(a.Data),
		BusinessArtifactDefinitionRef: businessArtifactDefinitionRef(a.Definition),
	}
	answer.CreatedBy, answer.CreatedAt, answer.LastModifiedBy, answer.LastModifiedAt = httpio.Audited(a.Audit)
	answer.DeletedAt, answer.DeletedBy = httpio.Deleted(a.Deletion)
	return answer
}

func businessArtifactPageItem(a *domain.BusinessArtifact) oasb.BusinessArtifactPageItem {
	answer := oasb.BusinessArtifactPageItem{
		ID: a.ID, URI: uriOf(kuflowref.ResourceBusinessArtifact, a.ID), TenantID: a.TenantID,
		BusinessArtifactDefinitionRef: businessArtifactDefinitionRef(a.Definition),
	}
	answer.CreatedBy, answer.CreatedAt, answer.LastModifiedBy, answer.LastModifiedAt = httpio.Audited(a.Audit)
	answer.DeletedAt, answer.DeletedBy = httpio.Deleted(a.Deletion)
	return answer
}

func businessArtifactDefinitionRef(ref domain.ArtifactDefinitionRef) oasb.BusinessArtifactDefinitionRef {
	return oasb.BusinessArtifactDefinitionRef{ID: ref.ID, Code: ref.Code}
}
