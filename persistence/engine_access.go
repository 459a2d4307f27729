package persistence

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
)

const (
	// Queues belong to process definitions, to their user actions, to the actions of
	// business artifact definitions and to robots, all of which name who runs their
	// workflows. $1 is a principal, $2 the tenant.
	boundQueues = `
WITH bound AS (
    SELECT v.task_queue, v.runner_id, d.published_version IS NOT DISTINCT FROM v.version AS current
      FROM process_definitions d
      JOIN process_definition_versions v ON v.process_definition_id = d.id
     WHERE d.tenant_id = $2
       AND v.task_queue IS NOT NULL
     UNION ALL
    -- Who runs the processes runs the actions that name nobody else.
    SELECT a ->> 'taskQueue', coalesce(p.id, v.runner_id), d.published_version IS NOT DISTINCT FROM v.version
      FROM process_definitions d
      JOIN process_definition_versions v ON v.process_definition_id = d.id
     CROSS JOIN json_array_elements(v.spec -> 'userActions') a
      LEFT JOIN resources p ON p.tenant_id = d.tenant_id AND p.kind = 'Application' AND p.code = a ->> 'runner'
     WHERE d.tenant_id = $2
       AND a ->> 'taskQueue' IS NOT NULL
       AND coalesce(p.id, v.runner_id) IS NOT NULL
     UNION ALL
    SELECT a ->> 'taskQueue', p.id, true
      FROM resources r
     CROSS JOIN json_array_elements(r.spec -> 'actions') a
      JOIN resources p ON p.tenant_id = r.tenant_id AND p.kind = 'Application' AND p.code = a ->> 'runner'
     WHERE r.tenant_id = $2
       AND r.kind = 'BusinessArtifactDefinition'
     UNION ALL
    SELECT b.task_queue, b.runner_id, true
      FROM robots b
     WHERE b.tenant_id = $2
       AND b.task_queue IS NOT NULL
       AND b.runner_id IS NOT NULL
)`

	// A runner keeps the queues of its definitions' earlier versions, to which
	// processes are still pinned, until another application takes one over. A queue
	// that a worker named itself must belong to no one else's definition, not even to
	// an earlier version of it: registering must not take work away from others.
	listServableQueues = boundQueues + `
SELECT b.task_queue
  FROM bound b
 WHERE b.runner_id = $1
   AND (b.current
        OR NOT EXISTS (SELECT 1 FROM bound o
                        WHERE o.task_queue = b.task_queue AND o.current AND o.runner_id <> $1))
 UNION
SELECT q.task_queue
  FROM workers w
  JOIN worker_queues q ON q.worker_id = w.id
 WHERE w.tenant_id = $2
   AND q.principal_id = $1
   AND NOT EXISTS (SELECT 1 FROM bound o
                    WHERE o.task_queue = q.task_queue AND o.runner_id <> $1)
 ORDER BY task_queue`

	// Versions are never deleted, and processes may be pinned to any of them.
	listTenantQueues = boundQueues + `
SELECT b.task_queue
  FROM bound b
 UNION
SELECT q.task_queue
  FROM workers w
  JOIN worker_queues q ON q.worker_id = w.id
 WHERE w.tenant_id = $2
   AND $1::uuid IS NOT NULL
 ORDER BY task_queue`
)

// ListServableQueues returns the task queues of a tenant that the caller's
// workers may poll: those of the definitions and the actions that the caller runs
// and those its workers registered, except queues that belong to what somebody
// else runs.
func (r *Reader) ListServableQueues(ctx context.Context, caller domain.Caller, tenant uuid.UUID) ([]string, error) {
	var queues []string
	err := r.read(ctx, query{listServableQueues, []any{caller.PrincipalID, tenant}, collectQueues(&queues)})
	return queues, translate("listing servable task queues", err)
}

func collectQueues(dest *[]string) func(pgx.Rows) error {
	return func(rows pgx.Rows) (err error) {
		*dest, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	}
}

// EngineQueues are task queues of a tenant.
type EngineQueues struct {
	// Servable are those that ListServableQueues returns.
	Servable []string
	// Tenant are all: of every version of the definitions, of the actions, and those
	// that any worker registered.
	Tenant []string
}

// ReadEngineQueuesAlong reads the queues that matter to a principal, together
// with the next read of the transaction.
func (tx *Tx) ReadEngineQueuesAlong(principal, tenant uuid.UUID, into *EngineQueues) {
	args := []any{principal, tenant}
	tx.goAlong(query{listServableQueues, args, collectQueues(&into.Servable)},
		query{listTenantQueues, args, collectQueues(&into.Tenant)})
}
