package shapea

import (
	"context"
	"encoding/hex"
	"net/http"

	"github.com/procession-dev/procession/api/httpio"
	oasa "github.com/procession-dev/procession/api/shapea/oas"
	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/domain"
)

// FindRobots implements operation A34.
func (s *Server) FindRobots(
	ctx context.Context, request oasa.FindRobotsRequestObject,
) (oasa.FindRobotsResponseObject, error) {
	params := request.Params
	filter := app.RobotFilter{
		TenantIDs: params.TenantID, Ready: httpio.Deref(params.FilterContext) == oasa.RobotFilterContextREADY,
	}
	page, sort := httpio.Listing(params.Size, params.Page, params.Sort)
	found, err := s.app.FindRobots(ctx, s.call(ctx), filter, page, sort)
	if err != nil {
		return nil, err
	}
	answer := oasa.FindRobots200JSONResponse{ObjectType: new(oasa.PagedObjectTypeROBOTPAGE)}
	answer.Metadata, answer.Content = httpio.PageOf[oasa.PageMetadata](found, convertRobot)
	return answer, nil
}

// RetrieveRobot implements operation A35.
func (s *Server) RetrieveRobot(
	ctx context.Context, request oasa.RetrieveRobotRequestObject,
) (oasa.RetrieveRobotResponseObject, error) {
	found, err := s.app.RetrieveRobot(ctx, s.call(ctx), request.ID)
	if err != nil {
		return nil, err
	}
	answer := convertRobot(&found.Robot)
	answer.EnvironmentVariables = make(map[string]string, len(found.Environment))
	for name, value := range found.Environment {
		answer.EnvironmentVariables[name] = value.Reveal()
	}
	return oasa.RetrieveRobot200JSONResponse(answer), nil
}

// ActionsRobotDownloadSourceCode implements operation A36.
func (s *Server) ActionsRobotDownloadSourceCode(
	ctx context.Context, request oasa.ActionsRobotDownloadSourceCodeRequestObject,
) (oasa.ActionsRobotDownloadSourceCodeResponseObject, error) {
	found, err := s.app.DownloadRobotSourceCode(ctx, s.call(ctx), request.ID)
	if err != nil {
		return nil, err
	}
	return newDownload(ctx, found), nil
}

// ActionsRobotDownloadAsset implements operation A37.
func (s *Server) ActionsRobotDownloadAsset(
	ctx context.Context, request oasa.ActionsRobotDownloadAssetRequestObject,
) (oasa.ActionsRobotDownloadAssetResponseObject, error) {
	params := request.Params
	found, err := s.app.DownloadRobotAsset(ctx, s.call(ctx), request.ID, domain.RobotAssetKey{
		Type: domain.RobotAssetType(params.Type), Version: params.Version,
		Platform: domain.RobotAssetPlatform(params.Platform), Architecture: domain.RobotAssetArchitecture(params.Architecture),
	})
	if err != nil {
		return nil, err
	}
	return newDownload(ctx, found), nil
}

// VisitActionsRobotDownloadSourceCodeResponse writes the answer of A36.
func (d download) VisitActionsRobotDownloadSourceCodeResponse(w http.ResponseWriter) error {
	return d.answer.Serve(w)
}

// VisitActionsRobotDownloadAssetResponse writes the answer of A37.
func (d download) VisitActionsRobotDownloadAssetResponse(w http.ResponseWriter) error {
	return d.answer.Serve(w)
}

// convertRobot shows a robot without its environment variables.
func convertRobot(r *domain.Robot) oasa.Robot {
	answer := oasa.Robot{
		ID: r.ID, TenantID: &r.TenantID, Code: r.Code, Name: r.Name, Description: httpio.PtrOrNil(r.Description),
		SourceType: oasa.RobotSourceType(r.SourceType), ObjectType: new(oasa.AuditedObjectTypeROBOT),
	}
	if r.Source != nil {
		answer.SourceFile = &oasa.RobotSourceFile{
			ID: r.Source.ID, Name: r.Source.Name, ContentType: r.Source.ContentType, ContentLength: r.Source.Size,
			ContentHash: hex.EncodeToString(r.Source.SHA256[:]),
		}
	}
	answer.CreatedBy, answer.CreatedAt, answer.LastModifiedBy, answer.LastModifiedAt = httpio.Audited(r.Audit)
	return answer
}
