package persistence

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

const (
	assistingRobotColumns = `b.id, b.workflow_type, b.task_queue, b.runner_id`

	robotOfTask = `
SELECT ` + assistingRobotColumns + `, v.robot_operation, coalesce(pv.encryption_key, '')
  FROM process_items i
  JOIN item_definition_versions v ON v.version = i.item_version
  JOIN process_definition_versions pv ON pv.version = v.process_version
  JOIN robots b ON b.tenant_id = i.tenant_id AND b.code = v.robot_code AND b.workflow_type IS NOT NULL
 WHERE i.id = $1`

	robotWithCode = `
SELECT ` + assistingRobotColumns + `, $3::text, ''
  FROM robots b
 WHERE b.tenant_id = $1 AND b.code = $2 AND b.workflow_type IS NOT NULL`
)

func scanAssistingRobot(dest **domain.AssistingRobot) func(pgx.Rows) error {
	return pg.OrNil(dest, func(r *domain.AssistingRobot) func(pgx.Rows) error {
		return pg.One(&r.ID, &r.Worker.WorkflowType, &r.Worker.TaskQueue, &r.Worker.RunnerID, &r.Operation, &r.EncryptionKey)
	})
}

// RobotOfTask reads the robot that assists with a task, nil when there is none.
func RobotOfTask(task uuid.UUID) Read[*domain.AssistingRobot] {
	robot := new(*domain.AssistingRobot)
	return answer(robot, pg.Q(robotOfTask, []any{task}, scanAssistingRobot(robot)))
}

// GetAssistingRobot returns the robot that a task definition of the tenant names, nil if there is none that can
// be started.
func (tx *Tx) GetAssistingRobot(
	ctx context.Context, tenant uuid.UUID, named domain.TaskRobot,
) (*domain.AssistingRobot, error) {
	var robot *domain.AssistingRobot
	err := tx.Read(ctx, pg.Q(robotWithCode, []any{tenant, named.Code, named.Operation}, scanAssistingRobot(&robot)))
	return robot, err
}

// The termination has an order key of its own, as with other workflows.
const stopTaskRobots = `
INSERT INTO engine_commands (id, engine_run_id, tenant_id, cluster, order_key, kind, created_at, not_before)
SELECT c.id, r.id, r.tenant_id, t.cluster, CASE c.kind WHEN 'CANCEL' THEN r.id ELSE c.id END, c.kind, $2, c.not_before
  FROM engine_runs r
  JOIN tenants t ON t.id = r.tenant_id
 CROSS JOIN LATERAL (VALUES (gen_random_uuid(), 'CANCEL', $2::timestamptz),
                            (gen_random_uuid(), 'TERMINATE', $3::timestamptz)) c (id, kind, not_before)
 WHERE r.kind = 'TASK_ROBOT' AND r.owner_id = $1 AND r.closed_at IS NULL`

// StopTaskRobots stages the cancellation of the robots that assist with a task, which is under lock, and their
// termination at terminateAt if they have not ended by then.
func (tx *Tx) StopTaskRobots(task uuid.UUID, now, terminateAt time.Time) {
	tx.staged = true
	tx.queue(stopTaskRobots, task, now, terminateAt)
}
