package persistence

import (
	"context"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

// engineAccess are the subqueries for the task queues that an application may serve. $1 is the principal, $2 the
// tenant.
//
// bound are the task queues that manifests bind to applications: of process definitions, of user actions,
// of actions on business artifacts, of data sources and of robots, which name their runner, and the queues
// that an application lists. A robot's queue may be NULL.
//
// servable are the queues that the principal may poll. A runner keeps the queues of its definitions' earlier
// versions, to which processes are still pinned, until another application is bound to one.
//
// reachable are the queues that the principal's workflows may use: queues that it may poll, and queues that the
// versions it runs name for user actions and robots.
const engineAccess = `
bound AS (` + boundQueues + `
), servable AS (
    SELECT DISTINCT b.task_queue
      FROM bound b
     WHERE b.runner_id = $1
       AND b.task_queue IS NOT NULL
       AND (b.current
            OR NOT EXISTS (SELECT 1 FROM bound o
                            WHERE o.task_queue = b.task_queue AND o.current AND o.runner_id <> $1))
), run AS (
    SELECT v.version, v.spec
      FROM process_definitions d
      JOIN process_definition_versions v ON v.process_definition_id = d.id
     WHERE d.tenant_id = $2
       AND v.runner_id = $1
       AND v.task_queue IN (SELECT s.task_queue FROM servable s)
), reachable AS (
    SELECT s.task_queue
      FROM servable s
     UNION
    SELECT a ->> 'taskQueue'
      FROM run
     CROSS JOIN json_array_elements(run.spec -> 'userActions') a
     WHERE a ->> 'taskQueue' IS NOT NULL
     UNION
    SELECT b.task_queue
      FROM run
      JOIN item_definition_versions i ON i.process_version = run.version
      JOIN robots b ON b.tenant_id = $2 AND b.code = i.robot_code
     WHERE b.task_queue IS NOT NULL
)`

// boundQueues are the task queues that manifests bind to applications in the tenant $2.
const boundQueues = `
    SELECT v.task_queue, v.runner_id, d.published_version IS NOT DISTINCT FROM v.version AS current
      FROM process_definitions d
      JOIN process_definition_versions v ON v.process_definition_id = d.id
     WHERE d.tenant_id = $2
       AND v.task_queue IS NOT NULL
     UNION ALL
    -- Actions without a runner of their own are run by the runner of the processes.
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
       AND b.runner_id IS NOT NULL
     UNION ALL
    SELECT s.task_queue, s.runner_id, true
      FROM data_sources s
     WHERE s.tenant_id = $2
     UNION ALL
    SELECT listed.task_queue, r.id, true
      FROM resources r
     CROSS JOIN json_array_elements_text(r.spec -> 'engine' -> 'taskQueues') listed (task_queue)
     WHERE r.tenant_id = $2
       AND r.kind = 'Application'`

const getEngineAccess = `
WITH ` + engineAccess + `
SELECT EXISTS (SELECT 1 FROM bound b WHERE b.runner_id = $1),
       ARRAY(SELECT s.task_queue FROM servable s ORDER BY s.task_queue),
       ARRAY(SELECT r.task_queue FROM reachable r ORDER BY r.task_queue),
       coalesce((SELECT t.cluster FROM tenants t WHERE t.id = $2), '')`

// EngineAccess is the access to the engine that manifests give a principal in a tenant.
type EngineAccess struct {
	// Worker reports whether a manifest makes the principal a worker: it runs a
	// published version of a process definition, an action, a data source or a
	// robot, or lists task queues. Only applications are.
	Worker bool
	// Servable are the task queues that the principal's workers may poll.
	Servable []string
	// Reachable are the task queues that its workflows may use.
	Reachable []string
	// Cluster is the name of the tenant's Temporal cluster, "" for the default one.
	Cluster string
}

func engineAccessOf(principal, tenant uuid.UUID, dest *EngineAccess) pg.Query {
	return pg.Q(getEngineAccess, []any{principal, tenant}, pg.One(&dest.Worker, &dest.Servable, &dest.Reachable, &dest.Cluster))
}

// GetEngineAccess returns the caller's access to the engine in a tenant.
func (r *Reader) GetEngineAccess(ctx context.Context, caller domain.Caller, tenant uuid.UUID) (EngineAccess, error) {
	var access EngineAccess
	err := r.Read(ctx, engineAccessOf(caller.PrincipalID, tenant, &access))
	return access, pg.Translate("reading the access to the engine", err)
}
