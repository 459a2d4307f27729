package admin

import (
	"context"
	"encoding/hex"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
)

// UploadRobotSource stores the source package of a robot.
func (s *Server) UploadRobotSource(
	ctx context.Context, request UploadRobotSourceRequestObject,
) (UploadRobotSourceResponseObject, error) {
	params := request.Params
	stored, err := s.administration.UploadRobotFile(ctx, s.call(ctx), keyOf(resource.KindRobot, request.Code, params.Tenant),
		domain.RobotAssetKey{}, storage.File{Name: params.FileName, ContentType: params.FileContentType, Body: request.Body})
	if err != nil {
		return nil, err
	}
	return UploadRobotSource200JSONResponse(robotFile(stored)), nil
}

// DeleteRobotSource deletes the source package of a robot.
func (s *Server) DeleteRobotSource(
	ctx context.Context, request DeleteRobotSourceRequestObject,
) (DeleteRobotSourceResponseObject, error) {
	key := keyOf(resource.KindRobot, request.Code, request.Params.Tenant)
	if err := s.administration.DeleteRobotFile(ctx, s.call(ctx), key, domain.RobotAssetKey{}); err != nil {
		return nil, err
	}
	return DeleteRobotSource204Response{}, nil
}

// UploadRobotAsset stores an asset of a robot.
func (s *Server) UploadRobotAsset(
	ctx context.Context, request UploadRobotAssetRequestObject,
) (UploadRobotAssetResponseObject, error) {
	params := request.Params
	stored, err := s.administration.UploadRobotFile(ctx, s.call(ctx), keyOf(resource.KindRobot, request.Code, params.Tenant),
		assetKey(params.Type, params.Version, params.Platform, params.Architecture),
		storage.File{Name: params.FileName, ContentType: params.FileContentType, Body: request.Body})
	if err != nil {
		return nil, err
	}
	return UploadRobotAsset200JSONResponse(robotAsset(stored)), nil
}

// DeleteRobotAsset deletes an asset of a robot.
func (s *Server) DeleteRobotAsset(
	ctx context.Context, request DeleteRobotAssetRequestObject,
) (DeleteRobotAssetResponseObject, error) {
	params := request.Params
	err := s.administration.DeleteRobotFile(ctx, s.call(ctx), keyOf(resource.KindRobot, request.Code, params.Tenant),
		assetKey(params.Type, params.Version, params.Platform, params.Architecture))
	if err != nil {
		return nil, err
	}
	return DeleteRobotAsset204Response{}, nil
}

// SetRobotVariable sets an environment variable of a robot.
func (s *Server) SetRobotVariable(
	ctx context.Context, request SetRobotVariableRequestObject,
) (SetRobotVariableResponseObject, error) {
	key := keyOf(resource.KindRobot, request.Code, request.Params.Tenant)
	if err := s.administration.SetRobotVariable(ctx, s.call(ctx), key, request.Name, domain.NewSecret(request.Body.Value)); err != nil {
		return nil, err
	}
	return SetRobotVariable204Response{}, nil
}

// DeleteRobotVariable deletes an environment variable of a robot.
func (s *Server) DeleteRobotVariable(
	ctx context.Context, request DeleteRobotVariableRequestObject,
) (DeleteRobotVariableResponseObject, error) {
	key := keyOf(resource.KindRobot, request.Code, request.Params.Tenant)
	if err := s.administration.DeleteRobotVariable(ctx, s.call(ctx), key, request.Name); err != nil {
		return nil, err
	}
	return DeleteRobotVariable204Response{}, nil
}

func assetKey(
	kind oasadmin.RobotAssetType, version string,
	platform oasadmin.RobotAssetPlatform, architecture oasadmin.RobotAssetArchitecture,
) domain.RobotAssetKey {
	return domain.RobotAssetKey{
		Type: domain.RobotAssetType(kind), Version: version,
		Platform: domain.RobotAssetPlatform(platform), Architecture: domain.RobotAssetArchitecture(architecture),
	}
}

func robotFile(f *domain.RobotFile) oasadmin.RobotFile {
	return oasadmin.RobotFile{
		ID: f.ID, Name: f.Name, ContentType: f.ContentType, ContentLength: f.Size,
		ContentHash: hex.EncodeToString(f.SHA256[:]), UploadedBy: f.UploadedBy, UploadedAt: f.UploadedAt.UTC(),
	}
}

func robotAsset(f *domain.RobotFile) oasadmin.RobotAsset {
	file := robotFile(f)
	return oasadmin.RobotAsset{
		ID: file.ID, Name: file.Name, ContentType: file.ContentType, ContentLength: file.ContentLength,
		ContentHash: file.ContentHash, UploadedBy: file.UploadedBy, UploadedAt: file.UploadedAt,
		Type: oasadmin.RobotAssetType(f.Key.Type), Version: f.Key.Version,
		Platform: oasadmin.RobotAssetPlatform(f.Key.Platform), Architecture: oasadmin.RobotAssetArchitecture(f.Key.Architecture),
	}
}

// addRobot adds files and variables of a robot to the status of a resource.
func addRobot(status *oasadmin.ResourceStatus, r *resource.Stored) {
	if r.Robot == nil {
		return
	}
	status.EnvironmentVariables = r.Robot.Variables
	for i := range r.Robot.Files {
		if file := &r.Robot.Files[i]; file.Key.Source() {
			source := robotFile(file)
			status.Source = &source
		} else {
			status.Assets = append(status.Assets, robotAsset(file))
		}
	}
}
