package main

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/devstack/demo"
)

// seed makes rows, as many as its share of a thousand says. Its statements have the
// tenant as their first argument, a principal as their second and the number of rows as
// their third. Ids are the digests of a name and a number.
type seed struct {
	each       int
	statements []string
}

// administeredSeeds returns the rows of a tenant: 10 thousand users, a thousand process definitions in a
// hundred queues, as many groups, applications, robots and webhook subscriptions, 20 thousand incidents
// of as many processes, and a million events with deliveries for a tenth. The events belong to an earlier
// era, which followers of the event log do not read.
func administeredSeeds() []seed { //nolint:funlen // a table of statements
	return []seed{
		{each: 10_000, statements: []string{
			`INSERT INTO principals (id, type, name, email, created_at)
			 SELECT md5('user ' || n)::uuid, 'USER', 'Person ' || n, 'person-' || n || '@bench.example', now()
			   FROM generate_series(1, $3::bigint) n WHERE $1::uuid <> $2::uuid`,
			`INSERT INTO tenant_users (id, tenant_id, principal_id, role, created_by, created_at, last_modified_by, last_modified_at)
			 SELECT md5('member ' || n)::uuid, $1, md5('user ' || n)::uuid, 'MEMBER', $2, now(), $2, now()
			   FROM generate_series(1, $3::bigint) n`,
			resourcesOf("User", "user", "'name', 'Person ' || n, 'email', 'person-' || n || '@bench.example'"),
		}},
		{each: 1_000, statements: []string{
			resourcesOf("Group", "group", `'name', 'Group ' || n, 'members', json_build_array(json_build_object('user', 'user-' || n))`),
			`INSERT INTO principals (id, type, name, tenant_id, role, created_at)
			 SELECT md5('application ' || n)::uuid, 'APPLICATION', 'Application ' || n, $1, 'MEMBER', now()
			   FROM generate_series(1, $3::bigint) n WHERE $2::uuid IS NOT NULL`,
			resourcesOf("Application", "application", "'name', 'Application ' || n"),
			`INSERT INTO robots (id, tenant_id, code, name, source_type, task_queue, workflow_type, runner_id,
			                     created_by, created_at, last_modified_by, last_modified_at)
			 SELECT md5('robot ' || n)::uuid, $1, 'robot-' || n, 'Robot ' || n, 'PACKAGE', 'BENCH_ROBOTS_' || n % 10, 'Run',
			        md5('application ' || n)::uuid, $2, now(), $2, now()
			   FROM generate_series(1, $3::bigint) n`,
			resourcesOf("Robot", "robot", "'name', 'Robot ' || n"),
			resourcesOf("WebhookSubscription", "webhook", "'name', 'Receiver ' || n, 'url', 'http://127.0.0.1/' || n, 'paused', true"),
			`INSERT INTO webhook_endpoints (subscription_id, tenant_id, url, payload_version, paused)
			 SELECT md5('webhook ' || n)::uuid, $1, 'http://127.0.0.1/' || n, 'B', true
			   FROM generate_series(1, $3::bigint) n WHERE $2::uuid IS NOT NULL`,
			`INSERT INTO process_definitions (id, tenant_id, code)
			 SELECT md5('definition ' || n)::uuid, $1, 'definition-' || n
			   FROM generate_series(1, $3::bigint) n WHERE $2::uuid IS NOT NULL`,
			`INSERT INTO process_definition_versions (version, process_definition_id, name, workflow_type, task_queue, signal_shape,
			                                          runner_id, spec, created_at, number, digest, created_by)
			 SELECT md5('version ' || n || '.' || g.number)::uuid, md5('definition ' || n)::uuid, 'Definition ' || n, v.workflow_type,
			        'BENCH_QUEUE_' || n % 100, v.signal_shape, v.runner_id, v.spec, now(), g.number, v.digest, $2
			   FROM generate_series(1, $3::bigint) n, generate_series(1, 3) AS g (number), process_definitions d
			   JOIN process_definition_versions v ON v.version = d.published_version
			  WHERE d.tenant_id = $1 AND d.code = 'LOAN'`,
			`INSERT INTO version_needs (version, number, process_definition_id, tenant_id, task_queue, kind, action, workflow_type)
			 SELECT n.* FROM needs_of_versions n
			  WHERE n.tenant_id = $1 AND $2::uuid IS NOT NULL AND $3::bigint > 0
			    AND NOT EXISTS (SELECT 1 FROM version_needs o WHERE o.version = n.version)`,
			`UPDATE process_definitions SET published_version = md5('version ' || split_part(code, '-', 2) || '.3')::uuid
			  WHERE tenant_id = $1 AND code LIKE 'definition-%' AND $2::uuid IS NOT NULL AND $3::bigint > 0`,
			`INSERT INTO resources (tenant_id, kind, code, id, labels, spec, created_by, created_at, last_modified_by, last_modified_at)
			 SELECT $1, r.kind, 'definition-' || n, md5('definition ' || n)::uuid, r.labels, r.spec, $2, now(), $2, now()
			   FROM generate_series(1, $3::bigint) n, resources r
			  WHERE r.tenant_id = $1 AND r.kind = 'ProcessDefinition' AND r.code = 'LOAN'`,
		}},
		{each: 20_000, statements: []string{
			`INSERT INTO processes (id, tenant_id, process_definition_id, process_version, process_definition_code, state, subject,
			                        initiator_id, created_by, created_at, last_modified_by, last_modified_at)
			 SELECT md5('process ' || n)::uuid, $1, d.id, v.version, d.code, 'RUNNING', 'Process ' || n, $2, $2, now(), $2, now()
			   FROM generate_series(1, $3::bigint) n
			   JOIN process_definitions d ON d.tenant_id = $1 AND d.code = 'definition-' || 1 + n % ($3::bigint / 20)
			   JOIN process_definition_versions v ON v.process_definition_id = d.id AND v.number = 1 + n % 3`,
			`INSERT INTO engine_runs (id, tenant_id, kind, owner_id, namespace, workflow_id, run_id, workflow_type, task_queue, state,
			                          created_at, last_active_at, closed_at)
			 SELECT md5('run ' || n)::uuid, $1, 'PROCESS', md5('process ' || n)::uuid, 'bench', 'process-' || n, 'run', 'Bench',
			        'BENCH_QUEUE_' || n % 100, 'FAILED', now(), now(), now()
			   FROM generate_series(1, $3::bigint) n WHERE $2::uuid IS NOT NULL`,
			`INSERT INTO incidents (id, tenant_id, process_id, engine_run_id, message, failure, run_id, state, created_at)
			 SELECT md5('incident ' || n)::uuid, $1, md5('process ' || n)::uuid, md5('run ' || n)::uuid, 'no answer of ' || n,
			        repeat('at Workflow.run ', 50), 'run', 'OPEN', now() - n * interval '1 second'
			   FROM generate_series(1, $3::bigint) n WHERE $2::uuid IS NOT NULL`,
		}},
		{each: 1_000_000, statements: []string{
			`INSERT INTO events (id, era, xid, tenant_id, process_id, type, actor_id, occurred_at, resource_kind, resource_id, state)
			 SELECT md5('event ' || n)::uuid, 0, pg_current_xact_id(), $1, md5('process ' || n % ($3::bigint / 50))::uuid,
			        CASE n % 100000 WHEN 7 THEN 'SECRET.ISSUED' ELSE 'PROCESS.STATE_CHANGED' END, CASE n % 10 WHEN 0 THEN md5('user ' || n % ($3::bigint / 100))::uuid ELSE $2 END,
			        now() - ($3::bigint - n) * interval '1 second', 'PROCESS', md5('process ' || n % ($3::bigint / 50))::uuid, 'RUNNING'
			   FROM generate_series(1, $3::bigint) n`,
		}},
		{each: 100_000, statements: []string{
			`INSERT INTO webhook_deliveries (id, subscription_id, tenant_id, event_id, event_era, event_xid, event_position, event_type,
			                                 payload_version, process_id, state, attempts, created_at, queued_at, last_attempt_at,
			                                 finished_at)
			 SELECT md5('delivery ' || n)::uuid, md5('webhook ' || 1 + n % ($3::bigint / 100))::uuid, $1, e.id, e.era, e.xid, e.position,
			        'PROCESS.STATE_CHANGED', 'B', md5('process ' || n)::uuid, CASE n % 20 WHEN 0 THEN 'DEAD' ELSE 'DELIVERED' END, 1,
			        t.at, t.at, t.at, t.at
			   FROM generate_series(1, $3::bigint) n
			   JOIN events e ON e.id = md5('event ' || n * 10)::uuid
			  CROSS JOIN LATERAL (SELECT now() - ($3::bigint - n) * interval '1 second' AS at) t WHERE $2::uuid IS NOT NULL`,
			`INSERT INTO webhook_attempts (delivery_id, tenant_id, round, number, at, status, latency, failure, detail, answer)
			 SELECT d.id, d.tenant_id, 1, 1, d.created_at, 200, interval '5 milliseconds', '', '', ''
			   FROM webhook_deliveries d WHERE d.tenant_id = $1 AND $2::uuid IS NOT NULL AND $3::bigint > 0`,
		}},
	}
}

// resourcesOf returns the statement that inserts manifests of a kind. Codes and ids consist
// of a word and a number.
func resourcesOf(kind, word, spec string) string {
	return fmt.Sprintf(`
INSERT INTO resources (tenant_id, kind, code, id, labels, spec, created_by, created_at, last_modified_by, last_modified_at)
SELECT $1, '%[1]s', '%[2]s-' || n, md5('%[2]s ' || n)::uuid, '{}', json_build_object(%[3]s), $2, now(), $2, now()
  FROM generate_series(1, $3::bigint) n`, kind, word, spec)
}

// loadAdministered inserts the rows for lists of administrators.
func (b *bench) loadAdministered(ctx context.Context) error {
	for _, s := range administeredSeeds() {
		err := b.inOne(ctx, []any{demo.TenantDemo(), demo.Alice().ID, max(20, s.each*b.administered/1000)}, s.statements...)
		if err != nil {
			return err
		}
	}
	_, err := b.pool.Exec(ctx, "VACUUM (ANALYZE)", pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		return fmt.Errorf("vacuuming: %w", err)
	}
	return nil
}
