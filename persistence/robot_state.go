package persistence

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

// robotState is the state of a robot described by the resource r.
const robotState = `json_build_object(
       'files', (SELECT json_agg(json_build_object(
                            'id', d.id, 'name', d.name, 'contentType', d.content_type, 'size', d.size,
                            'sha256', encode(d.sha256, 'hex'), 'uploadedBy', d.created_by, 'uploadedAt', d.created_at,
                            'type', f.asset_type, 'version', f.version, 'platform', f.platform, 'architecture', f.architecture)
                          ORDER BY f.asset_type NULLS FIRST, f.version, f.platform, f.architecture)
                   FROM robot_files f
                   JOIN documents d ON d.id = f.document_id
                  WHERE f.robot_id = r.id),
       'variables', (SELECT json_agg(e.name ORDER BY e.name) FROM robot_environment e WHERE e.robot_id = r.id))`

// readRobotState reads robotState, which is nil for other resources.
func readRobotState(text []byte) (*resource.RobotState, error) {
	if text == nil {
		return nil, nil //nolint:nilnil // other resources have no such state, and that is no failure
	}
	var stored struct {
		Files []struct {
			ID           uuid.UUID                     `json:"id"`
			Name         string                        `json:"name"`
			ContentType  string                        `json:"contentType"`
			Size         int64                         `json:"size"`
			SHA256       string                        `json:"sha256"`
			UploadedBy   uuid.UUID                     `json:"uploadedBy"`
			UploadedAt   time.Time                     `json:"uploadedAt"`
			Type         domain.RobotAssetType         `json:"type"`
			Version      string                        `json:"version"`
			Platform     domain.RobotAssetPlatform     `json:"platform"`
			Architecture domain.RobotAssetArchitecture `json:"architecture"`
		} `json:"files"`
		Variables []string `json:"variables"`
	}
	if err := json.Unmarshal(text, &stored); err != nil {
		return nil, fmt.Errorf("decoding the state of a robot: %w", err)
	}
	state := &resource.RobotState{Variables: stored.Variables}
	for _, f := range stored.Files {
		file := domain.RobotFile{
			ID: f.ID, Name: f.Name, ContentType: f.ContentType, Size: f.Size,
			UploadedBy: f.UploadedBy, UploadedAt: f.UploadedAt.UTC(),
			Key: domain.RobotAssetKey{
				Type: f.Type, Version: f.Version, Platform: f.Platform, Architecture: f.Architecture,
			},
		}
		if _, err := hex.Decode(file.SHA256[:], []byte(f.SHA256)); err != nil {
			return nil, fmt.Errorf("decoding the digest of a file: %w", err)
		}
		state.Files = append(state.Files, file)
	}
	return state, nil
}

// LockRobot returns a Robot in scope, locked against concurrent changes of it, its files and its environment.
// It returns the errors of GetResource.
func LockRobot(scope AdministrationScope, key resource.Key) Read[*resource.Stored] {
	key.Kind = resource.KindRobot
	where, args := resourcesAt(scope, key).Conditions()
	var found []resource.Stored
	return Read[*resource.Stored]{[]pg.Query{pg.Q(fmt.Sprintf(lockSecretOwner, where), args, func(rows pgx.Rows) (err error) {
		found, err = pgx.CollectRows(rows, scanResource)
		return err
	})}, func(tx *Tx) (*resource.Stored, error) { return tx.onlyResource(found) }}
}
