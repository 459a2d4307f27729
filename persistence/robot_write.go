package persistence

import (
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

const (
	putRobot = `
INSERT INTO robots (id, tenant_id, code, name, description, source_type, workflow_type, task_queue, runner_id,
                    created_by, created_at, last_modified_by, last_modified_at)
VALUES ($1, $2, $3, $4, nullif($5, ''), $6, nullif($7, ''), nullif($8, ''), $9, $10, $11, $12, $13)
ON CONFLICT (id) DO UPDATE
   SET name = excluded.name, description = excluded.description, source_type = excluded.source_type,
       workflow_type = excluded.workflow_type, task_queue = excluded.task_queue, runner_id = excluded.runner_id,
       last_modified_by = excluded.last_modified_by, last_modified_at = excluded.last_modified_at`

	revokeOnRobot = `
DELETE FROM robot_grants
 WHERE robot_id = $1`

	// A group has rights in its own tenant only; the queries that read rights rely on it.
	grantOnRobot = `
INSERT INTO robot_grants (robot_id, grantee_id)
SELECT b.id, $2
  FROM robots b
 WHERE b.id = $1
   AND NOT EXISTS (SELECT 1 FROM groups o WHERE o.id = $2 AND o.tenant_id <> b.tenant_id)
ON CONFLICT DO NOTHING`

	expireFilesOfRobot = `
UPDATE documents
   SET expires_at = $2
 WHERE owner_kind = 'ROBOT' AND owner_id = $1`

	deleteRobot = `
DELETE FROM robots
 WHERE id = $1`
)

// PutRobot inserts or updates a robot without its files. It makes the robot visible to viewers, in place of the
// earlier viewers.
func (tx *Tx) PutRobot(r domain.Robot, viewers []uuid.UUID) {
	tx.queue(putRobot, r.ID, r.TenantID, r.Code, r.Name, r.Description, r.SourceType,
		r.Worker.WorkflowType, r.Worker.TaskQueue, pg.Optional(r.Worker.RunnerID),
		r.CreatedBy, r.CreatedAt, r.LastModifiedBy, r.LastModifiedAt)
	tx.queue(revokeOnRobot, r.ID)
	for _, viewer := range viewers {
		tx.queue(grantOnRobot, r.ID, viewer)
	}
}

// RemoveRobot deletes a robot. Its files expire at expiry.
func (tx *Tx) RemoveRobot(id uuid.UUID, expiry time.Time) {
	tx.queue(expireFilesOfRobot, id, expiry)
	tx.queue(deleteRobot, id)
}

const (
	touchRobot = `
UPDATE robots
   SET last_modified_by = $2, last_modified_at = $3
 WHERE id = $1`

	// The files and the environment are part of the resource that administrators read.
	touchResourceOfRobot = `
UPDATE resources
   SET last_modified_by = $2, last_modified_at = greatest($3, last_modified_at + interval '1 microsecond')
 WHERE id = $1 AND kind = 'Robot'`

	// ofRobotFile is true of the file f of the robot $1 with the key $2 to $5.
	ofRobotFile = `f.robot_id = $1
   AND f.asset_type IS NOT DISTINCT FROM nullif($2, '') AND f.version IS NOT DISTINCT FROM nullif($3, '')
   AND f.platform IS NOT DISTINCT FROM nullif($4, '') AND f.architecture IS NOT DISTINCT FROM nullif($5, '')`

	expireRobotFile = `
UPDATE documents d
   SET expires_at = $6
  FROM robot_files f
 WHERE d.id = f.document_id AND ` + ofRobotFile

	deleteRobotFile = `
DELETE FROM robot_files f
 WHERE ` + ofRobotFile

	insertRobotFile = `
INSERT INTO robot_files (robot_id, tenant_id, asset_type, version, platform, architecture, document_id)
VALUES ($1, (SELECT r.tenant_id FROM robots r WHERE r.id = $1), nullif($2, ''), nullif($3, ''), nullif($4, ''), nullif($5, ''), $6)`
)

// PutRobotFile makes a document the source package or an asset of a robot, which is under lock. The document
// that it replaces expires at expiry.
func (tx *Tx) PutRobotFile(robot uuid.UUID, file domain.RobotFile, expiry time.Time) {
	tx.DeleteRobotFile(robot, file.Key, expiry)
	tx.queue(insertRobotFile, robot, file.Key.Type, file.Key.Version, file.Key.Platform, file.Key.Architecture, file.ID)
	tx.queue(keepLinkedDocuments, []uuid.UUID{file.ID})
}

// DeleteRobotFile removes the source package or an asset from a robot, which is under lock. The document expires
// at expiry.
func (tx *Tx) DeleteRobotFile(robot uuid.UUID, key domain.RobotAssetKey, expiry time.Time) {
	tx.queue(expireRobotFile, robot, key.Type, key.Version, key.Platform, key.Architecture, expiry)
	tx.queue(deleteRobotFile, robot, key.Type, key.Version, key.Platform, key.Architecture)
}

// TouchRobot records the last change of the files or the environment of a robot.
func (tx *Tx) TouchRobot(robot, by uuid.UUID, now time.Time) {
	tx.queue(touchRobot, robot, by, now)
	tx.queue(touchResourceOfRobot, robot, by, now)
}

const (
	putRobotVariable = `
INSERT INTO robot_environment (robot_id, name, sealed, last_modified_by, last_modified_at)
VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (robot_id, name) DO UPDATE
   SET sealed = excluded.sealed, last_modified_by = excluded.last_modified_by,
       last_modified_at = excluded.last_modified_at`

	deleteRobotVariable = `
DELETE FROM robot_environment
 WHERE robot_id = $1 AND name = $2`
)

// PutRobotVariable sets an environment variable of a robot, which is under lock.
func (tx *Tx) PutRobotVariable(v domain.RobotVariable) {
	tx.queue(putRobotVariable, v.RobotID, v.Name, v.Sealed, v.ModifiedBy, v.ModifiedAt)
}

// DeleteRobotVariable deletes an environment variable of a robot, which is under lock.
func (tx *Tx) DeleteRobotVariable(robot uuid.UUID, name string) {
	tx.queue(deleteRobotVariable, robot, name)
}
