package shapeb

import (
	"context"

	"github.com/procession-dev/procession/api/httpio"
	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/domain"
)

// CreateBusinessArtifactAction implements operation B40.
func (s *Server) CreateBusinessArtifactAction(
	ctx context.Context, request oasb.CreateBusinessArtifactActionRequestObject,
) (oasb.CreateBusinessArtifactActionResponseObject, error) {
	body := request.Body
	in := app.NewBusinessArtifactAction{ID: body.ID, Code: body.BusinessArtifactActionDefinitionCode}
	if block := body.StartWorkflow; block != nil {
		in.WorkflowInput = block.Input
	}
	if block := body.Downloadable; block != nil {
		in.DownloadInput = block.Input
	}
	if block := body.StartProcess; block != nil {
		in.Metadata, in.Entity = block.Metadata, block.Entity
	}
	if block := body.CreateArtifact; block != nil {
		in.Value = block.Value
	}
	created, isNew, err := s.app.CreateBusinessArtifactAction(ctx, s.call(ctx), request.ID, in)
	switch {
	case err != nil:
		return nil, err
	case isNew:
		return oasb.CreateBusinessArtifactAction201JSONResponse(artifactAction(created)), nil
	default:
		return oasb.CreateBusinessArtifactAction200JSONResponse(artifactAction(created)), nil
	}
}

// RetrieveBusinessArtifactAction implements operation B41.
func (s *Server) RetrieveBusinessArtifactAction(
	ctx context.Context, request oasb.RetrieveBusinessArtifactActionRequestObject,
) (oasb.RetrieveBusinessArtifactActionResponseObject, error) {
	found, err := s.app.RetrieveBusinessArtifactAction(ctx, s.call(ctx), request.ID, request.ActionID)
	if err != nil {
		return nil, err
	}
	return oasb.RetrieveBusinessArtifactAction200JSONResponse(artifactAction(found)), nil
}

// CancelBusinessArtifactAction implements operation B42.
func (s *Server) CancelBusinessArtifactAction(
	ctx context.Context, request oasb.CancelBusinessArtifactActionRequestObject,
) (oasb.CancelBusinessArtifactActionResponseObject, error) {
	canceled, err := s.app.CancelBusinessArtifactAction(ctx, s.call(ctx), request.ID, request.ActionID)
	if err != nil {
		return nil, err
	}
	return oasb.CancelBusinessArtifactAction200JSONResponse(artifactAction(canceled)), nil
}

// PrepareBusinessArtifactCreateArtifact implements operation B43.
func (s *Server) PrepareBusinessArtifactCreateArtifact(
	ctx context.Context, request oasb.PrepareBusinessArtifactCreateArtifactRequestObject,
) (oasb.PrepareBusinessArtifactCreateArtifactResponseObject, error) {
	prepared, err := s.app.PrepareBusinessArtifactCreateArtifact(
		ctx, s.call(ctx), request.ID, request.Body.BusinessArtifactActionDefinitionCode)
	if err != nil {
		return nil, err
	}
	return oasb.PrepareBusinessArtifactCreateArtifact200JSONResponse{
		BusinessArtifactDefinitionRef: businessArtifactDefinitionRef(prepared.Definition), Value: prepared.Value,
	}, nil
}

// PrepareBusinessArtifactStartProcess computes the initial metadata of the process that an
// action starts.
func (s *Server) PrepareBusinessArtifactStartProcess(
	ctx context.Context, request oasb.PrepareBusinessArtifactStartProcessRequestObject,
) (oasb.PrepareBusinessArtifactStartProcessResponseObject, error) {
	prepared, err := s.app.PrepareBusinessArtifactStartProcess(
		ctx, s.call(ctx), request.ID, request.Body.BusinessArtifactActionDefinitionCode)
	if err != nil {
		return nil, err
	}
	return oasb.PrepareBusinessArtifactStartProcess200JSONResponse{
		ProcessDefinitionID: prepared.DefinitionID, Metadata: prepared.Metadata,
	}, nil
}

func artifactAction(a *domain.BusinessArtifactAction) oasb.BusinessArtifactAction {
	answer := oasb.BusinessArtifactAction{
		ID: a.ID, Type: oasb.BusinessArtifactActionType(a.Type), Status: oasb.BusinessArtifactActionStatus(a.Status),
		BusinessArtifactActionDefinitionRef: oasb.BusinessArtifactActionDefinitionRef{
			ID: a.Definition.ID, Code: a.Definition.Code,
		},
	}
	answer.Errors = actionErrors(a.Errors)
	answer.CreatedBy, answer.CreatedAt, answer.LastModifiedBy, answer.LastModifiedAt = httpio.Audited(a.Audit)
	switch a.Type {
	case domain.ArtifactActionStartWorkflow:
		answer.StartWorkflow = &oasb.BusinessArtifactActionStartWorkflow{Input: jsonValue(a.Input)}
	case domain.ArtifactActionDownloadable:
		answer.Downloadable = &oasb.BusinessArtifactActionDownloadable{Input: jsonValue(a.Input)}
		if a.Status == domain.ActionCompleted {
			answer.Downloadable.DocumentURI = &a.DocumentURI
			answer.Downloadable.DocumentExpired = &a.DocumentExpired
		}
	case domain.ArtifactActionStartProcess:
		if a.Started != nil {
			answer.StartProcess = &oasb.BusinessArtifactActionStartProcess{
				ProcessDefinitionID: a.Started.DefinitionID, ProcessID: a.Started.ID,
			}
		}
	case domain.ArtifactActionCreateArtifact:
		if a.CreatedDefinition != nil {
			answer.CreateArtifact = &oasb.BusinessArtifactActionCreateArtifact{
				BusinessArtifactDefinitionRef: businessArtifactDefinitionRef(*a.CreatedDefinition),
				BusinessArtifactID:            a.CreatedID, Value: a.Value,
			}
		}
	}
	return answer
}
