package shapeb

import (
	"context"
	"encoding/hex"
	"net/http"

	"github.com/procession-dev/procession/api/httpio"
	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/domain"
)

// FindRobots implements operation B47.
func (s *Server) FindRobots(
	ctx context.Context, request oasb.FindRobotsRequestObject,
) (oasb.FindRobotsResponseObject, error) {
	params := request.Params
	page, sort := httpio.Listing(params.Size, params.Page, params.Sort)
	filter := app.RobotFilter{
		TenantIDs: params.TenantID, Ready: httpio.Deref(params.FilterContext) == oasb.RobotFilterContextREADY,
	}
	found, err := s.app.FindRobots(ctx, s.call(ctx), filter, page, sort)
	if err != nil {
		return nil, err
	}
	var answer oasb.FindRobots200JSONResponse
	answer.Metadata, answer.Content = httpio.PageOf[oasb.PageMetadata](found, robotPageItem)
	return answer, nil
}

// RetrieveRobot implements operation B48.
func (s *Server) RetrieveRobot(
	ctx context.Context, request oasb.RetrieveRobotRequestObject,
) (oasb.RetrieveRobotResponseObject, error) {
	found, err := s.app.RetrieveRobot(ctx, s.call(ctx), request.ID)
	if err != nil {
		return nil, err
	}
	item := robotPageItem(&found.Robot)
	answer := oasb.RetrieveRobot200JSONResponse{
		ID: item.ID, Code: item.Code, Name: item.Name, Description: item.Description, TenantID: item.TenantID,
		SourceType: item.SourceType, SourceFile: item.SourceFile,
		EnvironmentVariables: make(map[string]string, len(found.Environment)),
	}
	answer.CreatedBy, answer.CreatedAt, answer.LastModifiedBy, answer.LastModifiedAt = httpio.Audited(found.Audit)
	for name, value := range found.Environment {
		answer.EnvironmentVariables[name] = value.Reveal()
	}
	return answer, nil
}

// DownloadRobotSourceCode implements operation B49.
func (s *Server) DownloadRobotSourceCode(
	ctx context.Context, request oasb.DownloadRobotSourceCodeRequestObject,
) (oasb.DownloadRobotSourceCodeResponseObject, error) {
	found, err := s.app.DownloadRobotSourceCode(ctx, s.call(ctx), request.ID)
	if err != nil {
		return nil, err
	}
	return newDownload(ctx, found), nil
}

// DownloadRobotAsset implements operation B50.
func (s *Server) DownloadRobotAsset(
	ctx context.Context, request oasb.DownloadRobotAssetRequestObject,
) (oasb.DownloadRobotAssetResponseObject, error) {
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

// VisitDownloadRobotSourceCodeResponse writes the answer of B49.
func (d download) VisitDownloadRobotSourceCodeResponse(w http.ResponseWriter) error {
	return d.answer.Serve(w)
}

// VisitDownloadRobotAssetResponse writes the answer of B50.
func (d download) VisitDownloadRobotAssetResponse(w http.ResponseWriter) error {
	return d.answer.Serve(w)
}

// robotPageItem shows a robot without its environment variables.
func robotPageItem(r *domain.Robot) oasb.RobotPageItem {
	answer := oasb.RobotPageItem{
		ID: r.ID, TenantID: r.TenantID, Code: r.Code, Name: r.Name, Description: httpio.PtrOrNil(r.Description),
		SourceType: oasb.RobotSourceTypeUNKNOWN,
	}
	if r.SourceType == domain.RobotSourcePackage {
		answer.SourceType = oasb.RobotSourceTypePACKAGE
	}
	if r.Source != nil {
		answer.SourceFile = &oasb.RobotSourceFile{
			ID: r.Source.ID, Name: r.Source.Name, ContentType: r.Source.ContentType, ContentLength: r.Source.Size,
			ContentHash: hex.EncodeToString(r.Source.SHA256[:]),
		}
	}
	answer.CreatedBy, answer.CreatedAt, answer.LastModifiedBy, answer.LastModifiedAt = httpio.Audited(r.Audit)
	return answer
}
