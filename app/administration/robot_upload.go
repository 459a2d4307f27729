package administration

import (
	"context"
	"fmt"
	"time"

	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence"
)

// MaxRobotAssets is how many assets a robot may have.
const MaxRobotAssets = 200

// UploadRobotFile stores the source package of a robot or, with a key that is
// not zero, an asset, and replaces the previous one. A download returns either
// file, never a mixture. The previous file is kept for another hour, for
// downloads in progress.
//
// It requires the same rights as applying the Robot; key.Kind is ignored.
// Errors: VALIDATION for an invalid content type or version, NOT_FOUND,
// DOCUMENT_TOO_LARGE, CONFLICT for more assets than allowed.
func (s *Service) UploadRobotFile(
	ctx context.Context, call domain.Call, key ResourceKey, asset domain.RobotAssetKey, in storage.File,
) (*domain.RobotFile, error) {
	if err := in.Check(); err != nil {
		return nil, err
	}
	if err := asset.Check(); err != nil {
		return nil, err
	}
	key.Kind = resource.KindRobot
	found, err := s.RetrieveResource(ctx, call, key)
	if err != nil {
		return nil, err
	}
	var stored domain.RobotFile
	owner := domain.DocumentOwner{Kind: domain.DocumentOfRobot, ID: found.ID}
	_, err = s.uploads.Receive(ctx, call, storage.Upload{
		File: in, Tenant: found.TenantID, Owner: owner,
		Admit: func(d *domain.Document) persistence.Read[domain.Events] {
			read := persistence.LockRobot(persistence.AdministrationOf(call.Caller), key)
			return persistence.Then(read, func(tx *persistence.Tx, locked *resource.Stored) (domain.Events, error) {
				if locked.ID != found.ID {
					return nil, domain.NotFound("resource")
				}
				if !asset.Source() && countAssets(locked, asset) >= MaxRobotAssets {
					return nil, domain.Conflict(domain.CodeConflict, fmt.Sprintf("the robot has %d assets already", MaxRobotAssets))
				}
				stored = domain.NewRobotFile(asset, d)
				tx.PutRobotFile(found.ID, stored, d.CreatedAt.Add(domain.DocumentOfRobot.Lifetime()))
				tx.TouchRobot(found.ID, call.PrincipalID, d.CreatedAt)
				return domain.Events{robotFileEvent(domain.EventRobotFileUploaded, locked, asset, call.Caller, d.CreatedAt)}, nil
			})
		},
	})
	if err != nil {
		return nil, err
	}
	return &stored, nil
}

// DeleteRobotFile takes the source package away from a robot, or with a key that
// is not zero an asset. It requires the same rights as applying the Robot. Errors:
// NOT_FOUND.
func (s *Service) DeleteRobotFile(
	ctx context.Context, call domain.Call, key ResourceKey, asset domain.RobotAssetKey,
) error {
	if err := asset.Check(); err != nil {
		return err
	}
	now := s.now()
	return s.write(ctx, call, func(tx *persistence.Tx) (domain.Events, error) {
		locked, err := persistence.LockRobot(persistence.AdministrationOf(call.Caller), key).Do(ctx, tx)
		if err != nil {
			return nil, err
		}
		if robotFile(locked, asset) == nil {
			return nil, domain.NotFound("file of the robot")
		}
		tx.DeleteRobotFile(locked.ID, asset, now.Add(domain.DocumentOfRobot.Lifetime()))
		tx.TouchRobot(locked.ID, call.PrincipalID, now)
		return domain.Events{robotFileEvent(domain.EventRobotFileDeleted, locked, asset, call.Caller, now)}, nil
	})
}

func robotFileEvent(
	t domain.EventType, robot *resource.Stored, key domain.RobotAssetKey, caller domain.Caller, now time.Time,
) domain.Event {
	e := domain.ConfigurationEvent(t, configuredOf(robot), caller.PrincipalID, now)
	return e.With("type", string(key.Type)).With("version", key.Version).
		With("platform", string(key.Platform)).With("architecture", string(key.Architecture))
}

// robotFile finds a file of a robot, nil when there is none with the key.
func robotFile(robot *resource.Stored, key domain.RobotAssetKey) *domain.RobotFile {
	for i := range robot.Robot.Files {
		if robot.Robot.Files[i].Key == key {
			return &robot.Robot.Files[i]
		}
	}
	return nil
}

// countAssets counts the assets of a robot, but for the one with the key.
func countAssets(robot *resource.Stored, but domain.RobotAssetKey) int {
	n := 0
	for _, file := range robot.Robot.Files {
		if !file.Key.Source() && file.Key != but {
			n++
		}
	}
	return n
}
