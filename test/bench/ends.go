package main

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"go.temporal.io/api/workflowservice/v1"

	"github.com/procession-dev/procession/devstack/demo"
)

const (
	// openShare is the part of the workflows in Temporal's visibility store that are open: one in so many.
	openShare = 4
	// manyRows are so many that they are inserted without the indexes of attributes that they do not have.
	manyRows = 100_000

	loadOpenProcesses = `
INSERT INTO processes (id, tenant_id, process_definition_id, process_version, process_definition_code, state, subject,
                       initiator_id, created_by, created_at, last_modified_by, last_modified_at)
SELECT ($1::text || lpad(to_hex(n), 12, '0'))::uuid, d.tenant_id, d.id, d.published_version, d.code, 'RUNNING', d.code, $3, $3, now(), $3, now()
  FROM process_definitions d, generate_series(1, $4::bigint) n
 WHERE d.id = $2`

	loadOpenWorkflows = `
INSERT INTO engine_runs (id, tenant_id, kind, owner_id, namespace, workflow_id, run_id, workflow_type, task_queue, state,
                         created_at, last_active_at)
SELECT p.id, p.tenant_id, 'PROCESS', p.id, t.namespace, 'process-' || p.id, p.id, $3, $4, 'RUNNING', now(), now()
  FROM processes p JOIN tenants t ON t.id = p.tenant_id
 WHERE p.process_definition_id = $2 AND p.id::text LIKE $1::text || '%'`

	// Ends are spread over three days, which is how long Temporal keeps them.
	loadVisibility = `
INSERT INTO executions_visibility (namespace_id, run_id, start_time, execution_time, workflow_id, workflow_type_name, status,
                                   close_time, history_length, encoding, task_queue)
SELECT $1, r.id, now() AT TIME ZONE 'UTC' - interval '4 days', now() AT TIME ZONE 'UTC' - interval '4 days',
       'process-' || r.id, $2, CASE WHEN r.n <= $4 THEN 1 ELSE 2 END,
       CASE WHEN r.n > $4 THEN now() AT TIME ZONE 'UTC' - (r.n - $4) * (interval '3 days' / $6::bigint) END, 10, 'Proto3', $3
  FROM (SELECT n, $5::text || lpad(to_hex(n), 12, '0') AS id FROM generate_series(1, $6::bigint) n) r`

	dropAttributes = `
DO $$ DECLARE i text; BEGIN
    FOR i IN SELECT indexname FROM pg_indexes WHERE tablename = 'executions_visibility'
        AND indexname NOT IN ('default_idx', 'by_status', 'by_workflow_id', 'by_workflow_type', 'by_task_queue', 'by_temporal_namespace_division')
        AND indexname NOT LIKE '%pkey' LOOP
        EXECUTE 'DROP INDEX ' || quote_ident(i);
    END LOOP;
END $$`
)

// measureEnds measures how long after a workflow has returned its process is COMPLETED, in a namespace with many workflows
// that are open or kept.
func (b *bench) measureEnds(ctx context.Context) error {
	c, err := b.dialEngine(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	seen := &watch{}
	w, err := startWorker(ctx, c, seen)
	if err != nil {
		return err
	}
	defer w.Stop()
	// The first look in a namespace reads all that has ended there.
	if err := b.walkProcesses(ctx, seen, walkers, &latencies{}); err != nil {
		return err
	}
	if err := b.loadEnds(ctx); err != nil {
		return err
	}
	var l latencies
	if err := b.walkProcesses(ctx, seen, b.samples, &l); err != nil {
		return err
	}
	open := b.visibility / openShare
	b.report.add(boundedRow(fmt.Sprintf("workflow returns → process COMPLETED visible, %d open and %d ended workflows", open, b.visibility-open),
		l.closed, visibleTarget))
	if b.samples < lateProcesses {
		return nil
	}
	late, err := b.walkLate(ctx, seen)
	if err != nil {
		return err
	}
	b.report.add(boundedRow(fmt.Sprintf("the same, by a timer of %.0f s, service idle", laterAfter.Seconds()), late, visibleTarget))
	return nil
}

// loadEnds creates open processes, and rows of running and ended workflows in Temporal's visibility store. Temporal has
// no histories for them: a workflow that the sweep describes becomes an incident, about ten a minute.
func (b *bench) loadEnds(ctx context.Context) error {
	began, open := time.Now(), b.visibility/openShare
	namespace, err := b.namespaceID(ctx)
	if err != nil {
		return err
	}
	// Prefixes of ids, before the number.
	prefix := uuid.NewString()[:len("00000000-0000-0000-0000-")]
	if err := b.inOne(ctx, []any{prefix, definitionID(codeWait), demo.Alice().ID, open}, loadOpenProcesses); err != nil {
		return err
	}
	if err := b.inOne(ctx, []any{prefix, definitionID(codeWait), workflowWait, taskQueue}, loadOpenWorkflows); err != nil {
		return err
	}
	if _, err := b.pool.Exec(ctx, "VACUUM (ANALYZE) engine_runs"); err != nil {
		return fmt.Errorf("vacuuming: %w", err)
	}
	at, err := url.Parse(b.cluster.URL("temporal_visibility"))
	if err != nil {
		return fmt.Errorf("reading the address of Temporal's lists: %w", err)
	}
	lists, err := pgx.Connect(ctx, at.String())
	if err != nil {
		return fmt.Errorf("connecting to Temporal's lists: %w", err)
	}
	defer func() { _ = lists.Close(ctx) }()
	if b.visibility > manyRows {
		if _, err := lists.Exec(ctx, dropAttributes); err != nil {
			return fmt.Errorf("dropping indexes: %w", err)
		}
	}
	if _, err := lists.Exec(ctx, loadVisibility, namespace, workflowWait, taskQueue, open, prefix, b.visibility); err != nil {
		return fmt.Errorf("loading Temporal's lists: %w", err)
	}
	if _, err := lists.Exec(ctx, "VACUUM ANALYZE executions_visibility"); err != nil {
		return fmt.Errorf("analyzing Temporal's lists: %w", err)
	}
	// Otherwise the first minutes measure the disk, which writes the loaded rows.
	if err := b.vacuumTables(ctx); err != nil {
		return err
	}
	fmt.Fprintf(b.progress, "  %d open and %d ended workflows, loaded in %.0f s\n", open, b.visibility-open, time.Since(began).Seconds())
	return nil
}

// namespaceID returns the id by which Temporal's lists know the namespace of the demo tenant.
func (b *bench) namespaceID(ctx context.Context) (string, error) {
	var name string
	err := b.pool.QueryRow(ctx, "SELECT namespace FROM tenants WHERE id = $1", demo.TenantDemo()).Scan(&name)
	if err != nil {
		return "", fmt.Errorf("reading the namespace: %w", err)
	}
	c, err := b.dialRaw(ctx, name)
	if err != nil {
		return "", err
	}
	defer c.Close()
	described, err := c.WorkflowService().DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{Namespace: name})
	if err != nil {
		return "", fmt.Errorf("describing the namespace: %w", err)
	}
	return described.GetNamespaceInfo().GetId(), nil
}
