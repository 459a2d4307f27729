package demo

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/procession-dev/procession/administer"
	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/blobstore"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/examples/demo"
	"github.com/procession-dev/procession/persistence"
)

// RobotAsset is the key of the one asset of KYC_BOT.
func RobotAsset() domain.RobotAssetKey {
	return domain.RobotAssetKey{Type: "NODEJS", Version: "20.0.0", Platform: "LINUX", Architecture: "X86_64"}
}

// LoadFiles uploads the files of the robot, which Load has made. What is there
// already stays as it is.
func LoadFiles(ctx context.Context, db *persistence.DB, documents *blobstore.Store, now time.Time) error {
	service := administer.New(administer.Options{
		Store: storage.New(storage.Options{DB: db, Clock: func() time.Time { return now }}), Documents: documents,
	})
	key := administer.ResourceKey{Tenant: "demo", Kind: resource.KindRobot, Code: "KYC_BOT"}
	robot, err := service.RetrieveResource(ctx, operator(), key)
	if err != nil {
		return fmt.Errorf("looking for the robot of the demonstration data: %w", err)
	}
	there := map[domain.RobotAssetKey][sha256.Size]byte{}
	for _, file := range robot.Robot.Files {
		there[file.Key] = file.SHA256
	}
	for _, file := range []struct {
		key  domain.RobotAssetKey
		name string
		make func() ([]byte, error)
	}{
		{domain.RobotAssetKey{}, "kyc-bot.zip", demo.RobotPackage},
		{RobotAsset(), "node-20.0.0-linux-x86_64.zip", demo.RobotRuntime},
	} {
		content, err := file.make()
		if err != nil {
			return err
		}
		if stored, ok := there[file.key]; ok && stored == sha256.Sum256(content) {
			continue
		}
		_, err = service.UploadRobotFile(ctx, operator(), key, file.key, storage.Upload{
			Name: file.name, ContentType: "application/zip", Body: bytes.NewReader(content),
		})
		if err != nil {
			return fmt.Errorf("uploading %s: %w", file.name, err)
		}
	}
	return nil
}
