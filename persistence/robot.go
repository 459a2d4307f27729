package persistence

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/access"
	"github.com/procession-dev/procession/persistence/internal/listquery"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

const robotColumns = `b.id, b.tenant_id, b.code, b.name, coalesce(b.description, ''), b.source_type,
       coalesce(b.workflow_type, ''), coalesce(b.task_queue, ''), b.runner_id,
       b.created_by, b.created_at, b.last_modified_by, b.last_modified_at,
       d.id, coalesce(d.name, ''), coalesce(d.content_type, ''), coalesce(d.size, 0), d.sha256, d.created_by, d.created_at`

const joinsOfRobots = `
  LEFT JOIN robot_files f ON f.robot_id = b.id AND f.asset_type IS NULL
  LEFT JOIN documents d ON d.id = f.document_id`

// RobotScope selects the robots that exist for the caller: those visible to it in its tenants.
type RobotScope struct {
	Caller domain.Caller
	// Ready leaves out robots without a source package, and robots with environment variables not visible to
	// the caller.
	Ready bool
}

// args returns the arguments of robotsInScope: the principal, its tenants, and the tenants that it
// administers.
func (s RobotScope) args() []any {
	return []any{s.Caller.PrincipalID, s.Caller.TenantIDs(), s.Caller.AdministeredTenants(), s.Ready}
}

const (
	// runsRobot is true of a robot b that the caller runs, by itself or for tasks of processes that it runs.
	runsRobot = `(b.runner_id = $1
    OR b.code = ANY(ARRAY(SELECT i.robot_code FROM item_definition_versions i
                           WHERE i.robot_code IS NOT NULL AND i.process_version = ANY(` + access.RunVersions + `))))`

	// usesRobot is true of a robot b if the caller may read its environment variables.
	usesRobot = `(b.tenant_id = ANY($3) OR ` + runsRobot + ` IS TRUE)`

	robotsInScope = `b.tenant_id = ANY($2)
   AND (` + usesRobot + `
        OR b.id = ANY(ARRAY(SELECT g.robot_id FROM robot_grants g WHERE ` + access.CallerIsGrantee + `)))
   AND (NOT $4 OR f.document_id IS NOT NULL AND ` + usesRobot + `)`
)

// scanRobot reads robotColumns, and more columns that follow them.
func scanRobot(row pgx.CollectableRow, r *domain.Robot, more ...any) error {
	var runner, file, uploadedBy *uuid.UUID
	var source domain.RobotFile
	var digest []byte
	var uploadedAt *time.Time
	err := row.Scan(append([]any{
		&r.ID, &r.TenantID, &r.Code, &r.Name, &r.Description, &r.SourceType,
		&r.Worker.WorkflowType, &r.Worker.TaskQueue, &runner,
		&r.CreatedBy, &r.CreatedAt, &r.LastModifiedBy, &r.LastModifiedAt,
		&file, &source.Name, &source.ContentType, &source.Size, &digest, &uploadedBy, &uploadedAt,
	}, more...)...)
	if err != nil {
		return err
	}
	if runner != nil {
		r.Worker.RunnerID = *runner
	}
	if file != nil {
		source.ID, source.UploadedBy, source.UploadedAt = *file, *uploadedBy, *uploadedAt
		copy(source.SHA256[:], digest)
		r.Source = &source
	}
	return nil
}

// RobotFilter narrows a list of robots; empty fields keep all.
type RobotFilter struct {
	TenantIDs []uuid.UUID
}

// ListRobots returns a page of the robots in scope. They can be sorted by id,
// createdAt and lastModifiedAt.
func (r *Reader) ListRobots(
	ctx context.Context, scope RobotScope, filter RobotFilter, page domain.PageRequest, sort []domain.SortKey,
) (domain.Page[domain.Robot], error) {
	l := &listquery.List{
		Columns: robotColumns, Table: "robots b", Joins: joinsOfRobots, Args: scope.args(), Visible: listquery.Match(robotsInScope),
		Where: []listquery.Condition{listquery.AnyOf("b.tenant_id", filter.TenantIDs)},
		Order: listquery.Order{
			By: sort, Default: []listquery.Column{{SQL: "b.created_at"}},
			Columns: listquery.Columns{
				"id": {SQL: "b.id"}, "createdAt": {SQL: "b.created_at"}, "lastModifiedAt": {SQL: "b.last_modified_at"},
			},
		},
	}
	return ReadPage(ctx, r, "listing robots", l, page, func(row pgx.CollectableRow) (robot domain.Robot, err error) {
		return robot, scanRobot(row, &robot)
	})
}

const (
	getRobot = `
SELECT ` + robotColumns + `
  FROM robots b` + joinsOfRobots + `
 WHERE b.id = $5 AND ` + robotsInScope

	// Sealed values are not sent to callers that do not use the robot.
	getRobotEnvironment = `
SELECT e.robot_id, e.name, e.sealed, e.last_modified_by AS modified_by, e.last_modified_at AS modified_at
  FROM robot_environment e
  JOIN robots b ON b.id = e.robot_id
 WHERE b.id = $4 AND b.tenant_id = ANY($2) AND ` + usesRobot + `
 ORDER BY e.name`
)

// GetRobot returns a robot in scope, or NOT_FOUND, with the environment variables that are visible to the
// caller.
func (r *Reader) GetRobot(
	ctx context.Context, scope RobotScope, id uuid.UUID,
) (*domain.Robot, []domain.RobotVariable, error) {
	var robot domain.Robot
	var environment []domain.RobotVariable
	args := append(scope.args(), id)
	err := r.Read(ctx,
		pg.Q(getRobot, args, func(rows pgx.Rows) error {
			_, err := pgx.CollectExactlyOneRow(rows, func(row pgx.CollectableRow) (struct{}, error) {
				return struct{}{}, scanRobot(row, &robot)
			})
			return err
		}),
		pg.Q(getRobotEnvironment, append(args[:3:3], id), pg.Into(&environment)))
	if err != nil {
		return nil, nil, pg.Translate("reading a robot", pg.NotFound(err, "robot"))
	}
	return &robot, environment, nil
}

const getDocumentOfRobot = `
SELECT ` + documentColumns + `
  FROM robots b
  LEFT JOIN robot_files f ON f.robot_id = b.id AND f.asset_type IS NULL
  JOIN robot_files a ON a.robot_id = b.id
   AND a.asset_type IS NOT DISTINCT FROM nullif($6, '') AND a.version IS NOT DISTINCT FROM nullif($7, '')
   AND a.platform IS NOT DISTINCT FROM nullif($8, '') AND a.architecture IS NOT DISTINCT FROM nullif($9, '')
  JOIN documents d ON d.id = a.document_id
 WHERE b.id = $5 AND ` + robotsInScope

// GetDocumentOfRobot returns the source package or an asset of a robot in scope,
// or NOT_FOUND.
func (r *Reader) GetDocumentOfRobot(
	ctx context.Context, scope RobotScope, id uuid.UUID, key domain.RobotAssetKey,
) (*domain.Document, error) {
	var d domain.Document
	err := r.Read(ctx, pg.Q(
		getDocumentOfRobot,
		append(scope.args(), id, key.Type, key.Version, key.Platform, key.Architecture),
		func(rows pgx.Rows) (err error) {
			d, err = pgx.CollectExactlyOneRow(rows, scanDocument)
			return err
		},
	))
	if err != nil {
		return nil, pg.Translate("reading a file of a robot", pg.NotFound(err, "file of the robot"))
	}
	return &d, nil
}
