package demo

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/blobstore"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/examples/demo"
	"github.com/procession-dev/procession/persistence"
)

// RobotAsset returns the key of the one asset of KYC_BOT.
func RobotAsset() domain.RobotAssetKey {
	return domain.RobotAssetKey{Type: "NODEJS", Version: "20.0.0", Platform: "LINUX", Architecture: "X86_64"}
}

// LoadFiles uploads the files that the robot of the demonstration data does not
// have yet. Files that users have replaced stay, and a robot that was deleted gets
// none.
func LoadFiles(ctx context.Context, db *persistence.DB, documents *blobstore.Store, now time.Time) error {
	service := administration.New(administration.Options{
		Store: storage.New(storage.Options{DB: db, Clock: func() time.Time { return now }}), Documents: documents,
	})
	key := administration.ResourceKey{Tenant: "demo", Kind: resource.KindRobot, Code: "KYC_BOT"}
	robot, err := service.RetrieveResource(ctx, operatorCall(), key)
	if domain.HasCode(err, domain.CodeNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("looking for the robot of the demonstration data: %w", err)
	}
	there := map[domain.RobotAssetKey]bool{}
	for _, file := range robot.Robot.Files {
		there[file.Key] = true
	}
	for _, file := range []struct {
		key  domain.RobotAssetKey
		name string
		make func() ([]byte, error)
	}{
		{domain.RobotAssetKey{}, "kyc-bot.zip", demo.RobotPackage},
		{RobotAsset(), "node-20.0.0-linux-x86_64.zip", demo.RobotRuntime},
	} {
		if there[file.key] {
			continue
		}
		content, err := file.make()
		if err != nil {
			return err
		}
		_, err = service.UploadRobotFile(ctx, operatorCall(), key, file.key, storage.File{
			Name: file.name, ContentType: "application/zip", Body: bytes.NewReader(content),
		})
		if err != nil {
			return fmt.Errorf("uploading %s: %w", file.name, err)
		}
	}
	return nil
}
