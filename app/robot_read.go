package app

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// RobotFilter narrows FindRobots. Ready selects the robots that the caller can run: with a source package and with
// readable environment variables.
type RobotFilter struct {
	TenantIDs []uuid.UUID
	Ready     bool
}

// FindRobots (B47) returns a page of the robots visible to the caller, without their environment variables: all of the
// tenants where it is an OWNER or ADMINISTRATOR, those it is a viewer of, and those it runs, by itself or for tasks of
// the processes that it runs.
func (s *Service) FindRobots(
	ctx context.Context, call domain.Call, filter RobotFilter, page domain.PageRequest, sort []domain.SortKey,
) (domain.Page[domain.Robot], error) {
	return s.store.Reader.ListRobots(ctx, persistence.RobotScope{Caller: call.Caller, Ready: filter.Ready},
		persistence.RobotFilter{TenantIDs: filter.TenantIDs}, page, sort)
}

// RobotDetails are a robot with its environment variables, by their names. There
// are none for a caller who may not see them.
type RobotDetails struct {
	domain.Robot
	Environment map[string]domain.Secret
}

// RetrieveRobot (B48) returns a robot visible to the caller, or NOT_FOUND. Its
// environment variables are included only for administrators and for the
// runners of the robot, not for viewers. Reading them is recorded once a day.
func (s *Service) RetrieveRobot(
	ctx context.Context, call domain.Call, id uuid.UUID,
) (*RobotDetails, error) {
	robot, variables, err := s.store.Reader.GetRobot(ctx, persistence.RobotScope{Caller: call.Caller}, id)
	if err != nil {
		return nil, err
	}
	details := &RobotDetails{Robot: *robot, Environment: make(map[string]domain.Secret, len(variables))}
	for _, v := range variables {
		if s.sealer == nil {
			return nil, errors.New("reading the environment of a robot: there is no key to open it with")
		}
		value, err := s.sealer.Open(storage.RobotVariablePurpose, storage.RobotVariableRecord(v.RobotID, v.Name), v.Sealed)
		if err != nil {
			return nil, fmt.Errorf("reading the environment of robot %s: %w", v.RobotID, err)
		}
		details.Environment[v.Name] = domain.NewSecret(string(value))
	}
	if len(variables) > 0 {
		if err := s.recordEnvironmentRead(ctx, call, robot); err != nil {
			return nil, err
		}
	}
	return details, nil
}

// DownloadRobotSourceCode (B49) returns the source package of a robot visible
// to the caller, or NOT_FOUND.
func (s *Service) DownloadRobotSourceCode(ctx context.Context, call domain.Call, id uuid.UUID) (*Download, error) {
	return s.downloadRobotFile(ctx, call, id, domain.RobotAssetKey{})
}

// DownloadRobotAsset (B50) returns an asset of a robot visible to the caller,
// or NOT_FOUND.
func (s *Service) DownloadRobotAsset(
	ctx context.Context, call domain.Call, id uuid.UUID, key domain.RobotAssetKey,
) (*Download, error) {
	if err := key.Check(); err != nil {
		return nil, err
	}
	return s.downloadRobotFile(ctx, call, id, key)
}

func (s *Service) downloadRobotFile(
	ctx context.Context, call domain.Call, id uuid.UUID, key domain.RobotAssetKey,
) (*Download, error) {
	d, err := s.store.Reader.GetDocumentOfRobot(ctx, persistence.RobotScope{Caller: call.Caller}, id, key)
	if err != nil {
		return nil, err
	}
	return s.openDownload(ctx, call, d)
}
